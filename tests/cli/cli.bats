# The command-line contract: help, version, options, exit statuses, files and pipes.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    printf %s "$good_module" >good.hlo
    printf %s "$bad_module" >bad.hlo
    printf 'HloModule m\nENTRY e {\n  x = f32[3] parameter(0)\n  long.name = f32[3] add(x, x)\n  ROOT r = f32[3] negate(long.name)\n}\n' >long.hlo
    sed 's/r = f32/lone = f32/' long.hlo >long2.hlo
}

@test "--help-all names every option, gives examples and the exit statuses" {
    for program in $PROGRAMS; do
        expect_status 0 "$program" --help-all
        expect_text "$out" "usage: $program "
        expect_text "$out" "Examples:"
        expect_text "$out" "Exit status: 0 good; 1 the module is bad"
        for option in --split-input-file --dialect --output --max-errors --color --help --version; do
            expect_text "$out" "$option"
        done
        [ ! -s "$err" ] || fail "$program --help-all wrote to standard error"
        [ "$(awk 'length > 100' "$out")" = "" ] || fail "$program --help-all has lines over 100 columns"
        expect_status 0 "$program" --help
        cp "$out" long
        expect_status 0 "$program" -h
        cmp "$out" long
    done
}

@test "--version is the header's" {
    version=$(sed -n 's/^#define HLO_VERSION "\(.*\)"/\1/p' "$HLO_ROOT/include/hlo/version.h")
    for program in $PROGRAMS; do
        expect_status 0 "$program" --version
        [ "$(head -n 1 "$out")" = "$program $version" ] || fail "$(cat "$out")"
    done
}

@test "hlo-run --version names a build that makes no code of loops" {
    tiny_loop >loop.hlo
    hlo-run --jit=1 --print-plan --inputs=zeros loop.hlo >plan.txt
    expect_status 0 hlo-run --version
    if grep -q ' loop  *code ' plan.txt; then [ "$(wc -l <"$out")" = 1 ]
    else grep -qx 'all loops are interpreted: built without stencils' "$out"; fi || fail "$(cat "$out" plan.txt)"
}

@test "wrong use: status 2, a message and the usage on standard error, nothing on standard output" {
    for program in $PROGRAMS; do
        for arguments in --no-such-option -Z --max-errors=many --max-errors=0 --max-errors=-1 \
            --max-errors=99999999999999999999 --color=blue \
            --split-input-file=yes --dialect=1984 --dialect=latin --help=me; do
            expect_status 2 "$program" $arguments good.hlo
            expect_text "$err" "$program: "
            expect_text "$err" "usage: $program "
            [ ! -s "$out" ] || fail "$program $arguments wrote to standard output"
        done
        for option in --max-errors --color --output --dialect -o; do
            expect_status 2 "$program" $option
            expect_text "$err" "requires a value"
        done
    done
    for program in hlo-opt hlo-dot; do
        expect_status 2 $program good.hlo good.hlo
        expect_text "$err" "unexpected argument"
    done
}

@test "a dialect that the library reads is accepted, another is not" {
    expect_status 2 hlo-run --dialect=extended good.hlo
    expect_status 0 hlo-opt --dialect=xla --emit=text good.hlo
}

@test "file, - and nothing are the same module" {
    for program in "hlo-verify -v" "hlo-opt --passes=" "hlo-run --inputs=iota" hlo-dot; do
        expect_status 0 $program good.hlo
        sed 's/good\.hlo:/<stdin>:/' "$out" >from_file
        expect_status 0 $program - <good.hlo
        cmp "$out" from_file
        expect_status 0 $program <good.hlo
        cmp "$out" from_file
        cat good.hlo | { expect_status 0 $program; }
        cmp "$out" from_file
    done
}

@test "options stand anywhere, with = or a blank; -- ends them" {
    expect_status 0 hlo-opt good.hlo
    cp "$out" plain
    for arguments in "good.hlo --passes=" "--passes dce good.hlo" "--max-errors 3 -- good.hlo" \
        "good.hlo --color never" "-o - good.hlo" "-o- good.hlo" "--output=- good.hlo"; do
        expect_status 0 hlo-opt $arguments
        cmp "$out" plain
    done
    cp good.hlo ./--odd
    expect_status 0 hlo-opt -- --odd
    cmp "$out" plain
}

@test "a bad module: status 1, FILE:LINE:COLUMN: error: on standard error" {
    for program in $PROGRAMS; do
        expect_status 1 "$program" bad.hlo
        expect_text "$err" "bad.hlo:3:14: error: "
        [ ! -s "$out" ] || fail "$program wrote to standard output"
        expect_status 1 "$program" <bad.hlo
        expect_text "$err" "$program: <stdin>:3:14: error: "
    done
}

@test "in a pipe every message begins with the program or the file" {
    printf 'HloModule m\nENTRY e { ROOT x = f32[] parameter(0), metadata={op_name="\377"} }\n' >bytes.hlo
    while read -r status command; do
        expect_status "$status" bash -c "$command"
        if grep -nE '^(error|warning|note): ' "$err"; then fail "$command: no program"; fi
        grep -qE "^${command%% *}: " "$err" || fail "$command:" "$(cat "$err")"
    done <<'EOF'
2 hlo-run good.hlo
2 hlo-run good.hlo --only nobody --inputs=ones
1 hlo-opt --emit=json bytes.hlo
3 hlo-verify no-such-file.hlo
2 hlo-verify --warn=no-such-rule good.hlo
2 hlo-dot --around=nobody good.hlo
1 hlo-opt --passes='isolate{instruction=nobody}' - <good.hlo
2 hlo-opt --passe= --no-such good.hlo
2 hlo-opt --passes=no-such-pass good.hlo
3 hlo-diff good.hlo no-such-file.hlo
1 hlo-reduce --test false good.hlo
EOF
}

@test "what cannot be read or written: status 3 and the reason" {
    for program in $PROGRAMS; do
        expect_status 3 "$program" no-such-file.hlo
        expect_text "$err" "no-such-file.hlo: No such file or directory"
        # The others take directories.
        case $program in hlo-opt | hlo-dot)
            expect_status 3 "$program" .
            expect_text "$err" "Is a directory"
            ;;
        esac
        expect_status 3 bash -c "$program --help >/dev/full"
    done
    for program in "hlo-opt" "hlo-run --inputs=ones" "hlo-dot" "hlo-verify -v"; do
        expect_status 3 $program -o no/such/directory/out good.hlo
        expect_text "$err" "no/such/directory/out"
        expect_status 3 bash -c "$program good.hlo >/dev/full"
        expect_text "$err" "No space left on device"
        expect_status 3 bash -c "$program good.hlo >&-"
    done
}

@test "-o writes the file whole or not at all" {
    for program in hlo-opt "hlo-run --inputs=ones" hlo-dot "hlo-verify -v"; do
        expect_status 0 $program good.hlo
        cp "$out" wanted
        mkdir directory
        expect_status 0 $program -o directory/result good.hlo
        [ ! -s "$out" ] || fail "$program -o wrote to standard output"
        cmp directory/result wanted
        [ "$(ls directory)" = result ] || fail "$program left $(ls directory)"
        rm -r directory
    done
    for program in hlo-opt "hlo-run --inputs=ones" hlo-dot; do
        echo precious >kept
        expect_status 1 $program -o kept bad.hlo
        [ "$(cat kept)" = precious ] || fail "$program spoilt a file"
        expect_status 1 $program -o new bad.hlo
        [ ! -e new ] || fail "$program made a file for a bad module"
        [ "$(ls | grep -c '^kept\|^new')" = 1 ] || fail "$program left $(ls)"
    done
}

@test "-o follows links, keeps the mode, and writes to what is no file" {
    echo old >target
    chmod 640 target
    ln -s target link
    expect_status 0 hlo-opt -o link good.hlo
    [ -L link ] || fail "the link is gone"
    [ "$(stat -c %a target)" = 640 ] || fail "mode $(stat -c %a target)"
    grep -q HloModule target
    expect_status 0 hlo-opt -o /dev/stdout good.hlo
    grep -q HloModule "$out"
    umask 027
    expect_status 0 hlo-opt -o fresh good.hlo
    [ "$(stat -c %a fresh)" = 640 ] || fail "mode $(stat -c %a fresh)"
}

@test "hlo-verify: silence for good modules, a line each with -v, the worst status of all" {
    expect_status 0 hlo-verify good.hlo good.hlo
    [ ! -s "$out" ] && [ ! -s "$err" ] || fail "not silent"
    expect_status 0 hlo-verify -v good.hlo
    [ "$(cat "$out")" = "good.hlo: good: 1 module, 1 computation, 2 instructions" ] || fail "$(cat "$out")"
    expect_status 1 hlo-verify -v good.hlo bad.hlo good.hlo
    [ "$(head -n 3 "$out" | cut -d: -f2 | tr -d '\n')" = " good bad good" ] || fail "$(cat "$out")"
    expect_status 3 hlo-verify good.hlo missing.hlo bad.hlo
    expect_text "$err" "bad.hlo:3:14"
}

@test "--max-errors limits the errors of one run" {
    { echo "HloModule many"; echo "ENTRY e {"; for i in $(seq 30); do echo "  a$i = f32[] nonsense()"; done; echo "}"; } >many.hlo
    expect_status 1 hlo-verify many.hlo
    expect_text "$err" "note: errors: there may be more than 20 (--max-errors)"
    [ "$(grep -c ': error: ' "$err")" = 20 ] || fail "$(grep -c ': error: ' "$err") errors"
    expect_status 1 hlo-verify --max-errors=3 many.hlo
    [ "$(grep -c ': error: ' "$err")" = 3 ] || fail "$(grep -c ': error: ' "$err") errors"
    expect_text "$err" "note: errors: there may be more than 3 (--max-errors)"
    # All errors of the verifier are counted, and one of the system is the only one.
    printf 'HloModule one\nENTRY e {\n  x = f32[3] parameter(0)\n  ROOT a = f32[4] negate(x)\n}\n' >one.hlo
    sed 's/  ROOT.*/  a = f32[4] negate(x)\n  b = f32[4] negate(x)\n&/; s/ROOT a/ROOT c/' one.hlo >three.hlo
    for module in one.hlo missing.hlo; do
        ! hlo-verify -v --max-errors=1 $module 2>said || fail "$module is good"
        ! grep 'more' said || fail "$module: $(cat said)"
    done
    expect_status 1 hlo-verify -v --max-errors=1 three.hlo
    expect_text "$err" "note: errors: 2 more are not shown (--max-errors)"
    # Of two parts, the second is read up to its first error.
    { cat three.hlo; echo "// -----"; cat many.hlo; } >two.hlo
    expect_status 1 hlo-verify --split-input-file --max-errors=1 two.hlo
    expect_text "$err" "note: errors: at least 3 more are not shown (--max-errors)"
}

@test "--color=always colours, never does not, auto does not in a file" {
    escape=$(printf '\033')
    expect_status 1 hlo-verify --color=always bad.hlo
    grep -q "$escape" "$err"
    for color in never auto; do
        expect_status 1 hlo-verify --color=$color bad.hlo
        ! grep -q "$escape" "$err" || fail "colours with $color"
    done
}

@test "--split-input-file is listed where it is accepted" {
    for program in $PROGRAMS hlo-stat; do "$program" --help-all | grep -q -e --split-input-file || fail "$program"; done
    for command in "hlo-diff good.hlo good.hlo" "hlo-reduce --test true good.hlo"; do
        program=${command%% *}
        for help in --help-all --help=man --help=json "--complete --split"; do
            ! "$program" $help | grep -e split.*input.*file || fail "$program $help"
        done
        expect_status 2 $command --split-input-file
        expect_text "$err" "unknown option '--split-input-file'"
        expect_status 0 $command --max-errors=1
    done
}

@test "--split-input-file: each part by itself, with its own lines in the file" {
    { cat good.hlo; echo "// -----"; cat bad.hlo; echo "// ----- and words"; cat good.hlo; } >three.hlo
    expect_status 1 hlo-opt --split-input-file three.hlo
    [ "$(grep -c '^HloModule good' "$out")" = 2 ] || fail "$(cat "$out")"
    [ "$(grep -c '^// -----$' "$out")" = 1 ] || fail "$(cat "$out")"
    expect_text "$err" "three.hlo:$(grep -n parametre three.hlo | cut -d: -f1):14: error: "
    cp "$out" two.hlo
    expect_status 0 hlo-opt --split-input-file two.hlo
    cmp "$out" two.hlo
    expect_status 1 hlo-opt --split-input-file -o result three.hlo
    [ ! -e result ] || fail "a file of parts"
    expect_status 0 hlo-opt --split-input-file good.hlo
    cp "$out" split
    expect_status 0 hlo-opt good.hlo
    cmp "$out" split
}

@test "lists of operations, rules and passes" {
    expect_status 0 hlo-verify --list-operations
    [ "$(wc -l <"$out")" -ge 100 ] || fail "$(wc -l <"$out") operations"
    expect_text "$out" "dynamic-update-slice"
    expect_status 0 hlo-verify --list-rules
    expect_text "$out" "unknown-opcode"
    expect_status 0 hlo-opt --list-passes
    expect_text "$out" "dce"
}

@test "lists and counts as JSON, an object per line, have what the tables have" {
    hlo-opt --list-passes | awk '/^  [^ ]/ { print $1 }' | sort >names
    hlo-opt --list-passes --format=json | jq -r .name | sort | diff names -
    hlo-opt --list-passes | sed -n 's/^      {\([^}]*\)}.*/\1/p' | sort >names
    hlo-opt --list-passes --format=json | jq -r '.options[].name' | sort | diff names -
    hlo-opt --list-pipelines | awk '/^[^ ]/ { print } /^ / { print $1 }' >listed
    hlo-opt --list-pipelines --format=json | jq -r '"\(.name): \(.description)", .passes' | diff listed -
    hlo-verify --list-rules | awk '{ print $1, $2 }' >listed
    hlo-verify --list-rules --format=json | jq -r '"\(.name) \(.stage)"' | diff listed -
    hlo-verify --list-operations | awk '{ print $1 }' >listed
    hlo-verify --list-operations --format=json | jq -r .name | diff listed -
    [ "$(hlo-verify --list-operations --format=json | jq -c 'select(.name == "add") | [.min_operands, .max_operands, .commutative]')" = '[2,2,true]' ]
    expect_status 2 hlo-verify --list-rules --format=sarif
    expect_text "$err" "lists have the formats text and json"

    printf 'HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  dead = f32[] negate(x)\n  ROOT y = f32[] abs(x)\n}\n' >in.hlo
    expect_status 0 hlo-opt --passes=dce,algsimp --stats --time-passes in.hlo
    cp "$err" said
    expect_status 0 hlo-opt --passes=dce,algsimp --stats --time-passes --format=json in.hlo
    cp "$err" lines
    hlo-opt --passes=dce,algsimp in.hlo | diff "$out" -
    [ "$(jq -r 'select(.table == "module" and .quantity == "instructions") | "\(.before) \(.after)"' lines)" = "3 2" ]
    [ "$(jq -c 'select(.table == "rewrites") | [.pass, .name, .fired]' lines)" = '["dce","dead_instruction",1]' ]
    awk '/^pass .*runs/ { times = 1; next } /^all passes/ { next } times { print $1, $2, $3 }' said >listed
    jq -r 'select(.table == "passes") | "\(.name) \(.runs) \(.changed)"' lines | diff listed -
    [ "$(jq -s 'map(select(.table == "passes" and .time_s < 0)) | length' lines)" = 0 ]

    sed 's/abs/sine/' in.hlo >other.hlo
    expect_status 1 hlo-diff --format=json in.hlo other.hlo
    cp "$out" format
    expect_status 1 hlo-diff --emit=json in.hlo other.hlo
    cmp "$out" format
}

@test "hlo-opt: an unknown pass is wrong use, and is reported before the module is read" {
    expect_status 2 hlo-opt --passes=no-such-pass good.hlo
    expect_text "$err" "no-such-pass"
    expect_status 2 hlo-opt --passes=no-such-pass missing.hlo
    expect_status 2 hlo-opt --passes='dce{no_such_option=1}' good.hlo
    expect_status 2 hlo-opt --passes=dce,canonical good.hlo
    expect_text "$err" "unknown pass 'canonical' [pipeline]"
    expect_text "$err" 'hint: this is the name of a pipeline: --pipeline runs it'
}

@test "hlo-opt: print styles and switches" {
    cat >meta.hlo <<'END'
HloModule meta
ENTRY main {
  x = f32[2,3] parameter(0), metadata={op_name="the x"}
  c = f32[2,3] constant({{1,2,3},{4,5,6}})
  ROOT y = f32[2,3] add(x, c)
}
END
    expect_status 0 hlo-opt meta.hlo
    expect_text "$out" 'metadata={op_name="the x"}'
    expect_text "$out" '%y = f32[2,3]{1,0} add(%x, %c)'
    expect_status 0 hlo-opt --no-metadata meta.hlo
    ! grep -q metadata "$out"
    expect_status 0 hlo-opt --no-percent meta.hlo
    ! grep -q % "$out"
    expect_status 0 hlo-opt --operand-shapes meta.hlo
    expect_text "$out" 'add(f32[2,3]{1,0} %x, f32[2,3]{1,0} %c)'
    for style in short canonical fingerprint; do
        expect_status 0 hlo-opt --print=$style meta.hlo
        [ -s "$out" ]
    done
    hlo-opt --print=short meta.hlo >short.hlo
    expect_status 0 hlo-verify short.hlo
}

@test "hlo-run: the literal, files in and out, made-up inputs" {
    expect_status 0 hlo-run --inputs=ones good.hlo
    [ "$(cat "$out")" = "f32[3] {2, 2, 2}" ] || fail "$(cat "$out")"
    expect_status 0 hlo-run --inputs=iota --output-dir results good.hlo
    [ ! -s "$out" ] || fail "$(cat "$out")"
    [ -s results/out0.npy ] || fail "no out0.npy"
    expect_status 0 hlo-run good.hlo results/out0.npy
    [ "$(cat "$out")" = "f32[3] {0, 4, 8}" ] || fail "$(cat "$out")"
    mv results/out0.npy results/in0.npy
    expect_status 0 hlo-run good.hlo --input-dir results
    [ "$(cat "$out")" = "f32[3] {0, 4, 8}" ] || fail "$(cat "$out")"
    expect_status 0 hlo-run --inputs=zeros --print-limit=2 good.hlo
    [ "$(cat "$out")" = "f32[3] {...}" ] || fail "$(cat "$out")"
    for seed in 1 2; do
        for kind in hash hash-positive random; do
            expect_status 0 hlo-run --inputs=$kind --seed=$seed good.hlo
            cp "$out" $kind.$seed
            expect_status 0 hlo-run --inputs=$kind --seed=$seed good.hlo
            cmp "$out" $kind.$seed
        done
    done
    ! cmp -s hash.1 hash.2 || fail "the seed does not matter"
}

@test "hlo-run: inputs that do not fit are wrong use, missing files the system's fault" {
    expect_status 2 hlo-run good.hlo
    expect_text "$err" "--inputs"
    expect_status 0 hlo-run --inputs=ones --output-dir . good.hlo
    expect_status 2 hlo-run good.hlo out0.npy out0.npy
    printf 'HloModule m\nENTRY e { ROOT x = s32[4] parameter(0) }\n' >other.hlo
    expect_status 2 hlo-run other.hlo out0.npy
    expect_text "$err" "out0.npy"
    expect_status 3 hlo-run good.hlo missing.npy
    expect_text "$err" "missing.npy"
    expect_status 3 hlo-run good.hlo --input-dir missing
    head -c 20 out0.npy >cut.npy
    expect_status 2 hlo-run good.hlo cut.npy
}

@test "hlo-run --bench reports seconds and bytes as JSON" {
    expect_status 0 hlo-run --inputs=ones --bench 3 --bench-json figures.json good.hlo
    for key in parse_s prepare_s first_run_s run_median_s run_min_s peak_bytes; do
        grep -Eq "\"$key\": ?[0-9]" figures.json || fail "$key: $(cat figures.json)"
    done
    expect_status 2 hlo-run --inputs=ones --bench-json figures.json good.hlo
    expect_text "$err" "--bench-json requires --bench"
    expect_status 0 hlo-run --inputs=ones --bench=1 good.hlo
    tail -n 1 "$err" | grep -q '^{.*}$' || fail "$(cat "$err")"
}

@test "hlo-run --expect compares, --repeat runs again" {
    expect_status 0 hlo-run --inputs=iota --output-dir want good.hlo
    expect_status 0 hlo-run --inputs=iota --expect want --repeat 3 good.hlo
    [ "$(cat "$out")" = "out0: 3 elements agree" ] || fail "$(cat "$out")"
    expect_status 1 hlo-run --inputs=ones --expect want good.hlo
    expect_text "$out" "2 of 3 elements differ"
    expect_text "$out" "worst: [0] got 2, expected 0, error 2"
    expect_text "$out" "ulps:"
    expect_status 0 hlo-run --inputs=ones --expect want --atol 2 good.hlo
    expect_status 2 hlo-run --inputs=ones --expect want --rtol x good.hlo
    expect_status 3 hlo-run --inputs=ones --expect nowhere good.hlo
}

@test "hlo-run --trace-values and --break-on-nan" {
    printf 'HloModule m\nENTRY e {\n  p = f32[3] parameter(0)\n  n = f32[3] negate(p)\n  ROOT l = f32[3] log(n)\n}\n' >nan.hlo
    expect_status 0 hlo-run --inputs=ones --trace-values nan.hlo
    expect_text "$err" "n f32[3]: min -1 max -1 mean -1 nan 0"
    expect_status 1 hlo-run --inputs=ones --break-on-nan nan.hlo
    expect_text "$err" "'l' (log) produces 3 NaN"
    expect_text "$err" "operand 'n' has min -1"
}

@test "hlo-run: custom calls and hosts that are not there are refused" {
    printf 'HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n  ROOT c = f32[2] custom-call(p), custom_call_target="nobody"\n}\n' >stub.hlo
    expect_status 1 hlo-run --inputs=ones stub.hlo
    expect_text "$err" 'unknown target "nobody"'
    expect_status 0 hlo-run --inputs=ones --stub-custom-calls=zeros stub.hlo
    [ "$(cat "$out")" = "f32[2] {0, 0}" ] || fail "$(cat "$out")"
    printf 'HloModule m\nENTRY e {\n  t = token[] after-all()\n  i = (f32[3], token[]) infeed(t)\n  ROOT x = f32[3] get-tuple-element(i), index=0\n}\n' >feed.hlo
    expect_status 1 hlo-run feed.hlo
    expect_text "$err" "--infeed"
    expect_status 0 hlo-run --inputs=iota --output-dir . good.hlo
    expect_status 0 hlo-run --infeed out0.npy feed.hlo
    [ "$(cat "$out")" = "f32[3] {0, 2, 4}" ] || fail "$(cat "$out")"
}

@test "hlo-dot: Graphviz text and pictures" {
    expect_status 0 hlo-dot good.hlo
    grep -q '^digraph' "$out"
    dot -Tcanon "$out" >/dev/null
    expect_status 0 hlo-dot -T svg good.hlo
    expect_text "$out" "</svg>"
    expect_status 0 hlo-dot -Tpng -o graph.png good.hlo
    head -c 4 graph.png | grep -q PNG
    expect_status 2 hlo-dot --computation=no-such good.hlo
    echo "no library" >libgvc.so.6
    expect_status 3 env LD_LIBRARY_PATH="$PWD" hlo-dot -T svg good.hlo
}

@test "what one program prints, the others read" {
    hlo-opt --passes=dce good.hlo | hlo-opt | hlo-verify
    [ "$(hlo-opt good.hlo | hlo-run - --inputs=ones)" = "f32[3] {2, 2, 2}" ]
    hlo-opt good.hlo | hlo-dot | dot -Tsvg | grep -q '</svg>'
}

# Each line: the words of a command line, and a text that standard error has.
@test "what is misspelt suggests what was meant" {
    while IFS='|' read -r command said; do
        read -ra words <<<"$command"
        expect_status 2 "${words[@]}"
        expect_text "$err" "$said"
    done <<'EOF'
hlo-opt --hlep|did you mean '--help'?
hlo-opt --pri good.hlo|'--pri' is ambiguous: --print-pipeline, --print-ir-before,
hlo-opt --no-metdata good.hlo|did you mean '--no-metadata'?
hlo-opt --emit=jsn good.hlo|--emit takes text|json|proto|pbtxt|hlo-json|hlo-proto|hlo-pbtxt|stablehlo|stablehlo-generic, not 'jsn'; did you mean 'json'?
hlo-opt --passes=algsmp good.hlo|did you mean 'algsimp'?
hlo-opt --print-ir-after=algsmp good.hlo|did you mean 'algsimp'?
hlo-opt --pipeline=defualt good.hlo|did you mean 'default'?
hlo-opt --explain=algsmp|did you mean 'algsimp'?
hlo-opt --passes=float-normalization{type=bf61} good.hlo|did you mean 'bf16'?
hlo-run --inputs=ones --isa=sse3 good.hlo|did you mean 'sse2'?
hlo-verify --explain=ded-code|did you mean 'dead-code'?
hlo-verify --warn=ded-code good.hlo|did you mean 'dead-code'?
hlo-verify -qz good.hlo|unknown option '-z' in '-qz'
hlo-run --inputs=ones --only yy good.hlo|there is no instruction 'yy'
hlo-run --inputs=ones --only lnog.name long.hlo|did you mean 'long.name'?
hlo-dot --around lnog.name long.hlo|did you mean 'long.name'?
hlo-dot --computation=mian good.hlo|did you mean 'main'?
EOF
}

@test "the beginning of a name is enough where no other begins so; short flags stand together" {
    expect_status 0 hlo-opt --stat --passe=dce good.hlo
    expect_text "$err" "instructions"
    expect_status 0 hlo-opt --no-meta --emit=j good.hlo
    grep -q '^{' "$out"
    expect_status 0 hlo-verify -qv good.hlo
    expect_text "$out" "good.hlo: good"
    expect_status 0 hlo-verify --warn=dead good.hlo
    expect_status 0 hlo-run --inputs=ones --only long long.hlo
    expect_text "$out" "f32[3] {2, 2, 2}"
    expect_status 0 hlo-dot --around=long --radius=0 long.hlo
    expect_status 2 hlo-run --inputs=ones --only l long2.hlo
}

@test "color and colour are one word" {
    local escape=$'\x1b'
    for option in --color=always --colour=always; do
        expect_status 1 hlo-verify $option bad.hlo
        grep -q "$escape" "$err"
        expect_status 1 hlo-dot $option bad.hlo
        grep -q "$escape" "$err"
    done
    hlo-dot --color-by=sharding good.hlo >by.dot
    hlo-dot --colour-by=sharding good.hlo | cmp by.dot -
    hlo-dot --colour=sharding good.hlo | cmp by.dot -
}

@test "variables of the environment hold defaults of options" {
    local escape=$'\x1b'
    HLO_COLOR=always expect_status 1 hlo-verify bad.hlo
    grep -q "$escape" "$err"
    HLO_COLOR=always expect_status 1 hlo-verify --color=never bad.hlo
    ! grep -q "$escape" "$err"
    HLO_THREADS=none expect_status 2 hlo-run --inputs=ones good.hlo
    expect_text "$err" "HLO_THREADS"
    for isa in z sse3; do
        HLO_ISA=$isa expect_status 2 hlo-run --inputs=ones good.hlo
        expect_text "$err" "there are no kernels for the instruction set '$isa'"
        [ "$(tail -n 1 "$err")" = "hlo-run: note: the option is from the environment variable HLO_ISA" ] || fail "$(cat "$err")"
        HLO_ISA=z expect_status 2 hlo-run --inputs=ones --isa=$isa good.hlo
        ! grep HLO_ISA "$err" || fail "$(cat "$err")"
    done
    HLO_MEMORY_LIMIT=1 expect_status 3 hlo-run --inputs=ones good.hlo
    for variable in HLO_COLOR HLO_DIALECT HLO_MAX_ERRORS HLO_THREADS HLO_ENGINE HLO_ISA HLO_MEMORY_LIMIT; do
        hlo-run --help-all | tr -s ' \n' ' ' | grep -qF "[$variable]" || fail "$variable"
        grep -qF "$variable" "$HLO_ROOT/docs/options.md" || fail "$variable in docs/options.md"
    done
}

@test "XLA_FLAGS: what has a meaning here has it" {
    export XLA_FLAGS="--xla_force_host_platform_device_count=8 --xla_disable_hlo_passes=cse,no-such --xla_dump_to=$PWD/dumped"
    expect_status 0 hlo-opt --passes='dce,fix(cse)' --print-pipeline
    [ "$(cat "$out")" = dce ]
    expect_status 0 hlo-opt --passes=dce good.hlo
    ls dumped/*before_optimizations.txt
    rm -r dumped
    expect_status 0 hlo-opt good.hlo
    [ ! -e dumped ] || fail "printing alone dumps nothing"
    unset XLA_FLAGS
    expect_status 0 hlo-opt --passes=dce,cse --xla_disable_hlo_passes=dce --print-pipeline
    [ "$(cat "$out")" = cse ]
    [ ! -s "$err" ] || fail "$(cat "$err")"
}

# XLA takes any name there: it may be that of a pass which only XLA has.
@test "--xla_disable_hlo_passes with what is no pass is followed and noted" {
    expect_status 0 hlo-opt --passes=dce,cse --xla_disable_hlo_passes=cs,gpu-conv-rewriter,dce --print-pipeline
    [ "$(cat "$out")" = cse ]
    diff "$err" - <<'END'
hlo-opt: note: --xla_disable_hlo_passes: there is no pass 'cs'; did you mean 'cse'?
hlo-opt: note: --xla_disable_hlo_passes: there is no pass 'gpu-conv-rewriter' here
END
    XLA_FLAGS=--xla_disable_hlo_passes=cs,gpu-conv-rewriter expect_status 0 hlo-opt --passes=dce --print-pipeline
    diff "$err" - <<<"hlo-opt: note: --xla_disable_hlo_passes: there is no pass 'cs'; did you mean 'cse'?"
}

# A line that GitHub takes for a command, colours, and a mark that turns the direction of what follows.
@test "nothing that a file or a command line holds leaves its line in messages" {
    local evil=$'x\n::error::e\x1b[31m\xe2\x80\xae\xc2\x9b1m\xff'
    local shown='x\n::error::e\x1b[31m\xe2\x80\xae\xc2\x9b1m\xff'
    printf 'HloModule m\nENTRY e { ROOT x = f32[] custom-call(), custom_call_target="%s" }\n' \
        'x\n::error::e\033[31m\342\200\256\302\2331m\377' >target.hlo
    cp bad.hlo "$evil.hlo"
    printf 'HloModule m\nENTRY e { ROOT x = f32[] f%s(), \x9b }\n' "$evil" >opcode.hlo
    printf '{"name": "m", "%s": 1, "computations": 7}' 'k\n::error::\u001b[31m' >key.json
    printf '\x93NUMPY\x01\x00\x36\x00{"descr": "<\n::error::\x1b", "fortran_order": False, "shape": (3,)}\n' >array.npy
    while IFS='|' read -r status command; do
        read -ra words <<<"$command"
        expect_status "$status" "${words[@]/EVIL/$evil}"
        if grep -q '^::' "$err"; then fail "$command:" "$(cat "$err")"; fi
        if LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80\xae|\xc2[\x80-\x9f]|\xff' "$err"; then
            fail "$command:" "$(cat -v "$err")"
        fi
    done <<'EOF'
1|hlo-run target.hlo
1|hlo-verify opcode.hlo
1|hlo-verify key.json
1|hlo-verify -v EVIL.hlo
3|hlo-verify EVIL
2|hlo-verify --EVIL
2|hlo-verify --format=EVIL
2|hlo-opt --passes=EVIL good.hlo
2|hlo-run --only EVIL good.hlo
2|hlo-dot --around=EVIL good.hlo
2|hlo-run good.hlo array.npy
2|hlo-run good.hlo --input EVIL=1
EOF
    expect_status 1 hlo-run target.hlo
    expect_text "$err" "\"$shown\""
    expect_status 1 hlo-verify -v "$evil.hlo"
    expect_text "$out" "$shown.hlo: bad"
    expect_text "$err" "$shown.hlo:3:14: error: "
}

@test "a misspelt element type in a text suggests the nearest one, or what it is called here" {
    cd "$BATS_TEST_TMPDIR"
    while read -r type hint; do
        printf 'HloModule m\nENTRY e { ROOT p = %s[2] parameter(0) }\n' "$type" >m.hlo
        expect_status 1 hlo-verify m.hlo
        expect_text "$err" "$hint"
    done <<'END'
f33 did you mean 'f32'?
bf61 did you mean 'bf16'?
int32 'int32' is 's32' here
END
    printf 'HloModule m\nENTRY e { ROOT p = tuplee[2] parameter(0) }\n' >m.hlo
    expect_status 1 hlo-verify m.hlo
    ! grep -q hint "$err"
}

@test "hints are in every form of a report" {
    cd "$BATS_TEST_TMPDIR"
    printf 'HloModule m\nENTRY e { a = f32[2] parameter(0) ROOT c = pred[2] compare(a, a), direction=LTT }\n' >m.hlo
    for format in json sarif github; do
        expect_status 1 hlo-verify --format=$format m.hlo
        expect_text "$out" "did you mean 'LT'?"
    done
}

@test "options of XLA's tools: each is named with what does the same here" {
    seen=0
    while IFS=$'\t' read -r program there here; do
        expect_status 2 "$program" "--$there" m.hlo
        expect_text "$err" "$program: '--$there' is an option of XLA's tools; here: $here"
        # What stands there is an option, unless none is needed.
        for option in $(grep -oE -- '--[a-z-]+' <<<"$here"); do
            "$program" --help-all | grep -qE -- "(^| )$option([=[ ]|$)" || fail "$program has no $option"
        done
        seen=$((seen + 1))
    done < <(sed -nE 's/^HLO_PEER_OPTION\("([^"]*)", "([^"]*)", "([^"]*)"\)/\1\t\2\t\3/p' "$HLO_ROOT/cmd/peer_options.def")
    [ "$seen" -gt 20 ] || fail "only $seen"
}
