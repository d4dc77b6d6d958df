# Sources: no byte of a module, a file or a command line reaches a message but through base/printable.c. What comes
# out is looked at in injection.bats.

load ../lib

setup() {
    cd "$HLO_ROOT" || return 1
}

streams='\b(v?f?printf|v?dprintf|fputs?|fputc|puts|putchar|putc|fwrite|write|perror|psignal)\('

@test "programs write to their streams in say.c, or what their own tables and constants hold" {
    declare -A why=(
        [say]="makes texts printable" [help]="own tables" [help_json]="own tables" [manual]="own tables"
        [completion]="own tables" [completion_script]="own tables" [mapped]="in a signal handler: write and a path that became printable"
        [foreign]="in a signal handler: write and a name that became printable"
        [options]="the version" [process]="out of memory: constants"
    )
    for file in $(grep -lE "$streams" cmd/*.c); do
        name=${file##*/} name=${name%.c}
        [ -n "${why[$name]-}" ] || fail "$file: $(grep -nE "$streams" "$file")" "say, print_lines and the like are in say.h"
        unset "why[$name]"
    done
    [ -z "${!why[*]}" ] || fail "no longer needed: ${!why[*]}"
    [ "$(grep -cE "$streams" cmd/options.c) $(grep -cE "$streams" cmd/process.c) $(grep -cE "$streams" cmd/mapped.c)" = "1 1 1" ]
}

@test "say.c: each text is escaped, but those that are so already" {
    run grep -nE 'printf\(stderr|fprintf\(to' cmd/say.c
    ! grep -vE 'shown|vfprintf\(stderr, format, args\)' <<<"$output" || fail "$output"
    # What is passed as it is: reports of the library, coloured differences, a summary's own words.
    run grep -nE '\b(print_escaped_bytes|print_over)\(' cmd/*.c
    ! grep -vE 'cmd/(say|progress|hlo-reduce|pass_report|pass_watch|profile|verification)\.c:' <<<"$output" || fail "$output"
}

@test "the library writes to streams in few files" {
    declare -A why=(
        [src/diag/diag_render.c]="messages, which diag.c made printable" [src/base/unwind.c]="out of memory: a number"
        [src/eval/comm/world.c]="a constant" [src/graph/dot/graphviz.c]="its child's complaint, which becomes a message"
        [src/flow/trace.c]="a file of JSON" [src/host/trace.c]="names, numbers" [src/base/atomic_file.c]="files"
        [src/base/buf.c]="files" [src/host/zip_sink.c]="files"
    )
    while read -r file; do
        [ -n "${why[$file]-}" ] || fail "$file: $(grep -nE "$streams" "$file")"
        unset "why[$file]"
    done < <(grep -rlE "(^|[^>.a-z_])$streams" src --include=*.c | grep -vE '^src/eval/codegen/stencils/' | while read -r file; do
        # Functions of those names, members and declarations are no calls of libc.
        ! grep -nE "(^|[^>.a-z_])$streams" "$file" | grep -vqE ':static [a-z_ ]*\b(write|puts?)\(|return write\((find|attr)' || echo "$file"
    done)
    [ -z "${!why[*]}" ] || fail "no longer needed: ${!why[*]}"
}

@test "diagnostics: messages and hints are made printable" {
    run grep -nE '(message|hint) = ' src/diag/diag.c
    # One is a number of bytes.
    ! grep -vE 'format_text\(|\.message = text\}|printable\(diags, text' <<<"$output" || fail "$output"
    ! grep -nE '(message|hint) = ' src/diag/diag_*.c
}

@test "each output of the library is of a known form" {
    declare -A form=(
        [write]=module [shapes]=module [attributes]=module [form]=module [report]=json [drawing]=dot [stats]=tables
        [diff]=text [explain]=own [explain_pass]=own [baseline]=file [literal]=values [outputs]=json [output]=bytes
        [profile]=text [run]=text
    )
    for file in $(grep -lrE '&output->buf\b' src --include=*.c); do
        name=${file##*/} name=${name%.c}
        [ -n "${form[$name]-}" ] || fail "$file writes in a form that this test does not know"
        unset "form[$name]"
    done
    [ -z "${!form[*]}" ] || fail "no longer needed: ${!form[*]}"
}

# Names of instructions and computations are letters, digits and `_.-`, whatever a file has: ir/valid_name.c.
@test "texts for people: strings are appended by hlo_put_printable" {
    run grep -nE 'hlo_buf_(str|bytes)\(|%[-*]*\.\*s' src/diff/report.c src/diff/parts.c src/stat/text.c src/stat/format.c \
        src/host/profile_table.c src/host/trace.c src/eval/program/print_plan.c
    ! grep -vE '/\* printable|name->ptr' <<<"$output" || fail "$output"
    grep -q 'hlo_put_line_start(out, line->data, line->len)' src/diff/report.c
}
