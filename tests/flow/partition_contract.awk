# Takes the cuts out of a graph in parts again, or reads a graph that is whole: a line for each node, `node NAME OPCODE(OPERANDS) ATTRIBUTES`, and
# one for each result. Both give the same lines, in some order, when the parts are the graph. Called by partition.bats.
#
#   awk -f partition_contract.awk GRAPH PARTS >contracted        awk -f partition_contract.awk GRAPH GRAPH >whole
#
# Constant enters stand where they are read, as `const[FRAME](OPERAND)`: each device has separate copies. What is
# in no line: sends, recvs, loops that count iterations (their names are not the graph's), devices. Lines `bad ...`
# report what no cut may do.

# The text between the parenthesis after the opcode and the one that closes it; what follows it is left in rest.
function operands_of(text, i, depth, c) {
    depth = 1
    for (i = 1; depth && i <= length(text); i++) {
        c = substr(text, i, 1)
        depth += (c == "(") - (c == ")")
    }
    rest = substr(text, i)
    return substr(text, 1, i - 2)
}

# Takes `, NAME=VALUE` out of rest, where VALUE has no braces inside its own.
function take(name, found) {
    if (!match(rest, ", " name "=([{][{][^;]*[}][}]|[{][^}]*[}]|\"[^\"]*\"|[^,]*)")) return ""
    found = substr(rest, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
    rest = substr(rest, 1, RSTART - 1) substr(rest, RSTART + RLENGTH)
    gsub(/[{}"]/, "", found)
    return found
}

function names_in(text) {
    gsub(/\/\*[^*]*\*\//, "", text)
    gsub(/[% ]/, "", text)
    return text
}

FNR == 1 { file++; part = -1 }
/^HloModule/ { part++; next }
/^ENTRY/ { inside = 1; next }
/^}/ { inside = 0 }
!inside { next }
{
    is_root = sub(/^ *ROOT /, "")
    sub(/^ */, "")
    name = $1
    sub(/%/, "", name)
    line = substr($0, index($0, " = ") + 3)
    match(line, / [a-z][a-z0-9-]*\(/)
    shape = substr(line, 1, RSTART - 1)
    opcode = substr(line, RSTART + 1, RLENGTH - 2)
    inside_text = operands_of(substr(line, RSTART + RLENGTH))
}
file == 1 { known[name] = 1; next }
{
    id = part SUBSEP name
    ids[++count] = id
    part_of[id] = part; name_of[id] = name; opcode_of[id] = opcode; shape_of[id] = shape
    take("sharding"); take("device")
    controls[id] = names_in(take("control-predecessors"))
    if (opcode == "edge-send") sent[key = take("key")] = part SUBSEP names_in(inside_text)
    if (opcode == "edge-send") { sends[key]++; to[key] = take("to_device"); sender[key] = part }
    if (opcode == "edge-recv") { received[id] = take("key"); recvs[received[id]]++; from[received[id]] = take("from_device"); receiver[received[id]] = part }
    if (opcode == "enter" && rest ~ /is_constant=true/) { constant[id] = take("frame_name"); rest = "" }
    if (is_root) { root[part] = id; numbers[part] = opcode == "tuple" ? take("frontend_attributes") : "" }
    operands[id] = (opcode == "constant" || opcode == "parameter") ? "raw" SUBSEP inside_text : names_in(inside_text)
    attributes[id] = rest
}

# What a node of a part stands for in the graph.
function meaning(id) {
    if (id in received) return meaning(sent[received[id]])
    if (id in constant) return "const[" constant[id] "](" all(part_of[id], operands[id]) ")" waits(id)
    if (!(name_of[id] in known)) return "unknown " id
    return name_of[id]
}
function all(part, list, n, i, v, text) {
    n = split(list, v, ",")
    for (i = 1; i <= n; i++) text = text (i > 1 ? "," : "") meaning(part SUBSEP v[i])
    return text
}
# Control edges, sorted: what an event that was sent waits for is what waited.
function event(id, of) {
    if (!(id in received)) return meaning(id)
    of = sent[received[id]]
    return name_of[of] in known ? meaning(of) : event(part_of[of] SUBSEP controls[of])
}
function waits(id, n, i, v, text) {
    n = split(controls[id], v, ",")
    for (i = 1; i <= n; i++) text = text " after " event(part_of[id] SUBSEP v[i])
    return text
}
function put_results(part, id, n, i, v, w) {
    id = root[part]
    if (opcode_of[id] != "tuple") { print "result " meaning(id); return }
    sub(/^results=/, "", numbers[part])
    n = split(operands[id], v, ",")
    split(numbers[part], w, ",")
    for (i = 1; i <= n; i++) print "result " (numbers[part] == "" ? i - 1 : w[i]) " " meaning(part SUBSEP v[i])
}

END {
    for (i = 1; i <= count; i++) {
        id = ids[i]
        if (id in constant || !(name_of[id] in known) || id == root[part_of[id]] && opcode_of[id] == "tuple") continue
        text = operands[id]
        raw = sub("^raw" SUBSEP, "", text)
        print "node " name_of[id] " " shape_of[id] " " opcode_of[id] "(" (raw ? text : all(part_of[id], text)) ")" attributes[id] waits(id)
    }
    for (part in root) put_results(part)
    for (key in sends) {
        if (sends[key] != 1 || recvs[key] != 1) print "bad " key ": " sends[key] + 0 " sends, " recvs[key] + 0 " recvs"
        if (to[key] != receiver[key] || from[key] != sender[key] || key !~ ("^" sender[key] ">" receiver[key] "#")) print "bad " key ": " sender[key] " to " receiver[key]
        if (name_of[sent[key]] in known && pairs[meaning(sent[key]), to[key]]++) print "bad " key ": sent twice"
    }
    for (key in recvs) if (!(key in sends)) print "bad " key ": no send"
}
