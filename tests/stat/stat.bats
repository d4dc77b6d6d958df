# hlo-stat: what modules cost, in all forms; comparisons; what is refused. The numbers themselves: unit/stats_test.c
# and unit/cost_test.c.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR"
    cat >m.hlo <<'H'
HloModule m, input_output_alias={ {1}: (1, {}, may-alias) }
body {
  s = (s32[], f32[64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  v = f32[64] get-tuple-element(s), index=1
  w = f32[64] exponential(v), metadata={op_name="jit(f)/loop/exp" source_file="f.py" source_line=7}
  ROOT t = (s32[], f32[64]) tuple(next, w)
}
cond {
  s = (s32[], f32[64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(10)
  ROOT less = pred[] compare(i, n), direction=LT
}
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
ENTRY main {
  a = f32[32,64] parameter(0)
  x = f32[64] parameter(1)
  zero = s32[] constant(0)
  start = (s32[], f32[64]) tuple(zero, x)
  loop = (s32[], f32[64]) while(start), condition=cond, body=body
  y = f32[64] get-tuple-element(loop), index=1
  d = f32[32] dot(a, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/dense/dot"}
  r = f32[32] all-reduce(d), replica_groups={{0,1}}, to_apply=sum
  ROOT t = (f32[32], f32[64]) tuple(r, y)
}
H
    sed 's/f32\[32,64\]/f32[48,64]/; s/f32\[32\]/f32[48]/g; s/HloModule m/HloModule other/' m.hlo >other.hlo
}

stat_json() {
    hlo-stat --emit=json "${@:2}" | jq -er "$1"
}

@test "tables for readers, with units, a rest and a sum" {
    expect_status 0 hlo-stat --top=2 m.hlo
    [ "$(head -n 1 "$out")" = "m.hlo: m" ]
    for title in Summary "By operation" "By computation" "By instruction" Collectives Parameters Outputs Constants Buffers; do
        grep -qx "$title" "$out" || fail "no table $title" "$(cat "$out")"
    done
    ! grep -q "By scope" "$out"
    grep -qE '^  dot +1 +4\.10 k +99\.' "$out" || fail "$(cat "$out")"
    grep -qE '^  \([0-9]+ more\) ' "$out" || fail "$(cat "$out")"
    grep -qE '^  total ' "$out"
    grep -qE '^  parameter bytes +8\.25 KiB +of all of them$' "$out" || fail "$(cat "$out")"
    ! grep -q ' $' "$out" || fail "blanks at the end of a line"
    expect_status 0 hlo-stat --exact --show=operations m.hlo
    grep -qE '^  dot +1 +4096 ' "$out" || fail "$(cat "$out")"
    hlo-stat <m.hlo | grep -q '^<stdin>: m$'
}

@test "columns stand below each other" {
    hlo-stat --show=operations --top=all m.hlo | sed 1,2d | sed 1d >table
    # The columns of numbers end where their heads do.
    end=$(awk 'NR == 1 { print index($0, "count") + 4 }' table)
    awk -v end="$end" 'NR > 1 && substr($0, end, 2) !~ /^[0-9] ?$/ { print; bad = 1 } END { exit bad }' table
}

@test "JSON: an object per module, numbers as they are" {
    [ "$(stat_json .summary.flops m.hlo)" = 4130 ]
    [ "$(stat_json '.operations[] | select(.operation == "dot").flops' m.hlo)" = 4096 ]
    [ "$(stat_json '.scopes[] | select(.scope == "jit(f)/dense").flops' --show=scopes m.hlo)" = 4096 ]
    [ "$(stat_json '.sources[] | select(.source == "f.py:7").transcendentals' --show=sources m.hlo)" = 64 ]
    [ "$(stat_json '.computations[] | select(.computation == "body") | "\(.role) \(.runs)"' m.hlo)" = "while 10" ]
    [ "$(stat_json '.computations[] | select(.computation == "cond").role' m.hlo)" = condition ]
    [ "$(stat_json '.parameters[1].donated' m.hlo)" = 256 ]
    [ "$(stat_json '[.outputs[].output] | join(" ")' m.hlo)" = "{0} {1}" ]
    [ "$(stat_json '.collectives[0] | "\(.collective) \(.devices) \(.bytes_sent)"' m.hlo)" = "all-reduce 2 128" ]
    [ "$(stat_json '[.buffers[].peak_bytes] | add' m.hlo)" = "$(stat_json .summary.peak_bytes m.hlo)" ]
    # Sums of tables are the figures of the module.
    for table in operations computations instructions types scopes sources; do
        for figure in flops transcendentals bytes; do
            [ "$(stat_json "([.$table[].$figure] | add) == .summary.$figure" --show=all m.hlo)" = true ] || fail "$table $figure"
        done
    done
    [ "$(stat_json '[.operations[].flops_percent] | add | round' m.hlo)" = 100 ]
}

@test "loops count once, like XLA, or as often as they run" {
    [ "$(stat_json .summary.transcendentals m.hlo)" = 64 ]
    [ "$(stat_json .summary.transcendentals --trip-counts m.hlo)" = 640 ]
    for figure in flops transcendentals bytes; do
        [ "$(stat_json ".summary.run_$figure" m.hlo)" = "$(stat_json ".summary.$figure" --trip-counts m.hlo)" ] || fail "$figure"
    done
    [ "$(stat_json '.summary | "\(.run_flops) \(.run_transcendentals)"' m.hlo)" = "4149 640" ]
    [ "$(stat_json .summary.unknown_loops m.hlo)" = 0 ]
    sed 's/n = s32\[\] constant(10)/n = s32[] get-tuple-element(s), index=0/' m.hlo >unknown.hlo
    [ "$(stat_json .summary.unknown_loops unknown.hlo)" = 1 ]
    [ "$(stat_json '.computations[] | select(.computation == "body").runs == null' unknown.hlo)" = true ]
    [ "$(stat_json .summary.transcendentals --trip-counts unknown.hlo)" = 64 ]
    [ "$(stat_json .summary.run_transcendentals unknown.hlo)" = 64 ]
}

@test "custom calls are not counted, which is reported" {
    cat >custom.hlo <<'H'
HloModule c
ENTRY e {
  x = f32[4] parameter(0)
  c = f32[4] custom-call(x), custom_call_target="t"
  ROOT y = f32[4] add(c, x)
}
H
    [ "$(stat_json '.summary | "\(.flops) \(.bytes) \(.not_counted)"' custom.hlo)" = "4 48 1" ]
    [ "$(stat_json '.operations[] | select(.operation == "custom-call").flops == null' custom.hlo)" = true ]
    hlo-stat --show=operations custom.hlo | grep -qE '^  custom-call +1 +\? '
}

@test "peak figures give times and bounds" {
    [ "$(stat_json '.summary | has("seconds")' m.hlo || true)" = false ]
    rates="--peak-flops=1k --peak-bandwidth=1M"
    # shellcheck disable=SC2086
    [ "$(stat_json '.summary.compute_seconds' $rates m.hlo)" = 4.149 ]
    # shellcheck disable=SC2086
    [ "$(stat_json '.operations[] | select(.operation == "dot") | "\(.seconds) \(.bound)"' $rates m.hlo)" = "4.096 compute" ]
    # shellcheck disable=SC2086
    [ "$(stat_json '.operations[] | select(.operation == "exponential").bound' $rates m.hlo)" = memory ]
    # shellcheck disable=SC2086
    [ "$(stat_json '.summary.ridge' $rates m.hlo)" = 0.001 ]
    # Times are those of all iterations, whatever the columns of costs count.
    times='[.. | objects | (.seconds, .compute_seconds, .memory_seconds, .link_seconds) | numbers]'
    # shellcheck disable=SC2086
    [ "$(stat_json "$times" $rates --link-gbps=1 m.hlo)" = "$(stat_json "$times" $rates --link-gbps=1 --trip-counts m.hlo)" ]
    # shellcheck disable=SC2086
    [ "$(stat_json '.operations[] | select(.operation == "exponential") | "\(.bytes) \(.seconds)"' $rates m.hlo)" = "512 0.00512" ]
    [ "$(stat_json '.summary | "\(.bound) \(.link_seconds == .seconds)"' --link-gbps=100 m.hlo)" = "links true" ]
    [ "$(stat_json '.summary.link_seconds' --link-gbps=100 m.hlo)" = "$(hlo-opt --communication --format=json m.hlo |
        jq -s 'map(select(.kind == "all collectives"))[0].seconds')" ]
}

@test "CSV: one table, a line per row, quoted where it must be" {
    expect_status 0 hlo-stat --emit=csv --show=operations m.hlo other.hlo
    [ "$(head -n 1 "$out")" = file,module,operation,count,flops,flops_percent,transcendentals,bytes,bytes_percent,intensity ]
    [ "$(grep -c '^file,' "$out")" = 1 ]
    grep -q '^other.hlo,other,dot,1,6144,' "$out"
    cp m.hlo 'a,"b".hlo'
    expect_status 0 hlo-stat --emit=csv --show=parameters 'a,"b".hlo'
    # shellcheck disable=SC2016
    expect_text "$out" '"a,""b"".hlo",m,a.1,0,8192,0,"f32[32,64]",'
    command -v python3 >/dev/null || skip "no python3: the CSV is not read back"
    python3 - "$out" <<'P'
import csv, sys
rows = list(csv.reader(open(sys.argv[1], newline="")))
assert all(len(row) == len(rows[0]) for row in rows), rows
assert rows[1][0] == 'a,"b".hlo' and rows[1][6] == "f32[32,64]", rows
P
    expect_status 2 hlo-stat --emit=csv --show=all m.hlo
}

@test "HTML: one well-formed page that names no other file, with names escaped" {
    # shellcheck disable=SC2016
    sed 's/jit(f)\/dense\/dot/<script>alert(1)<\/script>\&"\/x/; s/op_name="<script>\(.*\)&"\//op_name="<script>\1\&\\"\//' m.hlo >evil.hlo
    expect_status 0 hlo-stat --emit=html --show=all --peak-flops=1T evil.hlo 'other.hlo'
    expect_text "$out" '&lt;script&gt;alert(1)'
    ! grep -q '<script>alert' "$out"
    [ "$(grep -c '<script>' "$out")" = 1 ]
    ! grep -qE '(src|href)=' "$out" || fail "names another file"
    expect_text "$out" 'color-scheme: light dark'
    [ "$(grep -c '<h1>' "$out")" = 2 ]
    command -v python3 >/dev/null || skip "no python3: the page is not parsed"
    python3 - "$out" <<'P'
import html.parser, sys
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.tables, self.widths = [], 0, []
    def handle_starttag(self, tag, attrs):
        if tag == "meta": return
        assert tag != "tr" or self.open[-1] in ("thead", "tbody", "tfoot"), self.open
        self.open.append(tag)
        self.tables += tag == "table"
        if tag == "tr": self.widths.append(0)
        if tag in ("td", "th"): self.widths[-1] += 1
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
        if tag == "table":
            assert len(set(self.widths)) == 1, self.widths
            self.widths = []
page = Page()
page.feed(open(sys.argv[1]).read())
assert not page.open and page.tables > 15, (page.open, page.tables)
P
}

@test "the page sorts its tables in a browser" {
    browser=$(command -v chromium || command -v chromium-browser) || skip "no chromium"
    hlo-stat --emit=html --show=operations -o page.html m.hlo
    sed -i 's|</body>|<script>document.querySelectorAll("thead th")[1].click();document.title="\&sorted:"+document.querySelector("tbody th").textContent;</script></body>|' page.html
    "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/browser" --dump-dom "file://$PWD/page.html" >dom 2>err || skip "chromium does not start: $(tail -n 1 err)"
    grep -q 'sorted:parameter' dom || fail "$(head -c 3000 dom | tail -c 800)"
    grep -q 'aria-sort="descending"' dom
}

@test "--compare: both and the change, the largest first; equal rows are left out" {
    expect_status 0 hlo-stat --compare=other.hlo m.hlo
    expect_text "$out" "before: m.hlo: m"
    expect_text "$out" "after:  other.hlo: other"
    grep -qE '^  flops +4\.13 k +6\.19 k +\+2\.06 k$' "$out" || fail "$(cat "$out")"
    ! grep -q '^  exponential' "$out"
    [ "$(stat_json '.summary.flops | "\(.before) \(.after) \(.change)"' --compare=other.hlo m.hlo)" = "4130 6194 2064" ]
    [ "$(stat_json '.operations[0] | "\(.operation) \(.flops_change)"' --compare=other.hlo m.hlo)" = "dot 2048" ]
    [ "$(stat_json '.operations | length' --compare=m.hlo m.hlo)" = 0 ]
    expect_status 0 hlo-stat --compare=m.hlo m.hlo
    ! grep -q "By operation" "$out"
    [ "$(hlo-stat --compare - m.hlo --emit=csv --show=types <other.hlo | sed -n 2p | cut -d, -f1-7)" = "m.hlo,m,<stdin>,other,f32,11,11" ]
    # What only one of them has counts as nothing in the other.
    sed 's/dot(a, y), .*/dot(a, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}/; s/exponential(v)/negate(v)/' m.hlo >negated.hlo
    [ "$(stat_json '.operations[] | select(.operation == "negate") | "\(.count_before) \(.count_after) \(.flops_change)"' --compare=negated.hlo m.hlo)" = "0 1 64" ]
    expect_status 0 hlo-stat --compare=other.hlo --emit=html m.hlo
    expect_text "$out" 'class="n more"'
}

@test "tables can be chosen, sorted and listed" {
    hlo-stat --show=types,constants m.hlo | grep -E '^(By|Con|Sum)' >titles
    printf 'By element type\nConstants\n' | cmp titles -
    [ "$(stat_json '.operations[0].operation' --sort=count m.hlo)" = parameter ]
    [ "$(stat_json '.operations[0].operation' --sort=transcendentals m.hlo)" = exponential ]
    [ "$(stat_json '.instructions | length' --top=1 m.hlo)" = 1 ]
    expect_status 0 hlo-stat --list-tables
    # All but the table of modules; its place is taken by the file and the name of the module.
    [ "$(grep -c '^[a-z]' "$out")" = "$(stat_json 'keys | length - 1' --show=all m.hlo)" ]
    expect_status 2 hlo-stat --show=operatons m.hlo
    expect_text "$err" "did you mean 'operations'?"
    expect_status 2 hlo-stat --sort=color m.hlo
    expect_status 2 hlo-stat --top=0 m.hlo
    expect_status 2 hlo-stat --top=-1 m.hlo
}

@test "wrong use is refused" {
    while IFS= read -r words; do
        # shellcheck disable=SC2086
        expect_status 2 hlo-stat $words
        [ -s "$err" ] && [ ! -s "$out" ] || fail "$words"
    done <<'END'
--peak-flops=fast m.hlo
--peak-flops=0 m.hlo
--peak-flops=1X m.hlo
--peak-bandwidth=-3 m.hlo
--link-gbps=0 m.hlo
--link-us=-1 m.hlo
--emit=xml m.hlo
--compare=other.hlo m.hlo m.hlo
--compare=- -
--compare=other.hlo --split-input-file m.hlo
--compare=other.hlo --show=modules m.hlo
--jobs=many m.hlo
--no-such-option
END
}

@test "many files: directories are searched, bad ones are named, the others counted" {
    mkdir dumps
    cp m.hlo dumps/a.hlo
    cp other.hlo dumps/b.hlo
    echo notes >dumps/notes.txt
    [ "$(hlo-stat --emit=json dumps | jq -r .module | tr '\n' ' ')" = "m other " ]
    { cat m.hlo && echo '// -----' && cat other.hlo; } >both.hlo
    [ "$(hlo-stat --split-input-file --emit=json both.hlo | jq -r .module | tr '\n' ' ')" = "m other " ]
    printf %s "$bad_module" >dumps/bad.hlo
    expect_status 1 hlo-stat --emit=json -o all.json dumps
    expect_text "$err" "dumps/bad.hlo:3:14: error: "
    [ "$(jq -s length all.json)" = 2 ]
    expect_status 1 hlo-stat -o none.txt dumps/bad.hlo
    [ ! -e none.txt ]
    expect_status 3 hlo-stat m.hlo missing.hlo
    expect_text "$err" "missing.hlo: No such file or directory"
    grep -qE '^  m.hlo +m +' "$out"
    # Parsed, but no module that verifies.
    sed 's/compare(i, n), direction=LT/constant(true)/; s/ROOT less = pred/ROOT less = s32/; s/constant(true)/constant(1)/' m.hlo >condition.hlo
    expect_status 1 hlo-stat condition.hlo
}

@test "several files and directories: a line per module with its figures, and their sum" {
    mkdir dumps
    cp m.hlo dumps/a.hlo
    cp other.hlo "dumps/a file whose name is longer than a column, which is not cut.hlo"
    expect_status 0 hlo-stat dumps
    [ "$(head -n 1 "$out")" = Modules ]
    [ "$(wc -l <"$out")" = 5 ] || fail "$(cat "$out")"
    expect_text "$out" "which is not cut.hlo  other "
    # The rows are in the order of the files, and the last is their sum.
    awk 'NR > 2 { print $1 }' "$out" | tr '\n' ' ' | grep -qx 'dumps/a dumps/a.hlo total ' || fail "$(cat "$out")"
    expect_status 0 hlo-stat --exact dumps
    instructions=$(hlo-stat --emit=json m.hlo other.hlo | jq -s 'map(.summary.instructions) | add')
    grep -qE "^  total +$instructions +10324 " "$out" || fail "$(cat "$out")"
    # As wide as there are figures in CSV: a row is the summary of its module.
    expect_status 0 hlo-stat --emit=csv --peak-flops=1k --peak-bandwidth=1M m.hlo other.hlo
    hlo-stat --emit=json --show=summary --peak-flops=1k --peak-bandwidth=1M m.hlo other.hlo >lines
    jq -r -s '(["file", "module"] + (.[0].summary | keys_unsorted)) as $head | ($head | join(",")),
        (.[] | [.file, .module] + [.summary[]] | map(tostring) | join(","))' lines >wanted
    # Figures that nothing gives are columns without a number.
    python=$(command -v python3) || skip "no python3: the CSV is not read back"
    "$python" - "$out" wanted <<'P'
import csv, sys
got, wanted = (list(csv.DictReader(open(path, newline=""))) for path in sys.argv[1:])
assert len(got) == len(wanted) == 2, got
for a, b in zip(got, wanted):
    assert len(a) == len(got[0]) and "flops" in b and "seconds" in b, a
    for key in b:
        same = a[key] == b[key] or abs(float(a[key]) - float(b[key])) < 1e-12 * abs(float(b[key]))
        assert same, (key, a[key], b[key])
    assert all(not a[key] for key in set(a) - set(b)), (a, b)
P
}

@test "lines of modules: sorted, limited, in all forms, by several jobs, beside other tables" {
    mkdir dumps one
    for name in a c d; do cp m.hlo dumps/$name.hlo; done
    cp other.hlo dumps/b.hlo
    cp m.hlo one
    hlo-stat --sort=flops dumps | awk 'NR > 2 { print $1 }' | tr '\n' ' ' | grep -qx 'dumps/b.hlo dumps/a.hlo dumps/c.hlo dumps/d.hlo total '
    hlo-stat --emit=csv --sort=flops --top=1 dumps | sed -n '2,$p' | grep -c '' | grep -qx 1
    hlo-stat --emit=csv --sort=flops --top=1 dumps | grep -q '^dumps/b.hlo,other,'
    hlo-stat --sort=flops --top=1 dumps | grep -qE '^  \(3 more\) +[0-9]+ +12.4 k ' || fail "$(hlo-stat --sort=flops --top=1 dumps)"
    hlo-stat --emit=json --show=modules dumps | jq -e '[.modules[].flops] == [4130, 6194, 4130, 4130]' >/dev/null
    hlo-stat --emit=html --show=modules dumps | grep -c '<h1>' | grep -qx 0
    hlo-stat --emit=html --show=modules dumps | grep -q '<th scope="row">dumps/b.hlo</th><td>other</td>'
    # The one module of a directory has a line, too; a module that is named has all its tables, unless the line is asked for.
    [ "$(hlo-stat one | sed -n 3p | awk '{ print $1 }')" = one/m.hlo ]
    [ "$(hlo-stat one/m.hlo | head -n 1)" = "one/m.hlo: m" ]
    [ "$(hlo-stat --show=modules m.hlo | sed -n '3,$p' | wc -l)" = 1 ]
    hlo-stat --show=summary,modules dumps | grep -E '^[^ ]' | tr '\n' ' ' |
        grep -qx 'dumps/a.hlo: m Summary dumps/b.hlo: other Summary dumps/c.hlo: m Summary dumps/d.hlo: m Summary Modules '
    { cat m.hlo && echo '// -----' && cat other.hlo; } >both.hlo
    hlo-stat --split-input-file --show=modules both.hlo | awk 'NR > 2 { print $1, $2 }' | head -n 2 | tr '\n' ' ' | grep -qx 'both.hlo m both.hlo other '
    # The module that is bad is reported in its place; output and messages do not depend on the number of jobs.
    printf %s "$bad_module" >dumps/bb.hlo
    for jobs in 1 0 3; do
        expect_status 1 hlo-stat -j $jobs dumps
        expect_text "$err" "dumps/bb.hlo:3:14: error: "
        [ "$(wc -l <"$out")" = 7 ]
        cp "$out" $jobs.out
        cp "$err" $jobs.err
        cmp 1.out $jobs.out && cmp 1.err $jobs.err || fail "jobs $jobs"
    done
    mkdir empty
    expect_status 2 hlo-stat empty
    expect_text "$err" "no file below empty starts like a module"
}

@test "a column of another name: the nearest, or all of the tables that are shown" {
    expect_status 2 hlo-stat --sort=peak_byte m.hlo other.hlo
    expect_text "$err" "did you mean 'peak_bytes'?"
    expect_status 2 hlo-stat --sort=colour m.hlo other.hlo
    expect_text "$err" "no table that is shown has a column of numbers 'colour'"
    for column in $(hlo-stat --list-tables | awk '/^modules/ { on = 1; next } on && $2 != "text" { print $1 }'); do
        grep -qE "columns are .*\b$column(,|$)" "$err" || fail "$column is not listed" "$(cat "$err")"
        hlo-stat --sort="$column" m.hlo other.hlo >sorted || fail "$column is refused"
    done
    # A column of a table that is not shown would sort nothing.
    expect_status 2 hlo-stat --sort=donated m.hlo other.hlo
    expect_status 0 hlo-stat --sort=donated m.hlo
    expect_status 2 hlo-stat --show=summary --sort=flops m.hlo
}

@test "what the system fails" {
    expect_status 3 bash -c "hlo-stat m.hlo >/dev/full"
    expect_text "$err" "No space left on device"
    expect_status 3 bash -c "hlo-stat m.hlo >&-"
    hlo-stat --emit=html m.hlo | head -c 10 >/dev/null
    expect_status 3 hlo-stat -o no/such/file m.hlo
    expect_text "$err" "no/such/file"
}

@test "names of any bytes stay in their line and their cell" {
    # shellcheck disable=SC2016
    printf 'HloModule "a"\n' >/dev/null
    printf 'HloModule m\nENTRY e { ROOT x = f32[2] parameter(0), sharding={replicated}, metadata={op_name="a\\nb\\t\\377\\"<i>,\\342\\200\\256/y"} }\n' >odd.hlo
    expect_status 0 hlo-stat --show=scopes odd.hlo
    [ "$(wc -l <"$out")" = 5 ] || fail "$(cat "$out")"
    expect_status 0 hlo-stat --emit=csv --show=scopes odd.hlo
    [ "$(wc -l <"$out")" = 2 ]
    expect_status 0 hlo-stat --emit=json --show=scopes odd.hlo
    jq -e '.scopes[0].scope | startswith("a\nb\t")' "$out" >/dev/null || fail "$(cat "$out")"
    iconv -f UTF-8 -t UTF-8 "$out" >/dev/null
    hlo-stat --emit=html --show=scopes odd.hlo | iconv -f UTF-8 -t UTF-8 >/dev/null
}

@test "a dataflow graph in parts is counted as a whole" {
    hlo-opt --passes=lower-control-flow -o graph.hlo m.hlo
    expect_status 0 hlo-stat --emit=json graph.hlo
    [ "$(jq .summary.transcendentals "$out")" = 64 ]
}

@test "dumps outside this project: figures are XLA's within 1 %, without what it does not count" {
    [ -n "$HLO_CORPUS" ] || skip "no corpus"
    awk -F'\t' '$1 ~ "^HLO_SHARED/corpus/" { sub(".*/", "", $1); print $1 "\t" $2 "\t" $3 "\t" $4 }' "$HLO_ROOT/tests/stat/cost/figures.tsv" | sort >wanted
    hlo-stat --emit=json --show=summary "$HLO_CORPUS" |
        jq -r '[(.file | sub(".*/"; "")), .summary.flops, .summary.transcendentals, .summary.bytes, .summary.not_counted] | @tsv' | sort >got
    [ "$(wc -l <got)" = "$(wc -l <wanted)" ] || fail "$(wc -l <got) modules"
    # XLA counts -1 for each run of a custom call.
    join -t$'\t' wanted got | awk -F'\t' '
        function differs(a, b, free) { d = a > b ? a - b : b - a; return d > 0.01 * b && d > 100 * free }
        differs($5, $2, $8) || differs($6, $3, $8) || differs($7, $4, $8) { print; bad = 1 }
        END { if (NR < 50) bad = 1; exit bad }' || fail "differs from XLA"
}

@test "a table of another name: the nearest, or all of them" {
    expect_status 2 hlo-stat --show=operation m.hlo
    expect_text "$err" "unknown table 'operation'; did you mean 'operations'?"
    expect_status 2 hlo-stat --show=foo m.hlo
    expect_text "$err" "unknown table 'foo'; it is one of $(hlo-stat --list-tables | awk '/^[a-z]/ { printf "%s%s", n++ ? ", " : "", $1 }')"
}
