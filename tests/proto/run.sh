#!/usr/bin/env bash
# Our messages against XLA's own code and against the protobuf library, over every module of the tests and every
# dump, where a Python has them: HLO_PYTHON names one with jaxlib and protobuf (python3 otherwise).
# A suite of run-all.sh; HLO_EVERY=N takes every N-th module only.
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${HLO_BIN:=$PWD/build/bin}" "${HLO_PYTHON:=python3}" "${HLO_EVERY:=1}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

modules() {
    find tests/parse/printing build/cases/verify/accept tests/golden/models examples docs/rules -name '*.hlo' | sort
    find build/cases/golden -name module.hlo | sort
    [ ! -d "${HLO_CORPUS:-}" ] || find "$HLO_CORPUS" -name '*.hlo' | sort
}

# Separate processes for parts of the list: XLA keeps what it has read.
for_all() {
    xargs -d '\n' -n 100 "$HLO_PYTHON" "tests/proto/$1" "$HLO_BIN/hlo-opt" <"$work/list"
}

# has MODULES-OF-PYTHON WHAT
has() {
    "$HLO_PYTHON" -c "import $1" 2>/dev/null && return
    echo "skipped: $2: no $1 for $HLO_PYTHON; set HLO_PYTHON"
    skipped=$((skipped + 1))
    return 1
}

# judge MODULES-OF-PYTHON WHAT COMMAND...: the command ends with one or more lines of counts
judge() {
    has "$1" "$2" || return
    local sum what=$2
    sum=$("${@:3}" 2>&1)
    grep -vE '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' <<<"$sum"
    echo "$what:"
    grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' <<<"$sum" |
        awk '{ p += $1; f += $3; s += $5 } END { print p, "agree,", f, "do not,", s, "are not asked about" }'
    while read -r p _ f _ s _; do
        passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    done < <(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' <<<"$sum")
}

modules | awk -v every="$HLO_EVERY" 'NR % every == 0' >"$work/list"
judge google.protobuf "JSON and protobuf as the protobuf library has them" for_all json_format.py
judge google.protobuf "text protobuf as the protobuf library has it" for_all text_format.py
judge jaxlib "protobuf as XLA has it" for_all xla.py
judge jax,google.protobuf "what XLA dumps" "$HLO_PYTHON" tests/proto/dumps.py "$HLO_BIN"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
