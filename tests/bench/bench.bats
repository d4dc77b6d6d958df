# bench/diff.py and bench/modules.py on made-up tables and a made-up harness: nothing is timed.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    command -v python3 >/dev/null || skip "no python3"
}

# table FILE ROW...: rows NAME:STATUS:RUN:E2E:BYTES:XLA, in the table's columns.
table() {
    local file=$1
    shift
    printf 'name\tthreads\ttool_status\ttool_run_min_s\ttool_e2e_s\ttool_rss\tpeer_run_min_s\n' >"$file"
    for row in "$@"; do
        IFS=: read -r name status run e2e bytes xla <<<"$row"
        printf '%s\t2\t%s\t%s\t%s\t%s\t%s\n' "$name" "$status" "$run" "$e2e" "$bytes" "$xla" >>"$file"
    done
}

# diffs STATUS ARGUMENT...
diffs() {
    local want=$1 status=0
    shift
    "$HLO_ROOT/bench/diff.py" "$@" >out 2>err || status=$?
    [ "$status" -eq "$want" ] || fail "status $status instead of $want" "$(cat out err)"
}

@test "bench-diff lists what became slower or larger, and what improved" {
    table old.tsv a:ok:0.010:0.050:1e8:0.005 b:ok:0.010:0.050:1e8:- c:ok:0.010:0.050:1e8:- same:ok:1e-2:0.05:1e8:0.02
    table new.tsv a:ok:0.012:0.050:1e8:0.0048 b:ok:0.005:0.040:1e8:- c:ok:0.010:0.070:2e8:- same:ok:1e-2:0.05:1e8:0.01
    diffs 1 old.tsv new.tsv
    diff out - <<'TEXT' || fail "another list"
run: geometric mean of new/old 0.880 over 4 modules
start to result: geometric mean of new/old 1.029 over 4 modules
memory: geometric mean of new/old 1.189 over 4 modules
run / XLA's: geometric mean of new/old 1.581 over 2 modules

better by more than 10 %: 2

| module | figure | old | new | new/old |
| --- | --- | ---: | ---: | ---: |
| b | run | 10 | 5 ms | 0.500 |
| b | start to result | 50 | 40 ms | 0.800 |

worse by more than 10 %: 4

| module | figure | old | new | new/old |
| --- | --- | ---: | ---: | ---: |
| c | memory | 95.37 | 190.7 MiB | 2.000 |
| c | start to result | 50 | 70 ms | 1.400 |
| a | run / XLA's | 2 | 2.5 | 1.250 |
| a | run | 10 | 12 ms | 1.200 |
TEXT
}

@test "bench-diff: the limit, what figures vary by, and modules in one table" {
    table old.tsv a:ok:0.010:0.050:1e8:- tiny:ok:1e-6:0.002:4e6:- gone:ok:1:1:1e8:-
    table new.tsv a:ok:0.012:0.050:1e8:- tiny:ok:2e-6:0.003:4.5e6:- come:ok:1:1:1e8:-
    diffs 0 old.tsv new.tsv --limit=25
    grep -qx "1 modules are only in the old table, 1 only in the new one" out || fail "$(cat out)"
    grep -qx "worse by more than 25 %: 0" out || fail "$(cat out)"
    diffs 1 old.tsv new.tsv --limit=15
    [ "$(grep -c '^| a | run ' out)" = 1 ] || fail "$(cat out)"
    ! grep -q tiny out || fail "a microsecond is no change: $(cat out)"
}

@test "bench-diff: what no longer runs, and what is no table" {
    table old.tsv a:ok:0.010:0.050:1e8:-
    table new.tsv "a:exit 1:-:-:-:-"
    diffs 1 old.tsv new.tsv
    grep -qx "a no longer runs" out || fail "$(cat out)"
    diffs 0 new.tsv old.tsv
    diffs 2 old.tsv none.tsv
    grep -qx "none.tsv: No such file or directory" err || fail "$(cat err)"
    echo something >text
    diffs 2 text old.tsv
    grep -qx "text: no table of bench/modules.py" err || fail "$(cat err)"
    make -s -C "$HLO_ROOT" bench-diff OLD="$PWD/old.tsv" NEW="$PWD/old.tsv" LIMIT=5 >out || fail "$(cat out)"
    grep -qx "worse by more than 5 %: 0" out || fail "$(cat out)"
}

# A harness that takes no time: it leaves its command line, and a row unless the module is called fails.
make_harness() {
    mkdir harness modules
    printf 'name\tgroup\none\tmicro\ntwo\tmicro\nthree\tmodels\n' >harness/modules.tsv
    touch modules/numpy.py modules/jaxlib.py
    cat >harness/bench.py <<'PYTHON'
import sys
name, table = sys.argv[-1], sys.argv[sys.argv.index("--tsv") + 1]
open("calls", "a").write(" ".join(sys.argv[1:]) + "\n")
if name == "fails":
    sys.exit("harness: it fails")
open(table, "w").write("name\ttool_status\ttool_run_min_s\tpeer_run_min_s\n%s\tok\t0.002\t0.004\n" % name)
PYTHON
    export HLO_BENCH=$PWD/harness PYTHONPATH=$PWD/modules
    # Those of bench/modules come after the harness's own.
    own=$(tail -n +2 "$HLO_ROOT/bench/modules.tsv" | cut -f1 | tr '\n' ' ')
    all=$((3 + $(wc -w <<<"$own")))
}

# measures STATUS ARGUMENT...
measures() {
    local want=$1 status=0
    shift
    : >calls
    python3 "$HLO_ROOT/bench/modules.py" "$HLO_BUILD" "$@" >out 2>err || status=$?
    [ "$status" -eq "$want" ] || fail "status $status instead of $want" "$(cat out err)"
}

@test "bench-peer measures the missing rows of the table, and continues after an interruption" {
    make_harness
    measures 0 r.tsv --peer --seconds=0
    grep -qx "$all modules are left: the same command goes on with one" out || fail "$(cat out)"
    [ ! -s calls ]
    measures 0 r.tsv --peer one
    grep -q -- "--peer --check one$" calls || fail "$(cat calls)"
    grep -qx "one: 2 ms, 0.5 of XLA's" out || fail "$(cat out)"
    measures 0 r.tsv --peer
    grep -qx "1 of $all modules stand in r.tsv" out || fail "$(cat out)"
    [ "$(sed 's/.* //' calls | tr '\n' ' ')" = "two three $own" ] || fail "$(cat calls)"
    grep -qx "run time, geometric mean of ratios to XLA: 0.500" out || fail "$(cat out)"
    [ "$(cut -f1 r.tsv | tr '\n' ' ')" = "name one two three $own" ] || fail "$(cat r.tsv)"
    measures 0 r.tsv --peer
    [ ! -s calls ] || fail "$(cat calls)"
    measures 1 r.tsv --peer fails
    grep -qx "fails: the harness ended with status 1: harness: it fails" err || fail "$(cat err)"
    [ "$(wc -l <r.tsv)" = $((all + 1)) ] || fail "$(cat r.tsv)"
}

@test "of the repository's own modules XLA gets a text that its importer takes, and hlo-run the text itself" {
    make_harness
    cat >>harness/bench.py <<'PYTHON'
if "--dir" in sys.argv:
    text = open("%s/modules/%s.hlo" % (sys.argv[sys.argv.index("--dir") + 1], name)).read()
    print(name, text.count(" fusion("), text.count(" bitcast("), file=open("texts", "a"))
PYTHON
    measures 0 r.tsv --peer one dus_bf16_scan_256
    [ "$(cat texts)" = "dus_bf16_scan_256 0 0" ] || fail "$(cat texts)"
    grep -q "hlo-run {module}.* one$" calls || fail "$(cat calls)"
    grep -q "hlo-run $HLO_ROOT/bench/modules/dus_bf16_scan_256.hlo {inputs}" calls || fail "$(cat calls)"
    rm texts
    measures 0 r.tsv --again dus_bf16_scan_256
    grep -q "dus_bf16_scan_256 3 " texts || fail "$(cat texts)"
}

@test "bench measures again without the peer; without modules or NumPy it reports that" {
    make_harness
    measures 0 own.tsv one
    measures 0 own.tsv --again
    [ "$(sed 's/.* //' calls | tr '\n' ' ')" = "one two three $own" ] || fail "$(cat calls)"
    ! grep -q -- --peer calls || fail "$(cat calls)"
    HLO_BENCH=none measures 0 own.tsv
    grep -q "^skipped: no bench modules at none" out || fail "$(cat out)"
    rm modules/jaxlib.py
    if ! python3 -c 'import jaxlib' 2>/dev/null; then
        measures 0 own.tsv --peer
        grep -q "^skipped: .* has no jaxlib: ORACLE_PYTHON" out || fail "$(cat out)"
    fi
}

# dumps STATUS ARGUMENT...
dumps() {
    local want=$1 status=0
    shift
    python3 "$HLO_ROOT/bench/dumps.py" "$HLO_BUILD" "$@" >out 2>err || status=$?
    [ "$status" -eq "$want" ] || fail "status $status instead of $want" "$(cat out err)"
}

@test "bench-dumps measures what does not stand in the table, and compares values" {
    mkdir -p modules shared/golden/dumps shared/corpus shared/tools
    touch modules/numpy.py modules/ml_dtypes.py modules/jaxlib.py
    export HLO_SHARED=$PWD/shared PYTHONPATH=$PWD/modules
    for name in first second; do
        echo "{\"module\": \"$name.hlo\", \"seed\": 3, \"fill\": \"hash-positive\"}" >shared/golden/dumps/$name.json
        printf 'HloModule m\nENTRY e {\n  p = f32[4] parameter(0)\n  ROOT n = f32[4] negate(p)\n}\n' >shared/corpus/$name.hlo
    done
    cat >shared/tools/summarise.py <<'PYTHON'
import json, os, sys
if sys.argv[1] == "make":
    print(*sys.argv[4:], file=open("made", "a"))
    json.dump({"xla_compile_s": 40, "xla_first_run_s": 60}, open(sys.argv[3], "w"))
else:
    print("a line before\n%d passed, 0 failed" % len(os.listdir(sys.argv[3])))
PYTHON
    dumps 0 r.tsv --seconds=0
    grep -qx "2 dumps are left: the same command goes on with first" out || fail "$(cat out)"
    dumps 0 r.tsv second --repeats=2
    [ "$(cat made)" = "$(printf -- '--seed 3 --fill hash-positive\n%.0s' 1 2)" ] || fail "$(cat made)"
    grep -q "^| second | .* | 40 | 60 | .* | 1 passed, 0 failed |$" out || fail "$(cat out)"
    grep -q "^1 of 1 dumps take less than XLA; " out || fail "$(cat out)"
    dumps 0 r.tsv
    [ "$(wc -l <made)" = 3 ] || fail "$(cat made)"
    dumps 0 r.tsv --alone --again
    [ "$(wc -l <made)" = 3 ] || fail "$(cat made)"
    grep -q "^2 of 2 dumps take less than XLA; " out || fail "$(cat out)"
    echo 'no module' >shared/corpus/first.hlo
    dumps 1 r.tsv --alone --again first
    grep -q "first.hlo --output-dir .*: status 1: .*first.hlo:1:4: error: " err || fail "$(cat err)"
    HLO_SHARED=none dumps 0 r.tsv
    grep -q "^skipped: no expected values of dumps at none" out || fail "$(cat out)"
}
