# Reads a module as hlo-opt prints it, then a drawing of it, and prints the nodes that do not show each operand once: as an edge, as
# a line of the label, or in the number of an ellipsis above it. The last line is the number of nodes. Called by dot.bats.

# Operands stand between the parentheses after the opcode, each with a %. The opcode is the first word before a parenthesis.
FNR == NR {
    if (!match($0, /^ *(ROOT )?%[^ ]+ = /)) next
    name = substr($0, 1, RLENGTH - 3); sub(/.*%/, "", name)
    line = substr($0, RLENGTH)
    match(line, / [a-z][a-z0-9-]*\(/)
    line = substr(line, RSTART + RLENGTH)
    sub(/\).*/, "", line)
    operands[name] = gsub(/%/, "", line)
    next
}

/^n[0-9]+ \[label="… [0-9]+ / {
    hidden[$1] = $3
    next
}

/^n[0-9]+ \[label="/ {
    name = label = $0
    sub(/^[^"]*"(parameter [0-9]+: )?/, "", name); sub(/[:\\"].*/, "", name)
    of[$1] = name
    sub(/", tooltip=.*/, "", label)
    for (n = split(label, lines, /\\n/); n > 1; n--)
        if (lines[n] ~ /^operand [0-9]+ = [^ ]/) show($1, lines[n])
}

/^n[0-9]+ -> / && match($0, /\\noperand [0-9]+ of /) {
    show($3, substr($0, RSTART + 2))
}

/^n[0-9]+ -> / && /style=dotted/ && $1 in hidden {
    shown[$3] += hidden[$1]
}

function show(node, text,    words) {
    split(text, words, " ")
    shown[node]++
    if (seen[node, words[2]]++) print of[node] " shows operand " words[2] " twice"
}

END {
    for (node in of) {
        count++
        if (!(of[node] in operands)) print of[node] " is not in the module"
        else if (shown[node] != operands[of[node]]) print of[node] " shows " shown[node] + 0 " of " operands[of[node]] " operands"
    }
    print count + 0
}
