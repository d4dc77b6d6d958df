# Hostile modules: whatever their strings and names hold stays text in each form of output. injection/module.hlo has
# a text or a name wherever a module can have one; each payload of injection/payloads.json stands before all of them.
# tests/browser opens what is drawn.

load ../lib
load ../cases
load injection/payloads

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    folder=$HLO_ROOT/tests/cli/injection
    command -v python3 >/dev/null || skip "no python3"
}

teardown_file() { sum_cases; }

# checks KIND FILE...: by check.py.
checks() {
    if PYTHONDONTWRITEBYTECODE=1 python3 "$folder/check.py" "$@" >said 2>&1; then ok; else bad "$1" "$payload: $(cat said)"; fi
}

@test "drawings, pages and their differences" {
    begin_cases
    all_payloads
    for n in $(seq "$(ls modules | wc -l)"); do
        cp modules/$n.json m.json
        hlo-dot --legend m.json >$n.dot
        hlo-dot -T html m.json >$n.page
        hlo-dot -T html --diff=module.json m.json >$n.diff.page
        hlo-stat --emit=html m.json >$n.stat.page
        if command -v dot >/dev/null; then
            hlo-dot -T svg --layout=fast m.json >$n.svg
            hlo-dot -T svg --layout=fast --diff=m.json --expand-tuples module.json >$n.diff.svg
        fi
    done
    payload=all
    checks dot ./*.dot
    checks page ./*.page
    ! command -v dot >/dev/null || checks svg ./*.svg
    end_cases
}

@test "tables, messages and reports" {
    begin_cases
    all_payloads
    for n in $(seq "$(ls modules | wc -l)"); do
        cp modules/$n.json m.json
        sed 's/"opcode":"sine"/"opcode":"cosine"/' m.json >other.json
        ! cmp -s m.json other.json
        for table in operations scopes sources instructions; do hlo-stat --emit=csv --show=$table m.json >$n.$table.csv; done
        hlo-stat --show=all m.json >$n.stat.text
        hlo-stat --emit=json m.json >$n.stat.lines
        hlo-diff --metadata module.json m.json >$n.text || [ $? = 1 ]
        hlo-diff --metadata m.json other.json >$n.other.text || [ $? = 1 ]
        hlo-diff --metadata --format=json module.json m.json >$n.json || [ $? = 1 ]
        hlo-verify -v --warn=all m.json >$n.verify.text 2>&1
        hlo-verify --format=github --warn=all m.json >$n.github
        hlo-verify --format=sarif --warn=all m.json >$n.sarif.json
    done
    payload=all
    checks csv ./*.csv
    checks text ./*.text
    checks github ./*.github
    checks json [0-9]*.json
    checks lines ./*.lines
    end_cases
}

@test "runs and passes: profiles, traces, plans, what --print-ir shows, files of --dump-values" {
    begin_cases
    # All at once: each has its meaning here wherever it stands, but for commands and tags, which begin.
    for payload in "$(jq -c 'map(select(test("\n[^:]") | not)) | join(" ")' "$folder/payloads.json")" '"::error::stolen"' '"\n::error::stolen"' '"../../stolen"'; do
        filled "[$payload]" >m.json
        run_it() { expect_status "$1" hlo-run --stub-custom-calls=zeros --inputs=ones "${@:2}" m.json; cat "$err" >>text; }
        run_it 0 --profile --chrome-trace=chrome.json --roofline=roofline.svg --trace-values
        run_it 0 --profile=profile.json
        [ "${#payload}" -gt 40 ] || run_it 0 --dump-values=values
        run_it 0 --executor=dataflow --trace=trace.json --trace-form=chrome
        run_it 0 --executor=dataflow --trace=trace.lines
        run_it 0 --print-plan
        cat "$out" >>text
        expect_status 1 hlo-run --inputs=ones m.json
        cat "$err" >>text
        expect_status 0 hlo-opt --pipeline=default --print-changed --print-ir-after --stats --time-passes m.json
        cat "$err" >>text
        checks text text
        checks json chrome.json profile.json trace.json
        checks svg roofline.svg
        checks lines trace.lines
        [ ! -e ../stolen ] && [ ! -e ../../stolen ] && [ -z "$(find .. -name 'stolen*')" ]
    done
    end_cases
}

@test "a module text that would be a command in a log" {
    for line in '::error file=x::stolen' '	::error::stolen' '##[error]stolen' '##vso[task.x]stolen'; do
        printf 'HloModule m\nENTRY e {\n%s\n  ROOT a = f32[] parameter(0)\n}\n' "$line" >m.hlo
        expect_status 1 hlo-verify m.hlo
        ! grep -qE '^[[:space:]]*::|##(vso)?\[' "$err" || fail "$(cat "$err")"
        grep -q 'stolen' "$err"
    done
    expect_status 3 hlo-verify '::error::stolen'
    ! grep -qE '^[[:space:]]*::' "$err" || fail "$(cat "$err")"
}

@test "addresses of source files: http, https, file and paths" {
    begin_cases
    while IFS=$'\t' read -r file wanted; do
        jq -cn --arg f "$file" '$f' >quoted
        printf 'HloModule m\nENTRY e {\n  ROOT a = f32[] parameter(0), metadata={source_file=%s source_line=3}\n}\n' "$(cat quoted)" >m.hlo
        hlo-dot m.hlo >m.dot
        got=$(grep -o 'URL="[^"]*"' m.dot) || got=
        if [ "$got" = "${wanted:+URL=\"$wanted\"}" ]; then ok; else bad "$file" "$got instead of $wanted"; fi
    done <<'END'
a.py	a.py#L3
/home/me/a b.py	/home/me/a%20b.py#L3
../a#b?c&d%41.py	../a%23b%3Fc%26d%2541.py#L3
https://h/a?x=1&y=%41	https://h/a?x=1&amp;y=%41#L3
HTTP://h/a	HTTP://h/a#L3
file:///a"b<c>.py	file:///a%22b%3Cc%3E.py#L3
javascript:alert(1)	
JaVaScRiPt:alert(1)	
 javascript:alert(1)	
data:text/html,x	
vbscript:x	
C:\a.py	
./javascript:alert(1)	./javascript%3Aalert%281%29#L3
END
    end_cases
}
