# Source layout: include order, symbols of the library, what the headers promise.

load ../lib

# Directories that each directory of src may include from, beside itself.
declare -gA below=(
    [base]="" [diag]="base" [ir]="diag base" [shape]="legacy ir diag base" [form]="shape ir diag base"
    [build]="analysis parse form shape ir diag base"
    [legacy]="ir diag base" [parse]="legacy form shape ir diag base"
    [analysis]="shape ir diag base" [passes]="build eval analysis form shape ir diag base"
    [lint]="analysis shape ir diag base" [proto]="parse form shape ir diag base"
    [mlir]="parse ir diag base" [stablehlo]="mlir build parse form shape ir diag base"
    [reduce]="passes parse shape ir diag base"
    [eval]="analysis shape ir diag base" [graph]="analysis shape ir diag base" [diff]="ir diag base"
    [stat]="analysis shape ir diag base"
    [flow]="eval analysis shape ir diag base"
    [host]="flow eval analysis parse shape ir diag base"
    [api]="host flow diff graph stat eval lint passes analysis legacy parse stablehlo proto shape ir diag base"
)

# `FILE:INCLUDED` of each include in src that names a file of src.
included() {
    grep -rHoE '^ *# *include "[a-z_]+/[^"]*"' src | sed 's/: *# *include "\(.*\)"/:\1/'
}

@test "folders of src include each other in no circle" {
    cd "$HLO_ROOT"
    included | sed -E 's|^src/(.*)/[^/]*:(.*)/[^/]*$|\1 \2|' | sort -u >"$BATS_TEST_TMPDIR/arrows"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/arrows")" -gt 200 ] || fail "too few: $(wc -l <"$BATS_TEST_TMPDIR/arrows")"
    tsort "$BATS_TEST_TMPDIR/arrows" >"$BATS_TEST_TMPDIR/order" 2>"$BATS_TEST_TMPDIR/circles" || true
    [ ! -s "$BATS_TEST_TMPDIR/circles" ] || fail "$(cat "$BATS_TEST_TMPDIR/circles")"
}

# no_include FROM INCLUDED: no file whose path begins with FROM includes one whose path begins so (extended
# expressions).
no_include() {
    local found
    included | grep -qE "^src/($1)" || wrong+="nothing is in $1"$'\n'
    found=$(included | grep -E "^src/($1)[^:]*:($2)" || true)
    [ -z "$found" ] || wrong+="$found"$'\n'
}

@test "includes between programs, kernels, passes and the code generator" {
    cd "$HLO_ROOT"
    wrong=
    no_include 'eval/(value|comm|kernel|fuse|kernels|ref)/' 'eval/(program|run|codegen)/'
    no_include 'eval/kernels/([a-r]|s[^c])[^:]*|eval/ref/' 'eval/(comm/|value/value_memory)' # results come from the runner
    no_include 'eval/program/' 'eval/(run|codegen)/|eval/kernels/[^s]'
    no_include 'eval/run/' 'eval/codegen/'
    no_include 'passes/' 'eval/(kernels|codegen|comm|ref)/'
    no_include 'passes/pipeline/' 'passes/[^p]'
    [ -z "$wrong" ] || fail "$wrong"
}

# Parts of the public header, and the folder whose functions each declares: that one and those above it include them.
declare -gA part_of=(
    [diags]=base [source]=base [output]=base [tables]=base [numbers]=base [version]=base [types]=ir [module]=ir [text]=ir [fill]=ir
    [verify]=shape [lint]=lint [cost]=analysis [stats]=stat [passes]=passes [reduce]=reduce [graph]=graph [diff]=diff
    [engine]=eval [world]=eval [run]=host [builder]=build [builder_lib]=build
)

# may_include FILE FOLDER INCLUDED: adds to `wrong` unless INCLUDED is of FOLDER or below it.
may_include() {
    local from=${3%%/*} part
    case $3 in
    hlo.h) [ "$2" = api ] || wrong+="$1 includes $3"$'\n'; return ;;
    hlo/*) part=${3#hlo/} from=${part_of[${part%.h}]:-nowhere} ;;
    hlo_grammar.h | hlo_conditions.h) from=parse ;;
    mlir_grammar.h) from=mlir ;;
    esac
    [[ " $2 ${below[$2]} " == *" $from "* ]] || wrong+="$1 includes $3"$'\n'
}

# `FILE:INCLUDED` of the includes in the given files and folders, but for those of the system.
includes_of() {
    grep -rHoE '^ *# *include ("[^"]*|<hlo[^>]*)' "$@" | sed -E 's/: *# *include ["<]/:/'
}

# check_includes: all of them; what points another way goes to `wrong`.
check_includes() {
    for directory in src/*/; do
        directory=$(basename "$directory")
        [ -n "${below[$directory]+known}" ] || fail "src/$directory is not in the table of this test"
        while IFS=: read -r file included; do
            may_include "$file" "$directory" "$included"
        done < <(includes_of "src/$directory")
    done
    for file in include/hlo/*.h; do
        part=$(basename "$file" .h)
        [ -n "${part_of[$part]:-}" ] || fail "$file is not in the table of this test"
        while IFS=: read -r _ included; do may_include "$file" "${part_of[$part]}" "hlo/$included"; done < <(includes_of "$file")
    done
    for file in cmd/*.[ch]; do
        for included in $(sed -n 's/^ *# *include "\(.*\)"/\1/p' "$file"); do
            [ -f "cmd/$included" ] || wrong+="$file includes $included"$'\n'
        done
    done
}

@test "includes point one way" {
    cd "$HLO_ROOT"
    wrong=
    trace_no_functions
    check_includes
    [ -z "$wrong" ] || fail "$wrong"
}

# But for scalar programs, which have the runner compute lane by lane.
@test "kernels make no values" {
    cd "$HLO_ROOT/src/eval"
    [ "$(find kernels ref -name '*.[ch]' | wc -l)" -gt 150 ]
    wrong=$(grep -rnE '\bhlo_value_(new|new_tree|zeros|own|reuse|is_dying|share)\(' --exclude-dir=scalar kernels ref || true)
    [ -z "$wrong" ] || fail "$wrong"
}

@test "products and convolutions allocate no memory while they run" {
    cd "$HLO_ROOT/src/eval/kernels"
    found=$(grep -rnE '\bhlo_(malloc|calloc|realloc)' gemm convolution || true)
    [ -z "$found" ] || fail "$found"
}

@test "devices do not include threads" {
    cd "$HLO_ROOT"
    wrong=
    no_include 'eval/run/device\.' 'eval/run/(thread|frame)\.h'
    [ -z "$wrong" ] || fail "$wrong"
}

# Directories of src/passes that hold the passes of each group of pass.def.
declare -gA of_group=([AUTODIFF]="autodiff" [CLEANUP]="simplify" [COLLECTIVE]="collectives" [CONTROL_FLOW]="control_flow" [DATAFLOW]="dataflow" [EXPANDER]="expand expand/dynamic_padder" [LAYOUT]="layout" [MEMORY]="memory" [SPMD]="spmd" [TOOL]="tools")

# Passes that share a function, which has another name, in the file of that name.
declare -gA shared_function=([all-gather-combiner]=combiner [all-reduce-combiner]=combiner
    [collective-permute-combiner]=combiner [reduce-scatter-combiner]=combiner)

# `ID NAME GROUP FUNCTION` of each row of pass.def.
passes() {
    tr '\n' ' ' <pipeline/pass.def | grep -oE 'HLO_PASS\([A-Z_0-9]+, "[^"]+", [A-Z_]+, [A-Z]+, +[a-z_0-9]+,' |
        sed -E 's/HLO_PASS\(([A-Z_0-9]+), "([^"]+)", ([A-Z_]+), [A-Z]+, +([a-z_0-9]+),/\1 \2 \3 \4/'
}

@test "each pass function stands in the file of its pass's name" {
    cd "$HLO_ROOT/src/passes"
    rows=0
    while read -r _ pass group function; do
        rows=$((rows + 1))
        [ "$function" != patterns ] || continue
        name=${shared_function[$pass]:-${pass//-/_}}
        [ "$function" = "$name" ] || fail "$pass: the row in pass.def has $function, not $name"
        # shellcheck disable=SC2086 # several directories
        files=$(printf "%s/$name.c " ${of_group[$group]})
        # shellcheck disable=SC2086
        grep -qs "^hlo_pass_result hlo_pass_$name(" $files || fail "hlo_pass_$name is not in $files"
    done < <(passes)
    [ "$rows" -eq "$(grep -c '^HLO_PASS(' pipeline/pass.def)" ]
}

# Patterns of these passes are in several files, by topic.
declare -gA folder_of_patterns=([ALGSIMP]=simplify/algsimp [LAYOUT_NORMALIZATION]=layout)

@test "each pattern of a pass stands in the file of its pass's name" {
    cd "$HLO_ROOT/src/passes"
    declare -A file_of files_of pass_of
    while IFS=: read -r file function; do
        file_of[${function#*hlo_rewrite_}]=$file
    done < <(grep -roE '^hlo_instr \*hlo_rewrite_[a-z_0-9]+' --include='*.c' -- *)
    while read -r id pass group _; do
        for folder in ${of_group[$group]}; do files_of[$id]+=" $folder/${pass//-/_}.c "; done
    done < <(passes)
    # `PASS NAME FUNCTION` of each row.
    sed -nE -e 's/^HLO_(EFFECT_)?PATTERN\(([A-Z_0-9]+), [A-Z_0-9]+, ([a-z_0-9]+), .*/\2 \3 \3/p' \
        -e 's/^HLO_PATTERN_AS\(([A-Z_0-9]+), [A-Z_0-9]+, ([a-z_0-9]+), ([a-z_0-9]+), .*/\1 \2 \3/p' \
        pipeline/rewrites.def >"$BATS_TEST_TMPDIR/rows"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/rows")" -eq "$(grep -cE '^HLO_(EFFECT_)?PATTERN(_AS)?\(' pipeline/rewrites.def)" ]
    while read -r id name _; do pass_of[$name]=$id; done <"$BATS_TEST_TMPDIR/rows"
    while read -r id name function; do
        file=${file_of[$function]:-}
        [ -n "$file" ] || fail "$name: there is no hlo_rewrite_$function"
        # The row borrows the function of another pass, whose own row is checked.
        [ "$function" = "$name" ] || [ "${pass_of[$function]:-$id}" = "$id" ] || continue
        if [ -n "${folder_of_patterns[$id]:-}" ]; then
            [ "${file%/*}" = "${folder_of_patterns[$id]}" ] || wrong+="hlo_rewrite_$function of $id is in $file"$'\n'
        else
            [[ ${files_of[$id]} == *" $file "* ]] || wrong+="hlo_rewrite_$function of $id is in $file"$'\n'
        fi
    done <"$BATS_TEST_TMPDIR/rows"
    [ -z "${wrong:-}" ] || fail "$wrong"
}

@test "the public headers compile alone, as C11 and as C++17" {
    for header in "$HLO_ROOT"/include/*.h "$HLO_ROOT"/include/hlo/*.h; do
        cc -std=c11 -Wall -Wextra -pedantic -Werror -fsyntax-only -x c "$header"
    done
    command -v c++ >/dev/null || skip "no C++ compiler"
    for header in "$HLO_ROOT"/include/*.h "$HLO_ROOT"/include/hlo/*.h; do
        c++ -std=c++17 -Wall -Wextra -pedantic -Werror -fsyntax-only -x c++ "$header"
    done
}

@test "hlo.h has all of its parts" {
    cd "$HLO_ROOT/include"
    diff <(printf '%s\n' hlo/*.h | grep -v builder) <(sed -n 's/^#include "\(.*\)"/\1/p' hlo.h)
}

# The functions that the public headers declare; the last one includes the others.
declared() {
    cc -E -P -x c "$HLO_ROOT/include/hlo_builder_lib.h" | tr '\n' ' ' | grep -o 'visibility("default"))) [^;]*;' |
        sed -E 's/^[^)]*\)+ //; s/\(.*//; s/.*[ *]//' | sort
}

@test "the shared library shows what its headers declare, and all names begin with hlo_" {
    library=$HLO_BUILD/lib/libhlo.so
    if [ -e "$library" ]; then
        nm -D --defined-only "$library" | awk '$2 != "A" {sub(/@.*/, "", $3); print $3}' | sort >"$BATS_TEST_TMPDIR/shown"
        declared | diff "$BATS_TEST_TMPDIR/shown" -
    fi
    strange=$(nm -g --defined-only "$HLO_BUILD/lib/libhlo.a" 2>/dev/null | awk 'NF == 3 && $2 != "U" {print $3}' |
        grep -v '^hlo_\|^XlaCustomCallStatusSet\|^__\(asan\|odr_asan\|tsan\|ubsan\|start\|stop\)' || true)
    [ -z "$strange" ] || fail "names without hlo_: $strange"
}

# `NAME VERSION` of each symbol that the linker's version script lists.
listed_versions() {
    awk '/^HLO_[0-9.]+ \{/ { version = $1 } /^        [A-Za-z0-9_]+;$/ { sub(/;/, "", $1); print $1, version }' \
        "$HLO_ROOT/src/api/libhlo.map" | sort
}

@test "every public function has a version, and the shared library shows it with that one" {
    declared | diff <(listed_versions | cut -d' ' -f1) - || fail "src/api/libhlo.map lists other functions than the header"
    library=$HLO_BUILD/lib/libhlo.so
    [ -e "$library" ] || skip "this build has no shared library"
    nm -D --defined-only "$library" | awk '$2 != "A" {sub(/@+/, " ", $3); print $3}' | sort >"$BATS_TEST_TMPDIR/shown"
    listed_versions | diff "$BATS_TEST_TMPDIR/shown" -
}

@test "docs/architecture.md names every directory and table; programs are short" {
    cd "$HLO_ROOT"
    for name in $(find src cmd grammar -mindepth 1 -type d; find src -name '*.def'); do
        grep -qF "\`$name\`" docs/architecture.md || missing+=" $name"
    done
    [ -z "${missing:-}" ] || fail "docs/architecture.md does not name$missing"
    for file in cmd/*.c; do
        [ "$(wc -l <"$file")" -le 270 ] || fail "$file has $(wc -l <"$file") lines"
    done
}

@test "make help lists every target" {
    targets=$(sed -n 's/^\.PHONY: //p' "$HLO_ROOT/Makefile" "$HLO_ROOT"/packaging/*.mk | tr ' ' '\n' | grep -v '^FORCE$')
    listed=$(make -s -C "$HLO_ROOT" help)
    for target in $targets; do
        grep -q "^  $target " <<<"$listed" || fail "make help does not list $target"
    done
}

@test "the initialisers of hlo.h compile as C11 and as C++17" {
    command -v c++ >/dev/null || skip "no C++ compiler"
    cd "$BATS_TEST_TMPDIR"
    {
        echo '#include <hlo.h>'
        echo 'int main(void) {'
        # HLO_RUN_OPTIONS_INIT is of hlo_run_options.
        sed -n 's/^#define \(HLO_[A-Z_]*\)_INIT\b.*/\1/p' "$HLO_ROOT"/include/hlo/*.h | sort -u | while read -r name; do
            echo "${name,,} a_${name,,} = ${name}_INIT;"
            echo "if (a_${name,,}.size != sizeof a_${name,,}) return 1;"
        done
        echo 'return 0; }'
    } >own.c
    [ "$(grep -c _INIT own.c)" -ge 6 ] || fail "initialisers were not found: $(cat own.c)"
    cc -std=c11 -Wall -Wextra -pedantic -Werror -I "$HLO_ROOT/include" own.c -o own && ./own
    c++ -std=c++17 -Wall -Wextra -pedantic -Werror -I "$HLO_ROOT/include" -x c++ own.c -o own && ./own
}

@test "the element types of hlo.h are those of types.def" {
    cd "$BATS_TEST_TMPDIR"
    { # A tuple and a buffer have no word, and so no row.
        printf 'TUPLE = 13\nBUFFER = 34\nINVALID = 0\n'
        sed -n 's/^HLO_TYPE(\([A-Z0-9]*\), "[a-z0-9]*", [0-9]*, [A-Z]*, \([0-9]*\),.*/\1 = \2/p' "$HLO_ROOT/src/ir/types.def"
    } | sort >rows
    sed -n '/^    HLO_TYPE_/{s/^    HLO_TYPE_//;s/,.*//;p}' "$HLO_ROOT/include/hlo/types.h" | sort | diff rows -
}

@test "messages of the library itself name no option, but for XLA's own" {
    options=$(grep -rnE '"(.*[^-a-z])?--[a-z]' "$HLO_ROOT/src" --include='*.c' | grep -v 'XLA_FLAGS=--' || true)
    [ -z "$options" ] || fail "$options"
}

# What may change while the library is loaded, and why several threads may share it:
#   filled    before main, or before dlopen returns, by a constructor; only read afterwards
#   once      by pthread_once
#   locked    a mutex, or atomic
#   thread    each thread has its own
declare -gA changes=(
    [atomic_file.o:next.0]=locked
    [copies.o:hlo_stream_bytes]=locked
    [attrs.o:spellings]=filled [attrs.o:set_begin]=filled [attrs.o:set_end]=filled
    [blocks.o:blocks]=locked
    [buf.o:is_escaped]=filled
    [dense_text.o:digits]=filled
    [foreign.o:own]=thread [foreign.o:newest]=locked
    [form.o:asks]=filled [forms.o:forms]=filled [forms.o:names]=filled
    [fresh.o:hlo_fresh_pattern]=locked
    [floats.o:byte_tables]=once [floats.o:byte_tables_made]=once
    [json_text.o:now]=thread [json_text.o:outer_free]=once [json_text.o:outer_malloc]=once [json_text.o:once.0]=once
    [lapack_routines.o:library]=locked [zip_sink.o:hlo_zip_library]=locked
    [lanes_isa.o:found.0]=locked
    [ops.o:spelling]=filled [ops.o:spellings]=filled
    [pool.o:in_piece]=thread [pool.o:my_label]=thread [pool.o:my_pool]=thread [pool.o:my_variant]=thread
    [profile.o:mine]=thread [profile.o:profiles]=locked
    [simplify.o:first_row]=filled
    [types.o:spellings]=filled
    [unfinished.o:lock]=locked [unfinished.o:newest]=locked
    [value.o:kept]=thread
    [unwind.o:here]=thread [unwind.o:purpose_text]=thread [unwind.o:wanted_bytes]=thread
)

@test "the library has no state that threads could trip over" {
    [ "$(basename "$HLO_BUILD")" = build ] || skip "the plain build only: sanitizers add state of their own"
    command -v objdump >/dev/null || skip "no objdump"
    cd "$BATS_TEST_TMPDIR"
    # Tables with pointers are in .data.rel.ro, which is read-only once it is relocated.
    objdump -t "$HLO_BUILD/lib/libhlo.a" 2>/dev/null | awk '
        { sub(/ \.hidden /, " ") }
        /^[^ ]+\.o:/ { object = $1; sub(/:$/, "", object) }
        NF > 3 && $(NF - 2) ~ /^\.t?(data|bss)/ && $(NF - 2) !~ /^\.data\.rel\.ro/ && $(NF - 1) !~ /^0+$/ { print object ":" $NF }' >found
    [ -s found ] || fail "objdump found nothing"
    while read -r name; do
        [ -n "${changes[$name]:-}" ] || fail "$name may change: say in this test why threads may share it"
    done <found
    for name in "${!changes[@]}"; do
        grep -qxF "$name" found || fail "$name is not there any more: take it out of this test's list"
    done
}

# Kernels that are tuned and have no plain one in ref.def, and why nothing is lost: what the reference engine
# computes with them is judged by something else.
declare -gA judged=(
    [call_computation]=control [while]=control [conditional]=control
    [async_start]=control [async_update]=control [async_done]=control
    [rng_bit_generator]=bits [rng]=bits [rng_get_and_update_state]=bits
    [reshape]=copies [bitcast]=copies [bitcast_convert]=copies [dynamic_reshape]=copies
    [get_dimension_size]=copies [set_dimension_size]=copies
    [all_reduce]=copies [all_reduce_start]=copies [all_reduce_done]=copies [all_gather]=copies
    [all_gather_start]=copies [all_gather_done]=copies [all_to_all]=copies [reduce_scatter]=copies
    [collective_broadcast]=copies [collective_permute]=copies [collective_permute_start]=copies
    [collective_permute_done]=copies [ragged_all_to_all]=copies
    [custom_call]=lapack
)
declare -gA judges=(
    [control]="runs computations, whose instructions have plain kernels"
    [bits]="the algorithm gives every bit: recorded outputs of XLA in tests/golden"
    [copies]="moves elements without computing, by strides that the copying kernels with plain ones share"
    [lapack]="LAPACK computes: residuals and recorded outputs in tests/eval/lapack.bats"
)

# Kernels of files that compute in pieces: by hlo_parallel, or by a helper in a file beside them that does. A header
# stands for the file of its name.
tuned_kernels() {
    local found known='' helper all name
    all=$(find kernels fuse -name '*.c')
    # shellcheck disable=SC2086 # names of files, without blanks
    found=$(grep -lE '\bhlo_parallel\(' $all)
    # shellcheck disable=SC2086
    until [ "$found" = "$known" ]; do
        known=$found
        for helper in $(grep -LE '^const hlo_kernel hlo_kernel_' $known); do
            for name in $(grep -rlE "\"eval/(kernel|kernels/[a-z]+|fuse)/$(basename "$helper" .c)\.h\"" kernel kernels fuse); do
                name=$(basename "$name")
                found+=$'\n'$(grep -E "/${name%.*}\.c$" <<<"$all" || true)
            done
        done
        found=$(sort -u <<<"$found" | grep .)
    done
    # shellcheck disable=SC2086
    sed -n 's/^const hlo_kernel hlo_kernel_\([a-z_]*\) = .*/\1/p' $known
}

# A program that uses the library may have a locale with a decimal comma.
@test "only decimal.c and hlo_buf_printf read and write floating-point numbers by the C library" {
    cd "$HLO_ROOT"
    others=$(find src -name '*.[ch]' ! -path 'src/base/decimal.*')
    # shellcheck disable=SC2086 # a list of files
    wrong=$(
        grep -nE '\b(strto(d|f|ld)|atof|[a-z]*scanf)\(' $others
        grep -nE '"[^"]*%[-+#0-9.*]*[aefg]\b' $others | grep -vE 'hlo_buf_printf\('
    ) || true
    [ -z "$wrong" ] || fail "depends on the locale: $wrong"
}

@test "tuned kernels have a plain one, or a judge of another kind" {
    cd "$HLO_ROOT/src/eval"
    tuned_kernels | sort -u >"$BATS_TEST_TMPDIR/tuned"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/tuned")" -gt 30 ] || fail "too few: $(cat "$BATS_TEST_TMPDIR/tuned")"
    while read -r kernel; do
        grep -q "^HLO_PLAIN($kernel)" program/ref.def && continue
        [ -n "${judges[${judged[$kernel]:-none}]:-}" ] ||
            fail "hlo_kernel_$kernel is tuned: give it a row in ref.def, or say in this test what judges it"
    done <"$BATS_TEST_TMPDIR/tuned"
    for kernel in "${!judged[@]}"; do
        ! grep -q "^HLO_PLAIN($kernel)" program/ref.def || fail "$kernel has a plain kernel: take it out of this test's list"
        grep -q "^HLO_KERNEL($kernel)" program/kernels.def || fail "$kernel is no kernel: take it out of this test's list"
    done
}

@test "programs start without the library for archives" {
    for program in hlo-verify hlo-opt hlo-run hlo-dot hlo-diff hlo-stat; do
        ! readelf -d "$HLO_BIN/$program" | grep libzip || fail "$program is linked with libzip"
    done
    grep -aq 'libzip[.]so' "$HLO_BIN/hlo-run" || fail "hlo-run does not load it either"
}

@test "the top level has the folders and files of the layout, and nothing that a run left" {
    [ -e "$HLO_ROOT/.git" ] || skip "not a clone"
    have=$(git -C "$HLO_ROOT" ls-files | sed 's|/.*||' | sort -u | paste -sd ' ')
    echo ".ci .clang-format .editorconfig .github .gitignore CHANGELOG.md CONTRIBUTING.md LICENSE Makefile README.md bench cmd docs examples grammar include packaging python src tests tools" |
        diff - <(echo "$have")
}
