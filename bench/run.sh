#!/usr/bin/env bash
# Measures the front end, hlo-verify and pipelines and prints markdown for docs/evidence/front-end.md.
#   bench/run.sh BUILD      called by `make bench`
# Over the dumps of 1 MB and more in HLO_CORPUS, and over a file of 100 MB made
# from them; without dumps, over 100 MB made from the modules of tests/golden.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?usage: bench/run.sh BUILD}
. tests/outside.bash
corpus=$HLO_CORPUS
work=$build/bench/work
mkdir -p "$work"

large_dumps() {
    [ ! -d "$corpus" ] || find "$corpus" -name '*.hlo' -size +999999c | sort
}

printed() {
    local out
    out=$work/$(printf '%s' "$1" | tr / _)
    "$build/bin/hlo-opt" --passes= "$1" >"$out"
    printf '%s\n' "$out"
}

# Modules with few distinct names would make the large file uniform: take many.
sources() {
    if [ -n "$(large_dumps)" ]; then large_dumps; else find tests/golden/models -name module.hlo | sort; fi
}

large=$work/large-100MB.hlo
if [ ! -s "$large" ]; then
    sources | while read -r file; do printed "$file"; done | tr '\n' '\0' |
        xargs -0 "$build/bench/make-large" 100 >"$large.part"
    mv "$large.part" "$large"
fi

echo "Machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores;" \
    "$(gcc --version | head -n 1); one thread, best of 5; $(date -u +%Y-%m-%d)"
echo
mapfile -t dumps < <(large_dumps)
"$build/bench/front-end" 5 "$large" "${dumps[@]}"

directory=$corpus
[ -d "$directory" ] || directory=tests/golden/models
echo
"$build/bench/verification" 15 "$build/bin/hlo-verify" "$directory"
echo
"$build/bench/messages" 5 "$large" "${dumps[@]}"
echo
mapfile -t modules < <(find "$directory" -name '*.hlo' | sort)
"$build/bench/pipelines" 3 "${modules[@]}"
echo
"$build/bench/hand-over"
