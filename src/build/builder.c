/* Builders: their life, their errors, computations that are open, and the one way in which
 * instructions are made. */
#include "build/builder.h"

#include <stdarg.h>
#include <stdio.h>

#include "form/form.h"
#include "ir/valid_name.h"
#include "shape/compatible.h"
#include "shape/infer.h"

/* ---- errors ---- */

bool hlo_builder_failed(const hlo_builder *b) {
    return !b || hlo_diags_error_count(b->diags) > 0;
}

bool hlo_builder_can_go_on(const hlo_builder *b) {
    return b && b->module && !hlo_builder_failed(b);
}

void hlo_builder_out_of_memory(void *builder, size_t wanted) {
    hlo_builder *b = builder;
    b->module->is_half_changed = true;
    hlo_diags_add_out_of_memory(b->diags, wanted);
}

static void report(hlo_builder *b, hlo_rule rule, const char *format, va_list args) {
    char message[512];
    if (hlo_builder_failed(b)) return;
    vsnprintf(message, sizeof message, format, args);
    if (rule == HLO_RULE_USAGE) hlo_misuse(b->diags, "%s", message);
    else hlo_error(b->diags, rule, NULL, (hlo_span){0, 0}, "%s", message);
}

const hlo_instr *hlo_builder_fail(hlo_builder *b, hlo_rule rule, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(b, rule, format, args);
    va_end(args);
    return NULL;
}

const hlo_instr *hlo_builder_misuse(hlo_builder *b, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(b, HLO_RULE_USAGE, format, args);
    va_end(args);
    return NULL;
}

bool hlo_builder_has_all(hlo_builder *b, const char *function, const void *const *arguments,
                         size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!arguments[i]) hlo_builder_misuse(b, "%s: an argument is NULL", function);
    return !hlo_builder_failed(b);
}

bool hlo_builder_has_list(hlo_builder *b, const char *function, hlo_instrs_list list) {
    if (list.count > INT32_MAX) hlo_builder_misuse(b, "%s: a list is too long", function);
    for (size_t i = 0; i < list.count && !hlo_builder_failed(b); i++)
        if (!list.values[i]) hlo_builder_misuse(b, "%s: operand %zu is NULL", function, i);
    return !hlo_builder_failed(b);
}

/* ---- life ---- */

static hlo_shapes_table *shapes_of(hlo_builder *b) {
    return &b->module->shapes;
}

hlo_shapes_table *hlo_builder_shapes(hlo_builder *b) {
    return shapes_of(b);
}

hlo_builder *hlo_builder_create(const char *name) {
    HLO_API_CALL(NULL) return NULL;
    if (!name) return NULL;
    hlo_builder *b = hlo_calloc(1, sizeof *b);
    b->module = hlo_module_new();
    b->diags = hlo_diags_create(1);
    b->module->name = hlo_valid_module_name(&b->module->arena, hlo_builder_text(b, name));
    b->module->is_rewritten = true; /* printed with callees before callers */
    b->scope = HLO_NEW(&b->module->arena, hlo_builder_scope);
    hlo_shape_token(shapes_of(b)); /* the module has memory of each kind before the next call */
    hlo_builder_open(
        b, hlo_computation_new(b->module, hlo_module_intern_copy(b->module, hlo_str_from("main"))));
    b->module->entry = b->module->first;
    return b;
}

void hlo_builder_free(hlo_builder *b) {
    if (!b) return;
    hlo_builder_free_frames(b);
    hlo_module_free(b->module);
    hlo_diags_free(b->diags);
    hlo_free(b);
}

/* ---- attributes ---- */

hlo_str hlo_builder_text(hlo_builder *b, const char *text) {
    uint32_t n = (uint32_t)strlen(text);
    return (hlo_str){hlo_arena_copy(&b->module->arena, text, n + 1u), n, 0};
}

hlo_attr hlo_builder_ints(hlo_builder *b, hlo_attr_id id, hlo_int_list list) {
    HLO_ASSERT(hlo_attr_is_integers(id));
    return (hlo_attr){.id = (uint16_t)id,
                      .u.ints =
                          hlo_ints_from(&b->module->arena, list.values, (uint32_t)list.count)};
}

hlo_attr hlo_builder_some_ints(hlo_builder *b, hlo_attr_id id, hlo_int_list list) {
    HLO_ASSERT(hlo_attr_is_integers(id));
    return list.count ? hlo_builder_ints(b, id, list) : hlo_builder_no_attr();
}

hlo_attr hlo_builder_one_int(hlo_builder *b, hlo_attr_id id, int64_t value) {
    HLO_ASSERT(hlo_attr_is_integers(id));
    return hlo_builder_ints(b, id, (hlo_int_list){1, &value});
}

hlo_attr hlo_builder_string(hlo_builder *b, hlo_attr_id id, const char *text) {
    HLO_ASSERT(id < HLO_ATTR_COUNT);
    if (!text) return hlo_builder_no_attr();
    hlo_str *value = HLO_NEW(&b->module->arena, hlo_str);
    *value = hlo_builder_text(b, text);
    return (hlo_attr){.id = (uint16_t)id, .u.string = value};
}

/* ---- instructions ---- */

static bool check_operands(hlo_builder *b, hlo_opcode opcode, hlo_instrs_list operands) {
    HLO_ASSERT(opcode < HLO_OP_COUNT);
    if (!hlo_builder_has_list(b, hlo_ops[opcode].text, operands)) return false;
    for (size_t i = 0; i < operands.count; i++)
        if (operands.values[i]->parent != b->frame->computation)
            hlo_builder_misuse(b, "%s: operand %zu, '%.*s', belongs to another computation",
                               hlo_ops[opcode].text, i, (int)operands.values[i]->name->len,
                               operands.values[i]->name->ptr);
    return !hlo_builder_failed(b);
}

/* A called computation is a finished one of this module. */
static bool check_callee(hlo_builder *b, hlo_opcode opcode, const hlo_computation *callee) {
    if (callee && callee->module == b->module && callee->root) return true;
    hlo_builder_misuse(b, "%s: a computation is %s", hlo_ops[opcode].text,
                       !callee                       ? "NULL"
                       : callee->module != b->module ? "of another module"
                                                     : "still open");
    return false;
}

static bool check_callees(hlo_builder *b, const hlo_draft *draft) {
    for (uint32_t i = 0; i < draft->attr_count; i++) {
        const hlo_attr *attr = &draft->attrs[i];
        hlo_attr_kind kind = hlo_attr_table[attr->id].kind;
        if (kind == HLO_KIND_COMPUTATION && !check_callee(b, draft->opcode, attr->u.computation))
            return false;
        for (uint32_t k = 0; kind == HLO_KIND_COMPUTATIONS && k < attr->u.computations->n; k++)
            if (!check_callee(b, draft->opcode, attr->u.computations->v[k])) return false;
    }
    return true;
}

static void add_attrs(hlo_draft *draft, const hlo_attr *attrs, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (attrs[i].id != HLO_ATTR_COUNT) hlo_draft_add(draft, attrs[i]);
}

static void add_common(hlo_draft *draft, const hlo_builder_scope *scope) {
    if (scope->sharding && !hlo_draft_attr(draft, HLO_ATTR_SHARDING))
        hlo_draft_add(draft, (hlo_attr){.id = HLO_ATTR_SHARDING, .u.sharding = scope->sharding});
    if (scope->metadata && !hlo_draft_attr(draft, HLO_ATTR_METADATA))
        hlo_draft_add(draft, (hlo_attr){.id = HLO_ATTR_METADATA, .u.metadata = scope->metadata});
    if (scope->frontend && !hlo_draft_attr(draft, HLO_ATTR_FRONTEND_ATTRIBUTES))
        hlo_draft_add(
            draft, (hlo_attr){.id = HLO_ATTR_FRONTEND_ATTRIBUTES, .u.frontend = scope->frontend});
}

/* A shape that was given agrees with the operands. */
static bool check_shape(hlo_builder *b, const hlo_draft *draft) {
    const hlo_shape *inferred = hlo_infer(draft, false);
    if (!inferred) return false;
    if (hlo_shape_compatible(inferred, draft->shape)) return true;
    hlo_arena *arena = &b->module->arena;
    hlo_builder_fail(b, HLO_RULE_RESULT_SHAPE, "%s: the result is %s and is inferred to be %s",
                     hlo_ops[draft->opcode].text, hlo_shape_name(arena, draft->shape),
                     hlo_shape_name(arena, inferred));
    return false;
}

const hlo_instr *hlo_builder_made(hlo_builder *b, hlo_opcode opcode, const hlo_shape *shape,
                                  hlo_instrs_list operands, const hlo_attr *attrs,
                                  size_t attr_count) {
    HLO_ASSERT(opcode < HLO_OP_COUNT);
    if (hlo_builder_failed(b) || !check_operands(b, opcode, operands)) return NULL;
    hlo_builder_next next = hlo_builder_take_next(b);
    const char *name = next.name ? next.name : hlo_ops[opcode].text;
    hlo_draft draft = {.computation = b->frame->computation,
                       .name = hlo_take_fresh_name(b->module, name),
                       .opcode = opcode,
                       .origin = HLO_DRAFT_OF_CODE,
                       .shape = hlo_builder_own_shape(b, next.shape ? next.shape : shape),
                       .operands = (hlo_instr *const *)(uintptr_t)operands.values,
                       .operand_count = (uint32_t)operands.count,
                       .diags = b->diags};
    add_attrs(&draft, attrs, attr_count);
    if (!hlo_builder_add_next(b, &draft, &next)) return NULL;
    add_common(&draft, b->scope);
    if (!check_callees(b, &draft) || !hlo_form_complete(&draft)) return NULL;
    bool given = shape && !next.shape;
    return !given || check_shape(b, &draft) ? hlo_draft_make(&draft) : NULL;
}

/* ---- computations ---- */

void hlo_builder_open(hlo_builder *b, hlo_computation *computation) {
    hlo_builder_frame *frame = HLO_NEW(&b->module->arena, hlo_builder_frame);
    *frame = (hlo_builder_frame){
        .outer = b->frame, .computation = computation, .outer_next = hlo_builder_take_next(b)};
    b->frame = frame;
}

/* Parameters are found by their numbers. */
static bool finish(hlo_builder *b, hlo_computation *c, const hlo_instr *root) {
    HLO_ASSERT(c->module == b->module);
    const char *name = hlo_name_quoted(&b->module->arena, c->name);
    c->root = root ? (hlo_instr *)(uintptr_t)root : c->last;
    if (!c->root) hlo_builder_fail(b, HLO_RULE_ROOT, "computation %s has no instruction", name);
    else if (c->root->parent != c)
        hlo_builder_misuse(b, "the root of %s belongs to another computation", name);
    else if (!hlo_computation_index_parameters(c))
        hlo_builder_fail(b, HLO_RULE_PARAMETER_NUMBERS,
                         "the parameters of %s are not numbered 0, 1, 2 ...", name);
    return !hlo_builder_failed(b);
}

hlo_computation *hlo_builder_close(hlo_builder *b, const hlo_instr *root) {
    hlo_computation *c = b->frame->computation;
    if (!finish(b, c, root)) return NULL;
    hlo_builder_give_back(b, b->frame->outer_next);
    b->frame = b->frame->outer;
    return c;
}

static hlo_name *computation_name(hlo_builder *b, const char *name) {
    return hlo_module_intern_copy(b->module, hlo_valid_name(&b->module->arena, hlo_str_from(name)));
}

void hlo_builder_begin(hlo_builder *b, const char *name) {
    HLO_BUILDER_CALL(b, (void)0);
    if (!name) {
        hlo_builder_misuse(b, "%s: name is NULL", __func__);
        return;
    }
    /* Names of computations are made unique when the module is built. */
    hlo_builder_open(b, hlo_computation_new(b->module, computation_name(b, name)));
}

void hlo_builder_set_computation_name(hlo_builder *b, const char *name) {
    HLO_BUILDER_CALL(b, (void)0);
    if (!name || !*name) hlo_builder_misuse(b, "%s: the name is missing", __func__);
    else b->frame->computation->name = computation_name(b, name);
}

void hlo_builder_set_execution_thread(hlo_builder *b, const char *thread) {
    HLO_BUILDER_CALL(b, (void)0);
    if (!thread) hlo_builder_misuse(b, "%s: thread is NULL", __func__);
    else b->frame->computation->execution_thread = hlo_builder_text(b, thread);
}

const hlo_computation *hlo_builder_end(hlo_builder *b, const hlo_instr *root) {
    HLO_BUILDER_CALL(b, NULL);
    if (b->frame->outer) return hlo_builder_close(b, root);
    hlo_builder_misuse(b, "%s: the entry computation is ended by hlo_builder_build", __func__);
    return NULL;
}

/* ---- the module ---- */

static void set_entry_layout(hlo_module *module) {
    HLO_ASSERT(module->entry && module->entry->root);
    const hlo_computation *c = module->entry;
    hlo_shapes *parameters =
        hlo_arena_alloc(&module->arena, sizeof *parameters + c->parameter_count * sizeof(void *));
    parameters->n = c->parameter_count;
    for (uint32_t i = 0; i < parameters->n; i++) parameters->v[i] = c->parameters[i]->shape;
    hlo_program_shape *layout = HLO_NEW(&module->arena, hlo_program_shape);
    *layout = (hlo_program_shape){parameters, c->root->shape};
    hlo_module_set_attr(
        module, (hlo_attr){.id = HLO_ATTR_ENTRY_COMPUTATION_LAYOUT, .u.program_shape = layout});
}

/* Everything is closed, and the entry computation stands last, as texts have it. */
static bool finish_module(hlo_builder *b, const hlo_instr *root) {
    if (b->frame->outer)
        hlo_builder_misuse(b, "computation %s is still open",
                           hlo_name_quoted(&b->module->arena, b->frame->computation->name));
    if (hlo_builder_failed(b) || !hlo_builder_close(b, root)) return false;
    if (!b->has_entry_layout) set_entry_layout(b->module);
    hlo_uniquify_names(b->module);
    return true;
}

static bool try_finish(hlo_builder *b, const hlo_instr *root) {
    HLO_BUILDER_CALL(b, false);
    return finish_module(b, root);
}

hlo_status hlo_builder_build(hlo_builder *b, const hlo_instr *root, hlo_diags *diags,
                             hlo_module **out) {
    HLO_API_CALL_FOR(diags, out);
    HLO_REQUIRE(diags, b);
    if (!b->module) return hlo_misuse(diags, "%s: the module was built before", __func__);
    if (!try_finish(b, root)) {
        hlo_diags_append(diags, b->diags);
        diags->status = b->diags->status;
        return b->diags->status;
    }
    *out = b->module;
    b->module = NULL;
    return HLO_OK;
}
