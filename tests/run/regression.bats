# hlo-run DIRECTORY: every module on its recorded inputs, compared with its recorded results; the XML of --junit.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR"
    mkdir dumps
    cat >twice.hlo <<'H'
HloModule twice
ENTRY e {
  x = f32[2,3] parameter(0)
  y = f32[2,3] add(x, x)
  c = s32[] constant(3)
  ROOT t = (f32[2,3], s32[]) tuple(y, c)
}
H
}

inputs='"in0": [[0, 1, 2], [3, 4, 5]]'
results='"out0": [[0, 2, 4], [6, 8, 10]], "out1": 3'
wrong='"out0": [[0, 2, 4.5], [6, 8, 10.25]], "out1": 3'

# A snapshot, whose result is $1.
snapshot() {
    printf 'HloModule r\nENTRY main { x = f32[2] parameter(0) ROOT y = f32[2] add(x, x) }\n' |
        hlo-opt --emit=json | jq --argjson result "$1" '
            {elementType: "F32", dimensions: ["2"], layout: {minorToMajor: ["0"]}} as $shape |
            {hlo: {hloModule: .}, executionPlatform: "cpu", arguments: [{shape: $shape, f32s: [1, 2]}],
             result: {shape: $shape, f32s: $result}}'
}

# A folder with a module for each form of a record, all of them right.
right_records() {
    cp twice.hlo dumps/object.hlo
    echo "{$inputs, $results}" >dumps/object.json
    cp twice.hlo dumps/archive.before_optimizations.txt
    hlo-run twice.hlo --input x=<(echo '[[0, 1, 2], [3, 4, 5]]') -o arrays.npz
    hlo-run twice.hlo --input x=<(echo '[[0, 1, 2], [3, 4, 5]]') --output-dir arrays
    printf 'HloModule i\nENTRY e { i = f32[6] iota(), iota_dimension=0\n ROOT x = f32[2,3] reshape(i) }\n' |
        hlo-run - -o in0.npy
    mkdir dumps/folder dumps/case
    cp twice.hlo dumps/folder.hlo.txt
    cp in0.npy arrays/*.npy dumps/folder
    cp twice.hlo dumps/case/module.hlo
    cp in0.npy arrays/*.npy dumps/case
    snapshot '[2, 4]' >dumps/snapshot.json
}

@test "each form of a record is found beside its module, and the last line has the sums" {
    right_records
    python=$(command -v python3) || skip "no python3: no archive is made"
    "$python" - arrays.npz in0.npy dumps/archive.before_optimizations.npz <<'P'
import shutil, sys, zipfile
shutil.copy(sys.argv[1], sys.argv[3])
zipfile.ZipFile(sys.argv[3], "a").write(sys.argv[2], "in0.npy")
P
    expect_status 0 hlo-run dumps
    cmp "$out" - <<'END' || fail "$(cat "$out")"
dumps/archive.before_optimizations.txt: passed
dumps/case/module.hlo: passed
dumps/folder.hlo.txt: passed
dumps/object.hlo: passed
dumps/snapshot.json: passed
5 passed, 0 failed, 0 skipped
END
    [ ! -s "$err" ] || fail "$(cat "$err")"
    # The same below another directory: the records are where the modules are in theirs.
    mkdir modules
    (cd dumps && find . -name '*.hlo' -o -name '*.txt' | tar -cf - -T -) | tar -xf - -C modules
    expect_status 1 hlo-run modules
    expect_text "$out" "0 passed, 0 failed, 4 skipped"
    expect_status 0 hlo-run --expect=dumps/ modules/ -o lines.txt
    expect_text lines.txt "4 passed, 0 failed, 0 skipped"
    expect_text lines.txt "modules/case/module.hlo: passed"
}

@test "what differs is failed with the largest difference, and each option is one for every module" {
    right_records
    rm dumps/archive*
    cp twice.hlo dumps/wrong.hlo
    echo "{$inputs, $wrong}" >dumps/wrong.json
    snapshot '[2, 5]' >dumps/snapshot.json
    expect_status 1 hlo-run dumps
    expect_text "$out" "dumps/wrong.hlo: failed: out0[0,2] got 4, expected 4.5, error 0.5, 1048576 ulp; 1 of 2 results differs"
    expect_text "$out" "dumps/snapshot.json: failed: out0[1] got 4, expected 5, error 1, 2097152 ulp; 1 of 1 result differs"
    expect_text "$out" "dumps/object.hlo: passed"
    [ "$(tail -n 1 "$out")" = "3 passed, 2 failed, 0 skipped" ] || fail "$(cat "$out")"
    for options in "--rtol=0.3" "--atol=1" "--max-ulp=10000000" "--rtol=0.3 --threads=1 --engine=reference --repeat=2"; do
        # shellcheck disable=SC2086
        expect_status 0 hlo-run $options dumps
        [ "$(tail -n 1 "$out")" = "5 passed, 0 failed, 0 skipped" ] || fail "$options" "$(cat "$out")"
    done
    # The largest is of all results.
    echo "{$inputs, ${wrong/: 3/: 103}}" >dumps/wrong.json
    expect_status 1 hlo-run dumps
    expect_text "$out" "dumps/wrong.hlo: failed: out1[] got 3, expected 103, error 100; 2 of 2 results differ"
    # Results alone: the inputs are generated, if that is asked for; those of a snapshot are its own.
    rm dumps/wrong* dumps/case -r
    echo "{$results}" >dumps/object.json
    snapshot '[2, 4]' >dumps/snapshot.json
    expect_status 0 hlo-run --inputs=iota dumps
    [ "$(tail -n 1 "$out")" = "3 passed, 0 failed, 0 skipped" ] || fail "$(cat "$out")"
    expect_status 3 hlo-run dumps
    expect_text "$out" "dumps/object.hlo: failed: there is no in0.npy in dumps/object.json"
    expect_text "$err" "error: there is no in0.npy in dumps/object.json [input]"
}

@test "what cannot be run is failed with its error, what was not recorded is skipped" {
    cp twice.hlo dumps/alone.hlo
    cp twice.hlo dumps/good.hlo
    echo "{$inputs, $results}" >dumps/good.json
    printf %s 'HloModule b
ENTRY e {
  ROOT x = f32[2] add(y, y)
}
' >dumps/bad.hlo
    printf 'HloModule c\nENTRY e { ROOT c = f32[2] custom-call(), custom_call_target="strange" }\n' >dumps/call.hlo
    echo '{"out0": [1, 2]}' >dumps/call.json
    cp twice.hlo dumps/less.hlo
    echo "{$inputs, \"out1\": 3}" >dumps/less.json
    cp twice.hlo dumps/shape.hlo
    echo "{$inputs, \"out0\": [1], \"out1\": 3}" >dumps/shape.json
    expect_status 1 hlo-run dumps
    expect_text "$out" "dumps/alone.hlo: skipped: no recorded result: no NAME.npz, NAME.json, NAME/out0.npy or out0.npy in dumps, and none in the module"
    expect_text "$out" "dumps/bad.hlo: failed: 3:23: no earlier instruction is named 'y'"
    expect_text "$out" "dumps/call.hlo: failed: 2:"
    expect_text "$out" "strange"
    expect_text "$out" "dumps/good.hlo: passed"
    expect_text "$out" "dumps/less.hlo: failed: there is no out0 in dumps/less.json"
    expect_text "$err" "error: there is no out0 in dumps/less.json, for f32[2,3] [input]"
    expect_text "$out" "dumps/shape.hlo: failed: "
    [ "$(tail -n 1 "$out")" = "1 passed, 4 failed, 1 skipped" ] || fail "$(cat "$out")"
    expect_text "$err" "dumps/bad.hlo:3:23: error: "
    expect_text "$err" "ROOT x = f32[2] add(y, y)"
}

@test "--junit: well-formed XML with each outcome, whatever names and messages hold" {
    command -v xmllint >/dev/null || skip "no xmllint"
    odd=$(printf 'dumps/a<&">\033[1m\ttab\377\357\277\277.hlo')
    cp twice.hlo "$odd"
    echo "{$inputs, $wrong}" >"${odd%.hlo}.json"
    cp twice.hlo dumps/good.hlo
    echo "{$inputs, $results}" >dumps/good.json
    cp twice.hlo dumps/alone.hlo
    printf 'HloModule b\nENTRY e {\n  ROOT x = f32[2] add(y<, y)\n}\n' >dumps/bad.hlo
    expect_status 1 hlo-run --junit=runs.xml dumps
    [ "$(tail -n 1 "$out")" = "1 passed, 2 failed, 1 skipped" ] || fail "$(cat "$out")"
    xmllint --noout runs.xml || fail "$(cat runs.xml)"
    count() {
        [ "$(xmllint --xpath "count($1)" runs.xml)" = "$2" ] || fail "$1" "$(cat runs.xml)"
    }
    for suite in testsuites testsuite; do
        count "//${suite}[@tests='4' and @failures='1' and @errors='1' and @skipped='1']" 1
    done
    count "//testcase" 4
    count "//testcase[not(*)][@name='good.hlo' and @classname='dumps' and @time]" 1
    count "//testcase[@name='alone.hlo']/skipped[contains(@message, 'no recorded result')]" 1
    count "//testcase[@name='bad.hlo']/error[contains(., 'dumps/bad.hlo:3:24: error')]" 1
    count "//testcase[contains(@name, 'a<&')]/failure[contains(@message, 'out0[0,2] got 4, expected 4.5')]" 1
    # The whole report, line by line.
    count "//failure[contains(., 'worst: [0,2] got 4') and contains(., 'out1: 1 element agrees')]" 1
    name=$(xmllint --xpath "string(//testcase[failure]/@name)" runs.xml)
    # shellcheck disable=SC1003
    [ "$name" = 'a<&">\x1b[1m\ttab\xff\xef\xbf\xbf.hlo' ] || fail "$name"
    # Whole or not at all: neither where it cannot be written, nor where the lines cannot.
    expect_status 3 hlo-run --junit=no/such/runs.xml dumps
    [ ! -s "$out" ] || fail "the runs were made in vain"
    expect_status 3 bash -c "hlo-run --junit=other.xml dumps >/dev/full"
    [ ! -e other.xml ]
}

@test "folders: those without modules are an error, what is for one module is refused" {
    mkdir empty
    expect_status 2 hlo-run empty
    expect_text "$err" "no file below empty starts like a module"
    cp twice.hlo dumps/a.hlo
    for option in --input=x=in0.npy --input-dir=. --output-dir=out --infeed=f --outfeed=f --recv=1=f --send=1=f --dump-values=d --only=y \
        --print-plan --trace=f --bench=1 --bench-json=f --profile --chrome-trace=f --roofline=f.svg --split-input-file; do
        expect_status 2 hlo-run $option dumps
        name=${option%%=*}
        expect_text "$err" "$name is for one module, and dumps is a directory"
    done
    expect_status 2 hlo-run dumps in0.npy
    expect_text "$err" "a directory of modules takes no inputs"
    expect_status 2 hlo-run --junit=runs.xml twice.hlo
    expect_text "$err" "--junit requires a directory of modules"
    [ ! -e runs.xml ]
}

@test "the exit status is the highest of what the modules have alone" {
    cp twice.hlo dumps/a.hlo
    cp twice.hlo dumps/b.hlo
    echo "{$inputs, $wrong}" >dumps/b.json
    expect_status 1 hlo-run dumps
    echo junk >dumps/a.npz
    expect_status 3 hlo-run --input-dir=dumps/a.npz --expect=dumps/a.npz dumps/a.hlo
    expect_status 3 hlo-run --junit=runs.xml -o lines.txt dumps
    expect_text lines.txt "dumps/a.hlo: failed: cannot read dumps/a.npz: Not a zip archive"
    [ "$(tail -n 1 lines.txt)" = "0 passed, 2 failed, 0 skipped" ] || fail "$(cat lines.txt)"
    grep -q '<error message="cannot read dumps/a.npz' runs.xml || fail "$(cat runs.xml)"
}

@test "--expect: what is no directory is an error, and a folder of which nothing is compared fails" {
    mkdir dumps/deep stored
    cp twice.hlo dumps/deep/a.hlo
    expect_status 3 hlo-run --inputs=hash --expect=typo dumps
    expect_text "$err" "cannot read records in typo: No such file or directory"
    expect_status 3 hlo-run --inputs=hash --expect=twice.hlo dumps
    expect_text "$err" "cannot read records in twice.hlo: Not a directory"
    [ ! -s "$out" ] || fail "$(cat "$out")"
    expect_status 1 hlo-run --inputs=hash --expect=stored --junit=runs.xml dumps
    expect_text "$out" "dumps/deep/a.hlo: skipped: no recorded result: no NAME.npz, NAME.json, NAME/out0.npy or out0.npy in stored/deep, and"
    expect_text "$err" "error: no module of dumps was compared: none has a recorded result"
    [ "$(grep -c '<skipped' runs.xml)" = 1 ]
}

@test "--junit: a run without outcomes leaves no earlier file; options that are refused leave it" {
    mkdir empty
    cp twice.hlo dumps/a.hlo
    for run in "2 empty" "3 --expect=typo dumps"; do
        echo earlier >runs.xml
        # shellcheck disable=SC2086
        expect_status ${run%% *} hlo-run --junit=runs.xml ${run#* }
        [ ! -e runs.xml ] || fail "$run"
    done
    echo earlier >runs.xml
    expect_status 2 hlo-run --junit=runs.xml --bench=1 dumps
    [ "$(cat runs.xml)" = earlier ]
}

@test "a signal ends the runs: lines and outcomes that are known are there" {
    cp twice.hlo dumps/a.hlo
    echo "{$inputs, $results}" >dumps/a.json
    cp twice.hlo dumps/c.hlo
    cp "$HLO_ROOT/tests/run/endless.hlo" dumps/b.hlo
    echo '{"out0": 1}' >dumps/b.json
    hlo-run --inputs=zeros --junit=runs.xml dumps >lines.txt &
    run=$!
    for ((i = 0; i < 200; i++)); do grep -q passed lines.txt && break || sleep 0.1; done
    grep -q passed lines.txt || { kill -KILL $run && fail "no line"; }
    [ ! -e runs.xml ]
    sleep 1
    kill -TERM $run
    status=0
    wait $run || status=$?
    [ $status = 143 ] || fail "$status"
    printf '%s\n' "dumps/a.hlo: passed" "dumps/b.hlo: failed: SIGTERM ended the run" | diff - lines.txt
    [ "$(grep -c '<testcase' runs.xml)" = 2 ] || fail "$(cat runs.xml)"
    expect_text runs.xml '<error message="SIGTERM ended the run">'
    grep -Eq 'dumps/b.hlo:[0-9]+:[0-9]+: error: .*was interrupted \[system\]' runs.xml || fail "$(cat runs.xml)"
    # A file of -o appears whole or not at all.
    hlo-run --inputs=zeros -o whole.txt dumps &
    run=$!
    sleep 1
    kill -TERM $run
    wait $run || true
    [ ! -e whole.txt ]
}

@test "golden models are a folder of recorded runs" {
    models=$HLO_ROOT/tests/golden/models
    mkdir some
    for name in mlp-forward black-scholes edit-distance game-of-life; do
        [ -f "$models/$name/out0.npy" ] || fail "$name has no result"
        cp -r "$models/$name" some
    done
    expect_status 0 hlo-run --rtol=auto some
    [ "$(tail -n 1 "$out")" = "4 passed, 0 failed, 0 skipped" ] || fail "$(cat "$out")"
}
