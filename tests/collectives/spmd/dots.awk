# What the dots of a module's text take: their number, multiply-adds, elements of left and of right operands, each computation
# once. Called by spmd_corpus.bats.
function elements(shape, dims, n, i, product) {
    sub(/^[^[]*\[/, "", shape); sub(/\].*/, "", shape)
    n = split(shape, dims, ","); product = 1
    for (i = 1; i <= n; i++) product *= dims[i]
    return product
}
function contracted(shape, list, dims, numbers, n, i, product) {
    sub(/^[^[]*\[/, "", shape); sub(/\].*/, "", shape)
    split(shape, dims, ","); n = split(list, numbers, ","); product = 1
    for (i = 1; i <= n; i++) product *= dims[numbers[i] + 1]
    return product
}
/^[^ ]/ { delete shapes }
/^ / {
    i = $1 == "ROOT" ? 2 : 1
    shapes[$i] = $(i + 2)
}
/ dot\(/ {
    operands = $0; sub(/.* dot\(/, "", operands); sub(/\).*/, "", operands)
    split(operands, two, ", ")
    list = $0; sub(/.*lhs_contracting_dims=\{/, "", list); sub(/\}.*/, "", list)
    count++
    left += elements(shapes[two[1]])
    right += elements(shapes[two[2]])
    products += elements($(i + 2)) * contracted(shapes[two[1]], list)
}
END { printf "%d %.0f %.0f %.0f\n", count, products, left, right }
