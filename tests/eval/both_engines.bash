# For the BATS files that compare both engines over many shapes: `start`, then `operand` and `instruction` for each result
# of one module, then `both`.

start() {
    trace_no_functions
    unset numbers
    declare -gA numbers=()
    computations= body= types= names= count=0
}

# both OPTION...: m.hlo by both engines, the fast one on one thread and on three, and with every instruction set; the
# options set the tolerance.
both() {
    printf 'HloModule both\n\n%sENTRY main {\n%s  ROOT all = (%s) tuple(%s)\n}\n' "$computations" "$body" "${types#, }" "${names#, }" >m.hlo
    same_ways --inputs=hash "$@" m.hlo -- threads=1 threads=3 ~engine=reference ~isa=narrower
    start
}

# operand TYPE DIMS: a parameter, the same for the same type and dimensions, to $operand.
operand() {
    operand=p.$1.${2//,/x}
    if [ -z "${numbers[$operand]:-}" ]; then
        body+="  $operand = $1[$2] parameter(${#numbers[@]})"$'\n'
        numbers[$operand]=there
    fi
}

# instruction TYPE TEXT: one more result.
instruction() {
    count=$((count + 1))
    body+="  r.$count = $1 $2"$'\n'
    types+=", $1" names+=", r.$count"
}
