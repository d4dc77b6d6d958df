#!/usr/bin/env bash
# Calls of hlo.h whose allocations fail. Every function of hlo.h must be in a table of *_rows.c.
#   tests/faults/run.sh               a suite of run-all.sh: 50 of the allocations of each row
#   tests/faults/run.sh --verbose     all of them: `make check-faults-api`
set -u
cd "$(dirname "$0")/../.." || exit 2
build=${HLO_BUILD:-build}
faults=$build/tools/faults

case $build in *san | *fuzz)
    echo "skipped: the sanitizer has another allocator"
    echo "0 passed, 0 failed, 1 skipped"
    exit
    ;;
esac
if [ ! -x "$faults" ]; then
    echo "$faults is not built: make $faults"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
missing=0
listed=$("$faults" --list | tr ' ' '\n')
while read -r function; do
    grep -qx "$function" <<<"$listed" && continue
    echo "$function of hlo.h is called by no row of tests/faults/*_rows.c"
    missing=$((missing + 1))
done < <(find include -name "*.h" ! -name "*builder*" -exec cat {} + | tr "\n" " " | sed 's/HLO_API/\nHLO_API/g' |
    sed -n 's/^HLO_API [^(]*\b\(hlo_[a-z_]*\)(.*/\1/p' | sort -u)
[ $# -gt 0 ] || set -- --most=50
result=$("$faults" "$@")
last=$(tail -n 1 <<<"$result")
sed '$d' <<<"$result"
read -r passed _ failed _ <<<"$last"
echo "$((passed + (missing == 0))) passed, $((failed + missing)) failed, 0 skipped"
