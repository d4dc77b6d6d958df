#!/bin/sh
# nightly.sh DUMPS STORED LIMIT: LIMIT seconds for a run, at the median
status=0
for dump in "$1"/*.txt; do
    name=$(basename "$dump" .txt)
    [ -e "$2/$name.npz" ] || hlo-run "$dump" --inputs=hash -o "$2/$name.npz"
    hlo-run "$dump" --inputs=hash --bench=20 --bench-json="$name.json" -o "$name.npz"
    jq -e --argjson limit "$3" '.run_median_s < $limit' "$name.json" >limit.txt ||
        { echo "$name: slower than $3 s"; status=1; }
done
hlo-run --inputs=hash --expect="$2" --rtol=auto --junit=nightly.xml "$1" || status=1
exit $status
