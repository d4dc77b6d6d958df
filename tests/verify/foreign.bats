# Files that hold no module: each kind of foreign.def, and messages of XLA, by what they begin with: a sentence, and what to
# do instead. parse/messages.bats has the texts whose place is shown.

load ../lib
load ../cases

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

teardown_file() {
    sum_cases
}

# judge NAME SENTENCE: hlo-verify reports the file NAME so, with one error.
judge() {
    local status=0
    hlo-verify "$1" 2>err || status=$?
    if [ $status = 1 ] && [ "$(grep -c error: err)" = 1 ] && grep -q "error: .*$2" err; then ok
    else bad "$1" "status $status: $(<err)"; fi
}

# `PLACE MARK SENTENCE` of the rows of foreign.def.
rows() {
    sed -nE 's/^HLO_FOREIGN\(([A-Z]+), "(.*)", "[^"]*", "([^"]*)", .*/\1\t\2\t\3/p' "$HLO_ROOT/src/parse/foreign.def"
}

@test "a sentence for each row, whatever follows its mark" {
    begin_cases
    n=0
    while IFS=$'\t' read -r place mark sentence; do
        [ "$mark" != "module {" ] || continue # may be a computation
        n=$((n + 1))
        mark=${mark//\" \"/} # two strings side by side
        case $place in
        BYTES) printf "${mark//%/%%}\\0\\1\\2\\377 and more\\n" >$n ;;
        MACHINE) { printf '\x7fELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0' && printf "$mark" && printf 'more'; } >$n ;;
        TEXT) printf "// a comment\\n\\n$mark \"more\"\\n" >$n ;;
        FIELD) printf "$mark {\\n  a: 1\\n}\\n" >$n ;;
        NAME) printf "${mark}disable_all_hlo_passes: false\\n" >$n ;;
        KEY) printf " {\\n  \"$mark\": []\\n}\\n" >$n ;;
        esac
        judge $n "$sentence"
    done < <(rows)
    [ $n -gt 40 ] || bad "$n" "too few rows"
    end_cases
}

# bytes TEXT: what printf '%b' writes.
bytes() {
    printf '%b' "$1"
}

@test "messages of XLA that hold no module" {
    begin_cases
    # XSpace: a plane with a name; with an id too
    bytes '\012\013\022\011/host:CPU' >profile
    judge profile "this is an XSpace, a profile, not a module"
    bytes '\012\020\010\003\022\014/device:GPU0' >profile2
    judge profile2 "this is an XSpace, a profile, not a module"
    # CompileOptionsProto: device_ordinal -1, num_replicas 1, num_partitions 2
    bytes '\032\017\010\377\377\377\377\377\377\377\377\377\001\040\001\050\002\040\001' >options
    judge options "this is a CompileOptionsProto, not a module"
    # HloModuleMetadataProto: a pass with id and name
    bytes '\010\005\022\001g\052\007\010\001\022\003dce' >metadata
    judge metadata "this is an HloModuleMetadataProto, which lists passes, not a module"
    # TopologyDescription: a number, cpu, 1.0
    bytes '\010\005\022\003cpu\032\0031.0' >topology
    judge topology "this describes the devices of a platform, not a module"
    # MemoryUsageReportProto: a memory space with a number of bytes and an allocation
    bytes '\012\010\010\140\032\004\010\001\020\140' >report
    judge report "this is a MemoryUsageReportProto, not a module"
    end_cases
}

@test "an array of events is a trace; other JSON is not" {
    printf '[{"ph": "X", "name": "a"}]' >trace.json
    expect_status 1 hlo-verify trace.json
    expect_text "$err" "trace.json:1:1: error: this is a trace of events, not a module"
    expect_text "$err" "hint: ui.perfetto.dev shows it"
    printf '[{"phase": "X"}]' >list.json
    expect_status 1 hlo-verify list.json
    ! grep -q trace, "$err"
}

@test "an array is reported before what its bytes are as text, packed too; every program reports it" {
    printf '\x93NUMPY\1\0v\0' >x.npy
    gzip -c x.npy >packed
    for program in hlo-verify hlo-opt hlo-run hlo-dot hlo-stat; do
        for file in x.npy packed; do
            expect_status 1 $program $file
            expect_text "$err" "$file:1:1: error: this is an array in a .npy file, not HLO"
        done
    done
    expect_text "$err" "hint: hlo-run takes it as an input of a module"
}

@test "-v FOLDER: skipped files with what they are, and a line for each kind" {
    mkdir dump
    printf '%s' "$good_module" >dump/module_0001.jit_f.before_optimizations.txt
    printf 'BufferAssignment:\nallocation 0: size 4\n' >dump/module_0001.jit_f-buffer-assignment.txt
    printf "; ModuleID = '__compute_module'\n" | tee dump/a.ir-no-opt.ll >dump/a.ir-with-opt.ll
    printf '\x7fELF\2\1\1\0' >dump/a.o
    printf 'xla_cpu_use_onednn: true\n' >dump/a.debug_options
    printf 'some text\n' >dump/notes.txt
    printf 'main: a program\n' >dump/README.md
    expect_status 0 hlo-verify -v dump
    cat >wanted <<'END'
dump/a.debug_options: skipped: debug options
dump/a.ir-no-opt.ll: skipped: LLVM IR
dump/a.ir-with-opt.ll: skipped: LLVM IR
dump/a.o: skipped: object file
dump/module_0001.jit_f-buffer-assignment.txt: skipped: buffer assignment
dump/module_0001.jit_f.before_optimizations.txt: good: 1 module, 1 computation, 2 instructions
dump/notes.txt: skipped: does not start like a module
1 file: 1 good, 0 bad, 0 not read, 6 skipped: 1 module, 1 computation, 2 instructions
  debug options            1 file skipped
  LLVM IR                  2 files skipped
  object file              1 file skipped
  buffer assignment        1 file skipped
  other                    1 file skipped
END
    diff wanted "$out"
    expect_status 0 hlo-verify dump
    [ ! -s "$out" ] && [ ! -s "$err" ] || fail "$(cat "$out" "$err")"
}
