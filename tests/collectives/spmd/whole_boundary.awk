# A module whose parameters and results are whole on every device: shardings of parameters become those of copies, and copies of
# the results are replicated. Called by spmd_corpus.bats.
/^ENTRY/ { inside = 1 }
/^}/ { inside = 0 }
inside && / parameter\(/ && /sharding=\{/ {
    whole = $0
    sub(/ = /, ".whole = ", whole)
    sub(/sharding=\{.*$/, "sharding={replicated}", whole)
    print whole
    sub(/parameter\([0-9]+\)/, "copy(" $1 ".whole)")
}
inside { shapes[$1] = $3 }
inside && / ROOT .* tuple\(/ {
    operands = $0
    sub(/.* tuple\(/, "", operands)
    sub(/\).*/, "", operands)
    gsub(/\/\*index=[0-9]+\*\//, "", operands)
    n = split(operands, names, ", ")
    list = ""
    for (i = 1; i <= n; i++) {
        printf "  %%whole.%d = %s copy(%s), sharding={replicated}\n", i, shapes[names[i]], names[i]
        list = list (i > 1 ? ", " : "") "%whole." i
    }
    sub(/ tuple\(.*/, " tuple(" list ")")
}
{ print }
