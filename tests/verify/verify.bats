# hlo-verify over many files: directories, patterns, threads, formats, summaries, exit statuses.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    printf %s "$good_module" >good.hlo
    printf %s "$bad_module" >bad.hlo
    mkdir -p dump/inner dump/.hidden
    cp good.hlo dump/module_0001.txt
    { printf '// a comment\n\n/* and\n   another */\n'; cat bad.hlo; } >dump/inner/odd.name
    printf 'main {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negate(x)\n}\n' >dump/inner/computation
    printf 'HloModuleX is no module\n' >dump/no
    printf 'model {\n  name: "m"\n}\n' >dump/proto
    cp bad.hlo dump/.hidden/bad.hlo
    : >dump/empty
    head -c 3000 /dev/zero >dump/zeros
}

@test "a directory: every file below that starts like a module, by name, hidden ones aside" {
    expect_status 1 hlo-verify -v dump
    cat >wanted <<'END'
dump/inner/computation: good: 1 module, 1 computation, 2 instructions
dump/inner/odd.name: bad
dump/module_0001.txt: good: 1 module, 1 computation, 2 instructions
3 files: 2 good, 1 bad, 0 not read: 2 modules, 2 computations, 4 instructions
  unknown-opcode           1 finding in 1 file
END
    diff "$out" wanted
    expect_text "$err" "dump/inner/odd.name:7:14: error: "
    mkdir nothing
    expect_status 2 hlo-verify nothing good.hlo
    expect_text "$err" "no file below nothing starts like a module [usage]"
}

@test "a directory of a dump: modules of one name are joined, with their stages" {
    mkdir stages
    printf 'HloModule jit_f\n\nENTRY main {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negate(x)\n}\n' >f.hlo
    sed '1s/jit_f/jit_f.2/' f.hlo >stages/module_0002.jit_f.cpu_after_optimizations.txt
    cp f.hlo stages/module_0002.jit_f.before_optimizations.txt
    cp f.hlo stages/module_0009.jit_f.before_optimizations.txt
    sed '1s/jit_f/other/' f.hlo >stages/other.before_optimizations.txt
    sed '1s/jit_f/lone/' f.hlo >stages/lone.hlo
    printf 'module @jit_f {\n  func.func @main(%%x: tensor<2xf32>) -> tensor<2xf32> {\n    return %%x : tensor<2xf32>\n  }\n}\n' >stages/program
    hlo-opt --emit=json f.hlo | jq -c '{hloModule: ., partitions: [{arguments: [{f32s: [1, 2],
        shape: {elementType: "F32", dimensions: ["2"], layout: {minorToMajor: ["0"]}}}]}]}' >stages/run.json
    expect_status 0 hlo-verify -v stages
    sed -n '/^7 files/,$p' "$out" >summary
    diff summary - <<'END'
7 files: 7 good, 0 bad, 0 not read: 7 modules, 7 computations, 13 instructions
  before optimizations     3 modules
  after optimizations      1 module
  StableHLO                1 module
  snapshot                 1 module
  other module             1 module
  jit_f: 2 before optimizations, after optimizations, StableHLO, snapshot
END
    # a bad module is not among them
    echo 'HloModule jit_f garbage' >stages/module_0003.jit_f.cpu_after_optimizations.txt
    expect_status 1 hlo-verify -v stages
    expect_text "$out" "  after optimizations      1 module"
}

@test "a directory: what is named like a module and does not start like one is an error" {
    mkdir broken
    : >broken/empty.hlo
    printf 'I0101 12:00:00 log line\n%s' "$good_module" >broken/garbage.hlo
    printf 'HloModul m\n%s' "${good_module#*$'\n'}" >broken/typo.hlo
    printf 'no such pass\n' >broken/module_0001.jit_f.cpu_after_optimizations.txt
    printf 'no such pass\n' >broken/module_0001.jit_f.0003.fix.after_dce.before_layout-assignment.txt
    printf '%s' '{}' >broken/module.hlo.json
    printf 'x' >broken/module.hlo.pb
    : | gzip >broken/module.hlo.gz
    for file in broken/*; do
        mkdir one && cp "$file" one/
        expect_status 1 hlo-verify one
        grep -qF "one/${file#broken/}" "$err" || fail "$file is not named: $(cat "$err")"
        rm -r one
    done
    expect_status 1 hlo-verify -v broken
    expect_text "$out" "8 files: 0 good, 8 bad, 0 not read: "
}

@test "a directory: with -v, skipped files with names of modules are reported" {
    mkdir mixed
    for name in notes.txt module_0001.jit_f.cpu_after_optimizations-buffer-assignment.txt weights.pb package.json \
        table.json.gz README.md program.c; do echo 'some text' >mixed/$name; done
    cp good.hlo mixed/
    expect_status 0 hlo-verify mixed
    [ ! -s "$err" ] && [ ! -s "$out" ] || fail "$(cat "$out" "$err")"
    expect_status 0 hlo-verify -v mixed
    cat >wanted <<'END'
mixed/good.hlo: good: 1 module, 1 computation, 2 instructions
mixed/module_0001.jit_f.cpu_after_optimizations-buffer-assignment.txt: skipped: does not start like a module
mixed/notes.txt: skipped: does not start like a module
mixed/package.json: skipped: does not start like a module
mixed/table.json.gz: skipped: does not start like a module
mixed/weights.pb: skipped: does not start like a module
1 file: 1 good, 0 bad, 0 not read, 5 skipped: 1 module, 1 computation, 2 instructions
END
    diff "$out" wanted
    # All matches of a pattern are read.
    expect_status 1 hlo-verify 'mixed/*.txt'
    expect_text "$err" "mixed/notes.txt:1:6: error: "
    rm mixed/good.hlo
    expect_status 2 hlo-verify mixed
    expect_text "$err" "no file below mixed starts like a module [usage]"
}

@test "a directory: links are followed, to each directory once" {
    mkdir -p links/b elsewhere/.git elsewhere/inner
    cp good.hlo links/b/good.hlo
    cp good.hlo elsewhere/inner/far.hlo
    cp bad.hlo elsewhere/.git/hidden.hlo
    ln -s ../elsewhere links/a
    ln -s ../elsewhere links/c
    ln -s b links/same
    ln -s .. links/b/loop
    ln -s ../links elsewhere/back
    ln -s b/good.hlo links/to-file.hlo
    expect_status 0 hlo-verify -v links
    cat >wanted <<'END'
links/b/good.hlo: good: 1 module, 1 computation, 2 instructions
links/to-file.hlo: good: 1 module, 1 computation, 2 instructions
links/a/inner/far.hlo: good: 1 module, 1 computation, 2 instructions
3 files: 3 good, 0 bad, 0 not read: 3 modules, 3 computations, 6 instructions
END
    diff "$out" wanted
    ln -s links whole
    expect_status 0 hlo-verify whole
}

@test "a byte order mark is skipped in every form, packed or not" {
    mark=$(printf '\357\273\277')
    mkdir marked
    { printf %s "$mark"; cat good.hlo; } >marked/text
    { printf %s "$mark"; hlo-opt --emit=json good.hlo; } >marked/json
    gzip -c marked/text >marked/packed
    expect_status 0 hlo-verify -v marked
    expect_text "$out" "3 files: 3 good"
    expect_status 0 hlo-verify <marked/text
    expect_status 0 hlo-opt marked/text
    hlo-opt good.hlo | cmp - "$out"
    { printf %s "$mark"; cat bad.hlo; } >marked/bad.hlo
    expect_status 1 hlo-verify marked/bad.hlo
    expect_text "$err" "marked/bad.hlo:3:14: error: "
    printf '%sHloModulo m\n' "$mark" >marked/bad.hlo
    expect_status 1 hlo-verify marked/bad.hlo
    expect_text "$err" "marked/bad.hlo:1:11: error: "
}

@test "a directory: JSON and binary modules too, by content; no other JSON, no other binary file" {
    mkdir mixed
    for form in json proto; do
        hlo-opt --emit=$form good.hlo -o mixed/$form.out
        printf 'HloModule m%0200d\nENTRY e { ROOT x = f32[] parameter(0) }\n' 0 | hlo-opt --emit=$form -o mixed/$form.long-name
    done
    printf '{"name": "package", "version": "1"}\n' >mixed/package.json
    printf '[1, 2]\n' >mixed/list.json
    cp "$HLO_BIN/hlo-verify" mixed/program
    cp dump/zeros mixed/zeros
    gzip -c good.hlo >mixed/good.gz
    expect_status 0 hlo-verify -v mixed
    cat >wanted <<'END'
mixed/good.gz: good: 1 module, 1 computation, 2 instructions
mixed/json.long-name: good: 1 module, 1 computation, 1 instruction
mixed/json.out: good: 1 module, 1 computation, 2 instructions
mixed/list.json: skipped: does not start like a module
mixed/package.json: skipped: does not start like a module
mixed/program: skipped: object file
mixed/proto.long-name: good: 1 module, 1 computation, 1 instruction
mixed/proto.out: good: 1 module, 1 computation, 2 instructions
5 files: 5 good, 0 bad, 0 not read, 3 skipped: 5 modules, 5 computations, 8 instructions
  object file              1 file skipped
  other                    2 files skipped
END
    diff "$out" wanted
}

@test "-v calls standard input as messages do" {
    expect_status 0 hlo-verify -v - <good.hlo
    [ "$(sed 's/: .*//' "$out")" = "<stdin>" ] || fail "$(cat "$out")"
}

@test "a pattern stands for its matches, unless a file has that name" {
    expect_status 0 hlo-verify -v 'dump/*.txt' 'go[o]d.hlo'
    [ "$(wc -l <"$out")" = 3 ] || fail "$(cat "$out")"
    cp bad.hlo 'go[o]d.hlo'
    expect_status 1 hlo-verify 'go[o]d.hlo'
    expect_status 3 hlo-verify 'no*thing.hlo'
    expect_text "$err" "no file matches no*thing.hlo"
}

@test "threads change neither the diagnostics nor their order" {
    mkdir many
    for i in $(seq 100 299); do
        if [ $((i % 3)) = 0 ]; then cp bad.hlo many/$i.hlo; else cp good.hlo many/$i.hlo; fi
    done
    cp -r dump many/zz
    expect_status 3 hlo-verify -v --jobs=1 many missing.hlo
    cp "$out" out.1
    cp "$err" err.1
    for jobs in 0 2 7 300; do
        expect_status 3 hlo-verify -v --jobs=$jobs many missing.hlo
        cmp "$out" out.1
        cmp "$err" err.1
    done
    for format in json sarif github; do
        hlo-verify --format=$format --jobs=1 many >one || true
        hlo-verify --format=$format -j 4 many >four || true
        cmp one four
    done
}

@test "the exit status is the worst of all files, and --quiet prints nothing" {
    expect_status 0 hlo-verify good.hlo good.hlo
    expect_status 1 hlo-verify good.hlo bad.hlo good.hlo
    expect_status 3 hlo-verify bad.hlo missing.hlo good.hlo
    for files in good.hlo bad.hlo "bad.hlo dump"; do
        hlo-verify --quiet $files >quiet 2>&1 || true
        [ ! -s quiet ] || fail "$(cat quiet)"
    done
    expect_status 1 hlo-verify --quiet bad.hlo
    expect_status 0 hlo-verify -q -v good.hlo
    expect_text "$out" "good.hlo: good"
}

@test "--format=json: an object per line, whatever bytes stand in names and messages" {
    name=$(printf 'we"ird\\\t\001\377 \303\251,:%%.hlo')
    printf 'HloModule m\nENTRY e { ROOT x = f32[] \303\251\377"(p) }\n' >"$name"
    expect_status 1 hlo-verify --format=json "$name" bad.hlo
    [ ! -s "$err" ] || fail "$(cat "$err")"
    grep -q '^{"file":"we\\"ird\\\\\\t\\u0001\\ufffd é,:%.hlo","line":2,' "$out" || fail "$(cat "$out")"
    [ "$(tail -n 1 "$out" | cut -c1-60)" = '{"file":"bad.hlo","line":3,"column":14,"end_line":3,"end_col' ] || fail "$(cat "$out")"
    if command -v python3 >/dev/null; then
        python3 -c 'import json, sys
for line in open(sys.argv[1], "rb"): assert json.loads(line.decode("utf-8"))["severity"] == "error"' "$out"
    fi
    expect_status 0 hlo-verify --format=json good.hlo
    [ ! -s "$out" ] || fail "$(cat "$out")"
}

@test "--format=github: one line each, escaped" {
    cp bad.hlo 'a,b:c%.hlo'
    expect_status 1 hlo-verify --format=github 'a,b:c%.hlo'
    grep -q '^::error file=a%2Cb%3Ac%25.hlo,line=3,col=14,endColumn=23,title=unknown-opcode::' "$out" || fail "$(cat "$out")"
    [ "$(grep -c . "$out")" = "$(grep -c ^:: "$out")" ] || fail "$(cat "$out")"
}

@test "--format=sarif: all rules, places in characters, notes as related locations, a separate file" {
    cp bad.hlo 'with blank.hlo'
    printf 'HloModule "m\nENTRY e { /* \303\251\303\251 */ ROOT x = f32[3] parametre(0) }\n' >accents.hlo
    expect_status 1 hlo-verify --format=sarif -o report.sarif 'with blank.hlo' accents.hlo dump
    [ ! -s "$out" ] || fail "$(cat "$out")"
    expect_text report.sarif '"uri":"with%20blank.hlo"'
    rules=$(hlo-verify --list-rules | wc -l)
    [ "$(grep -c '^,\?{"id":' report.sarif)" = "$rules" ] || fail "not $rules rules"
    expect_status 0 hlo-verify --format=sarif good.hlo
    expect_text "$out" '"results":['
}

# The validator is PyPI's jsonschema, for example in a venv: HLO_PYTHON=venv/bin/python. The schema is
# sarif-2.1/schema/sarif-schema-2.1.0.json of github.com/oasis-tcs/sarif-spec.
@test "--format=sarif: valid by the schema of SARIF 2.1.0" {
    python=${HLO_PYTHON:-python3}
    "$python" -c 'import jsonschema' 2>/dev/null || skip "$python has no jsonschema (HLO_PYTHON)"
    [ -f "${HLO_SARIF_SCHEMA:-}" ] || skip "HLO_SARIF_SCHEMA names no schema"
    expect_status 1 hlo-verify --format=sarif --warn=all -o report.sarif "$HLO_ROOT"/build/cases/verify/reject/*.hlo \
        "$HLO_ROOT"/tests/parse/messages/*.hlo "$HLO_ROOT"/docs/rules dump
    "$python" - report.sarif "$HLO_SARIF_SCHEMA" <<'END'
import json, sys, jsonschema
report, schema = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:])
jsonschema.validators.validator_for(schema)(schema).validate(report)
run = report["runs"][0]
rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
assert len(run["results"]) > 2200, len(run["results"])
assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
END
}

@test "--split-input-file in many files" {
    { cat good.hlo; echo "// -----"; cat bad.hlo; } >two.hlo
    expect_status 1 hlo-verify -v --split-input-file --jobs=2 two.hlo good.hlo
    expect_text "$out" "2 files: 1 good, 1 bad, 0 not read: 2 modules"
}

@test "reports: computation and instruction, of every stage and every form" {
    printf 'HloModule m, replica_count=2\n\nf { /* { */ %%p = f32[2]{0} parameter(0)\n  ROOT %%n = f32[2]{0} %s\n}\n
ENTRY %%main.3 (x: f32[2]) -> f32[2]{0} {\n  %%x.1 = f32[2]{0} parameter(0), metadata={op_name="a } = {"}\n
  ROOT call.1 = f32[2] call(x.1), to_apply=f\n}\n' 'negate(p)' >m.hlo
    expect_status 0 hlo-verify m.hlo
    try() { # WANTED SED: the module with one change
        sed "$2" m.hlo >changed.hlo
        hlo-verify --format=json --warn=all changed.hlo >said.json || true
        jq -r '[.rule, .computation // "-", .instruction // "-"] | join(" ")' said.json | head -n 1 >got
        [ "$(cat got)" = "$1" ] || fail "'$(cat got)' instead of '$1' after $2"
    }
    try 'unknown-opcode f n' 's/negate/negat/'
    try 'unknown-name f n' 's/negate(p)/negate(q)/'
    try 'unknown-name main.3 call.1' 's/call(x.1)/call(x.2)/'
    try 'unknown-name main.3 call.1' 's/to_apply=f/to_apply=g/'
    try 'result-shape f n' 's/n = f32\[2\]/n = f32[3]/'
    try 'identity-operation f n' 's/negate(p)/copy(p)/'
    try 'syntax f n' 's/negate(p)/negate(p/'
    try 'attribute-value main.3 x.1' 's/op_name=/op_name/'
    try 'unknown-attribute - -' 's/replica_count/replica_coun/'
    sed 's/negate(p)/copy(p)/' m.hlo | hlo-opt --emit=proto -o copy.pb
    sed 's/negate(p)/copy(p)/' m.hlo | hlo-opt --emit=json -o copy.json
    for file in copy.pb copy.json; do
        hlo-verify --warn=identity-operation --format=json $file >said.json
        [ "$(jq -r '[.file, .computation, .instruction] | join(" ")' said.json)" = "$file f n" ] || fail "$(cat said.json)"
    done
    expect_status 0 hlo-verify --warn=identity-operation copy.pb
    expect_text "$err" "copy.pb: warning: copy: it has no effect"
    expect_text "$err" "in instruction n of computation f"
    hlo-verify --warn=identity-operation --format=sarif copy.pb >said.sarif
    [ "$(jq -c '.runs[0].results[0].locations' said.sarif)" = \
        '[{"physicalLocation":{"artifactLocation":{"uri":"copy.pb"}},"logicalLocations":[{"name":"n","fullyQualifiedName":"f/n","kind":"instruction"}]}]' ] ||
        fail "$(jq -c '.runs[0].results' said.sarif)"
}

@test "reports: always a file, and a mark where findings were cut" {
    { printf 'HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n'
      for i in $(seq 5); do echo "  a$i = f32[2] copy(x)"; done
      printf '  ROOT z = f32[2] negate(x)\n}\n'; } >many.hlo
    hlo-opt --emit=proto many.hlo -o many.pb
    head -c 40 many.pb >cut.pb
    mkdir empty
    files="many.hlo many.pb cut.pb missing.hlo empty"
    hlo-verify --warn=dead-code --max-errors=2 --format=json $files >all.json || true
    [ "$(jq -r 'select(.file == null)' all.json)" = "" ] || fail "$(cat all.json)"
    [ "$(jq -r .file all.json | sort -u | paste -sd' ')" = "cut.pb empty many.hlo many.pb missing.hlo" ] || fail "$(cat all.json)"
    [ "$(jq -c 'select(.cut) | [.file, .rule, .message]' all.json | paste -sd' ')" = \
        '["many.hlo","dead-code","3 more are not shown (--max-errors)"] ["many.pb","dead-code","3 more are not shown (--max-errors)"]' ] ||
        fail "$(cat all.json)"
    hlo-verify --warn=dead-code --max-errors=2 --format=sarif $files >all.sarif || true
    [ "$(jq '[.runs[0].results[] | select((.locations | length) == 1)] | length' all.sarif)" = 7 ] || fail "$(cat all.sarif)"
    [ "$(jq '.runs[0].invocations[0] | [.executionSuccessful, (.toolExecutionNotifications | length)]' -c all.sarif)" = '[false,2]' ]
    hlo-verify --format=sarif many.hlo | jq -e '.runs[0].invocations[0].executionSuccessful'
    hlo-verify --warn=dead-code --max-errors=2 --format=github $files >all.github || true
    expect_text all.github '::notice file=many.pb,title=dead-code::3 more are not shown (--max-errors)'
    [ "$(grep -vc 'file=' all.github)" = 0 ] || fail "$(cat all.github)"
}

@test "reports: a text that is cut in its tables of stack frames is in no instruction" {
    printf 'HloModule m\n\nFileNames\n1 "a.py"\n\nFunctionNames\n1 "f"\n\nFileLocations\n%s\n%s' \
        '1 {file_name_id=1 function_name_id=1 line=1 end_line=1 column=1 end_column=2}' \
        '2 {file_name_id=1 function_name_id=1' >cut.hlo
    for lines in 10 11; do
        head -n $lines cut.hlo | head -c -3 >m.hlo
        expect_status 1 hlo-verify --format=json m.hlo
        jq -e '.computation == null and .instruction == null' "$out" >/dev/null || fail "$(cat "$out")"
    done
}

@test "-v: findings by rule, over all files" {
    expect_status 1 hlo-verify -v --warn=all bad.hlo dump
    expect_text "$out" "4 files: 2 good, 2 bad, 0 not read"
    expect_text "$out" "  unknown-opcode           2 findings in 2 files"
    expect_status 1 hlo-verify -v --warn=all --format=json bad.hlo
    expect_text "$err" "  unknown-opcode           1 finding in 1 file"
}

@test "--baseline: what was found before is no error, wherever its line is now" {
    body() { # NUMBER...: an unused copy for each
        printf 'HloModule m\n'
        [ -z "${before:-}" ] || printf "$before"
        printf 'ENTRY main.%s {\n  x.%s = f32[2] parameter(0)\n' "$1" "$1"
        for i in "$@"; do echo "  copy.$i = f32[2] copy(x.$1)"; done
        printf '  ROOT z = f32[2] negate(x.%s)\n}\n' "$1"
    }
    mkdir ci
    body 3 4 >ci/m.hlo
    cp bad.hlo ci/
    lint="hlo-verify --error=dead-code --baseline=known"
    expect_status 3 $lint ci
    expect_text "$err" "cannot read known"
    expect_status 0 $lint --write-baseline -v ci
    [ ! -s "$err" ] || fail "$(cat "$err")"
    expect_text "$out" "baseline: 3 findings"
    [ "$(grep -vc '^#' known)" = 2 ] || fail "$(cat known)"
    expect_status 0 $lint -v ci
    [ ! -s "$err" ] || fail "$(cat "$err")"
    expect_text "$out" "ci/m.hlo: bad as in the baseline, 2 known"
    expect_text "$out" "2 files: 0 good, 0 bad, 0 not read, 2 bad as in the baseline: "
    expect_text "$out" "baseline: 3 findings known, 0 not met"
    # Lines, numbers and the spelling of paths may change.
    before='\n// moved\n\n' body 17 19 >ci/m.hlo
    sed -i '1i // a comment' ci/bad.hlo
    expect_status 0 $lint ./ci
    expect_status 0 $lint "$PWD/ci"
    # One more of the same kind is new, and so is another kind.
    body 17 19 23 >ci/m.hlo
    expect_status 1 $lint ci
    [ "$(grep -c 'error:' "$err")" = 1 ] || fail "$(cat "$err")"
    expect_status 1 $lint --error=all -v --format=json ci
    expect_text "$out" '"rule":"identity-operation"'
    expect_text "$err" "1 known"
    # Missing ones are reported.
    body 17 >ci/m.hlo
    expect_status 0 $lint -v ci
    expect_text "$out" "baseline: 2 findings known, 1 not met"
    # --max-errors is for what is shown, not for what is known.
    body $(seq 100 140) >ci/m.hlo
    expect_status 0 $lint --write-baseline --max-errors=1 ci
    expect_status 0 $lint --max-errors=1 ci
    body $(seq 100 144) >ci/m.hlo
    expect_status 1 $lint --max-errors=1 ci
    expect_text "$err" "note: dead-code: 3 more are not shown"
}

@test "--baseline: files may have other names, numbers and folders" {
    body() { # NUMBER
        printf 'HloModule jit_f.%s\nregion_%s.%s {\n  a.%s = f32[] parameter(0)\n  u.%s = f32[] negate(a.%s)\n  ROOT r = f32[] tanh(a.%s)\n}\n' \
            $1 $1 $1 $1 $1 $1 $1
        printf 'ENTRY main.%s {\n  x = f32[4] parameter(0)\n  ROOT m = f32[4] map(x), dimensions={0}, to_apply=region_%s.%s\n}\n' $1 $1 $1
    }
    mkdir -p one two/deep
    body 3 >one/module_0003.jit_f.before_optimizations.txt
    lint="hlo-verify --error=dead-code --baseline=$PWD/known"
    expect_status 0 $lint --write-baseline one
    [ "$(grep -vc '^#' known)" = 1 ] || fail "$(cat known)"
    body 12 >two/deep/renamed.hlo
    for argument in two two/deep/renamed.hlo "$PWD/two/deep"; do expect_status 0 $lint "$argument"; done
    cd two/deep
    expect_status 0 $lint .
    # Once is known, not twice.
    cp renamed.hlo again.hlo
    expect_status 1 $lint .
    [ "$(grep -c 'error:' "$err")" = 1 ] || fail "$(cat "$err")"
    # A finding that disappears in one file and appears in another is known, by its count.
    sed -i '/negate/d' renamed.hlo
    expect_status 0 $lint -v .
    expect_text "$out" "again.hlo: bad as in the baseline, 1 known"
    expect_text "$out" "renamed.hlo: good"
    expect_text "$out" "baseline: 1 finding known, 0 not met"
}

@test "reports have all findings, text those that people read" {
    { printf 'HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n'
      for i in $(seq 30); do echo "  a$i = f32[2] copy(x)"; done
      printf '  ROOT z = f32[2] negate(x)\n}\n'; } >many.hlo
    expect_status 0 hlo-verify --warn=dead-code many.hlo
    [ "$(grep -c 'warning:' "$err")" = 20 ] || fail "$(cat "$err")"
    for form in json sarif github; do hlo-verify --warn=dead-code --format=$form many.hlo >many.$form; done
    [ "$(wc -l <many.json) $(wc -l <many.github) $(jq '.runs[0].results | length' many.sarif)" = "30 30 30" ]
    [ "$(hlo-verify --warn=dead-code --format=json --max-errors=20 many.hlo | jq -r .cut | grep -c true)" = 1 ]
}

@test "--baseline: wrong use, and failures of the system are never known" {
    expect_status 2 hlo-verify --write-baseline good.hlo
    expect_text "$err" "--write-baseline requires --baseline=FILE"
    printf '# fine\n0123456789abcdef 1 text\nnot a fingerprint\n' >known
    expect_status 2 hlo-verify --baseline=known good.hlo
    expect_text "$err" "known:3:1: error: expected a fingerprint of 16 hexadecimal digits and a count"
    for line in '0123456789abcdef' '0123456789abcdef 0' '0123456789ABCDEF 1' '0123456789abcdef 1x'; do
        echo "$line" >known
        expect_status 2 hlo-verify --baseline=known good.hlo
    done
    cp known before
    expect_status 3 hlo-verify --baseline=known --write-baseline bad.hlo missing.hlo
    expect_text "$err" "cannot read missing.hlo"
    cmp known before || fail "a baseline was written although a file could not be read"
    expect_status 0 hlo-verify --baseline=known --write-baseline bad.hlo
    expect_status 3 hlo-verify --baseline=known bad.hlo missing.hlo
}

@test "errors about options or the baseline leave the output file as it was" {
    echo malformed >known
    while read -r status options; do
        for format in text json sarif github; do
            echo OLD >report
            expect_status "$status" hlo-verify --format=$format -o report $options good.hlo
            [ "$(cat report)" = OLD ] || fail "$options, $format: the report is now" "$(cat report)"
            rm report
            expect_status "$status" hlo-verify --format=$format $options good.hlo
            [ ! -s "$out" ] || fail "$options, $format:" "$(cat "$out")"
        done
    done <<'END'
2 --warn=nope
2 --only-ops=foo
2 --baseline=known
3 --baseline=missing
3 --baseline=missing/known --write-baseline
END
    echo OLD >report
    expect_status 2 hlo-verify -o report --list-types --explain=nope
    [ "$(cat report)" = OLD ] || fail "$(cat report)"
    [ "$(ls -A | grep -c report)" = 1 ] || fail "files remain:" "$(ls -A)"
    expect_status 3 hlo-verify --format=json -o report missing.hlo
    expect_text report "cannot read missing.hlo"
}

@test "--dedup: a module that was there before is not reported again" {
    printf 'HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  y = f32[2] copy(x)\n  ROOT z = f32[2] negate(x)\n}\n' >a.hlo
    sed 's/HloModule m/HloModule other/; s/\<y\>/why/g; s/copy(x)/copy(x), metadata={op_name="n"}/' a.hlo >b.hlo
    sed 's/negate/abs/' a.hlo >c.hlo
    hlo-opt --emit=proto a.hlo -o d.pb
    cp bad.hlo e.hlo
    cp bad.hlo f.hlo
    printf 'HloModule m\nENTRY e {\n  ROOT x = f32[2]{0:T(0)} parameter(0)\n}\n' >g.hlo
    for jobs in 1 3; do
        expect_status 1 hlo-verify -v -j $jobs --dedup --error=dead-code [a-f].*
        cat >wanted <<'END'
a.hlo: bad
b.hlo: a copy of a.hlo
c.hlo: bad
d.pb: a copy of a.hlo
e.hlo: bad
f.hlo: bad
4 files: 0 good, 4 bad, 0 not read, 2 copies: 0 modules, 0 computations, 0 instructions
  unknown-opcode           2 findings in 2 files
  dead-code                2 findings in 2 files
END
        diff "$out" wanted
        [ "$(grep -c 'dead-code' "$err")" = 2 ] || fail "$(cat "$err")"
    done
    # Parts: a file is a copy when all of them are, and none is broken.
    { cat a.hlo; echo '// -----'; cat c.hlo; } >parts.hlo
    { cat parts.hlo; echo '// -----'; cat bad.hlo; } >worse.hlo
    expect_status 0 hlo-verify -v --dedup --split-input-file a.hlo parts.hlo c.hlo
    expect_text "$out" "c.hlo: a copy of parts.hlo"
    ! grep -q 'parts.hlo: a copy' "$out" || fail "$(cat "$out")"
    expect_status 1 hlo-verify -v --dedup --split-input-file parts.hlo worse.hlo
    expect_text "$out" "worse.hlo: bad"
}

@test "a while whose body returns other than its state is refused, whatever reads it" {
    loop() { # RESULT ROOT: the body returns that
        printf '%s\n' 'HloModule w' 'c { s = (s32[], f32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0' \
            '  k = s32[] constant(1) ROOT l = pred[] compare(i, k), direction=LT }' \
            'b { s = (s32[], f32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0' \
            '  x = f32[2] get-tuple-element(s), index=1 k = s32[] constant(1) n = s32[] add(i, k)' \
            "  ROOT r = $1 tuple($2) }" 'ENTRY e { x = f32[2] parameter(0) z = s32[] constant(0)' \
            '  t = (s32[], f32[2]) tuple(z, x)' \
            "  ROOT w = $1 while(t), condition=c, body=b, backend_config={\"known_trip_count\":{\"n\":\"1\"}} }"
    }
    loop '(s32[], f32[2], f32[2])' 'n, x, x' >longer.hlo
    loop '(s32[])' 'n' >shorter.hlo
    loop '(f32[2], s32[])' 'x, n' >swapped.hlo
    for file in longer shorter swapped; do
        for form in json proto; do hlo-opt --emit=$form $file.hlo -o $file.$form; done
        for module in $file.hlo $file.json $file.proto; do
            for command in hlo-verify 'hlo-run --inputs=iota' hlo-stat 'hlo-opt --pipeline=default' 'hlo-opt --passes=dce'; do
                expect_status 1 $command $module
                expect_text "$err" "error: while: body 'b' returns"
            done
        done
        for pass in $(hlo-opt --list-passes | awk '/^  [a-zA-Z]/ {print $1}'); do
            status=0
            hlo-opt --passes="$pass" $file.hlo >out 2>err || status=$?
            [ $status = 1 ] && grep -q "\[while-signature\]" err || fail "$pass: status $status: $(cat err)"
        done
    done
    loop '(s32[], f32[2])' 'n, x' >same.hlo
    expect_status 0 hlo-run --inputs=iota same.hlo
}

@test "shapes that differ in their layouts alone are shown with layouts" {
    printf '%s\n' 'HloModule m' 'ENTRY e {' '  a = f32[4,2]{1,0} parameter(0)' '  b = f32[4,2]{0,1} parameter(1)' \
        '  ROOT c = (f32[4,2]{1,0}, f32[4,2]{0,1}) all-to-all(a, b), replica_groups={{0,1}}' '}' >layouts.hlo
    expect_status 1 hlo-verify layouts.hlo
    expect_text "$err" "operand 0 is f32[4,2]{1,0} and operand 1 is f32[4,2]{0,1}: they must be equal"
}

# compares MESSAGE OPTION...: the verifier refuses the module on standard input with this message.
compares() {
    cat >compared.hlo
    expect_status 1 hlo-verify "${@:2}" compared.hlo
    expect_text "$err" "$1"
}

@test "messages that compare show both sides, and how they differ" {
    async() {
        printf '%s\n' 'HloModule a' 'wrapped {' '  a = f32[3] parameter(0)' '  ROOT n = f32[3] negate(a)' '}, execution_thread="one"' \
            'ENTRY main {' '  x = f32[3] parameter(0)' "  s = ((f32[3]$1), f32[3], s32[]) async-start(x), async_execution_thread=\"one\", calls=wrapped" \
            "  u = ((f32[3]), f32[3], s32[]) async-update(s)$2" '  ROOT y = f32[3] async-done(u)' '}'
    }
    async "" "" >good.hlo
    expect_status 0 hlo-verify good.hlo
    compares "async-update is ((f32[3]{0}), f32[3]{0}, s32[]), and its operand is ((f32[3]{0:S(1)}), f32[3]{0}, s32[])" < <(async '{0:S(1)}' "")
    compares "async_execution_thread=two differs from that of the start, one" < <(async "" ', async_execution_thread="two"')
    compares "parameter 0 is f32[2]{0:S(1)} at {} and must alias f32[2]{0} of the result: shapes or layouts differ" <<'H'
HloModule m, input_output_alias={ {}: (0, {}, must-alias) }, entry_computation_layout={(f32[2]{0:S(1)})->f32[2]{0}}
ENTRY e { ROOT x = f32[2] parameter(0) }
H
    compares "part {} of the result is f32[4]{0} and aliases f32[4]{0:S(1)} of operand 0" --layout-sensitive <<'H'
HloModule m
ENTRY main {
  p0 = f32[4]{0:S(1)} parameter(0)
  ROOT r = f32[4] custom-call(p0), custom_call_target="Pin", output_to_operand_aliasing={{}: (0, {})}
}
H
    compares "send-done and its send name different channels, 2 and 1" <<'H'
HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  t = token[] after-all()
  s = (f32[2], u32[], token[]) send(x, t), channel_id=1
  ROOT d = token[] send-done(s), channel_id=2
}
H
    compares "replica group 1 has 1 id and the first 2: their sizes differ" <<'H'
HloModule m, replica_count=3
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[4] parameter(0)
  ROOT r = f32[8] all-gather(x), replica_groups={{0,1},{2}}, dimensions={0}
}
H
    compares "the sharding of f32[4] has tiles of rank 2" <<'H'
HloModule m
ENTRY e { ROOT x = f32[4] parameter(0), sharding={devices=[2,1]0,1} }
H
    compares "the sharding of f32[4,4] is of rank 1" <<'H'
HloModule m
ENTRY e { ROOT x = f32[4,4] parameter(0), sharding={mesh['x'=2,'y'=2], [{'x'}]} }
H
    compares "the sharding of (f32[4], f32[4]) has 1, another number of elements than the tuple" <<'H'
HloModule m
ENTRY e { ROOT x = (f32[4], f32[4]) parameter(0), sharding={{replicated}} }
H
}

@test "--only-ops: what a target lacks, once for each operation; names, or a file" {
    printf '%s\n' 'HloModule m' 'ENTRY e {' '  a = f32[4] parameter(0)' '  b = f32[4] sine(a)' '  c = f32[4] sine(b)' \
        '  d = f32[4] tanh(c)' '  ROOT s = f32[4] add(d, c)' '}' >m.hlo
    expect_status 1 hlo-verify --only-ops=parameter,add --only-ops=tanh m.hlo
    expect_text "$err" "m.hlo:4:3: error: sine: the operation is not one of those that are listed; the module has 2 instructions of it [only-ops]"
    [ "$(grep -c error: "$err")" = 1 ] || fail "$(cat "$err")"
    printf '# of the target\nparameter add\nsine # once\ntanh\n' >target.txt
    expect_status 0 hlo-verify --only-ops=target.txt m.hlo
    expect_status 0 hlo-opt --only-ops=target.txt --passes=dce m.hlo
    printf 'parameter\nsime\n' >target.txt
    expect_status 2 hlo-verify --only-ops=target.txt m.hlo
    expect_text "$err" "target.txt:2:1: error: unknown operation 'sime'"
    expect_text "$err" "did you mean 'sine'?"
    printf '# none\n' >target.txt
    expect_status 2 hlo-verify --only-ops=target.txt m.hlo
    expect_text "$err" "the list of operations is empty"
    expect_status 3 hlo-verify --only-ops=./nothing m.hlo
    expect_text "$err" "cannot read ./nothing"
    hlo-verify --list-operations | awk '{ print $1 }' >all.txt
    ! grep '[./]' all.txt || fail "an operation has a name that is taken for a file"
    expect_status 0 hlo-verify --only-ops=all.txt m.hlo
}
