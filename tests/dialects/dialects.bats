# Old forms of the text: each row of src/legacy/forms.def has a page in tests/dialects, an old text and
# what is written now. Both mean the same; without --dialect=extended the old one is refused.

load ../lib
load ../cases

teardown_file() {
    sum_cases
}

# part FILE WORD: what stands in FILE after the line `// ----- WORD`.
part() {
    awk -v word="$2" '/^\/\/ ----- / { on = $3 == word || $3 == word ":"; next } on' "$1"
}

# dialects FILE: those that its old part is for.
dialects() {
    local of
    of=$(sed -n 's|^// dialect: ||p' "$1")
    echo "${of:-extended}"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    unset HLO_DIALECT
}

@test "every old form has a page, and every page a form" {
    hlo-verify --list-old-forms | sed -n 's/^\([^ ]*\) .*/\1/p' | grep . | sort >forms
    hlo-verify --list-old-forms --format=json | jq -r .name | sort | diff forms -
    (cd "$HLO_ROOT/tests/dialects" && printf '%s\n' *.hlo) | sed 's/\.hlo$//' | sort | diff forms -
}

@test "old forms are printed as today's text, each named once" {
    for file in "$HLO_ROOT"/tests/dialects/*.hlo; do
        name=${file##*/} name=${name%.hlo}
        grep -q '^// ----- old$' "$file" || continue
        part "$file" old >old.hlo
        part "$file" new >new.hlo
        for dialect in $(dialects "$file"); do
            expect_status 0 hlo-opt --literals=exact -o printed.old --dialect="$dialect" old.hlo
            [ "$(grep -c "warning: old form $name\\b" "$err")" = 1 ] || fail "$name is not named once:" "$(cat "$err")"
            [ "$(grep -c "warning: " "$err")" = 1 ] || fail "$name: more is named:" "$(cat "$err")"
            expect_status 0 hlo-opt --literals=exact -o printed.new new.hlo
            grep -q '^// prints otherwise' "$file" || diff printed.old printed.new || fail "$name"
        done
        expect_status 0 hlo-opt --literals=exact -o printed.new --dialect=extended new.hlo
        [ ! -s "$err" ] || fail "$name: today's text is no old form:" "$(cat "$err")"
    done
}

@test "old forms compute what today's text computes" {
    for file in "$HLO_ROOT"/tests/dialects/*.hlo; do
        grep -q '^// ----- old$' "$file" || continue
        ! grep -q '^// run: ' "$file" || continue
        part "$file" old >old.hlo
        part "$file" new >new.hlo
        expect_status 0 hlo-run --inputs=hash new.hlo
        cp "$out" values
        for dialect in $(dialects "$file"); do
            expect_status 0 hlo-run --dialect="$dialect" --inputs=hash old.hlo
            diff values "$out" || fail "$file"
        done
    done
}

@test "without the dialect, the error names the form and the option" {
    for file in "$HLO_ROOT"/tests/dialects/*.hlo; do
        name=${file##*/} name=${name%.hlo}
        grep -q '^// ----- old$' "$file" || continue
        part "$file" old >old.hlo
        if grep -q '^// dialect: ' "$file"; then # XLA and others read it, with another meaning
            for dialect in xla extended 2024 2025; do
                expect_status 0 hlo-opt -o printed --dialect=$dialect old.hlo
                ! grep -q "old form $name\\b" "$err" || fail "$name is of $dialect:" "$(cat "$err")"
            done
            continue
        fi
        if grep -q '^// strict: ' "$file"; then # the verifier refuses it
            expect_status 1 hlo-verify old.hlo
            continue
        fi
        hlo-opt -o printed old.hlo 2>"$BATS_TEST_TMPDIR/err" && fail "$name is read without the dialect"
        err=$BATS_TEST_TMPDIR/err
        grep -Eq "^  hint: (.*; )?this is the old form $name, '.*'; today: .*; --dialect=extended reads it$" "$err" || fail "$name:" "$(cat "$err")"
    done
}

@test "forms without a meaning today are refused in words" {
    for file in "$HLO_ROOT"/tests/dialects/*.hlo; do
        message=$(sed -n 's|^// ----- refused: ||p' "$file")
        [ -n "$message" ] || continue
        part "$file" refused >old.hlo
        for dialect in $(dialects "$file"); do
            expect_status 1 hlo-verify --dialect="$dialect" old.hlo
            expect_text "$err" "error: $message [old-form]"
        done
        if grep -q '^// dialect: ' "$file"; then # what one edition forbids, XLA reads
            for dialect in xla extended 2024 2025; do expect_status 0 hlo-verify --dialect=$dialect old.hlo; done
            continue
        fi
        expect_status 1 hlo-verify old.hlo
        expect_text "$err" "it has no meaning today"
    done
}

@test "an opcode with another name is answered with the opcode of today" {
    while read -r old hint; do
        printf 'HloModule m\nENTRY e {\n  sub = f32[] parameter(0)\n  ROOT r = f32[] %s(sub)\n}\n' "$old" >m.hlo
        expect_status 1 hlo-verify m.hlo
        expect_text "$err" "m.hlo:4:18: error: there is no opcode '$old' [unknown-opcode]"
        expect_text "$err" "hint: $hint"
    done <<'END'
optimization-barrier this is the old form function-names, 'optimization-barrier'; today: opt-barrier; --dialect=extended reads it
gt this is the old form function-names, 'gt'; today: compare, direction=GT; --dialect=extended reads it
lt-total-order this is the old form total-order, 'lt-total-order(a, b)'; today: compare(a, b), direction=LT, type=TOTALORDER; --dialect=extended reads it
optimization_barrier did you mean 'opt-barrier'?
END
}

@test "a tuple whose shape lies is refused in every dialect" {
    printf 'HloModule m\nENTRY e {\n  a = s32[] parameter(0)\n  ROOT t = (s32[]) tuple(a, a)\n}\n' >m.hlo
    said="m.hlo:4:25: error: the tuple is written with 1 element, 2 operands are given"
    expect_status 1 hlo-verify m.hlo
    expect_text "$err" "$said [operand-count]"
    expect_text "$err" "hint: this is the old form tuple-shape, '(s32[]) tuple(a, b)'; it has no meaning today"
    expect_status 1 hlo-verify --dialect=extended m.hlo
    expect_text "$err" "$said [old-form]"
    sed -i 's/(s32\[\]) tuple(a, a)/(s32[], (s32[])) tuple(f32[2], s32[] a, u#0)/; s/.*ROOT/  u = ((s32[])) parameter(1)\n&/' m.hlo
    expect_status 0 hlo-verify --dialect=extended m.hlo
}

@test "errors after a translation stand where the text was written" {
    cat >m.hlo <<'E2'
HloModule m

ENTRY e {
  a = f32[4] parameter(0)
  s = f32[4] sort(a), dimensions={0}
  token = pred[4] greater-than(a, s) ROOT b = f32[5] select(token, a, s)
  c = f32[4] negatiate(token)
}
E2
    expect_status 1 hlo-verify --dialect=extended m.hlo
    expect_text "$err" "m.hlo:6:3: warning: old form reserved-name"
    expect_text "$err" "m.hlo:5:14: warning: old form sort-comparator"
    expect_text "$err" "m.hlo:7:14: error: there is no opcode 'negatiate'"
    sed -i 7d m.hlo
    expect_status 1 hlo-verify --dialect=extended m.hlo
    expect_text "$err" "m.hlo:6:47: error: select: the inferred shape is f32[4], the instruction has f32[5]"
    expect_text "$err" "  token = pred[4] greater-than(a, s) ROOT b = f32[5] select(token, a, s)"
    printf '// -----\nHloModule n\n\nENTRY e {\n  x = f32[]{} parameter(0)\n  y = f32[] add(x)\n}\n' >split.hlo
    expect_status 1 hlo-verify --dialect=extended --split-input-file split.hlo
    expect_text "$err" "split.hlo:6:"
}

@test "groups by the number of each replica" {
    {
        printf 'HloModule m\nadd { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }\n'
        printf 'ENTRY e {\n  a = f32[4] parameter(0)\n'
        printf '  ROOT b = f32[4] cross-replica-sum(a), replica_group_ids={7, 2,7,2}, to_apply=add\n}\n'
    } >m.hlo
    expect_status 0 hlo-opt --dialect=extended m.hlo
    expect_text "$out" "all-reduce(%a), replica_groups={{0,2},{1,3}}, to_apply=%add"
    sed -i 's/7, 2/x, 2/' m.hlo
    expect_status 1 hlo-opt --dialect=extended m.hlo
    expect_text "$err" "error: expected the number of a group for each replica, and groups of one size [old-form]"
    sed -i 's/replica_group_ids={.*}/replica_group_ids={0,1,2,0}/' m.hlo
    expect_status 1 hlo-opt --dialect=extended m.hlo
    expect_text "$err" "and groups of one size [old-form]"
}

@test "a comparator that is none is refused for topk" {
    sed -n '/^\/\/ ----- old/,/^\/\/ ----- new/p' "$HLO_ROOT/tests/dialects/topk-comparator.hlo" | sed 's/direction=LT/direction=EQ/' | grep -v '^// ' >m.hlo
    expect_status 1 hlo-verify --dialect=extended m.hlo
    expect_text "$err" "error: today topk selects the largest or the smallest; this comparator is not a compare of its two parameters [old-form]"
}

@test "an unspecified version of a custom call is read and printed in every dialect" {
    printf 'HloModule m\nENTRY e {\n  ROOT c = f32[4] custom-call(), custom_call_target="f", api_version=API_VERSION_UNSPECIFIED\n}\n' >m.hlo
    expect_status 0 hlo-verify m.hlo
    expect_status 0 hlo-opt -o again.hlo m.hlo
    expect_text again.hlo 'custom_call_target="f", api_version=API_VERSION_UNSPECIFIED'
    expect_status 0 hlo-opt --emit=json -o m.json again.hlo
    expect_status 0 hlo-opt m.json
    ! grep -q 'API_VERSION_[^U]' "$out" || fail "$(cat "$out")"
}

@test "texts of today are read alike in both dialects" {
    for file in $(one_of 4 "$HLO_ROOT"/tests/parse/printing/*.hlo "$HLO_ROOT"/examples/*.hlo "$HLO_ROOT"/tests/passes/rewrites/*.hlo); do
        [ -f "$file" ] && hlo-opt -o strict "$file" 2>/dev/null || continue
        expect_status 0 hlo-opt -o extended --dialect=extended "$file"
        ! grep -q old-form "$err" || fail "$file:" "$(cat "$err")"
        cmp strict extended || fail "$file"
    done
}

@test "broken texts of any kind end in errors" {
    for file in "$HLO_ROOT"/tests/dialects/*.hlo; do
        part "$file" old >old.hlo
        size=$(wc -c <old.hlo)
        for ((cut = 17; cut < size; cut += 97)); do
            head -c "$cut" old.hlo >cut.hlo
            status=0
            hlo-verify --dialect=extended cut.hlo >/dev/null 2>"$BATS_TEST_TMPDIR/err" || status=$?
            [ "$status" -le 1 ] || fail "status $status: $file cut at $cut"
        done
    done
}

@test "the example of ordered reshapes in the operation semantics" {
    cat >m.hlo <<'E2'
HloModule m

ENTRY e {
  v = s32[4,2,3] constant({{{10,11,12},{15,16,17}},{{20,21,22},{25,26,27}},{{30,31,32},{35,36,37}},{{40,41,42},{45,46,47}}})
  a = s32[24] reshape(v), dimensions={0,1,2}
  b = s32[8,3] reshape(v), dimensions={1,2,0}
  ROOT t = (s32[24], s32[8,3]) tuple(a, b)
}
E2
    expect_status 0 hlo-run --dialect=extended m.hlo
    tr -d ' \n' <"$out" >values
    expect_text values "{10,11,12,15,16,17,20,21,22,25,26,27,30,31,32,35,36,37,40,41,42,45,46,47}"
    expect_text values "{{10,20,30},{40,11,21},{31,41,12},{22,32,42},{15,25,35},{45,16,26},{36,46,17},{27,37,47}}"
}

@test "a reshape of 2025 has the sizes of its result as dimensions" {
    printf 'HloModule m\nENTRY e {\n  x = f32[2,3] parameter(0)\n  ROOT r = f32[6] reshape(x), dimensions={6}\n}\n' >m.hlo
    expect_status 0 hlo-opt --passes= --dialect=2025 m.hlo
    expect_text "$out" "ROOT %r = f32[6]{0} reshape(%x)"
    expect_status 1 hlo-verify --dialect=2024 m.hlo
    refused 2025 'r = f32[6] reshape(x), dimensions={1,0}' "dimensions is {1,0}, and the result is f32[6]"
}

@test "each row of the table is read by its dialects" {
    hlo-verify --list-old-forms --format=json | jq -r 'select(.dialects != "all") | .name + " " + .dialects' >rows
    [ "$(wc -l <rows)" -gt 5 ]
    while read -r name rows; do
        file=$HLO_ROOT/tests/dialects/$name.hlo
        if grep -q '^// dialect: ' "$file"; then
            [ "$(dialects "$file" | paste -sd '|')" = "$rows" ] || fail "$file is not for $rows"
            continue
        fi
        part "$file" old >old.hlo
        for dialect in extended 2018 2019 2024 2025; do
            status=0
            hlo-verify --dialect=$dialect old.hlo >/dev/null 2>"$BATS_TEST_TMPDIR/err" || status=$?
            case "|$rows|" in
            *"|$dialect|"*) [ $status = 0 ] || fail "$dialect does not read $name:" "$(cat "$BATS_TEST_TMPDIR/err")" ;;
            *)
                [ $status = 1 ] || fail "$dialect reads $name"
                grep -q '^// strict: ' "$file" || expect_text "$BATS_TEST_TMPDIR/err" "this is the old form $name, "
                ;;
            esac
        done
    done <rows
}

# refused DIALECT ROOT MESSAGE: the error of the dialect for a root beside some parameters.
refused() {
    {
        printf 'HloModule m\nf {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\nENTRY e {\n'
        printf '  x = f32[2,3] parameter(0)\n  y = f32[3] parameter(1)\n  z = f32[] parameter(2)\n  ROOT %s\n}\n' "$2"
    } >m.hlo
    expect_status 1 hlo-verify --dialect="$1" m.hlo
    expect_text "$err" "error: $3 [old-form]"
}

@test "arguments that do not fit are refused in words" {
    places="expected the dimensions of the result, ascending, that those of the operand of lower rank are, of the same size or of size 1"
    for dims in '{2}' '{0}' '{}' '{0,1}' '{-1}' 1; do
        refused extended "r = f32[2,3] add(x, y), broadcast_dimensions=$dims" "$places"
    done
    in_dim="expected broadcast_dimensions=, the dimensions of the result, ascending, that those of the operand are, of the same size or of size 1"
    refused extended 'r = f32[4,3] broadcast-in-dim(x), broadcast_dimensions={0,1}' "$in_dim"
    refused extended 'r = f32[3,2] broadcast-in-dim(x), broadcast_dimensions={1,0}' "$in_dim"
    refused extended 'r = f32[2,3] broadcast-in-dim(y), out_dim_size={3,2}, broadcast_dimensions={1}' "$in_dim"
    refused extended 'r = f32[2,3] broadcast-in-dim(y)' "$in_dim"
    for dims in '{1,0}' '{0,2}' '{1,2}' '{0,0}' '{}'; do
        refused extended "r = f32[6] collapse(x), dimensions=$dims" "expected dimensions= that follow each other, ascending, and a result in which one dimension is their product"
    done
    refused extended 'r = f32[2,3] slice(x), start_indices={0}, limit_indices={2,3}' "expected start_indices=, limit_indices= and, if given, strides= to be lists of one number for each dimension"
    refused extended 'r = f32[2,3] pad(x, z), edge_padding_low={0}' "expected lists of one number for each dimension of the operand"
    refused extended 'r = f32[] composite-call(z, z), to_apply=f, version=1' "expected name= and no frontend_attributes=, which hold the name, the attributes and the version"
    fields="expected strides, dilations and pairs of padding to be lists of one for each dimension of the window"
    refused extended 'r = f32[2,3] reduce-window(x, z), window_dimensions={1,1}, window_strides={1}, to_apply=f' "$fields"
    refused extended 'r = f32[2,3] reduce-window(x, z), window_dimensions={1,1}, padding={{0,0}}, to_apply=f' "$fields"
    refused extended 'r = f32[2,3] reduce-window(x, z), window={size=1x1 rhs_dilate=2x1}, padding=SAME, to_apply=f' "expected a window of the operand's rank without dilation for padding=SAME"
    count="expected the size of each group, by which the shapes differ along the dimension"
    for groups in '{{0,1,2}}' '{{0,1},{2}}'; do
        refused extended "r = f32[6] all-gather(y), all_gather_dim=0, shard_count=2, replica_groups=$groups" "$count"
    done
    refused extended 'r = f32[9] all-gather(y), all_gather_dim=0, shard_count=2' "$count"
    refused extended 'r = f32[1] reduce-scatter(y), scatter_dim=0, shard_count=2, computation=f' "$count"
    refused extended 'r = f32[3] all-to-all(y), split_dimension=0, concat_dimension=0, split_count=2' "split_count is 2, which does not divide dimension 0 of size 3"
    refused extended 'r = f32[3] all-to-all(y), split_dimension=0, concat_dimension=0, split_count=3, replica_groups={{0,1}}' "split_count is 3, and is the size of each of the replica_groups"
    refused extended 'r = f32[3] all-to-all(y), split_dimension=0, split_count=3' "all-to-all: concat_dimension= is missing"
    refused extended 'r = f32[3] all-to-all(y), concat_dimension=0, split_count=3' "all-to-all: split_dimension= is missing"
    refused extended 'r = f32[3] all-to-all(y), split_dimension=0, concat_dimension=0' "all-to-all: split_count= is missing"
    refused extended 'r = f32[3] all-to-all(y), split_dimension=1, concat_dimension=0, split_count=3' "split_dimension is 1, and the operand has 1 dimension"
    refused extended 'r = f32[3] all-to-all(y), split_dimension=0, concat_dimension={0}, split_count=3' "concat_dimension is a number, not {0}"
    refused extended 'r = f32[3] all-to-all(y), split_dimension=0, concat_dimension=0, split_count=0' "split_count is a positive number, not 0"
    refused extended 'r = f32[3] all-to-all(y, y), split_dimension=0, concat_dimension=0, split_count=3' "all-to-all with split_dimension= takes one array, not 2"
    refused extended 'r = f32[4,5] pad(x, z), edge_padding_low={1,1}, edge_padding_high={1,1}, interior_padding={0,-1}' "interior_padding is -1 along dimension 1, and is not negative"
    refused extended 'r = s32[3] convert(y), new_element_type=u32' "new_element_type is u32, and the result is s32[3]"
    refused extended 'r = f32[6] reshape(x), new_sizes={3,2}' "new_sizes is {3,2}, and the result is f32[6]"
    refused extended 'r = (f32[3]) tuple-select(z, (f32[3]) y, (f32[3]) y)' "tuple-select of tuples: operand 0 is f32[], not pred[]"
    refused extended 'r = (f32[3]) select(pred[] z, (f32[2,3]) y, (f32[3]) y)' "select: operand 1 is (f32[2,3]), the result (f32[3])"
    static="expected the names of values, in braces, for a map with operands, a function and a result of known size"
    for list in z '{nothing}' '{1}'; do
        refused extended "r = f32[3] map(y), dimensions={0}, static_operands=$list, to_apply=f" "$static"
    done
    refused extended 'r = f32[3] map(y), dimensions={0}, static_operands={x}' "$static"
    refused extended 'r = u32[3] rng(y), distribution=rng_bernoulli' "expected the mean, a scalar float, as the only operand"
    refused extended 'r = u32[3] rng(z, z), distribution=rng_bernoulli' "expected the mean, a scalar float, as the only operand"
    refused 2018 'r = f32[1] dynamic-slice(y, x), dynamic_slice_sizes={1}' "the edition of 2018 wraps indices around the dimensions: expected an array of known, nonzero dimensions and an integer index for each"
}

@test "total order of integers: their order, but for editions, which have it for floats alone" {
    printf 'HloModule m\nENTRY e {\n  i = s32[2] constant({1, 2})\n  ROOT d = pred[2] lt-total-order(i, i)\n}\n' >old.hlo
    expect_status 0 hlo-opt --passes= --dialect=extended old.hlo
    expect_text "$out" "compare(%i, %i), direction=LT"
    ! grep -q TOTALORDER "$out"
    for year in 2024 2025; do
        expect_status 1 hlo-verify --dialect=$year old.hlo
        expect_text "$err" "error: expected floats for a total order, found s32 [old-form]"
    done
}

@test "what is read and legalized is plain HLO: XLA's dialect and another run have nothing to add" {
    for file in "$HLO_ROOT"/tests/dialects/*.hlo; do
        grep -q '^// ----- old$' "$file" || continue
        part "$file" old >old.hlo
        expect_status 0 hlo-opt -o plain.hlo --large-constants --dialect="$(dialects "$file" | head -1)" --passes=legalize old.hlo
        expect_status 0 hlo-verify plain.hlo
        expect_status 0 hlo-opt -o again.hlo --large-constants --dialect=extended --passes=legalize plain.hlo
        [ ! -s "$err" ] || fail "$file:" "$(cat "$err")"
        expect_status 0 hlo-opt -o third.hlo --large-constants --passes=legalize again.hlo
        [ "$(sort again.hlo)" = "$(sort third.hlo)" ] || fail "$file" "$(diff again.hlo third.hlo)"
    done
}

# same_module OLD NEW: whether both are one module but for names, after plain simplifications.
same_module() {
    local side
    for side in "$1" "$2"; do
        hlo-opt -o "$side.simple" --passes='fix(algsimp,cse,dce)' "$side" || return
    done
    hlo-diff --no-layouts "$1.simple" "$2.simple"
}

# run_seed CASE MODULE: gives the module the case's inputs, and judges the results. Cases of several
# devices are compared as text: hlo-run has one.
run_seed() {
    rm -rf results
    if [ -f "$1/in0.r1.npy" ]; then
        cp "$1/module.hlo" today.hlo
        same_module "$2" today.hlo 2>&1 || true
        return
    fi
    cp -r "$1" case
    cp "$2" case/module.hlo
    echo "case results" | "$HLO_BUILD/tools/golden_run" | cut -f 2
    echo "case results" | "$HLO_BUILD/tools/npy_compare" | cut -f 2
    rm -rf case
}

@test "examples of the operation semantics, spelled as their editions do, give the same values" {
    begin_cases
    golden=$(cases_of golden)
    for file in $(one_of 2 "$HLO_ROOT"/tests/dialects/seeds/*.hlo); do
        name=${file##*/} name=${name%.hlo}
        [ -f "$golden/seed--$name/module.hlo" ] || fail "there is no golden case of $name"
        for dialect in $(dialects "$file"); do
            said=$(hlo-opt -o old.hlo --large-constants --dialect="$dialect" "$file" 2>&1) && said=
            if [ -z "$said" ]; then said=$(run_seed "$golden/seed--$name" old.hlo); fi
            if [ -z "$said" ]; then ok; else bad "$name in $dialect" "$said"; fi
        done
    done
    end_cases
}

@test "infeeds and outfeeds without tokens take and give data in their order, and an infeed of nothing takes none" {
    printf 'HloModule m\nENTRY e {\n  a = f32[2] constant({1, 2})\n  b = f32[2] constant({10, 30})\n  ROOT t = (f32[2], f32[2]) tuple(a, b)\n}\n' >data.hlo
    cat >old.hlo <<'E2'
HloModule m

ENTRY e {
  i = f32[2] infeed()
  n = () infeed()
  j = f32[2] infeed()
  s = f32[2] sub(j, i)
  o = () outfeed(s)
  p = () outfeed(i)
  ROOT r = f32[2] add(s, i)
}
E2
    expect_status 0 hlo-run --output-dir=made data.hlo
    mkdir feed
    mv made/out0.npy feed/infeed0.npy
    mv made/out1.npy feed/infeed1.npy
    for dialect in extended 2018 2019 2024 2025; do
        expect_status 0 hlo-run --dialect=$dialect --infeed=feed --outfeed="fed.$dialect" old.hlo
        expect_text "$out" "f32[2] {10, 30}"
        cmp "fed.$dialect/outfeed1.npy" feed/infeed0.npy
        ! cmp -s "fed.$dialect/outfeed0.npy" feed/infeed0.npy || fail "outfeeds are out of order"
    done
}
