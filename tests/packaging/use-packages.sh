#!/usr/bin/env bash
# Uses what the Debian packages bring, as root in the system where they are installed. Called by check-deb.sh.
set -euo pipefail
export LC_ALL=C

step() { printf '    %s\n' "$*"; }
cd "$(mktemp -d)"
examples=/usr/share/doc/hlo-tools/examples
module=$examples/gpt-train-step.hlo
cat >small.hlo <<'END'
HloModule small
ENTRY main {
  x = f32[3] parameter(0)
  ROOT y = f32[3] add(x, x)
}
END

step "hlo-verify: a good module, and one that is not"
hlo-verify "$module"
status=0
sed 's/f32\[3\] add/f32[4] add/' small.hlo | hlo-verify - 2>wrong || status=$?
[ $status = 1 ] && grep -q '<stdin>:4:12: error' wrong

step "hlo-opt, hlo-diff, hlo-reduce"
hlo-opt --pipeline=default -o optimised.hlo "$module"
hlo-verify optimised.hlo
if hlo-diff --brief "$module" optimised.hlo >/dev/null; then exit 1; fi
hlo-reduce --test 'grep -q exponential' -o reduced.hlo "$module"
hlo-verify reduced.hlo

step "hlo-run: with each instruction set, into an archive, and compared with it"
read -ra sets < <({ hlo-run --isa=none small.hlo 2>&1 || true; } | sed -n 's/.*available: \([a-z0-9_, ]*\) .*/\1/p' | tr -d ,)
[ "${#sets[@]}" -gt 0 ]
hlo-run --isa="${sets[0]}" --inputs=hash --print-limit=0 --output-dir=results.npz "$module" >/dev/null
for set in "${sets[@]}"; do
    hlo-run --isa="$set" --inputs=hash --print-limit=0 --expect results.npz --rtol=auto "$module" >/dev/null
done
step "    ${sets[*]}"

step "hlo-stat"
hlo-stat "$module" >counts
grep -qw dot counts

step "hlo-dot: a picture, by the recommended library"
hlo-dot -T svg -o picture.svg small.hlo
grep -q '</svg>' picture.svg

step "manual pages"
for program in /usr/bin/hlo-*; do
    man "$(basename "$program")" | grep -q '^SYNOPSIS' || { echo "no manual of $program"; exit 1; }
done

if [ -d /usr/share/bash-completion/completions ] && ls /usr/share/bash-completion/completions/hlo-* >/dev/null 2>&1; then
    step "completion"
    bash -ic '
        . /usr/share/bash-completion/bash_completion
        _completion_loader hlo-opt
        COMP_WORDS=(hlo-opt --pas) COMP_CWORD=1 COMP_LINE="hlo-opt --pas" COMP_POINT=13
        spec=$(complete -p hlo-opt)
        function=${spec#*-F }
        ${function%% *} hlo-opt --pas hlo-opt
        printf "%s\n" "${COMPREPLY[@]}"' 2>/dev/null >completed
    grep -q '^--passes' completed
fi

step "a C program with the shared library, with the static one, and without shared libraries"
# shellcheck disable=SC2046 # several flags
gcc -Wall -Werror "$examples/reduction.c" $(pkg-config --cflags --libs libhlo) -o shared
ldd ./shared | grep -q 'libhlo\.so\.0 => /'
# shellcheck disable=SC2046
gcc "$examples/reduction.c" -Wl,--as-needed "$(pkg-config --variable=libdir libhlo)/libhlo.a" \
    $(pkg-config --static --cflags --libs libhlo) -o static
if ldd ./static | grep libhlo; then exit 1; fi
# shellcheck disable=SC2046
gcc "$examples/reduction.c" $(pkg-config --static --cflags --libs libhlo) -static -o alone
./shared >a
./static >b
cmp a b
./alone >b
cmp a b
grep -q '^sums: ' a

step "versions"
version=$(pkg-config --modversion libhlo)
hlo-opt --version | grep -qF "$version"
dpkg-query -W -f '${Version}\n' hlo-tools | grep -q "^$version-"

if [ -e /usr/lib/python3/dist-packages/hlo ]; then
    step "Python"
    python3 -c '
import hlo, numpy
module = hlo.parse(open("small.hlo").read())
assert numpy.array_equal(module.prepare()(numpy.arange(3, dtype="f4")), [0, 2, 4])'
fi

if command -v mpirun >/dev/null; then
    step "two processes by MPI"
    cat >sum.hlo <<'END'
HloModule sum, replica_count=2
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
ENTRY main {
  x = f32[2] parameter(0)
  ROOT y = f32[2] all-reduce(x), replica_groups={{0,1}}, to_apply=add
}
END
    mpirun --allow-run-as-root --oversubscribe -n 2 hlo-run --inputs=hash sum.hlo >processes
    HLO_MPI=0 hlo-run --inputs=hash sum.hlo >threads
    cmp processes threads
fi
