# hlo-run's data: values in and out as .npy, .npz, JSON and literals, of every type; comparing.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR"
    cat >two.hlo <<'H'
HloModule two
ENTRY e {
  x = f32[2,3] parameter(0)
  state = (s32[], (f32[2], pred[2])) parameter(1)
  n = s32[] get-tuple-element(state), index=0
  inner = (f32[2], pred[2]) get-tuple-element(state), index=1
  v = f32[2] get-tuple-element(inner), index=0
  p = pred[2] get-tuple-element(inner), index=1
  ROOT r = (f32[2,3], (s32[], f32[2]), pred[2]) tuple(x, t, p)
  t = (s32[], f32[2]) tuple(n, v)
}
H
    sed -i '/ROOT/{h;d};/  t = /{G}' two.hlo
    want='(f32[2,3], (s32[], f32[2]), pred[2]) ( { { 1, 2.5, -3 }, { inf, nan, 0 } }, ( -7, {0.1, 1e+10} ), {1, 0} )'
    printf '[[1, 2.5, -3],\n ["Infinity", "NaN", 0]]\n' >x.json
    printf '[-7, [[0.1, 1e10], [true, false]]]' >state.json
    printf 'f32[2,3] { { 1, 2.5, -3 }, { inf, nan, 0 } } // as printed\n' >x.txt
    printf '( -7, ( {0.1, 1e10}, {true, false} ) )' >state.txt
}

# prints TEXT OPTION...
prints() {
    local text=$1
    shift
    expect_status 0 hlo-run "$@"
    [ "$(cat "$out")" = "$text" ] || fail "$*: $(cat "$out")"
}

# refuses STATUS MESSAGE OPTION...
refuses() {
    local status=$1 message=$2
    shift 2
    expect_status "$status" hlo-run "$@"
    expect_text "$err" "$message"
    [ ! -s "$out" ] || fail "$*: $(cat "$out")"
}

@test "inputs by name and element, from JSON and literals" {
    prints "$want" two.hlo --input x=x.json --input state=state.json
    prints "$want" two.hlo --input state=state.txt --input %x=x.txt
    printf -- '-7' >n.json
    printf '(f32[2], pred[2]) ( {0.1, 1e10}, {1, 0} )' >inner
    prints "$want" two.hlo x.txt --input 'state{0}=n.json' --input 'state{1}=inner'
    printf '[0.1, 1e10]' >v.json
    printf 'pred[2]{0:T(128)} {true, false}' >p
    prints "$want" two.hlo x.json n.json v.json p
    prints "$want" two.hlo x.json --input 'state{0}=n.json' --input 'state{1,0}=v.json' --input 'state{1,1}=p'
    prints "$want" two.hlo --input x=x.txt --input state=state.json --inputs=zeros
}

@test "one directory or archive as the only argument has all inputs" {
    printf 'HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  y = f32[2] parameter(1)\n  ROOT z = f32[2] subtract(x, y)\n}\n' >minus.hlo
    printf 'HloModule m\nENTRY e {\n  a = f32[2] constant({5, 7})\n  ROOT t = (f32[2], f32[2]) tuple(a, a)\n}\n' >made.hlo
    mkdir -p all
    hlo-run made.hlo --output-dir all
    mv all/out0.npy all/x.npy
    mv all/out1.npy all/y.npy
    prints 'f32[2] {0, 0}' minus.hlo all
    cp -r all both
    rm all/y.npy
    refuses 3 "there is no in1.npy" minus.hlo all
    refuses 2 "'y' f32[2], is not given" minus.hlo all/x.npy
    prints 'f32[2] {4, 6}' minus.hlo all/x.npy --inputs=ones
    command -v python3 >/dev/null || skip "no python3: no archive is made"
    (cd both && python3 -c 'import zipfile
with zipfile.ZipFile("../both.npz", "w") as z:
    for name in "x", "y": z.write(name + ".npy")')
    prints 'f32[2] {0, 0}' minus.hlo both.npz
}

@test "what one run writes, the next one reads" {
    expect_status 0 hlo-run two.hlo --input x=x.json --input state=state.json -o out.npz
    for file in out.json directory more.npz; do
        expect_status 0 hlo-run two.hlo --input x=x.json --input state=state.json --output-dir $file
        [ ! -s "$out" ] || fail "$(cat "$out")"
    done
    printf 'HloModule back\nENTRY e { ROOT p = (f32[2,3], (s32[], f32[2]), pred[2]) parameter(0) }\n' >back.hlo
    hlo-run two.hlo --input x=x.json --input state=state.json -o out.txt
    for file in out.npz out.json more.npz out.txt; do prints "$want" back.hlo --input p=$file; done
    [ "$(ls directory)" = "$(printf 'out%d.npy\n' 0 1 2 3)" ] || fail "$(ls directory)"
    prints "$want" back.hlo directory/out0.npy directory/out1.npy directory/out2.npy directory/out3.npy
    cmp out.npz more.npz
    diff - out.json <<'J'
{
  "out0": [[1, 2.5, -3], ["Infinity", "NaN", 0]],
  "out1": -7,
  "out2": [0.1, 1e+10],
  "out3": [true, false]
}
J
    printf 'HloModule one\nENTRY e { ROOT p = f32[2] parameter(0) }\n' >one.hlo
    printf '{1, 2}' >v
    expect_status 0 hlo-run one.hlo v -o v.npy
    cmp <(hlo-run one.hlo v -o -) <(hlo-run one.hlo v.npy)
}

@test "inputs together: archives and objects by number and by name" {
    printf 'HloModule m\nENTRY e {\n  a = s32[] parameter(0)\n  b = (s32[], s32[]) parameter(1)\n  x = s32[] get-tuple-element(b), index=0\n  y = s32[] get-tuple-element(b), index=1\n  s = s32[] subtract(a, x)\n  ROOT r = s32[] subtract(s, y)\n}\n' >m.hlo
    printf '{"in0": 100, "in1": 20, "in2": 3}' >numbers.json
    printf '{"b{1}": 3, "a": 100, "b{0}": 20, "unused": "anything"}' >names.json
    printf '{"arr_0": 100, "arr_2": 3, "b{0}": 20}' >mixed.json
    for file in numbers names mixed; do prints "s32[] 77" m.hlo --input-dir $file.json; done
    printf '{"in1": 20}' >part.json
    prints "s32[] -20" m.hlo --input-dir part.json --inputs=zeros
    refuses 3 "there is no in0.npy in part.json" m.hlo --input-dir part.json
}

# Literals of every type: largest, smallest, special values.
types='pred {0, 1}
s1 {-1, 0}
s2 {-2, 1}
s4 {-8, 7}
s8 {-128, 127}
s16 {-32768, 32767}
s32 {-2147483648, 2147483647}
s64 {-9223372036854775808, 9223372036854775807}
u1 {0, 1}
u2 {0, 3}
u4 {0, 15}
u8 {0, 255}
u16 {0, 65535}
u32 {0, 4294967295}
u64 {0, 18446744073709551615}
f16 {65504, 5.96e-08, -0, inf, -inf, nan}
bf16 {3.39e+38, 1.18e-38, -0, inf, -inf, nan}
f32 {3.40282347e+38, 1.40129846e-45, -0, inf, -inf, nan}
f64 {1.7976931348623157e+308, 4.9406564584124654e-324, -0, inf, -inf, nan}
f8e5m2 {5.73e+04, 1.53e-05, -0, inf, -inf, nan}
f8e4m3 {240, 0.00195, -0, inf, -inf, nan}
f8e4m3fn {448, 0.00195, -0, nan}
f8e4m3b11fnuz {30, 0.000122, 0, nan}
f8e4m3fnuz {240, 0.000977, 0, nan}
f8e5m2fnuz {5.73e+04, 7.63e-06, 0, nan}
f8e3m4 {15.5, 0.0156, -0, inf, -inf, nan}
f8e8m0fnu {1, 0.5, nan}
f4e2m1fn {6, 0.5, -0}
f6e2m3fn {7.5, 0.125, -0}
f6e3m2fn {28, 0.0625, -0}
c64 {(1, -2), (inf, -0), (nan, nan)}
c128 {(0.1, -2), (-inf, -0), (nan, nan)}'

@test "every type survives every form" {
    while read -r type values; do
        count=$(grep -o '[(0-9a-z][^,]*' <<<"${values//(/}" | wc -l)
        case $type in c*) count=$((count / 2)) ;; esac
        shape="$type[$count]"
        printf 'HloModule m\nENTRY e { ROOT p = %s parameter(0) }\n' "$shape" >m.hlo
        printf '%s' "$values" >in.txt
        expect_status 0 hlo-run m.hlo in.txt
        text=$(cat "$out")
        cp "$out" out.txt
        for form in npy npz json; do
            expect_status 0 hlo-run m.hlo out.txt -o out.$form
            expect_status 0 hlo-run m.hlo --input p=out.$form
            [ "$(cat "$out")" = "$text" ] || fail "$form: $(cat "$out") instead of $text"
            [ $form = npy ] || expect_status 0 hlo-run m.hlo in.txt --expect out.$form
        done
        # Bits, which the text of small types does not always show.
        hlo-run m.hlo --input p=out.npz -o again.npy
        cmp out.npy again.npy || fail "$type"
    done <<<"$types"
}

# A Python with NumPy and ml_dtypes, in a virtual environment or not.
find_python() {
    for python in "${HLO_PYTHON:-}" python3; do
        if [ -n "$python" ] && "$python" -c "import $1" 2>/dev/null; then return; fi
    done
    skip "no Python with $1 (HLO_PYTHON names one)"
}

@test "NumPy and ml_dtypes read what is written, and write what is read" {
    find_python "numpy, ml_dtypes"
    # shellcheck disable=SC2016 # Python
    while read -r type values; do
        case $type in f6* | s1 | u1) continue ;; esac
        count=$(grep -o '[(0-9a-z][^,]*' <<<"${values//(/}" | wc -l)
        case $type in c*) count=$((count / 2)) ;; esac
        printf 'HloModule m\nENTRY e { ROOT p = %s parameter(0) }\n' "$type[$count]" >"$type.hlo"
        printf '%s' "$values" >in.txt
        for form in npy npz; do expect_status 0 hlo-run "$type.hlo" in.txt -o "$type.$form"; done
    done <<<"$types"
    "$python" - <<'P'
import glob, numpy as np, ml_dtypes as ml
names = {"pred": "bool", "bf16": "bfloat16", "c64": "complex64", "c128": "complex128",
         "f16": "float16", "f32": "float32", "f64": "float64", "f4e2m1fn": "float4_e2m1fn"}
for path in sorted(glob.glob("*.npy")):
    t = path[:-4]
    a = np.load(path)
    assert np.load(t + ".npz")["out0"].tobytes() == a.tobytes(), t
    name = names.get(t) or {"s": "int", "u": "uint"}.get(t[0], "") + t[1:]
    if t[:2] == "f8": name = "float8_" + t[2:]
    own = np.dtype(getattr(ml, name)) if hasattr(ml, name) else np.dtype(name)
    assert a.dtype == own or a.dtype == np.dtype("V%d" % own.itemsize), (t, a.dtype)
    assert a.dtype.itemsize == own.itemsize, (t, a.dtype)
    print(t, *(a if a.dtype == own else a.view(own)).astype(complex if "c" in t[:1] else object))
    np.save("back-" + path, a if a.dtype == own else a.view(own))
P
    for file in back-*.npy; do
        type=${file#back-}
        type=${type%.npy}
        cmp <(hlo-run "$type.hlo" "$type.npy") <(hlo-run "$type.hlo" "$file") || fail "$type"
    done
}

@test "standard input and pipes hold any form but archives" {
    printf 'HloModule m\nENTRY e { n = s32[2] parameter(0) ROOT r = s32[2] add(n, n) }\n' >m.hlo
    printf '[1, 2]' >list
    printf '\n { "n" : [1, 2]}' >object
    printf '{1, 2}' >braces
    printf 's32[2] {1, 2}\n' >shaped
    printf '[1, 2]' >in.json
    hlo-run m.hlo in.json >want
    printf 'HloModule m\nENTRY e { ROOT c = s32[2] constant({1, 2}) }\n' | hlo-run -o array.npy
    for form in list object braces shaped array.npy; do
        hlo-run m.hlo --input n=- <$form | cmp - want
        hlo-run m.hlo --input n=<(cat $form) | cmp - want
    done
    cat array.npy | hlo-run m.hlo - | cmp - want
    expect_status 2 hlo-run m.hlo - </dev/null
    expect_text "$err" "standard input:1:1: error: the text ends inside a literal"
    expect_status 2 hlo-run m.hlo - <<<'[1, 2'
    expect_text "$err" "standard input:2:0: ']' expected"
    expect_status 2 cpu_seconds 10 hlo-run m.hlo - </dev/zero
    expect_text "$err" "standard input: this is not a .npy file"
    head -c 100 array.npy | expect_status 2 hlo-run m.hlo -
}

@test "inputs that are wrong: which, and why" {
    refuses 2 "the module has no parameter 'y' [input]" two.hlo --input y=x.json
    expect_text "$err" "hint: its parameters are x, state"
    for name in 'state{2}' 'state{0,0}' 'state{' 'state{a}' 'state{0' 'x{0}' 'stat' 'state{1}}'; do
        refuses 2 "the module has no parameter '$name'" two.hlo --input "$name=x.json"
    done
    for wrong in x =x.json x=; do refuses 2 "--input takes NAME=FILE, not '$wrong'" two.hlo --input $wrong; done
    refuses 2 "input 0 is given twice, by x.txt too" two.hlo --input x=x.json --input x=x.txt
    refuses 2 "input 0 is given twice, by x.txt too" two.hlo x.json --input x=x.txt
    printf '(f32[2], pred[2]) ( {0.1, 1e10}, {1, 0} )' >inner
    refuses 2 "input 2 is given twice, by state.json too" two.hlo --input 'state{1}=inner' --input state=state.json
    printf -- -7 >n.json
    printf '[0, 1]' >v.json
    printf '[true, false]' >p.json
    refuses 2 "input 1 of 4, 'state{0}' s32[], is not given" two.hlo x.json
    expect_text "$err" "hint: --inputs=hash generates the inputs that no file gives"
    refuses 2 "too.npy is one input too many: the module takes 4" two.hlo x.json n.json v.json p.json too.npy
    refuses 3 "cannot read no.json: No such file or directory" two.hlo --input x=no.json
    refuses 3 "cannot open no.npy: No such file or directory" two.hlo --input x=no.npy
    refuses 3 "cannot read no.npz: No such file" two.hlo --input state=no.npz
    refuses 3 "cannot read nowhere: No such file" two.hlo --input-dir nowhere
    printf 'PK no archive' >bad.npz
    refuses 3 "cannot read bad.npz: Not a zip archive" two.hlo --input-dir bad.npz
}

@test "a member of an archive that is not what was written is refused" {
    hlo-run two.hlo x.json --input state=state.json -o good.npz
    LC_ALL=C sed 's/\x00\x00\x20\x40/\x00\x00\x30\x40/' good.npz >changed.npz
    ! cmp -s good.npz changed.npz || fail "nothing was changed"
    printf 'HloModule m\nENTRY e {\n  out0 = f32[2,3] parameter(0)\n  ROOT r = negate(out0)\n}\n' >m.hlo
    expect_status 0 hlo-run m.hlo --input out0=x.json
    for way in "--input out0=" "--input-dir "; do
        # shellcheck disable=SC2086 # an option and its value
        refuses 3 "CRC error" m.hlo ${way}changed.npz
    done
}

# json_is WRONG MESSAGE: x.json with this text is refused.
json_is() {
    printf '%s' "$1" >bad.json
    refuses 2 "$2" two.hlo --input state=state.json --input x=bad.json
}

@test "a file that shrinks while it is mapped is an error" {
    cat >big.hlo <<'H'
HloModule m
ENTRY e {
  big = f32[65536] parameter(0)
  small = f32[] parameter(1)
  all = f32[65536] broadcast(small), dimensions={}
  ROOT r = f32[65536] add(big, all)
}
H
    hlo-run big.hlo --inputs=ones -o big.npy
    printf 'HloModule m\nENTRY e { ROOT c = f32[] constant(1) }\n' | hlo-run - -o small.npy
    mkfifo later.npy
    hlo-run big.hlo --input big=big.npy --input small=later.npy >late.out 2>late.err 3>&- &
    local run=$! status=0
    exec 4>later.npy # opens when the run does, which has mapped the other file then
    : >big.npy
    cat small.npy >&4
    exec 4>&-
    wait "$run" || status=$?
    [ "$status" = 3 ] || fail "status $status: $(cat late.err)"
    expect_text late.err "big.npy became shorter while it was read"
    [ ! -s late.out ] || fail "something was printed"
}

@test "JSON that is wrong: where, and why" {
    json_is '[[1, 2], [3, 4, 5]]' "bad.json: [0]: expected a list of 3 elements, found 2"
    json_is '[[1, 2, 3], [3, 4]]' "bad.json: [1]: expected a list of 3 elements, found 2"
    json_is '[[1, 2, 3]]' "bad.json: expected a list of 2 lists, found 1"
    json_is '7' "bad.json: expected a list of 2 lists, found an integer"
    json_is '[[1, 2, 3], [1, "two", 3]]' "bad.json: [1][1]: expected a number, found a string"
    json_is '[[1, 2, 3], [1, true, 3]]' "bad.json: [1][1]: expected a number, found true or false"
    json_is '[[1, 2, 3], [1, null, 3]]' "bad.json: [1][1]: expected a number, found null"
    json_is '[[1, 2, 3], [1, 1e39, 3]]' "bad.json: [1][1]: this is out of the range of f32"
    json_is '[[1, 2, 3], [1, 2' "bad.json:1:17: "
    printf '{"in1": 3}' >bad.json
    refuses 3 "there is no in0, out0 or arr_0 in bad.json" two.hlo --input x=bad.json
    for wrong in '[1.5, [[0, 0], [true, true]]]|[0]: expected an integer, found a number with a fraction' \
        '[2147483648, [[0, 0], [true, true]]]|[0]: this is out of the range of s32' \
        '[1, [[0, 0], [1, true]]]|[1][1][0]: expected true or false, found an integer' \
        '[1, [[0, 0]]]|[1]: expected a list of 2 tuple elements, found 1' \
        '[[1], [[0, 0], [true, true]]]|[0]: expected an integer, found a list'; do
        printf '%s' "${wrong%|*}" >bad.json
        refuses 2 "bad.json: ${wrong#*|}" two.hlo --input x=x.json --input state=bad.json
    done
    printf '[1, 2]' >list.json
    refuses 2 "list.json: expected a JSON object of arrays by name" two.hlo --input-dir list.json
    printf 'HloModule m\nENTRY e { ROOT p = c64[1] parameter(0) }\n' >c.hlo
    printf '[[1]]' >bad.json
    refuses 2 "bad.json: [0]: expected a list of 2 numbers, found 1" c.hlo bad.json
    printf 'HloModule m\nENTRY e { ROOT p = u64[] parameter(0) }\n' >u.hlo
    printf '"18446744073709551616"' >bad.json
    refuses 2 "bad.json: expected an integer, found a string" u.hlo bad.json
    printf -- '-1' >bad.json
    refuses 2 "bad.json: this is out of the range of u64" u.hlo bad.json
}

@test "literals that are wrong: where, and why" {
    printf 'f32[3] {1, 2, 3}' >bad
    refuses 2 "bad:1:1: error: holds f32[3], expected f32[2,3]" two.hlo bad
    printf '\n{ {1, 2}, {3, 4, 5} }' >bad
    refuses 2 "bad:2:8: error: dimension 1 of f32[2,3] has 3 elements, found 2" two.hlo bad
    printf '{ {1, 2, 3}, {3, 4, 5} } more' >bad
    refuses 2 "bad:1:26: error: nothing may follow the literal" two.hlo bad
    printf 'f32[2,3] {...}' >bad
    refuses 2 "bad:1:10: error: the elided elements are required" two.hlo bad
    printf '( 1, 2 )' >bad
    refuses 2 "bad:1:6: error: expected '(' before the elements of a tuple" two.hlo --input state=bad
    : >bad
    refuses 2 "bad:1:1: error: the text ends inside a literal" two.hlo bad
}

@test "arrays that are wrong: file, shape, type, end, member" {
    printf 'HloModule m\nENTRY e { ROOT p = f32[2] parameter(0) }\n' >v.hlo
    printf 'HloModule m\nENTRY e { ROOT p = s32[2] parameter(0) }\n' >i.hlo
    hlo-run v.hlo --inputs=ones -o v.npy
    hlo-run v.hlo --inputs=ones -o v.npz
    refuses 2 "v.npy: holds <f4[2], expected <f4 for f32[2,3]" two.hlo v.npy
    refuses 2 "v.npy: holds <f4[2], expected <i4 for s32[2]" i.hlo v.npy
    refuses 2 "v.npz(out0.npy): holds <f4[2], expected <i4 for s32[2]" i.hlo v.npz
    refuses 2 "v.npy: only arrays are read from files" two.hlo --input state=v.npy
    head -c 100 v.npy >cut.npy
    refuses 2 "cut.npy: the file ends in its header" v.hlo cut.npy
    head -c 132 v.npy >cut.npy
    refuses 2 "cut.npy: the file ends before its data does" v.hlo cut.npy
    printf 'f32[2] {1, 2}' >text.npy
    refuses 2 "text.npy: this is not a .npy file" v.hlo text.npy
    refuses 3 "there is no in0.npy in v.npz" v.hlo --input-dir v.npz
    expect_text "$err" "hint: no array for input 0 of 1, 'p' f32[2]; found 'out0'"
    refuses 2 "v.npz(out0.npy): holds <f4[2]" two.hlo --input state=v.npz
    printf 'HloModule m\nENTRY e { ROOT p = (f32[2], f32[2]) parameter(0) }\n' >t.hlo
    refuses 3 "there is no in1, out1 or arr_1 in v.npz" t.hlo --input p=v.npz
}

@test "results that cannot be written" {
    ones="--inputs=ones"
    refuses 2 "r.npy holds one array, and the result has 4" two.hlo $ones -o r.npy
    expect_text "$err" "hint: a directory, FILE.npz and FILE.json hold any number"
    for name in no/r.npz no/r.json no/directory no/r.txt; do
        refuses 3 "no/" two.hlo $ones -o $name
        [ ! -e no ] || fail "no exists"
    done
    refuses 3 "cannot make x.json/directory: Not a directory" two.hlo $ones --output-dir x.json/directory
    if [ -w /dev/full ]; then
        refuses 3 "cannot write /dev/full: No space left on device" two.hlo $ones -o /dev/full
    fi
    # One of several files cannot be put in place: none appears.
    mkdir -p part/out2.npy
    refuses 3 "cannot write part/out2.npy: Is a directory" two.hlo $ones --output-dir part
    [ "$(ls -A part)" = out2.npy ] || fail "$(ls -A part)"
    cp x.json kept.json
    printf 'HloModule m\nENTRY e {\n  p = f32[] parameter(0)\n  l = f32[] log(p)\n  ROOT r = f32[] negate(l)\n}\n' >nan.hlo
    printf -- '-1' >minus.json
    for form in kept.json kept.npz kept.npy; do
        refuses 1 "produces 1 NaN" nan.hlo minus.json --break-on-nan -o $form
    done
    cmp x.json kept.json
    [ ! -e kept.npz ] && [ ! -e kept.npy ]
}

@test "comparing: tolerances, the worst element, ulps, every form" {
    printf 'HloModule m\nENTRY e { ROOT p = f32[2,2] parameter(0) }\n' >v.hlo
    printf '{{1, 2}, {3, 4}}' >a.txt
    printf '{{1, 2.0000002}, {3.5, 4}}' >b.txt
    hlo-run v.hlo a.txt -o a.npz
    hlo-run v.hlo a.txt -o a.json
    hlo-run v.hlo a.txt --output-dir a
    for file in a.npz a.json a; do
        expect_status 1 hlo-run v.hlo b.txt --expect $file
        diff - "$out" <<'T'
out0: 2 of 4 elements differ
  worst: [1,0] got 3.5, expected 3, error 0.5, 2097152 ulp
  ulps: 0: 2; 1: 1; 2097152-4194303: 1;
  would pass: rtol 0.167 or atol 0.5 or max-ulp 2097152
T
    done
    expect_status 0 hlo-run v.hlo b.txt --expect a --atol 0.5
    [ "$(cat "$out")" = "out0: 4 elements agree" ] || fail "$(cat "$out")"
    expect_status 0 hlo-run v.hlo b.txt --expect a --rtol 0.2
    expect_status 0 hlo-run v.hlo b.txt --expect a --max-ulp 2097152
    expect_status 1 hlo-run v.hlo b.txt --expect a --max-ulp 2097151
    expect_text "$out" "1 of 4 elements differ"
    expect_status 1 hlo-run v.hlo b.txt --expect a --max-ulp 1 -o report.txt
    expect_text report.txt "worst: [1,0] got 3.5, expected 3"
    [ ! -s "$out" ] || fail "$(cat "$out")"
    printf '{{inf, nan}, {-0, 4}}' >c.txt
    printf '{{inf, nan}, {0, 4}}' >d.txt
    hlo-run v.hlo c.txt -o c.npz
    expect_status 0 hlo-run v.hlo d.txt --expect c.npz
    printf '{{-inf, 1}, {0, inf}}' >d.txt
    expect_status 1 hlo-run v.hlo d.txt --expect c.npz --atol 1e30
    expect_text "$out" "3 of 4 elements differ"
    expect_text "$out" "worst: [0,0] got -inf, expected inf, error inf"
}

@test "comparing: integers, complex numbers, several results, what is not there" {
    printf 'HloModule m\nENTRY e { ROOT p = (s32[2], c64[2]) parameter(0) }\n' >v.hlo
    printf '( {1, 2}, { (1, 2), (3, 4) } )' >a.txt
    printf '( {1, 3}, { (1, 2), (3, 4.5) } )' >b.txt
    hlo-run v.hlo --input p=a.txt -o a.npz
    expect_status 1 hlo-run v.hlo --input p=b.txt --expect a.npz --atol 2
    diff - "$out" <<'T'
out0: 1 of 2 elements differ
  worst: [1] got 3, expected 2, error 1
out1: 2 elements agree
T
    expect_status 1 hlo-run v.hlo --input p=b.txt --expect a.npz
    expect_text "$out" "worst: [1] got (3, 4.5), expected (3, 4), error 0.5"
    mkdir one
    printf '{"out0": [1, 2]}' >one.json
    expect_status 1 hlo-run v.hlo --input p=a.txt --expect one.json
    expect_text "$err" "there is no out1 in one.json, for c64[2]"
    expect_text "$out" "out0: 2 elements agree"
    expect_text "$out" "out1: not compared"
    expect_status 1 hlo-run v.hlo --input p=a.txt --expect one
    expect_text "$err" "there is no out0 in one"
    expect_status 3 hlo-run v.hlo --input p=a.txt --expect nowhere.npz
    expect_text "$err" "cannot read nowhere.npz: No such file"
    printf '{"out0": [1, 2, 3], "out1": [[1, 2], [3, 4]]}' >one.json
    expect_status 1 hlo-run v.hlo --input p=a.txt --expect one.json
    expect_text "$err" "one.json(out0): expected a list of 2 elements, found 3"
    expect_text "$out" "out0: not compared"
    expect_text "$out" "out1: 2 elements agree"
    for wrong in "--rtol x" "--atol -1" "--rtol nan"; do
        # shellcheck disable=SC2086 # an option and its value
        expect_status 2 hlo-run v.hlo --input p=a.txt --expect a.npz $wrong
        expect_text "$err" "--rtol and --atol require non-negative numbers"
    done
}

@test "aliasing of inputs and results changes no value and no file" {
    cat >alias.hlo <<'H'
HloModule alias, input_output_alias={ {0}: (0, {}, must-alias), {1}: (1, {}, may-alias) }
ENTRY e {
  a = f32[2] parameter(0)
  b = f32[2] parameter(1)
  s = f32[2] add(a, b)
  ROOT r = (f32[2], f32[2]) tuple(s, a)
}
H
    printf 'HloModule m\nENTRY e { ROOT p = f32[2] parameter(0) }\n' >v.hlo
    for name in a b; do hlo-run v.hlo --inputs=iota -o $name.npy; done
    cp a.npy before.npy
    expect_status 0 hlo-run alias.hlo a.npy b.npy --repeat 3
    [ "$(cat "$out")" = "(f32[2], f32[2]) ( {0, 2}, {0, 1} )" ] || fail "$(cat "$out")"
    cmp a.npy before.npy
    # The file of an input may be that of a result.
    expect_status 0 hlo-run v.hlo a.npy -o a.npy
    cmp a.npy before.npy
}

@test "constants that the text leaves out are made up, with a warning" {
    cat >"$BATS_TEST_TMPDIR/elided.hlo" <<'HLO'
HloModule elided
ENTRY e {
  a = s32[12] constant({...})
  b = s32[12] constant({...})
  ROOT c = s32[12] add(a, b)
}
HLO
    expect_status 0 hlo-run "$BATS_TEST_TMPDIR/elided.hlo"
    expect_text "$err" 'elided.hlo:3:25: warning: the elements of 2 constants are elided here (`{...}`) and filled with a counter [input]'
    sed 's/constant.*/iota(), iota_dimension=0/' "$BATS_TEST_TMPDIR/elided.hlo" >"$BATS_TEST_TMPDIR/whole.hlo"
    expect_status 0 hlo-run "$BATS_TEST_TMPDIR/whole.hlo"
    [ ! -s "$err" ]
}

# npy HEADER [MINOR]: a file of version 1.MINOR with this dictionary and its length, and 12 bytes of data.
npy() {
    local length=${#1}
    printf '\x93NUMPY\x01'"\\x0${2:-0}"'\x'"$(printf %02x "$length")"'\x00%s' "$1"
    printf '\0\0\200\77\0\0\0\100\0\0\100\100'
}

@test ".npy headers: what NumPy reads, and nothing else" {
    printf 'HloModule m\nENTRY e {\n  ROOT x = f32[3] parameter(0)\n}\n' >m.hlo
    good="{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"
    for header in "$good" "$good   "$'\n' "{'shape': (3,), 'fortran_order': False, 'descr': '<f4'}"; do
        npy "$header" >x.npy
        expect_status 0 hlo-run m.hlo x.npy
        [ "$(cat "$out")" = "f32[3] {1, 2, 3}" ] || fail "$header: $(cat "$out")"
    done
    for header in "$good junk" "$good}" "$good{" "$good"$'\n'"x" "$good#" "{'descr': '<f4', 'fortran_order': False, 'shape': (3)}" \
        "{'descr': '<f4', 'fortran_order': False, 'shape': (03,)}" "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)},"; do
        npy "$header" >x.npy
        expect_status 2 hlo-run m.hlo x.npy
        expect_text "$err" "x.npy: the .npy header is not"
    done
    npy "$good" 7 >x.npy
    expect_status 2 hlo-run m.hlo x.npy
    expect_text "$err" "only versions 1.0, 2.0 and 3.0"
}
