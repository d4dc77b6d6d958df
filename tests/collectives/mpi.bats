# Several processes that mpirun starts and that share the devices of a run: the same bits as threads of one process, and what
# becomes of processes that fail.

load ../lib
load ../cases
load devices
load processes

teardown_file() {
    sum_cases
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    let_root_start_processes
}

# list_cases FOLDER: the cases of the file `cases`, with where their results go.
list_cases() {
    awk -v to="$PWD/$1" '{ name = $0; sub(".*/", "", name); print $0, to "/" name }' cases
}

@test "every golden case of several devices on 2 and 4 processes: the bits of threads" {
    needs_mpi
    begin_cases
    mkdir threads
    grep -lrE '(replica_count|num_partitions)=([2-9]|1[0-9])' --include=module.hlo "$(cases_of golden)" | sed 's|/module.hlo$||' | sort >cases
    list_cases threads >threads.list
    [ "$(wc -l <threads.list)" -ge 76 ] || fail "only $(wc -l <threads.list) cases"
    "$HLO_BUILD/tools/golden_run" <threads.list >threads.ran
    for count in 2 4; do
        mkdir "ranks$count"
        list_cases "ranks$count" >"ranks$count.list"
        ranks "$count" "$HLO_BUILD/tools/golden_run" "ranks$count.list" >"ranks$count.ran"
        while IFS=$'\t' read -r case why; do
            name=${case##*/}
            if [ -n "$why" ]; then bad "$name on $count" "$why"; continue; fi
            said=$(diff -r "threads/$name" "ranks$count/$name" 2>&1) && ok || bad "$name on $count" "$said"
        done <"ranks$count.ran"
        [ "$(wc -l <"ranks$count.ran")" = "$(wc -l <threads.list)" ] || bad golden_run "it ended after $(tail -n 1 "ranks$count.ran")"
    done
    end_cases
}

# grid: a module of four devices with a bit of everything that processes exchange.
grid() {
    cat >grid.hlo <<END
HloModule grid, replica_count=4
$add
ENTRY e {
  p = f32[1000,77] parameter(0)
  i = u32[] replica-id()
  f = f32[] convert(i)
  k = f32[1000,77] broadcast(f), dimensions={}
  x = f32[1000,77] add(p, k)
  s = f32[1000,77] sine(x)
  r = f32[1000,77] all-reduce(s), to_apply=add
  h = f32[1000,77] all-reduce(s), replica_groups={{0,2},{3,1}}, to_apply=add
  m = f32[1000,77] collective-permute(h), source_target_pairs={{0,1},{1,2},{2,3},{3,0}}
  g = f32[4000,77] all-gather(m), dimensions={0}
  a = f32[1000,77] all-to-all(x), dimensions={0}, replica_groups={{0,1,2,3}}
  ROOT t = (f32[1000,77], f32[4000,77], f32[1000,77]) tuple(r, g, a)
}
END
}

@test "results, repeated runs and measurements come from rank 0; ranks without devices help" {
    needs_mpi
    grid
    expect_status 0 hlo-run --inputs=hash grid.hlo --output-dir one
    for count in 1 2 3 4 6; do
        expect_status 0 ranks "$count" hlo-run --inputs=hash grid.hlo --output-dir "by$count" --repeat=3
        diff -r one "by$count" || fail "$count processes"
        expect_status 0 ranks "$count" hlo-run --inputs=hash grid.hlo --expect one
        [ "$(grep -c '^out0\.r0' "$out")" = 1 ] || fail "$(cat "$out")"
    done
    expect_status 0 ranks 2 hlo-run --inputs=hash grid.hlo --bench=3
    [ "$(grep -c run_median_s "$err")" = 1 ] || fail "$(cat "$err")"
    expect_status 0 ranks 2 hlo-run --print-plan grid.hlo
    [ "$(grep -c '^plan e:' "$out")" = 1 ] || fail "$(cat "$out")"
    expect_status 0 hlo-run --inputs=hash --device-assignment='{{2},{0},{3},{1}}' grid.hlo --output-dir assigned
    expect_status 0 ranks 3 hlo-run --inputs=hash --device-assignment='{{2},{0},{3},{1}}' grid.hlo --expect assigned
    ! diff -rq one assigned >/dev/null || fail "the assignment changes nothing"
    printf 'HloModule m, replica_count=2\nENTRY e { ROOT r = u32[] replica-id() }\n' >two.hlo
    expect_status 0 ranks 2 hlo-run two.hlo
    [ "$(tr -d '\n' <"$out")" = '// device 0u32[] 0// device 1u32[] 1' ] || fail "$(cat "$out")"
    printf 'HloModule m\nENTRY e { ROOT r = u32[] replica-id() }\n' >one.hlo
    expect_status 0 ranks 2 hlo-run one.hlo
    [ "$(cat "$out")" = 'u32[] 0' ] || fail "$(cat "$out")"
}

@test "inputs, infeed and outfeed by device" {
    needs_mpi
    cat >feed.hlo <<'END'
HloModule feed, replica_count=2
ENTRY e {
  p = s32[2] parameter(0)
  t = token[] after-all()
  i = (s32[2], token[]) infeed(t)
  x = s32[2] get-tuple-element(i), index=0
  y = s32[2] add(x, p)
  u = token[] get-tuple-element(i), index=1
  o = token[] outfeed(y, u)
  ROOT r = s32[2] copy(y)
}
END
    mkdir in
    for d in 0 1; do
        echo "s32[2] {$((d + 1)), 5}" >x.txt
        hlo-run --output-dir made - x.txt <<<'ENTRY e { ROOT p = s32[2] parameter(0) }'
        cp made/out0.npy "in/infeed0.r$d.npy" && mv made/out0.npy "in/in0.r$d.npy"
    done
    expect_status 0 hlo-run feed.hlo --input-dir in --infeed in --outfeed fed --output-dir one
    expect_status 0 ranks 2 hlo-run feed.hlo --input-dir in --infeed in --outfeed fed2 --output-dir two
    diff -r one two && diff -r fed fed2 || fail "$(ls fed2 two)"
}

@test "a deadlock between processes is reported by one of them: the wait-for graph" {
    needs_mpi
    branches "  ROOT left = f32[2] all-reduce(p), to_apply=add" "  ROOT right = f32[2] all-reduce(p), to_apply=add"
    for count in 2 3; do
        expect_status 1 within 60 mpirun -n "$count" hlo-run --inputs=ones branches.hlo
        expect_text "$err" "'left' (all-reduce) deadlocks: no device can continue [deadlock]"
        expect_text "$err" "device 0 waits in 'left' (all-reduce) for device 1"
        expect_text "$err" "device 1 waits in 'right' (all-reduce) for device 0"
        [ "$(grep -c '\[deadlock\]' "$err")" = 1 ] || fail "$(cat "$err")"
    done
    branches "  ROOT left = f32[2] all-reduce(p), channel_id=1, to_apply=add" "  ROOT right = f32[2] all-reduce(p), channel_id=2, to_apply=add"
    expect_status 1 within 60 mpirun -n 2 hlo-run --inputs=ones branches.hlo
    expect_text "$err" "'left' of device 0 and 'right' of device 1 differ in channel: 1 and 2"
    branches "  ROOT left = f32[2] copy(p)" "  ROOT right = f32[2] all-reduce(p), to_apply=add"
    expect_status 1 within 60 mpirun -n 2 hlo-run --inputs=ones branches.hlo
    expect_text "$err" "device 1: 'right' (all-reduce) deadlocks: no device can continue [deadlock]"
    expect_text "$err" "device 1 waits in 'right' (all-reduce) for device 0"
    expect_text "$err" "device 0 has ended"
}

@test "what differs in a deadlock is reported by a process that did not detect it, too" {
    needs_mpi
    branches "  ROOT left = f32[2] all-reduce(p), channel_id=1, replica_groups={{0},{1,2}}, to_apply=add" \
        "  ROOT right = f32[2] all-reduce(p), channel_id=2, replica_groups={{0},{1,2}}, to_apply=add"
    sed -i 's/replica_count=2/replica_count=3/; s/conditional(j, p, p)/conditional(j, p, p, p)/; s/={first/={none, first/; /^first/i none { ROOT p = f32[2] parameter(0) }' branches.hlo
    expect_status 1 within 60 mpirun -n 3 hlo-run --inputs=ones branches.hlo
    expect_text "$err" "device 1: 'left' (all-reduce) deadlocks"
    expect_text "$err" "device 0 has ended"
    expect_text "$err" "'left' of device 1 and 'right' of device 2 differ in channel: 1 and 2"
}

@test "devices of two processes that meet in a channel with something else" {
    needs_mpi
    branches "  ROOT left = f32[2] all-reduce(p), channel_id=7, to_apply=add" \
        "  q = f32[1] slice(p), slice={[0:1]}
  g = f32[2] all-gather(q), channel_id=7, dimensions={0}
  ROOT right = f32[2] copy(g)"
    expect_status 1 within 60 mpirun -n 2 hlo-run --inputs=ones branches.hlo
    expect_text "$err" "[exchange]"
    expect_text "$err" "differs in operation: "
}

@test "an error of one process ends all, with its message once" {
    needs_mpi
    grid
    expect_status 3 within 60 mpirun -n 3 hlo-run --inputs=hash missing.hlo
    [ "$(grep -c 'missing.hlo' "$err")" = 1 ] || fail "$(cat "$err")"
    expect_status 2 within 60 mpirun -n 2 hlo-run grid.hlo
    [ "$(grep -c 'is not given' "$err")" = 1 ] || fail "$(cat "$err")"
    # One process cannot read what the other has read.
    mkdir there not
    cp grid.hlo there
    expect_status 3 within 60 mpirun -n 1 --wdir there hlo-run --inputs=hash grid.hlo : -n 1 --wdir not hlo-run --inputs=hash grid.hlo
    [ "$(grep -c 'No such file' "$err")" = 1 ] || fail "$(cat "$err")"
    sed 's/sine/cosine/' grid.hlo >not/grid.hlo
    expect_status 1 within 60 mpirun -n 1 --wdir there hlo-run --inputs=hash grid.hlo : -n 1 --wdir not hlo-run --inputs=hash grid.hlo
    expect_text "$err" "the processes of the job run different modules: rank 1 differs from rank 0"
    expect_status 1 within 60 mpirun -n 2 hlo-run --inputs=hash - <grid.hlo
    expect_text "$err" "mpirun forwards standard input to rank 0"
    expect_status 2 within 60 mpirun -n 2 hlo-run --split-input-file grid.hlo
    expect_text "$err" "--split-input-file is for one process"
}

# job FIRST OTHER...: hlo-run on ranks with these options, which must be refused at the start, once.
job() {
    local option words=()
    for option; do
        # shellcheck disable=SC2206
        words+=(${words:+:} -n 1 ${option%% *} ${option#* } grid.hlo)
    done
    expect_status 1 within 60 mpirun "${words[@]}"
    [ "$(grep -c ': error: \|: error ' "$err")" = 1 ] || fail "$(cat "$err")"
    [ ! -e results ] || fail "there are results"
}

@test "ranks that disagree on how they were started are named, with what differs" {
    needs_mpi
    grid
    run="hlo-run --output-dir=results"
    job "$run --inputs=hash" "$run --inputs=hash --seed=1" "$run --inputs=hash" "$run --inputs=hash --seed=2"
    expect_text "$err" "the processes of the job have different seeds: ranks 1 and 3 differ from rank 0 [exchange]"
    job "$run --inputs=hash" "$run --inputs=ones"
    expect_text "$err" "the processes of the job have different inputs: rank 1 differs from rank 0 [exchange]"
    expect_text "$err" "input 0 of 1, 'p' f32[1000,77], is the first that differs"
    job "$run --inputs=hash" "$run --inputs=hash" "$run --inputs=hash --transfers=handshake"
    expect_text "$err" "have different modes of transfers: rank 2 differs"
    job "$run --inputs=hash --as-written" "$run --inputs=hash"
    expect_text "$err" "run different forms of the module, which the engine and what is observed decide: rank 1 differs"
    job "$run --inputs=hash" "$run --inputs=hash --device-assignment={{1},{0},{2},{3}}"
    expect_text "$err" "have different device assignments: rank 1 differs"
    # Another version of the program.
    mkdir -p other/bin other/lib
    version=$(hlo-run --version | head -n 1 | cut -d' ' -f2)
    sed "s/\x00${version//./\\.}\x00/\x00${version%?}X\x00/" "$(readlink -f "$(command -v hlo-run)")" >other/bin/hlo-run
    chmod +x other/bin/hlo-run
    cp "$HLO_BUILD/lib/libhlo-mpi.so" other/lib
    [ "$(other/bin/hlo-run --version | head -n 1)" = "hlo-run ${version%?}X" ] || fail "the version is not to be changed so"
    job "$run --inputs=hash" "other/bin/$run --inputs=hash"
    expect_text "$err" "are of different versions of the program: rank 1 differs from rank 0 [exchange]"
    # Each device with its own input: no difference.
    mkdir in0 in1
    hlo-run --output-dir made - --inputs=hash <<<'ENTRY e { ROOT p = f32[1000,77] parameter(0) }'
    for d in 0 1 2 3; do cp made/out0.npy "in$((d / 2))/in0.r$d.npy"; done
    cp made/out0.npy in1/in0.npy
    expect_status 0 within 60 mpirun -n 1 hlo-run --input-dir=in0 grid.hlo : -n 1 hlo-run --input-dir=in1 grid.hlo
}

@test "the error of one device ends the devices of other processes without further errors" {
    needs_mpi
    cat >bad.hlo <<END
HloModule bad, replica_count=3
$add
ENTRY e {
  p = f32[2] parameter(0)
  t = token[] after-all()
  i = (f32[2], token[]) infeed(t)
  x = f32[2] get-tuple-element(i), index=0
  r = f32[2] all-reduce(x), to_apply=add
  ROOT y = f32[2] add(r, p)
}
END
    mkdir in
    echo 'f32[2] {1, 2}' >x.txt
    hlo-run --output-dir made - x.txt <<<'ENTRY e { ROOT p = f32[2] parameter(0) }'
    for d in 0 1; do cp made/out0.npy "in/infeed0.r$d.npy"; done
    expect_status 1 within 60 mpirun -n 3 hlo-run --inputs=ones --infeed in bad.hlo
    expect_text "$err" "device 2: "
    [ "$(grep -c ': error' "$err")" -le 1 ] || fail "$(cat "$err")"
}

# runs PID: whether it exists and is no zombie.
runs() {
    [ -e "/proc/$1/stat" ] && ! grep -q '^State:[[:space:]]*Z' "/proc/$1/status" 2>/dev/null
}

@test "a process that is killed ends the others" {
    needs_mpi
    cat >long.hlo <<END
HloModule long, replica_count=2
$(counted_loop s64 1 100000000000 LT)
ENTRY e {
  x = f32[2] parameter(0)
  zero = s64[] constant(0)
  s = (s64[], f32[2]) tuple(zero, x)
  ROOT w = (s64[], f32[2]) while(s), condition=condition, body=body
}
END
    cat >start.sh <<'END'
echo $$ >"pid$OMPI_COMM_WORLD_RANK"
exec hlo-run --inputs=ones long.hlo
END
    for victim in 0 1; do
        rm -f pid0 pid1
        mpirun -n 2 sh start.sh </dev/null >out 2>err &
        job=$!
        for ((i = 0; i < 600; i++)); do [ -s pid0 ] && [ -s pid1 ] && break; sleep 0.1; done
        other=$(cat "pid$((1 - victim))")
        sleep 0.5
        kill -KILL "$(cat "pid$victim")"
        status=0
        wait "$job" || status=$?
        [ "$status" != 0 ] || fail "it ended well"
        grep -q 'signal 9' err || fail "$(cat err)"
        for ((i = 0; i < 100; i++)); do runs "$other" || break; sleep 0.1; done
        ! runs "$other" || fail "rank $((1 - victim)) still runs"
    done
}

@test "a build without the library reports that under mpirun, and runs alone with HLO_MPI=0" {
    mkdir bin
    cp "$(readlink -f "$(command -v hlo-run)")" bin/hlo-run
    printf 'HloModule m\nENTRY e { ROOT r = u32[] replica-id() }\n' >one.hlo
    expect_status 3 env OMPI_COMM_WORLD_SIZE=2 bin/hlo-run one.hlo
    expect_text "$err" "libhlo-mpi.so cannot be used"
    expect_text "$err" "make deps-mpi"
    expect_status 0 env OMPI_COMM_WORLD_SIZE=2 HLO_MPI=0 bin/hlo-run one.hlo
}

@test "a launcher that waits for itself is ended, and the run repeated; other ends are kept" {
    compgen -G "/proc/$$/task/*/children" >/dev/null || skip "this kernel lists no children of processes"
    mkdir bin
    cat >bin/mpirun <<'END'
#!/bin/sh
echo "run $1"
read -r line
echo "$line"
[ ! -e "$1" ] || exit 3
touch "$1"
true &
exec sleep 1000
END
    chmod +x bin/mpirun
    echo input >in
    status=0
    HLO_LAUNCHER_WAITS=2 PATH=$HLO_ROOT/tests/collectives/launcher:$PWD/bin:$PATH within 60 mpirun mark <in >out || status=$?
    [ "$status" = 3 ] || fail "status $status: $(cat out)"
    [ "$(cat out)" = "$(printf 'run mark\ninput')" ] || fail "$(cat out)"
    printf '#!/bin/sh\nkill -KILL $$\n' >bin/mpirun
    status=0
    PATH=$HLO_ROOT/tests/collectives/launcher:$PWD/bin:$PATH within 60 mpirun || status=$?
    [ "$status" = 137 ] || fail "status $status"
}
