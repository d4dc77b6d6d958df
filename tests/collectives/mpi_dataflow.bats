# Parts of dataflow graphs in the processes that mpirun starts: the results of one process, and the end of graphs and
# processes that cannot continue.

load ../lib
load ../cases
load processes

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    let_root_start_processes
}

teardown_file() {
    sum_cases
}

# field FOLDER NAME: a number of its case.json.
field() {
    sed -n "s/^ *\"$2\": *\([0-9.e+-]*\),*$/\1/p" "$1/case.json"
}

# agrees NAME COUNT MODULE OPTION...: MODULE.hlo of the case NAME on so many processes has the expected results.
agrees() {
    local name=$1 count=$2 folder=$flow/$1 module=$flow/$1/$3.hlo said inputs
    shift 3
    mapfile -t inputs < <(find "$folder" -name 'in*.npy' | sort -V)
    said=$(within 120 mpirun -n "$count" hlo-run "$@" --expect "$folder" --rtol "$(field "$folder" rtol)" --atol "$(field "$folder" atol)" \
        "$module" "${inputs[@]}" </dev/null 2>&1) && ok || bad "$name on $count, $*" "$said"
}

@test "graphs in parts and graphs that are cut, on as many processes as devices, fewer and more" {
    needs_mpi
    begin_cases
    flow=$(cases_of control_flow)
    for name in $(cd "$flow" && one_of 4 partition-*); do agrees "$name" 2 partitioned; done
    for name in $(one_of 2 partition-hops-three-devices partition-nested-cond-scattered-2 partition-inner-loop-elsewhere partition-ten-thousand-trips); do
        for count in 1 3 4; do agrees "$name" "$count" partitioned --threads=2; done
    done
    for name in $(cd "$flow" && one_of 4 partition-*-scattered* partition-cond-two-devices-*); do
        agrees "$name" 3 module --executor=dataflow --devices=3
    done
    agrees partition-rnn-scattered 2 module --executor=dataflow --devices=2 --parallel-iterations=1 --repeat=3
    agrees array-prefix-sum 2 dataflow
    end_cases
}

# travel TRIPS ELEMENTS: an array that goes to device 1 and back in every trip.
travel() {
    cat >travel.hlo <<END
HloModule travel
condition { s = (s32[], f32[$2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  end = s32[] constant($1)
  ROOT c = pred[] compare(i, end), direction=LT }
body { s = (s32[], f32[$2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[$2] get-tuple-element(s), index=1
  k = s32[] constant(1)
  n = s32[] add(i, k)
  y = f32[$2] sine(x), sharding={maximal device=1}
  z = f32[$2] add(y, x), sharding={maximal device=0}
  ROOT t = (s32[], f32[$2]) tuple(n, z) }
ENTRY e {
  x = f32[$2] parameter(0)
  zero = s32[] constant(0)
  s = (s32[], f32[$2]) tuple(zero, x)
  ROOT w = (s32[], f32[$2]) while(s), condition=condition, body=body
}
END
}

@test "arrays that travel in frames and by themselves, tuples of results, measurements" {
    needs_mpi
    for elements in 1 200 100000; do
        travel 20 "$elements"
        expect_status 0 hlo-run --inputs=hash travel.hlo --output-dir "one$elements"
        expect_status 0 ranks 2 hlo-run --inputs=hash --executor=dataflow --devices=2 travel.hlo --output-dir "two$elements" --repeat=2
        diff -r "one$elements" "two$elements" || fail "$elements elements"
    done
    expect_status 0 ranks 2 hlo-run --inputs=hash --executor=dataflow --devices=2 travel.hlo --bench=2
    [ "$(grep -c run_median_s "$err")" = 1 ] || fail "$(cat "$err")"
    expect_status 0 ranks 2 hlo-run --inputs=hash --executor=dataflow --devices=2 travel.hlo --expect one100000 --trace=events
    [ "$(ls events*)" = $'events.r0\nevents.r1' ] || fail "$(ls)"
    for rank in 0 1; do
        [ "$(grep -c "\"device\": $rank" "events.r$rank")" = "$(wc -l <"events.r$rank")" ] || fail "$(head "events.r$rank")"
    done
    sent=$(cat events.r* | grep -c '"event": "send"')
    [ "$sent" -gt 40 ] && [ "$(cat events.r* | grep -c '"event": "recv"')" = "$sent" ] || fail "$sent messages were sent"
}

@test "a deadlock of a graph is reported once, by process 0, and ends all processes" {
    needs_mpi
    cat >still.hlo <<'END'
HloModule still.device0, is_dataflow=true
ENTRY main {
  x = f32[4] parameter(0)
  a = f32[4] edge-recv(), key="1>0", from_device=1
  b = f32[4] add(a, x)
  send = () edge-send(b), key="0>1", to_device=1
  ROOT results = (f32[4]) tuple(b), frontend_attributes={results="0"}
}
HloModule still.device1, is_dataflow=true
ENTRY main {
  x = f32[4] edge-recv(), key="0>1", from_device=0
  send = () edge-send(x), key="1>0", to_device=0
  ROOT results = (f32[4]) tuple(x), frontend_attributes={results="1"}
}
END
    for count in 1 2 3; do
        expect_status 1 within 60 mpirun -n "$count" hlo-run --inputs=ones still.hlo
        expect_text "$err" "deadlock in the graph: 0 iterations are open, 2 recvs are pending and 0 messages are unreceived"
        [ "$(grep -c 'deadlock in the graph' "$err")" = 1 ] || fail "$(cat "$err")"
    done
}

@test "an error of one process ends the others, which wait for it" {
    needs_mpi
    travel 1000000000 8
    sed 's/y = .*/t0 = token[] after-all()\n  f = (f32[8], token[]) infeed(t0), sharding={maximal device=1}\n  y = f32[8] get-tuple-element(f), index=0/' \
        travel.hlo >fed.hlo
    echo 'f32[8] {1, 2, 3, 4, 5, 6, 7, 8}' >x.txt
    hlo-run --output-dir made - x.txt <<<'ENTRY e { ROOT p = f32[8] parameter(0) }'
    expect_status 1 hlo-run --inputs=ones --executor=dataflow --infeed made/out0.npy fed.hlo
    expect_text "$err" "receives more than the 1 array of the host"
    for count in 2 3; do
        expect_status 1 within 60 mpirun -n "$count" hlo-run --inputs=ones --executor=dataflow --devices=2 --infeed made/out0.npy fed.hlo
        [ "$(grep -c ': error' "$err")" = 1 ] || fail "$(cat "$err")"
    done
}

@test "processes that cannot begin, and modules that differ" {
    needs_mpi
    travel 5 8
    expect_status 2 within 60 mpirun -n 2 hlo-run --executor=dataflow --devices=2 travel.hlo
    [ "$(grep -c 'is not given' "$err")" = 1 ] || fail "$(cat "$err")"
    expect_status 3 within 60 mpirun -n 2 hlo-run --inputs=ones --executor=dataflow --devices=2 --trace=missing/events travel.hlo
    expect_text "$err" "cannot write missing/events.r"
    mkdir there other
    cp travel.hlo there
    sed 's/sine/cosine/' travel.hlo >other/travel.hlo
    expect_status 1 within 60 mpirun -n 1 --wdir there hlo-run --inputs=ones --executor=dataflow --devices=2 travel.hlo : \
        -n 1 --wdir other hlo-run --inputs=ones --executor=dataflow --devices=2 travel.hlo
    expect_text "$err" "the processes of the job run different modules"
    mkdir there/out
    expect_status 3 within 60 mpirun -n 1 --wdir there hlo-run --inputs=ones --executor=dataflow --devices=2 --trace=out/events travel.hlo : \
        -n 1 --wdir there hlo-run --inputs=ones --executor=dataflow --devices=2 --trace=missing/events travel.hlo
    [ "$(grep -c 'cannot write' "$err")" = 1 ] || fail "$(cat "$err")"
    sed -i 's/HloModule travel/&, replica_count=2/' travel.hlo
    expect_status 2 within 60 mpirun -n 2 hlo-run --inputs=ones --executor=dataflow --devices=2 travel.hlo
    expect_text "$err" "one replica and one partition"
}

@test "what parts in several processes cannot do: hand over stacks, share a file of the host" {
    needs_mpi
    cat >stack.hlo <<'END'
HloModule stack.device0, is_dataflow=true
ENTRY main {
  s = opaque[] stack-create(), element=f32[]
  send = () edge-send(s), key="0>1", to_device=1
  ROOT results = () tuple(), frontend_attributes={results=""}
}
HloModule stack.device1, is_dataflow=true
ENTRY main {
  x = f32[] parameter(0)
  s = opaque[] edge-recv(), key="0>1", from_device=0
  p = opaque[] stack-push(s, x)
  q = (opaque[], f32[]) stack-pop(p)
  v = f32[] get-tuple-element(q), index=1
  ROOT results = (f32[]) tuple(v), frontend_attributes={results="0"}
}
END
    expect_status 0 hlo-run --inputs=ones stack.hlo
    expect_status 0 ranks 1 hlo-run --inputs=ones stack.hlo
    expect_status 1 within 60 mpirun -n 2 hlo-run --inputs=ones stack.hlo
    expect_text "$err" "stack.hlo:4:3: error: 'send' (edge-send) sends a stack to another process"
    cat >feeds.hlo <<'END'
HloModule feeds
ENTRY e {
  p = s32[2] parameter(0)
  t = token[] after-all()
  i = (s32[2], token[]) infeed(t), sharding={maximal device=1}
  x = s32[2] get-tuple-element(i), index=0
  y = s32[2] add(x, p), sharding={maximal device=1}
  u = token[] get-tuple-element(i), index=1
  o = token[] outfeed(y, u), outfeed_shape=s32[2], sharding={maximal device=0}
  ROOT r = s32[2] copy(y), sharding={maximal device=0}
}
END
    echo 's32[2] {1, 5}' >x.txt
    hlo-run --output-dir made - x.txt <<<'ENTRY e { ROOT p = s32[2] parameter(0) }'
    expect_status 0 ranks 2 hlo-run --inputs=ones --executor=dataflow --devices=2 --infeed made/out0.npy --outfeed fed.npy feeds.hlo
    expect_status 0 hlo-run --inputs=ones --executor=dataflow --infeed made/out0.npy --outfeed one.npy feeds.hlo
    cmp fed.npy one.npy
    sed 's/  ROOT r = .*/  j = (s32[2], token[]) infeed(o), sharding={maximal device=0}\n  ROOT r = s32[2] get-tuple-element(j), index=0/' feeds.hlo >two.hlo
    expect_status 1 within 60 mpirun -n 2 hlo-run --inputs=ones --executor=dataflow --devices=2 --infeed made/out0.npy two.hlo --outfeed fed.npy
    expect_text "$err" "(infeed) exchanges data with the host, like an instruction of another process"
}
