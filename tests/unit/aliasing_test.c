/* After copy-insertion no value is read once its memory was overwritten. A checker that shares
 * nothing with the pass: leaves of values that must be in one memory are one cell; then the module
 * runs without numbers, each value is a tag that its maker writes into its cell, and a reader of
 * the value must find its tag there. Loops run three times, branches in turn.
 *
 *   build/tests/aliasing_test [MODULE...]    default: modules of the other tests
 *
 * Modules with sends, recvs, graphs and asynchronous updates are left out: what they hold is not
 * read in order. */
#include <ftw.h>
#include <stdlib.h>

#include "analysis/liveness.h"
#include "parse/parse.h"
#include "passes/pipeline/pipeline.h"
#include "shape/verify.h"

enum { TRIPS = 3, RUNS = 3, MAX_CALLS = 20000, MAX_DEPTH = 40 };

static int passed, failed, left_out;
static const char *path;

typedef struct {
    hlo_module *module;
    uint32_t *first; /* by hlo_instr.index: the node of its first leaf */
    uint32_t *cell;  /* by node: union-find */
    uint32_t nodes;
    uint64_t *memory; /* by node that stands for a cell: the tag in it */
    uint64_t next_tag;
    uint64_t calls;
    int turn; /* of branches */
    bool bad, too_long;
} checker;

typedef uint64_t tags; /* an array of them: one per leaf */

/* ---- cells ---- */

static uint32_t cell_of(checker *c, uint32_t node) {
    while (c->cell[node] != node) node = c->cell[node] = c->cell[c->cell[node]];
    return node;
}

static uint32_t leaf_count(const hlo_instr *instr) {
    return hlo_shape_leaf_count(instr->shape);
}

static void join(checker *c, const hlo_instr *a, uint32_t i, const hlo_instr *b, uint32_t k) {
    c->cell[cell_of(c, c->first[a->index] + i)] = cell_of(c, c->first[b->index] + k);
}

static void join_all(checker *c, const hlo_instr *a, const hlo_instr *b) {
    for (uint32_t i = 0; i < leaf_count(a); i++) join(c, a, i, b, i);
}

/* The first leaf of an element of the tuple. */
static uint32_t leaf_of_element(const hlo_instr *tuple, int64_t index) {
    uint32_t leaf = 0;
    for (int64_t i = 0; i < index; i++) leaf += hlo_shape_leaf_count(tuple->shape->elements[i]);
    return leaf;
}

static bool is_update(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_DYNAMIC_UPDATE_SLICE || instr->opcode == HLO_OP_SCATTER;
}

/* Calls `visit` for each leaf of the result that is made in the memory of an operand's leaf. */
typedef void pair_visitor(checker *c, const hlo_instr *instr, uint32_t operand, uint32_t from,
                          uint32_t to);

static void fusion_pair(checker *c, const hlo_instr *fusion, const hlo_instr *root, uint32_t leaf,
                        pair_visitor *visit) {
    if (!is_update(root) || hlo_shape_is_tuple(root->shape)) return;
    const hlo_instr *target = hlo_operand(root, 0);
    if (target->opcode == HLO_OP_PARAMETER && target->first_use == target->last_use)
        visit(c, fusion, (uint32_t)hlo_attr_int(target, HLO_ATTR_PARAMETER_NUMBER), 0, leaf);
}

static void for_each_pair(checker *c, const hlo_instr *instr, pair_visitor *visit) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_OUTPUT_TO_OPERAND_ALIASING);
    if (is_update(instr))
        for (uint32_t i = 0; i < leaf_count(instr); i++) visit(c, instr, i, 0, i);
    for (uint32_t i = 0; attr && i < attr->u.aliasing->n; i++) {
        uint32_t k = (uint32_t)attr->u.aliasing->v[i].parameter;
        visit(c, instr, k, hlo_leaf_at(hlo_operand(instr, k)->shape, attr->u.aliasing->v[i].index),
              hlo_leaf_at(instr->shape, attr->u.aliasing->v[i].output));
    }
    if (instr->opcode == HLO_OP_COLLECTIVE_PERMUTE && instr->operand_count == 4)
        for (uint32_t i = 0; i < leaf_count(instr); i++) visit(c, instr, 1, i, i);
    if (instr->opcode != HLO_OP_FUSION) return;
    const hlo_instr *root = hlo_called(instr, 0)->root;
    if (root->opcode != HLO_OP_TUPLE) fusion_pair(c, instr, root, 0, visit);
    for (uint32_t k = 0; root->opcode == HLO_OP_TUPLE && k < root->operand_count; k++)
        fusion_pair(c, instr, hlo_operand(root, k), leaf_of_element(root, k), visit);
}

static void join_pair(checker *c, const hlo_instr *instr, uint32_t operand, uint32_t from,
                      uint32_t to) {
    join(c, instr, to, hlo_operand(instr, operand), from);
}

static bool hands_on(const hlo_instr *instr) {
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_BITCAST:
    case HLO_OP_OPT_BARRIER:
    case HLO_OP_DOMAIN:
    case HLO_OP_ADD_DEPENDENCY: return true;
    default: return false;
    }
}

static void join_instr(checker *c, const hlo_instr *i) {
    uint32_t leaf = 0;
    if (i->opcode == HLO_OP_TUPLE) {
        for (uint32_t k = 0; k < i->operand_count; k++)
            for (uint32_t n = 0; n < leaf_count(hlo_operand(i, k)); n++)
                join(c, i, leaf++, hlo_operand(i, k), n);
    } else if (i->opcode == HLO_OP_GET_TUPLE_ELEMENT) {
        uint32_t first = leaf_of_element(hlo_operand(i, 0), hlo_attr_int(i, HLO_ATTR_INDEX));
        for (uint32_t n = 0; n < leaf_count(i); n++) join(c, i, n, hlo_operand(i, 0), first + n);
    } else if (hands_on(i)) {
        join_all(c, i, hlo_operand(i, 0));
    } else if (i->opcode == HLO_OP_WHILE) {
        join_all(c, i, hlo_operand(i, 0));
        join_all(c, i, hlo_called(i, 0)->parameters[0]);
        join_all(c, i, hlo_called(i, 1)->parameters[0]);
        join_all(c, i, hlo_called(i, 0)->root);
    } else if (i->opcode == HLO_OP_CONDITIONAL) {
        for (uint32_t k = 0; k < hlo_called_count(i); k++) {
            join_all(c, hlo_called(i, k)->parameters[0], hlo_operand(i, k + 1));
            join_all(c, i, hlo_called(i, k)->root);
        }
    } else if (i->opcode == HLO_OP_CALL) {
        for (uint32_t k = 0; k < i->operand_count; k++)
            join_all(c, hlo_called(i, 0)->parameters[k], hlo_operand(i, k));
        join_all(c, i, hlo_called(i, 0)->root);
    } else {
        for_each_pair(c, i, join_pair);
    }
}

/* Parameters that give results their memory. */
static void join_results(checker *c) {
    const hlo_aliasing *alias = hlo_module_aliasing(c->module, HLO_ATTR_INPUT_OUTPUT_ALIAS);
    const hlo_computation *entry = c->module->entry;
    for (uint32_t a = 0; a < alias->n; a++) {
        const hlo_instr *parameter = entry->parameters[alias->v[a].parameter];
        join(c, parameter, hlo_leaf_at(parameter->shape, alias->v[a].index), entry->root,
             hlo_leaf_at(entry->root->shape, alias->v[a].output));
    }
}

/* ---- tags ---- */

static void complain(checker *c, const hlo_instr *instr, const hlo_instr *value, uint32_t leaf) {
    if (!c->bad)
        printf("%s: %.*s reads leaf %u of %.*s after its memory was overwritten\n", path,
               (int)instr->name->len, instr->name->ptr, leaf, (int)value->name->len,
               value->name->ptr);
    c->bad = true;
}

static uint64_t *place(checker *c, const hlo_instr *instr, uint32_t leaf) {
    return &c->memory[cell_of(c, c->first[instr->index] + leaf)];
}

static bool is_token(const hlo_instr *instr, uint32_t leaf) {
    const hlo_shape *shape = instr->shape;
    while (hlo_shape_is_tuple(shape)) {
        uint32_t k = 0;
        for (uint32_t n; (n = hlo_shape_leaf_count(shape->elements[k])) <= leaf; k++) leaf -= n;
        shape = shape->elements[k];
    }
    return !hlo_shape_is_array(shape);
}

static void read_all(checker *c, const hlo_instr *by, const hlo_instr *value, const tags *v) {
    for (uint32_t i = 0; i < leaf_count(value); i++)
        if (!is_token(value, i) && *place(c, value, i) != v[i]) complain(c, by, value, i);
}

static void write_leaf(checker *c, const hlo_instr *instr, uint32_t i, tags *v) {
    v[i] = c->next_tag++;
    *place(c, instr, i) = v[i];
}

/* ---- running ---- */

static void run(checker *c, const hlo_computation *body, tags *const *arguments, tags *result,
                int depth);

static void copy_tags(tags *to, const tags *from, uint32_t n) {
    memcpy(to, from, n * sizeof *to);
}

static void run_called(checker *c, const hlo_computation *body, const hlo_instr *caller,
                       const tags *argument, tags *result, int depth) {
    tags *own = hlo_malloc((leaf_count(body->parameters[0]) + 1) * sizeof *own);
    copy_tags(own, argument, leaf_count(body->parameters[0]));
    (void)caller;
    run(c, body, &own, result, depth + 1);
    hlo_free(own);
}

static void run_loop(checker *c, const hlo_instr *loop, const tags *operand, tags *out, int depth) {
    const hlo_computation *body = hlo_called(loop, 0), *condition = hlo_called(loop, 1);
    tags *more = hlo_malloc((leaf_count(condition->root) + 1) * sizeof *more);
    copy_tags(out, operand, leaf_count(loop));
    for (int trip = 0; trip <= TRIPS && !c->too_long; trip++) {
        run_called(c, condition, loop, out, more, depth);
        if (trip < TRIPS) run_called(c, body, loop, out, out, depth);
    }
    hlo_free(more);
}

static void read_operands(checker *c, const hlo_instr *by, const hlo_instr *i,
                          tags *const *values) {
    for (uint32_t k = 0; k < i->operand_count; k++)
        read_all(c, by, hlo_operand(i, k), values[hlo_operand(i, k)->index]);
}

/* What an asynchronous operation reads is there until it is done. */
static void run_plain(checker *c, const hlo_instr *i, tags *const *values, tags *out) {
    read_operands(c, i, i, values);
    if (i->operand_count &&
        hlo_info(i)->flags & hlo_info(hlo_operand(i, 0))->flags & HLO_OP_IS_ASYNC)
        read_operands(c, i, hlo_operand(i, 0), values);
    if (i->opcode == HLO_OP_COPY && hlo_shape_is_array(i->shape)) {
        out[0] = values[hlo_operand(i, 0)->index][0]; /* the same content */
        *place(c, i, 0) = out[0];
        return;
    }
    for (uint32_t n = 0; n < leaf_count(i); n++) write_leaf(c, i, n, out);
}

static void run_instr(checker *c, const hlo_instr *i, tags **values, tags *out, int depth) {
    const tags *first = i->operand_count ? values[hlo_operand(i, 0)->index] : NULL;
    if (i->opcode == HLO_OP_TUPLE) {
        for (uint32_t k = 0, n = 0; k < i->operand_count; n += leaf_count(hlo_operand(i, k++)))
            copy_tags(out + n, values[hlo_operand(i, k)->index], leaf_count(hlo_operand(i, k)));
    } else if (i->opcode == HLO_OP_GET_TUPLE_ELEMENT) {
        copy_tags(out, first + leaf_of_element(hlo_operand(i, 0), hlo_attr_int(i, HLO_ATTR_INDEX)),
                  leaf_count(i));
    } else if (hands_on(i)) {
        copy_tags(out, first, leaf_count(i));
    } else if (i->opcode == HLO_OP_WHILE) {
        run_loop(c, i, first, out, depth);
    } else if (i->opcode == HLO_OP_CONDITIONAL) {
        read_all(c, i, hlo_operand(i, 0), first);
        uint32_t k = (uint32_t)c->turn++ % hlo_called_count(i);
        run_called(c, hlo_called(i, k), i, values[hlo_operand(i, k + 1)->index], out, depth);
    } else if (i->opcode == HLO_OP_CALL) {
        tags **arguments = hlo_malloc((i->operand_count + 1) * sizeof *arguments);
        for (uint32_t k = 0; k < i->operand_count; k++)
            arguments[k] = values[hlo_operand(i, k)->index];
        run(c, hlo_called(i, 0), arguments, out, depth + 1);
        hlo_free(arguments);
    } else if (i->opcode == HLO_OP_CONSTANT) {
        for (uint32_t n = 0; n < leaf_count(i); n++) {
            out[n] = UINT64_MAX - c->first[i->index] - n; /* it is there from the beginning */
            if (*place(c, i, n) != out[n]) complain(c, i, i, n);
        }
    } else {
        run_plain(c, i, values, out);
    }
}

static void run(checker *c, const hlo_computation *body, tags *const *arguments, tags *result,
                int depth) {
    if (c->calls++ > MAX_CALLS || depth > MAX_DEPTH) c->too_long = true;
    if (c->too_long) return;
    tags **values = hlo_calloc(c->nodes + 1, sizeof *values);
    for (const hlo_instr *i = body->first; i && !c->too_long; i = i->next) {
        values[i->index] = hlo_malloc((leaf_count(i) + 1) * sizeof **values);
        if (i->opcode == HLO_OP_PARAMETER)
            copy_tags(values[i->index], arguments[hlo_attr_int(i, HLO_ATTR_PARAMETER_NUMBER)],
                      leaf_count(i));
        else run_instr(c, i, values, values[i->index], depth);
    }
    if (!c->too_long) copy_tags(result, values[body->root->index], leaf_count(body->root));
    for (const hlo_instr *i = body->first; i; i = i->next) hlo_free(values[i->index]);
    hlo_free(values);
}

static void begin(checker *c, tags **arguments) {
    const hlo_computation *entry = c->module->entry;
    for (hlo_computation *b = c->module->first; b; b = b->next)
        for (hlo_instr *i = b->first; i; i = i->next)
            for (uint32_t n = 0; i->opcode == HLO_OP_CONSTANT && n < leaf_count(i); n++)
                *place(c, i, n) = UINT64_MAX - c->first[i->index] - n;
    for (uint32_t k = 0; k < entry->parameter_count; k++) {
        arguments[k] = hlo_malloc((leaf_count(entry->parameters[k]) + 1) * sizeof **arguments);
        for (uint32_t n = 0; n < leaf_count(entry->parameters[k]); n++)
            write_leaf(c, entry->parameters[k], n, arguments[k]);
    }
}

/* Parameters belong to the caller, unless they give their memory to a result. */
static void check_parameters(checker *c, tags *const *arguments) {
    const hlo_aliasing *alias = hlo_module_aliasing(c->module, HLO_ATTR_INPUT_OUTPUT_ALIAS);
    for (uint32_t k = 0; k < c->module->entry->parameter_count; k++) {
        const hlo_instr *parameter = c->module->entry->parameters[k];
        for (uint32_t n = 0; n < leaf_count(parameter); n++) {
            bool given = is_token(parameter, n);
            for (uint32_t a = 0; a < alias->n; a++)
                given |= alias->v[a].parameter == k &&
                         hlo_leaf_at(parameter->shape, alias->v[a].index) == n;
            if (!given && *place(c, parameter, n) != arguments[k][n])
                complain(c, c->module->entry->root, parameter, n);
        }
    }
}

static void run_module(checker *c) {
    const hlo_computation *entry = c->module->entry;
    tags **arguments = hlo_malloc((entry->parameter_count + 1) * sizeof *arguments);
    tags *result = hlo_malloc((leaf_count(entry->root) + 1) * sizeof *result);
    begin(c, arguments);
    run(c, entry, arguments, result, 0);
    if (!c->too_long) {
        read_all(c, entry->root, entry->root, result);
        check_parameters(c, arguments);
    }
    for (uint32_t k = 0; k < entry->parameter_count; k++) hlo_free(arguments[k]);
    hlo_free(arguments);
    hlo_free(result);
}

/* ---- a module ---- */

/* What is sent or comes, goes around in a graph, or is updated while something else runs. */
static bool is_beyond(const hlo_instr *i) {
    switch ((hlo_opcode)i->opcode) {
    case HLO_OP_SEND:
    case HLO_OP_RECV:
    case HLO_OP_ENTER:
    case HLO_OP_ASYNC_UPDATE: return true;
    case HLO_OP_COLLECTIVE_PERMUTE_START: return i->operand_count > 1;
    case HLO_OP_ASYNC_START: {
        const hlo_instr *root = hlo_called(i, 0)->root;
        return is_update(root) || root->opcode == HLO_OP_CALL || root->opcode == HLO_OP_FUSION ||
               root->opcode == HLO_OP_CUSTOM_CALL;
    }
    default: return false;
    }
}

/* Numbers instructions and their leaves; false when the module is left out. */
static bool number(checker *c) {
    uint32_t n = 0;
    for (hlo_computation *b = c->module->first; b; b = b->next)
        for (hlo_instr *i = b->first; i; i = i->next) {
            i->index = n++;
            c->nodes += leaf_count(i);
            if (is_beyond(i)) return false;
        }
    c->first = hlo_malloc((n + 1) * sizeof *c->first);
    c->nodes = c->nodes > n ? c->nodes : n;
    c->cell = hlo_malloc((c->nodes + 1) * sizeof *c->cell);
    c->memory = hlo_calloc(c->nodes + 1, sizeof *c->memory);
    uint32_t node = 0;
    for (hlo_computation *b = c->module->first; b; b = b->next)
        for (hlo_instr *i = b->first; i; i = i->next) {
            c->first[i->index] = node;
            node += leaf_count(i);
        }
    for (uint32_t k = 0; k < c->nodes; k++) c->cell[k] = k;
    return true;
}

/* Whether the memory of each value is right; a module that runs too long counts as right. */
static bool is_right(hlo_module *module, bool *checked) {
    checker c = {.module = module, .next_tag = 1};
    *checked = number(&c);
    for (hlo_computation *b = module->first; b && *checked; b = b->next)
        for (hlo_instr *i = b->first; i; i = i->next) join_instr(&c, i);
    if (*checked) join_results(&c);
    for (int turn = 0; turn < RUNS && *checked && !c.bad; turn++) {
        c.turn = turn;
        c.calls = 0;
        run_module(&c);
    }
    *checked &= !c.too_long;
    hlo_free(c.first);
    hlo_free(c.cell);
    hlo_free(c.memory);
    return !c.bad;
}

/* Verified, or NULL. */
static hlo_module *read_module(hlo_source *source) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_module *module = NULL;
    if (hlo_parse(source, &diags, &module) == HLO_OK &&
        hlo_verify_with(module, NULL, &diags) != HLO_OK) {
        hlo_module_free(module);
        module = NULL;
    }
    hlo_diags_drop(&diags);
    return module;
}

static bool insert_copies(hlo_module *module) {
    hlo_diags diags;
    hlo_pipeline *pipeline = NULL;
    hlo_diags_init(&diags);
    bool good = hlo_pipeline_parse("pipeline", "copy-insertion", &diags, &pipeline) == HLO_OK &&
                hlo_pipeline_execute_with(pipeline, module, NULL, &diags, NULL) == HLO_OK;
    good &= diags.errors + diags.warnings == 0; /* a warning: nothing was copied */
    hlo_pipeline_free(pipeline);
    hlo_diags_drop(&diags);
    return good;
}

static void check_text(hlo_source *source) {
    hlo_module *module = read_module(source);
    bool checked = false;
    if (!module || !module->entry) {
        left_out++;
    } else if (insert_copies(module)) {
        bool right = is_right(module, &checked);
        if (!right) failed++;
        else if (checked) passed++;
        else left_out++;
    } else {
        left_out++;
    }
    hlo_module_free(module);
}

static void check_file(const char *name) {
    hlo_diags diags;
    hlo_source *source = NULL, **parts;
    path = name;
    hlo_diags_init(&diags);
    if (hlo_read_source(name, &diags, &source) == HLO_OK) {
        size_t count = hlo_source_split(source, &parts);
        for (size_t i = 0; i < count; i++) check_text(parts[i]);
        hlo_source_parts_free(parts, count);
        hlo_source_release(source);
    }
    hlo_diags_drop(&diags);
}

static int visit_file(const char *name, const struct stat *info, int type) {
    size_t n = strlen(name);
    if (type == FTW_F && info->st_size < 1 << 18 && n > 4 && strcmp(name + n - 4, ".hlo") == 0)
        check_file(name);
    return 0;
}

/* The checker itself sees what the pass would mend. */
static void check_checker(void) {
    static const char *const bad[] = {
        "HloModule m ENTRY e { x = f32[4] parameter(0) u = f32[1] constant({5}) i = s32[] "
        "constant(1) "
        "n = f32[4] negate(x) d = f32[4] dynamic-update-slice(n, u, i) ROOT r = f32[4] add(n, d) }",
        "HloModule m ENTRY e { x = f32[4] parameter(0) u = f32[1] constant({5}) i = s32[] "
        "constant(1) "
        "ROOT d = f32[4] dynamic-update-slice(x, u, i) }"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        hlo_source *source = hlo_source_from_text("bad", bad[k], strlen(bad[k]));
        hlo_module *module = read_module(source);
        bool checked;
        path = "on purpose";
        bool caught = module && !is_right(module, &checked);
        caught ? passed++ : failed++;
        if (!caught) printf("the checker does not see what is wrong with module %zu\n", k);
        hlo_module_free(module);
        hlo_source_release(source);
    }
}

int main(int argc, char **argv) {
    static const char *const folders[] = {"tests/golden", "tests/repros", "tests/passes",
                                          "tests/parse/printing", "build/cases/verify/accept"};
    const char *root = getenv("HLO_ROOT");
    char folder[4096];
    for (int i = 1; i < argc; i++) check_file(argv[i]);
    if (argc <= 1) check_checker();
    for (size_t k = 0; argc <= 1 && k < sizeof folders / sizeof *folders; k++) {
        snprintf(folder, sizeof folder, "%s/%s", root ? root : ".", folders[k]);
        ftw(folder, visit_file, 16);
    }
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    printf("%d modules left out\n", left_out);
    return failed != 0;
}
