/* Statements that src/mlir/line.c reads whole become the same trees as by the grammar alone, and
 * texts with something changed in them the same trees or the same first error: mutants of a text
 * with each form of line that is read, or of files.
 *
 *   build/tests/mlir_line_test [FILE...] */
#include <string.h>

#include "base/text.h"
#include "check.h"
#include "mlir/line.h"
#include "mlir_print.h"

static const char text[] =
    "#loc1 = loc(\"a.py\":1:2)\n"
    "module @m {\n"
    "  func.func @main(%x: tensor<4x4xf32>, %i: tensor<i32>, %k: tensor<2xui64>) -> "
    "tensor<4x4xf32> {\n"
    "    %0 = stablehlo.add %x, %x : tensor<4x4xf32>\n"
    "    %1 = stablehlo.tanh %0 : tensor<4x4xf32> loc(#loc1)\n"
    "    %c = stablehlo.constant dense<1.5> : tensor<f32>\n"
    "    %d = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32> loc(#loc2)\n"
    "    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<4x4xf32>\n"
    "    %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [0], precision = [DEFAULT, "
    "HIGHEST] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    "    %4 = stablehlo.dot_general %1, %3, batching_dims = [0] x [0], contracting_dims = [1] x "
    "[1] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4xf32>\n"
    "    %5 = stablehlo.slice %3 [0:2, 1:4:3] : (tensor<4x4xf32>) -> tensor<2x1xf32>\n"
    "    %6 = stablehlo.compare LT, %1, %3, FLOAT : (tensor<4x4xf32>, tensor<4x4xf32>) -> "
    "tensor<4x4xi1>\n"
    "    %7 = stablehlo.compare EQ, %1, %3 : (tensor<4x4xf32>, tensor<4x4xf32>) -> "
    "tensor<4x4xi1>\n"
    "    %8 = stablehlo.select %6, %1, %3 : tensor<4x4xi1>, tensor<4x4xf32>\n"
    "    %9 = stablehlo.iota dim = 1 : tensor<4x4xf32>\n"
    "    %10 = call @f(%8, %9) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> "
    "loc(#loc2)\n"
    "    %11:2 = call @g(%10) : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)\n"
    "    %12 = stablehlo.dynamic_slice %11#1, %i, %i, sizes = [2, 2] : (tensor<4x4xf32>, "
    "tensor<i32>, tensor<i32>) -> tensor<2x2xf32>\n"
    "    %o, %p = stablehlo.rng_bit_generator %k, algorithm = THREE_FRY : (tensor<2xui64>) -> "
    "(tensor<2xui64>, tensor<8xui32>)\n"
    "    %13 = stablehlo.concatenate %12, %12, dim = 0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> "
    "tensor<4x2xf32>\n"
    "    %14 = stablehlo.transpose %13, dims = [1, 0] : (tensor<4x2xf32>) -> tensor<2x4xf32>\n"
    "    %15 = stablehlo.pad %x, %c, low = [-1, 0], high = [1, 0], interior = [0, 0] : "
    "(tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>\n"
    "    %t = stablehlo.tuple %15, %i : tuple<tensor<4x4xf32>, tensor<i32>>\n"
    "    %e = stablehlo.get_tuple_element %t[0] : (tuple<tensor<4x4xf32>, tensor<i32>>) -> "
    "tensor<4x4xf32>\n"
    "    %w = stablehlo.while(%a = %i) : tensor<i32> cond {\n"
    "      %l = stablehlo.compare LT, %a, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "      stablehlo.return %l : tensor<i1>\n"
    "    } do {\n"
    "      %n = stablehlo.add %a, %a : tensor<i32>\n"
    "      stablehlo.return %n : tensor<i32>\n"
    "    }\n"
    "    return %e : tensor<4x4xf32> loc(#loc1)\n"
    "  }\n"
    "  func.func private @f(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    "  func.func private @g(tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)\n"
    "}\n"
    "#loc2 = loc(\"name\"(#loc1))\n";

/* ---- both ways ---- */

typedef hlo_status reader(hlo_source *source, hlo_diags *diags, hlo_mlir_module **out);

typedef struct {
    char *printed; /* the tree with places of its parts, or the errors */
    size_t n;
    bool is_tree;
} outcome;

static void print_places(FILE *to, const hlo_mlir_op *op) {
    fprintf(to, "%u-%u", op->at.lo, op->at.hi);
    for (uint32_t i = 0; i < op->result_count; i++) {
        fprintf(to, " %u ", op->results[i].at);
        mlir_print_str(to, op->results[i].name);
    }
    for (uint32_t i = 0; i < op->attr_count; i++) {
        const hlo_mlir_named *named = &op->attrs[i];
        fprintf(to, " %u %u-%u", named->at, named->value->at.lo, named->value->at.hi);
        for (uint32_t k = 0; k < named->value->list.n; k++)
            fprintf(to, " %u", named->value->list.v[k].at);
    }
    fputc('\n', to);
    for (uint32_t i = 0; i < op->region_count; i++)
        for (const hlo_mlir_block *b = op->regions[i].first; b; b = b->next)
            for (const hlo_mlir_op *inner = b->first; inner; inner = inner->next)
                print_places(to, inner);
}

static outcome read_by(reader *read, hlo_source *source) {
    outcome out = {0};
    hlo_mlir_module *module = NULL;
    hlo_diags diags;
    hlo_diags_init(&diags);
    FILE *to = open_memstream(&out.printed, &out.n);
    out.is_tree = read(source, &diags, &module) == HLO_OK;
    if (out.is_tree) {
        mlir_values = 0;
        mlir_print_op(to, module->root);
        print_places(to, module->root);
    }
    hlo_diags_render(&diags, to, false);
    fclose(to);
    hlo_mlir_free(module);
    hlo_diags_drop(&diags);
    return out;
}

/* Returns whether it is a tree both ways. */
static bool compare(const char *bytes, size_t n) {
    hlo_source *source = hlo_source_from_text("test", bytes, n);
    outcome fast = read_by(hlo_mlir_parse, source), slow = read_by(hlo_mlir_parse_by_rules, source);
    bool same = fast.is_tree == slow.is_tree && fast.n == slow.n &&
                memcmp(fast.printed, slow.printed, fast.n) == 0;
    check(same, "the rules read the same");
    if (!same)
        printf("---- text\n%.*s\n---- lines\n%.2000s\n---- rules\n%.2000s\n", (int)n, bytes,
               fast.printed, slow.printed);
    bool is_tree = fast.is_tree && slow.is_tree;
    free(fast.printed);
    free(slow.printed);
    hlo_source_release(source);
    return is_tree;
}

/* ---- mutants ---- */

static uint64_t state = 1;

static size_t below(size_t n) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return n ? (size_t)(state >> 33) % n : 0;
}

static const char *const pieces[] = {" ",           ",",
                                     "\n",          "\r",
                                     "\t",          "%0",
                                     "%x#1",        "#loc1",
                                     " loc(#loc1)", "(",
                                     ")",           "[",
                                     "]",           " x ",
                                     " = ",         "// c\n",
                                     "-",           "0",
                                     "1.5",         "0x1",
                                     "FLOAT",       "i32",
                                     "dense",       "->",
                                     " : ",         "{a = 1 : i32}",
                                     "\"s\"",       "@f",
                                     "tensor<f32>", "call",
                                     "return",      "$",
                                     "<",           ">",
                                     "true"};

/* Takes bytes out, puts a piece in, or the bytes of another place. */
static size_t mutate(char *to, const char *from, size_t n) {
    size_t at = below(n), out = 0, taken = below(3) ? 0 : below(12) + 1, other = below(n);
    size_t copied = below(12) + 1;
    const char *piece = pieces[below(sizeof pieces / sizeof *pieces)];
    if (at + taken > n) taken = n - at;
    if (other + copied > n) copied = n - other;
    memcpy(to, from, at);
    out = at;
    if (below(4)) {
        memcpy(to + out, piece, strlen(piece));
        out += strlen(piece);
    } else {
        memcpy(to + out, from + other, copied);
        out += copied;
    }
    memcpy(to + out, from + at + taken, n - at - taken);
    return out + n - at - taken;
}

static void check_mutants(const char *bytes, size_t n, int count) {
    char *one = malloc(n + 256), *two = malloc(n + 512);
    int trees = compare(bytes, n);
    check(trees, "the text is a program");
    for (int i = 0; i < count; i++) {
        size_t length = mutate(one, bytes, n);
        if (below(3)) trees += compare(one, length);
        else trees += compare(two, mutate(two, one, length));
    }
    check(n < 1000 || trees > count / 50, "some mutants are programs");
    free(one);
    free(two);
}

/* ---- forms ---- */

/* Every operation of the text but those that have another form is read as a line. */
static void count_lines(void) {
    static const char *const others[] = {
        " %11:2 =", " %o,", " %w =", "module", "func.func", "stablehlo.return", " return", "#loc"};
    unsigned lines = 0, wanted = 0;
    hlo_source *source = hlo_source_from_text("test", text, sizeof text - 1);
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_mlir_parser p = {.source = source, .diags = &diags, .module = hlo_mlir_new(source)};
    p.arena = &p.module->arena;
    p.begin = source->text;
    p.limit = p.begin + source->len;
    for (const char *at = p.begin, *colon; (colon = strstr(at, "tensor<")); at = colon + 1) {
        const hlo_mlir_type *type; /* lines need types that were met */
        p.cursor = colon;
        hlo_mlir_scan_type(&p, colon, &type);
        if (colon > p.begin + 6 && memcmp(colon - 6, "tuple<", 6) == 0)
            hlo_mlir_scan_type(&p, colon - 6, &type);
    }
    for (const char *line = p.begin; *line; line = strchr(line, '\n') + 1) {
        hlo_span at;
        const char *from = line;
        bool is_other = false;
        while (*from == ' ') from++;
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
            const char *other = others[i] + (*others[i] == ' ');
            is_other |= strncmp(from, other, strlen(other)) == 0;
        }
        if (*from == '}' || is_other) continue;
        wanted++;
        bool is_line = hlo_mlir_scan_line(&p, from, &at);
        lines += is_line;
        if (!is_line) printf("no line: %.60s\n", from);
    }
    check(lines == wanted && wanted > 20, "each form is read as a line");
    void *lists[] = {p.named.v,         p.types.v,      p.seen_types.v,
                     p.line.operands.v, p.line.attrs.v, p.line.types.v};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) hlo_free(lists[i]);
    hlo_hash_free(&p.types_by_text);
    hlo_mlir_free(p.module);
    hlo_source_release(source);
    hlo_diags_drop(&diags);
}

/* Lines that go on where they seem to end. */
static void check_endings(void) {
    static const char *const lines[] = {"%0 = stablehlo.compare EQ, %x\n, %x : tensor<f32>",
                                        "%0 = stablehlo.tanh\n%x : tensor<f32>",
                                        "%0 = stablehlo.compare EQ, %x, %x\n%1 : tensor<f32>",
                                        "%0 = stablehlo.tanh %x : tensor<f32>\nloc(#l)",
                                        "%0 = stablehlo.add %x, %x : tensor<f32>\n-> tensor<f32>",
                                        "%0, %1 = stablehlo.tanh %x : tensor<f32>",
                                        "%0 = stablehlo.tanh %x : tensor<f32> // loc(#l)",
                                        "%0 = stablehlo.tuple %x\n, %x : tuple<tensor<f32>>"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char whole[512];
        int n = snprintf(whole, sizeof whole,
                         "#l = loc(\"l\")\nfunc.func @main(%%x: tensor<f32>) -> tensor<f32> {\n"
                         "  %s\n  return %%x : tensor<f32>\n}\n",
                         lines[i]);
        compare(whole, (size_t)n);
    }
}

int main(int argc, char **argv) {
    enum { MUTANTS = 4000, OF_FILE = 200 };
    count_lines();
    check_endings();
    check_mutants(text, sizeof text - 1, MUTANTS);
    for (int i = 1; i < argc; i++) {
        hlo_source *source = hlo_source_open(argv[i]);
        if (source) check_mutants(source->text, source->len, OF_FILE);
        check(source != NULL, argv[i]);
        if (source) hlo_source_release(source);
    }
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
