# The pages of docs/ops, from tables: which file is which is told by its name. Called by tools/op-pages with all of them, ops.def last,
# and -v to=FOLDER.

function trim(text) { gsub(/^[ \t]+|[ \t]+$/, "", text); return text }
function cell(text) { gsub(/\|/, "\\|", text); return text }
function capital(text) { return text ~ /^[^ ]*_/ ? text : toupper(substr(text, 1, 1)) substr(text, 2) }
function plain(text) { text = tolower(text); gsub(/_/, " ", text); return text }

# The arguments of a row of a table, MACRO(a, "b", ...), to row[1], row[2], ...: strings without their quotes.
function arguments(line,   i, c, depth, text, quoted, n) {
    sub(/^[A-Z_]+\(/, "", line); n = 0; text = ""; depth = 0; quoted = 0
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (quoted) {
            if (c == "\\") { i++; c = substr(line, i, 1) } else if (c == "\"") { quoted = 0; continue }
        } else if (c == "\"") { quoted = 1; continue }
        else if (c == "(") depth++
        else if (c == ")" && depth-- == 0) break
        else if (c == "," && depth == 0) { row[++n] = trim(text); text = ""; continue }
        text = text c
    }
    row[++n] = trim(text)
    return n
}

# What is between the parentheses of NAME(...) in a row of ops.def.
function column(line, name) {
    if (!match(line, "[ (]" name "\\([^()]*\\)")) return ""
    return substr(line, RSTART + length(name) + 2, RLENGTH - length(name) - 3)
}

# ---- what tables say ----

FNR == 1 { file = FILENAME; sub(/.*\//, "", file); example = ""; folder = FILENAME; sub(/\/[^\/]*$/, "", folder); sub(/.*\//, "", folder) }

file == "types.h" && /^ +HLO_ELEMENTS_[A-Z_]+ = / {
    name = $1; sub(/^HLO_ELEMENTS_/, "", name); text = $0; sub(/.* = /, "", text); sub(/,? *(\/\*.*)?$/, "", text)
    if (text ~ /^1 <</) { sub(/.*CLASS_/, "", text); members[name] = plain(text) }
    else {
        n = split(text, part, / \| /); members[name] = ""
        for (i = 1; i <= n; i++) {
            sub(/^HLO_ELEMENTS_/, "", part[i])
            members[name] = members[name] (i > 1 ? ", " : "") (part[i] in members ? members[part[i]] : "tuples, tokens and handles")
        }
    }
}

file == "ops.h" && /HLO_(WORK|TRAFFIC)_[A-Z_]+/ {
    match($0, /HLO_(WORK|TRAFFIC)_[A-Z_]+/); name = substr($0, RSTART + 4, RLENGTH - 4); text = ""
    if (match($0, /\/\* .* \*\//)) text = substr($0, RSTART + 3, RLENGTH - 6)
    if (text ~ /^the same,/) { base = previous; sub(/,.*/, "", base); sub(/^the same/, base, text) }
    else if (name ~ /^WORK/) previous = text
    if (!(name in counted)) counted[name] = text
}

file == "kinds.def" && /^HLO_KIND/ { n = arguments($0); sample[row[1]] = row[6] == "NULL" ? "" : row[6] }
file == "words.def" && /^HLO_WORD/ { arguments($0); words[row[1]] = (words[row[1]] == "" ? "" : words[row[1]] ", ") "`" row[2] "`"; word[row[1], row[3]] = row[2] }
file == "attrs.def" && /^HLO_ATTR/ {
    arguments($0)
    spelled[row[1]] = row[2]; kind[row[1]] = row[3]; set[row[1]] = row[4]; place[row[1]] = row[5]; printed[row[1]] = row[6]; fallback[row[1]] = row[7]
}
file == "attr_fields.def" && /^HLO_ATTR_FIELD/ {
    arguments($0)
    path = row[5]; sub(/^P[0-9]?\(/, "", path); sub(/\)$/, "", path); n = split(path, part, /, */)
    path = part[1]; for (i = 3; i <= n; i += 2) path = path "." part[i]
    key = row[1] SUBSEP row[2]; field[key] = (field[key] == "" ? "" : field[key] ", ") "`" path "`"
}
file == "rules.def" && /^HLO_GRADIENT/ { arguments($0); gradient[row[1]] = row[2] }
file == "prepare.c" && /^    case HLO_OP_[A-Z_]+:/ { prepared[substr($2, 8, index($2, ":") - 8)] = 1 }
file == "forms.def" && /^HLO_OLD/ {
    n = arguments($0); kind_of_row = $0; sub(/\(.*/, "", kind_of_row)
    if (kind_of_row == "HLO_OLD_FORM") {
        form = ++forms; form_id[form] = row[1]; form_name[form] = row[3]; form_read[form] = row[5]; form_old[form] = row[6]; form_now[form] = row[7]
    } else if (kind_of_row == "HLO_OLD_OPCODE") {
        old_words[row[3], row[1]] = old_words[row[3], row[1]] "; `" row[2] "`" (row[4] == "" ? "" : " for `" substr(row[4], 3) "`")
    } else if (row[2] != "COUNT") old_words[row[2], row[1]] = old_words[row[2], row[1]] "; `" row[3] "=`" (row[4] == "" ? "" : " for `" row[4] "=`")
}
file == "said.tsv" {
    name = $1; gsub(/^reject\/|--.*/, "", name)
    for (i = 3; i <= NF; i += 2) if (!((name, $i) in refused)) { refused[name, $i] = 1; rules[name] = (rules[name] == "" ? "" : rules[name] " ") $i }
}
file == "builder.md" && /^\| .*`hlo_builder_/ { split($0, part, / \| /); name = substr(part[1], 3); if (!(name in builder)) { builder[name] = part[3]; gsub(/`/, "", builder[name]) } }
file ~ /^_(operations|builder)\.py$/ && /^    def [a-z0-9_]+\(self/ { method = $0; sub(/^ *def /, "", method); name = method; sub(/\(.*/, "", name); open_method = 1; if (/->/) open_method = 0; python[name] = method; next }
file ~ /^_(operations|builder)\.py$/ && open_method { python[name] = python[name] " " trim($0); if (/->/) open_method = 0 }
file == "operation-semantics.tsv" && FNR > 1 { n = split($0, part, /\t/); demand_name[++demands] = part[2]; demand_editions[demands] = part[3]; demand_text[demands] = part[4]; demand_rules[demands] = part[5]; demand_remark[demands] = part[6] }
file == "signatures.tsv" && !/^#/ {
    n = split($0, part, /\t/); opcode = part[3]
    k = ++signatures[opcode]; signature_name[opcode, k] = part[1]; signature_editions[opcode, k] = part[2]; signature_arguments[opcode, k] = part[4]
    opcode_of[part[1]] = opcode
}
file == "results" && /^@ / { name = $2; next }
file == "results" { results[name] = results[name] $0 "\n" }
folder == "ops" && file ~ /\.hlo$/ {
    name = file; sub(/\.hlo$/, "", name)
    if (match($0, /^\/\/ [a-z ]+: /)) {
        key = substr($0, 4, RLENGTH - 5); text = substr($0, RLENGTH + 1)
        if (key == "differs") differs[name, ++differences[name]] = text; else said[name, key] = text
    } else source[name] = source[name] $0 "\n"
}

# ---- a page ----

function edition_years(digits) {
    if (digits == "all") return digits
    gsub(/0/, "@a", digits); gsub(/1/, "@b", digits); gsub(/2/, "@d", digits); gsub(/3/, "@c", digits)
    return (digits ~ /@a/ ? "2018 " : "") (digits ~ /@b/ ? "2019 " : "") (digits ~ /@c/ ? "2024 " : "") (digits ~ /@d/ ? "2025" : "")
}

# Whether a row of operation-semantics.tsv, which may be for several operations, is about an opcode.
function is_about(name, opcode,   n, part, i) {
    if (name in opcode_of) return opcode_of[name] == opcode
    if (name == "Shifts") return opcode ~ /^shift-/
    if (name == "And Or Xor Not") return opcode ~ /^(and|or|xor|not)$/
    if (name == "Eq to Lt in total order") return opcode == "compare"
    if (name == "Binary operations") return shape_rule == "binary" && opcode in signatures
    if (name == "Unary operations") return shape_rule == "unary" && opcode in signatures
    if (name == "Send and Recv, schedule") return opcode ~ /^(send|recv)(-done)?$/
    if (name == "Collectives, how often") return opcode ~ /^(all-reduce|all-gather|all-to-all|reduce-scatter|collective-permute)$/
    n = split(name, part, /[ ,]+/)
    for (i = 1; i <= n; i++) if (opcode_of[part[i]] == opcode) return 1
    return 0
}

function operand_count(takes,   part) {
    split(takes, part, /, */)
    if (part[3] == "EVEN") return "n + n"
    if (part[3] == "ODD") return "n + 1 + n"
    if (part[1] == part[2]) return part[1] == "0" ? "none" : part[1]
    return part[2] == "-1" ? (part[1] == "0" ? "any number" : part[1] " or more") : part[1] " to " part[2]
}

function value_text(attr,   text) {
    if (set[attr] != "NONE") return words[set[attr]]
    text = plain(kind[attr])
    return sample[kind[attr]] == "" ? text : text ", such as `" sample[kind[attr]] "`"
}

function default_text(attr) {
    if (kind[attr] == "BOOL") return fallback[attr] == 1 ? "true" : "false"
    if (kind[attr] ~ /^INT(32)?$/ && printed[attr] != "IF_GIVEN") return fallback[attr]
    if (kind[attr] == "WORD" && printed[attr] == "UNLESS_DEFAULT") return "`" word[set[attr], fallback[attr]] "`"
    return "none"
}

function field_text(attr, id) {
    if ((attr, id) in field) return field[attr, id]
    if ((attr, "ANY") in field) return field[attr, "ANY"]
    if (kind[attr] ~ /^COMPUTATION/) return "`called_computation_ids`"
    return attr == "WINDOW" ? "`window`" : "none"
}

function attributes(row_text, id, out,   list, n, part, i, how, attr) {
    match(row_text, /ATTRS\(.*/); list = substr(row_text, RSTART + 6); sub(/\)+$/, "", list)
    if (list ~ /^NONE/) { print "\n## Attributes\n\nNone of its own." >out; return }
    print "\n## Attributes\n\n| attribute | | value | default | printed | in a message |\n| --- | --- | --- | --- | --- | --- |" >out
    n = split(list, part, /, */)
    for (i = 1; i <= n; i++) {
        how = substr(part[i], 1, 1); attr = part[i]; gsub(/^[ROD]\(|\)$/, "", attr)
        printf "| `%s` | %s | %s | %s | %s | %s |\n", spelled[attr], how == "R" ? "required" : how == "O" ? "optional" : "read and dropped",
            value_text(attr), how == "R" ? "" : default_text(attr), plain(how == "D" ? "NEVER" : printed[attr]), how == "D" ? "none" : field_text(attr, id) >out
    }
}

function edition_rows(opcode, out,   years, i, y, k, found, text) {
    print "\n## Editions\n" >out
    if (!signatures[opcode]) { print said[opcode, "origin"] "\n" >out; return }
    n = split("2018 2019 2024 2025", years, " ")
    print "| edition | signature |\n| --- | --- |" >out
    for (i = 1; i <= n; i++) {
        found = 0
        for (k = 1; k <= signatures[opcode]; k++) {
            if (signature_editions[opcode, k] != "all" && index(signature_editions[opcode, k], years[i]) == 0) continue
            text = signature_arguments[opcode, k]; if (years[i] == 2018) { gsub(/XlaOp/, "ComputationDataHandle", text); gsub(/XlaComputation/, "Computation", text) }
            if (text ~ /^named in/) printf "| %s | %s: %s |\n", years[i], signature_name[opcode, k], text >out
            else { sub(/\(.*/, "", signature_name[opcode, k]); printf "| %s | `%s(%s)` |\n", years[i], signature_name[opcode, k], cell(text) >out }
            found = 1
        }
        if (!found) printf "| %s | not in it |\n", years[i] >out
    }
    if (differences[opcode]) print "\nDifferences:\n" >out
    for (k = 1; k <= differences[opcode]; k++) printf "- %s.\n", capital(differs[opcode, k]) >out
}

function constraint_rows(opcode, out,   i, any, n, part, k, text) {
    for (i = 1; i <= demands; i++) {
        if (!is_about(demand_name[i], opcode)) continue
        if (!any++) print "\n| edition | constraint | rule | today |\n| --- | --- | --- | --- |" >out
        n = split(demand_rules[i], part, /, */); text = ""
        for (k = 1; k <= n; k++) text = text (k > 1 ? ", " : "") (part[k] == "-" ? "none" : "[" part[k] "](../rules/" part[k] ".hlo)")
        printf "| %s | %s | %s | %s |\n", trim(edition_years(demand_editions[i])), cell(demand_text[i]), text, cell(demand_remark[i] == "" ? "holds as stated" : demand_remark[i]) >out
    }
}

function old_rows(opcode, id, out,   i, any, mine, text) {
    for (i = 1; i <= forms; i++) {
        mine = old_words[id, form_id[i]]; sub(/^; /, "", mine)
        text = " " form_old[i] " " form_now[i]
        if (mine == "" && text !~ "[ (]" opcode "\\(") continue
        if (mine == "") mine = "`" form_old[i] "` for " (form_now[i] ~ /[(=]/ ? "`" form_now[i] "`" : form_now[i] == "" ? "nothing" : form_now[i])
        if (!any++) print "\n## Old forms\n\n| form | read by `--dialect=` | text |\n| --- | --- | --- |" >out
        gsub(/\|/, ", ", form_read[i])
        printf "| [%s](../../tests/dialects/%s.hlo) | %s | %s |\n", form_name[i], form_name[i], form_read[i] == "all" ? "all but `xla`" : form_read[i], cell(mine) >out
    }
}

function function_row(name, out,   f) {
    f = builder[name]; if (f == "" || (f in shown)) return 0
    shown[f] = 1; short = f; sub(/^hlo_builder_/, "", short)
    if (short == "and" || short == "or" || short == "not") short = short "_"
    text = python[short]; gsub(/self, |, \*\*more: Any|\*\*more: Any/, "", text); sub(/ -> .*/, "", text)
    printf "- %s: `%s`%s\n", name, f, text == "" ? "" : ", in Python `" text "`" >out
    return 1
}

function camel(opcode,   n, part, i, text) {
    n = split(opcode, part, "-"); for (i = 1; i <= n; i++) text = text toupper(substr(part[i], 1, 1)) substr(part[i], 2)
    return text
}

function builders(opcode, out,   k, any, own) {
    print "\n## Building it\n" >out
    split("", shown)
    for (k = 1; k <= signatures[opcode]; k++) {
        any += function_row(full_name[opcode, k], out)
    }
    own = opcode; gsub(/-/, "_", own)
    if (own in python) builder[camel(opcode)] = "hlo_builder_" own
    any += function_row(camel(opcode), out) + function_row(camel(opcode) "Tuple", out)
    if (!any) { print "tools/op-pages: " opcode " has no function of the builder" >"/dev/stderr"; failed = 1 }
}

function refusals(opcode, out,   n, part, i) {
    print "\n## Rules\n" >out
    n = split(rules[opcode], part, " ")
    if (n == 0 && graph) { print "Those of graphs: [frame](../rules/frame.hlo), [loop](../rules/loop.hlo), [dataflow-node](../rules/dataflow-node.hlo) and the like ([rules](../rules.md))." >out; return }
    if (n == 0) { print "Those of every operation: [result-shape](../rules/result-shape.hlo), [operand-count](../rules/operand-count.hlo) and the like ([rules](../rules.md))." >out; return }
    for (i = 1; i <= n; i++) printf "%s[%s](../rules/%s.hlo)", (i == 1 ? "" : ",\n"), part[i], part[i] >out
    print ":\nthese have a test that a module with this operation is refused by." >out
}

function gradient_text(id, opcode) {
    if (said[opcode, "gradient"] != "") return said[opcode, "gradient"]
    if (!(id in gradient) && prepared[id]) return "`autodiff` writes it as operations that have a rule ([autodiff](../autodiff.md))."
    if (!(id in gradient)) return "None: an error where a gradient reaches it."
    if (gradient[id] == "none") return "Zero: it ends the dependence."
    return "`autodiff` has a rule, `hlo_gradient_" gradient[id] "` ([autodiff](../autodiff.md))."
}

function cost_text(cost,   part) {
    split(cost, part, /, */)
    return "work: " (part[1] == "NONE" ? "none" : counted["WORK_" part[1]] == "" ? "by its own formula (`src/analysis/cost.c`)" : counted["WORK_" part[1]]) \
        "; bytes: " (part[2] == "NONE" ? "none" : counted["TRAFFIC_" part[2]] == "" ? "by its own formula" : counted["TRAFFIC_" part[2]])
}

function page(text,   id, opcode, out, k, shape, elements) {
    arguments(text); id = row[1]; opcode = row[2]; shape_rule = row[3]; graph = text ~ /IS_EXTENSION/; out = to "/" opcode ".md"
    if (!(opcode in source)) { print "tools/op-pages: " opcode " has no docs/ops/" opcode ".hlo" >"/dev/stderr"; failed = 1; return }
    for (k = 1; k <= signatures[opcode]; k++) full_name[opcode, k] = signature_name[opcode, k]
    shape = said[opcode, "shape"]; if (shape == "") shape = "the shape of the operand" (shape_rule == "binary" ? "s, which have one shape" : "")
    if (said[opcode, "origin"] == "") said[opcode, "origin"] = graph ? "In none: an operation of dataflow graphs ([dataflow](../dataflow.md)), which XLA does not have." : "In none: an operation of XLA's text."
    elements = column(text, "ELEMENTS")
    print "# " opcode "\n\n" said[opcode, "meaning"] "\n\n```\n" source[opcode] "```" >out
    if (opcode in results) print "\n```console\n" results[opcode] "```" >out
    else print "\nNot run here: " said[opcode, "not run"] "." >out
    print "\n| | |\n| --- | --- |" >out
    print "| operands | " operand_count(column(text, "TAKES")) " |" >out
    print "| result | " cell(shape) (column(text, "TEXT") ~ /^STATE/ ? "" : "; may be left out of the text") " |" >out
    print "| element types | " (members[elements] == "" ? plain(elements) : members[elements]) " ([all of them](../evidence/element-types.md)) |" >out
    print "| cost | " cost_text(column(text, "COST")) " |" >out
    print "| gradient | " gradient_text(id, opcode) " |" >out
    attributes(text, id, out)
    edition_rows(opcode, out); constraint_rows(opcode, out)
    refusals(opcode, out)
    builders(opcode, out)
    old_rows(opcode, id, out)
    print "\nMade by `make docs` from `src/ir/ops.def`, [" opcode ".hlo](" opcode ".hlo), [signatures.tsv](signatures.tsv) and other tables." >out
    close(out)
    meaning = said[opcode, "meaning"]; if (match(meaning, /[.:;] /)) meaning = substr(meaning, 1, RSTART - 1); sub(/\.$/, "", meaning)
    index_rows = index_rows "| [" opcode "](" opcode ".md) | " cell(meaning) " |\n"
}

file == "ops.def" && /^HLO_OP\(/ { if (whole != "") page(whole); whole = $0; next }
file == "ops.def" && whole != "" { whole = whole $0 }

END {
    if (whole != "") page(whole)
    out = to "/README.md"
    print "# Operations\n\nA page for each: what it computes, an example that runs, attributes, rules, the signatures of the four editions of the operation\nsemantics. [element-types.md](../evidence/element-types.md) has what runs on which element type. Types of signatures: `XlaOp` is an array or a tuple; \"slice\" and\n\"vector\" are lists of numbers. Where an edition's signature and its table of arguments differ, the page shows the table. Made by `make docs`.\n\n| operation | |\n| --- | --- |" >out
    printf "%s", index_rows >out
    exit failed
}
