# Makes one change in the middle of a printed module: of its operations on arrays in `opcodes`, the one at `at` (0 to 1).
#
#   awk -v how=HOW -v at=0.5 -f change.awk MODULE MODULE   (read twice)
#
# HOW: opcode (becomes another one), insert (a negate between it and its users), remove (its users use its first operand).
# With -v shift=1 each name from there on becomes that of the next instruction of its kind: names are equal by accident.

BEGIN { split("add subtract multiply divide subtract add divide multiply", pairs, " "); for (i = 1; i < 9; i += 2) other[pairs[i]] = pairs[i + 1] }

# Words of a defining line: name, shape, opcode, first operand.
function read_line(line) {
    if (line !~ /^  (ROOT )?%[^ ]+ = [a-z0-9]+\[[0-9,]+\][^ ]* [a-z-]+\(/) return 0
    root = line ~ /^  ROOT /
    sub(/^  (ROOT )?/, "", line)
    name = line; sub(/ = .*/, "", name)
    sub(/^[^ ]+ = /, "", line)
    shape = line; sub(/ .*/, "", shape)
    sub(/^[^ ]+ /, "", line)
    opcode = line; sub(/\(.*/, "", opcode)
    first = line; sub(/^[^(]*\(/, "", first); sub(/[,)].*/, "", first)
    return 1
}

function renamed_in(line, from, to,    made, k, next_one) {
    made = ""
    while ((k = index(line, from)) > 0) {
        next_one = substr(line, k + length(from), 1)
        made = made substr(line, 1, k - 1) (next_one ~ /[A-Za-z0-9_.-]/ ? from : to)
        line = substr(line, k + length(from))
    }
    return made line
}

function eligible() {
    if (!read_line($0)) return 0
    shapes[name] = shape
    if (root || !(opcode in other)) return 0
    return how != "remove" || shapes[first] == shape
}

function kind(of) { sub(/\.[0-9]+$/, "", of); return of }

# ---- first reading: what there is to choose from, and names ----

NR == FNR && /\{$/ { split("", shapes) }
NR == FNR {
    if (/^  (ROOT )?%[^ ]+ = /) { defined[++names] = $1 == "ROOT" ? $2 : $1; where[names] = FNR }
    if (eligible()) lines[++count] = FNR
    next
}
FNR == 1 {
    if (!count) exit 2
    line = lines[int(count * at) + 1]
    for (i = names; shift && i > 0 && where[i] >= line; i--) {
        base = kind(defined[i])
        becomes[defined[i]] = base in upper ? upper[base] : base ".9999999"
        upper[base] = defined[i]
    }
}

# ---- second reading ----

# Every name of the line at once: a new name may be an old one.
function shifted(line,    made, word) {
    made = ""
    while (match(line, /%[A-Za-z_0-9.-]+/)) {
        word = substr(line, RSTART, RLENGTH)
        made = made substr(line, 1, RSTART - 1) (word in becomes ? becomes[word] : word)
        line = substr(line, RSTART + RLENGTH)
    }
    return made line
}

{ text = $0; extra = "" }
/^}/ { replaced = "" }
replaced != "" { k = index(text, " = "); text = substr(text, 1, k + 2) renamed_in(substr(text, k + 3), replaced, replacement) }
FNR == line {
    read_line($0)
    if (how == "opcode") sub(" " opcode "\\(", " " other[opcode] "(", text)
    else { replaced = name; replacement = how == "insert" ? "%put_in" : first }
    if (how == "insert") extra = "  %put_in = " shape " negate(" name ")"
    if (how == "remove") next
}
{ print shifted(text) }
extra != "" { print shifted(extra) }
