# Wrong use, the same in every program: the message names what was given, and the exit status states whose fault it is:
# 1 the module's, 2 the command line's, 3 the system's.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    printf %s "$good_module" >good.hlo
    mkdir -p folder
    : >empty
    head -c 64 /dev/zero >zeros
    mapfile -t all < <(cd "$HLO_BIN" && ls -d hlo-*)
    unset HLO_COLOR HLO_MAX_ERRORS
}

# words_for PROGRAM: what it needs beside a module, to $before and $after.
words_for() {
    before=() after=()
    case $1 in
    hlo-run) before=(--inputs=ones) ;;
    hlo-reduce) before=(--quiet --test true) ;;
    hlo-diff) after=(good.hlo) ;;
    esac
}

@test "files that are missing, empty, no module, or nameless" {
    for program in "${all[@]}"; do
        words_for "$program"
        expect_status 3 "$program" "${before[@]}" none.hlo "${after[@]}"
        expect_text "$err" "$program: error: cannot read none.hlo: No such file or directory"
        expect_status 3 "$program" "${before[@]}" '' "${after[@]}"
        expect_text "$err" "$program: error: cannot read '': No such file or directory"
        expect_status 1 "$program" "${before[@]}" empty "${after[@]}"
        expect_text "$err" "empty:1:1: error: the text contains no module"
        expect_status 1 "$program" "${before[@]}" "${after[@]}" - </dev/null
        expect_text "$err" "<stdin>:1:1: error: the text contains no module"
        expect_status 1 "$program" "${before[@]}" zeros "${after[@]}"
        expect_text "$err" "zeros:1:1: error: "
        status=0
        "$program" "${before[@]}" folder "${after[@]}" >out 2>err || status=$?
        case $program in hlo-verify | hlo-stat | hlo-diff | hlo-run) wanted=2 ;; *) wanted=3 ;; esac
        [ $status = $wanted ] || fail "$program folder: $status: $(cat err)"
    done
}

@test "output that cannot be written, and nothing else on standard error" {
    for program in "${all[@]}"; do
        words_for "$program"
        for path in none/out folder; do
            expect_status 3 "$program" "${before[@]}" -o $path good.hlo "${after[@]}"
            expect_text "$err" "$program: error: cannot write $path: "
            [ "$(wc -l <"$err")" = 1 ] || fail "$program -o $path: $(cat "$err")"
        done
    done
    expect_status 3 hlo-reduce --test true -o none/out good.hlo
    [ "$(wc -l <"$err")" = 1 ] || fail "nothing was reduced: $(cat "$err")"
    for words in "hlo-opt good.hlo" "hlo-run --inputs=ones good.hlo" "hlo-dot good.hlo" "hlo-stat good.hlo" "hlo-opt --help" "hlo-run --version"; do
        expect_status 3 bash -c "$words >/dev/full"
        expect_text "$err" "error: cannot write standard output: No space left on device"
        expect_status 3 bash -c "$words >&-"
    done
}

@test "options that are unknown, lack a value, or have a wrong one" {
    for program in "${all[@]}"; do
        while IFS='|' read -r option said; do
            expect_status 2 "$program" $option good.hlo
            expect_text "$err" "$program: $said"
            expect_text "$err" "try '$program --help'"
        done <<'END'
--frobnicate|unknown option '--frobnicate'
--max-erors=1|unknown option '--max-erors'; did you mean '--max-errors'?
--max-errors=0|--max-errors=0 is out of range: 1 to 4294967295
--max-errors=many|--max-errors requires an integer, not 'many'
--color=sometimes|--color takes auto|always|never, not 'sometimes'
--emti=x|unknown option '--emti'
END
        expect_status 2 "$program" --output
        expect_text "$err" "$program: --output requires a value: FILE"
    done
}

# Each line: the words of a command line, and a text that standard error has.
@test "messages about values contain the value, and a similar one or the option that lists them" {
    while IFS='@' read -r command said; do
        read -ra words <<<"$command"
        expect_status 2 "${words[@]}"
        expect_text "$err" "$said"
    done <<'END'
hlo-run --inputs=ones --threads=0 good.hlo@--threads=0 is out of range: 1 to 1024
hlo-run --inputs=ones --rtol=-1 good.hlo@or --rtol=auto, not '-1'
hlo-run --inputs=ones --atol=wide good.hlo@or --rtol=auto, not 'wide'
hlo-run good.hlo good.hlo@hint: this file is a module, not an array
hlo-run --inputs=ones --trace=t good.hlo@--trace requires --executor=dataflow, or a dataflow graph
hlo-run --inputs=ones --trace-form=chrome good.hlo@--trace-form requires --executor=dataflow
hlo-run --inputs=ones --devices=2 good.hlo@--devices requires --executor=dataflow
hlo-run --inputs=ones --parallel-iterations=2 good.hlo@--parallel-iterations requires --executor=dataflow
hlo-run --inputs=ones --lower-scalar-loops good.hlo@--lower-scalar-loops requires --executor=dataflow
hlo-stat --peak-flops=fast good.hlo@not 'fast'
hlo-stat --top=none good.hlo@--top takes a number above 0, or all, not 'none'
hlo-stat --sort=flop good.hlo@hint: did you mean 'flops'?
hlo-stat --link-gbps=0 good.hlo@--link-gbps takes a number above 0, not '0'
hlo-opt --passes=good.hlo@hint: hlo-opt --list-passes names them
hlo-opt --explain=nothing-like-it@hint: hlo-opt --list-passes names them
hlo-verify --allow-unbounded-dynamism=ad good.hlo@hint: did you mean 'add'?
hlo-reduce --test= good.hlo@--test is required
END
}

@test "a name of the output that ends like another form is noted; the option decides" {
    while IFS='@' read -r command said; do
        read -ra words <<<"$command"
        expect_status 0 "${words[@]}"
        [ "$(cat "$err")" = "$said" ] || fail "$command: $(cat "$err")"
    done <<'END'
hlo-opt good.hlo -o m.json@hlo-opt: note: m.json: writing text; --emit=json selects the other format
hlo-opt good.hlo -o m.pb@hlo-opt: note: m.pb: writing text; --emit=proto selects the other format
hlo-opt --emit=hlo-json good.hlo -o m.json@
hlo-opt --emit=proto good.hlo -o m.pb@
hlo-opt --emit=json good.hlo -o m.hlo@
hlo-opt --list-passes --format=json -o m.json@
hlo-opt --hash good.hlo -o m.json@
hlo-stat good.hlo -o m.csv@hlo-stat: note: m.csv: writing text; --emit=csv selects the other format
hlo-stat good.hlo -o m.txt@
hlo-stat --emit=html good.hlo -o m.html@
hlo-diff good.hlo good.hlo -o m.json@hlo-diff: note: m.json: writing text; --format=json selects the other format
hlo-verify good.hlo -o m.sarif@hlo-verify: note: m.sarif: writing text; --format=sarif selects the other format
hlo-verify --format=sarif good.hlo -o m.sarif@
hlo-dot good.hlo -o m.jpg@hlo-dot: note: m.jpg: writing Graphviz text; the endings .svg, .png, .pdf and .html select those formats
hlo-dot -T dot good.hlo -o m.jpg@
hlo-dot good.hlo -o m.gv@
hlo-dot good.hlo -o m.html@
END
}

@test "numbers have one spelling in all options" {
    cp "$HLO_ROOT/tests/repros/svg_js_url.hlo" m.hlo
    run_with() { hlo-run --inputs=ones --executor=dataflow "$1" m.hlo >out 2>err; }
    for option in seed threads parallel-iterations print-limit max-ulp rtol atol memory-limit; do
        for number in 1 12 1e3 1.0 2e0 1.5e1 1000E-1; do
            [ "$option" != threads ] || case $number in 1e3 | 1000E-1) continue ;; esac
            status=0
            run_with --$option=$number || status=$?
            [ "$status" != 2 ] || fail "--$option=$number: $(cat err)"
        done
        for number in -1 +1 ' 1' '1 ' 0x10 inf nan 1e 1_000 '' . e3 1e+ 0x1p3 infinity; do
            status=0
            run_with "--$option=$number" || status=$?
            [ "$status" = 2 ] || fail "--$option='$number': status $status: $(cat err)"
        done
    done
    expect_status 2 hlo-run --seed=1.5 m.hlo
    expect_text "$err" "--seed requires an integer, not '1.5'"
    expect_status 2 hlo-run --seed=1e30 m.hlo
    expect_text "$err" "--seed=1e30 is out of range"
    expect_status 0 hlo-run --inputs=ones --seed=18446744073709551615 m.hlo
    for number in 1 1e1 5.0; do expect_status 0 hlo-stat --top=$number m.hlo; done
    for number in 0x1 +1 1.5 ' 1' inf; do
        expect_status 2 hlo-stat --top="$number" m.hlo
        [ "$number" = 1.5 ] || expect_status 2 hlo-stat --link-us="$number" m.hlo
        [ "$number" = 1.5 ] || expect_status 2 hlo-stat --peak-flops="$number" m.hlo
    done
    expect_status 0 hlo-stat --peak-flops=1e12 --peak-bandwidth=.5T m.hlo
}

@test "sizes in bytes have one spelling in all options" {
    cp "$HLO_ROOT/tests/repros/svg_js_url.hlo" m.hlo
    with_size() { # COMMAND: its SIZE is each of the spellings
        for size in 1 4096 1e3 20K 20KB 20KiB 1.5M .5G 1GB 1e-1G; do expect_status 0 ${1//SIZE/$size}; done
        for size in 5X 12Gi 1BB 1iB 1KK -1 0x10 K B 1m; do
            expect_status 2 ${1//SIZE/$size}
            expect_text "$err" "takes a size such as 500M or 16G, not '$size'"
        done
    }
    for program in hlo-verify hlo-opt hlo-dot hlo-stat; do with_size "$program --unpack-limit=SIZE m.hlo"; done
    with_size "hlo-run --inputs=ones --unpack-limit=SIZE m.hlo"
    with_size "hlo-run --inputs=ones --swap-threshold=SIZE m.hlo"
    with_size "hlo-verify --warn=large-constant --large-constant=SIZE m.hlo"
    for size in 1 1e3 20K 20KB 20KiB 3M .5M 1.5K 9223372036854775807; do
        expect_status 0 hlo-opt --passes="all-reduce-combiner{combine_threshold_in_bytes=$size}" m.hlo
    done
    for size in 1X 1Gi 1iB 1.5 K -1 0x10 9000000T 9223372036854775808; do
        expect_status 2 hlo-opt --passes="all-reduce-combiner{combine_threshold_in_bytes=$size}" m.hlo
        expect_text "$err" "option 'combine_threshold_in_bytes' takes a size such as 500M or 16G, got '$size'"
    done
    expect_status 0 hlo-opt --passes="all-reduce-combiner{combine_threshold_in_bytes=2K}" --print-pipeline m.hlo
    expect_text "$out" "combine_threshold_in_bytes=2048"
}

@test "hlo-opt verifies without passes where an option of the verifier is given" {
    cat >bad.hlo <<'H'
ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = f32[8] negate(p)
}
H
    expect_status 0 hlo-opt bad.hlo -o m.hlo
    expect_status 1 hlo-opt --verify-each bad.hlo -o m.hlo
    expect_text "$err" 'inferred'
    expect_status 1 hlo-opt --only-ops=parameter good.hlo -o m.hlo
    expect_status 0 hlo-opt --no-verify-each bad.hlo -o m.hlo
}
