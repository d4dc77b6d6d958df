# A module with other sizes: each number of `sizes` (4096:128 14336:64 ...) becomes another wherever a dimension is written, in
# shapes, slices and the sizes of slices. Called by spmd_corpus.bats to make toys of dumps.
BEGIN {
    n = split(sizes, list, " ")
    for (i = 1; i <= n; i++) {
        split(list[i], two, ":")
        to[two[1]] = two[2]
    }
}
function mapped(text, out, number) {
    out = ""
    while (match(text, /[0-9]+/)) {
        number = substr(text, RSTART, RLENGTH)
        out = out substr(text, 1, RSTART - 1) (number in to ? to[number] : number)
        text = substr(text, RSTART + RLENGTH)
    }
    return out text
}
{
    out = ""
    while (match($0, /[a-z][a-z0-9]*\[[0-9,<=]+\]|slice=\{[^}]*\}|slice_sizes=\{[^}]*\}/)) {
        first = RSTART
        end = RSTART + RLENGTH
        part = substr($0, first, RLENGTH)
        match(part, /[[{]/) # the name of a type has numbers, too
        out = out substr($0, 1, first - 1) substr(part, 1, RSTART) mapped(substr(part, RSTART + 1))
        $0 = substr($0, end)
    }
    print out $0
}
