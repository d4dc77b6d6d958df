/* Values that are kept for gradients: see threads.h. Elements that the forward computation gets are
 * listed in its scopes, and added to its instructions when all are known. */
#include "passes/autodiff/threads.h"

#include "analysis/iteration_count.h"
#include "analysis/loop_config.h"

typedef enum {
    THREAD_STACK,
    THREAD_VALUE,  /* of the only execution; zeros when there is none */
    THREAD_ARRAY,  /* values of all executions */
    THREAD_CURSOR, /* how many of them there are */
} thread_kind;

struct hlo_thread {
    thread_kind kind;
    hlo_scope *scope;  /* where it changes */
    hlo_instr *kept;   /* a value of its computation */
    int64_t size;      /* of an array: executions */
    hlo_instr *inside; /* the thread in that computation, before it changes */
    hlo_instr *last;   /* in the entry, after all executions */
};

bool hlo_thread_is_fixed(const hlo_thread *thread) {
    return thread->kind == THREAD_VALUE || thread->kind == THREAD_ARRAY;
}

/* ---- what a thread starts as, and how it changes ---- */

static const hlo_shape *s32(hlo_gradient *g) {
    return hlo_shape_scalar(&g->r->module->shapes, HLO_S32);
}

/* With the number of the execution as first dimension. */
static const hlo_shape *array_shape(hlo_gradient *g, const hlo_shape *value, int64_t size) {
    int64_t *sizes = hlo_malloc((value->rank + 1u) * sizeof *sizes);
    sizes[0] = size;
    for (uint32_t i = 0; i < value->rank; i++) sizes[i + 1] = value->dims[i];
    const hlo_shape *shape =
        hlo_shape_of_sizes(g->r, (hlo_type)value->type, sizes, value->rank + 1);
    hlo_free(sizes);
    return shape;
}

static hlo_instr *start_of_thread(hlo_gradient *g, const hlo_thread *thread) {
    if (thread->kind == THREAD_CURSOR) return hlo_build_integer(g->r, s32(g), 0);
    const hlo_shape *value = thread->kept->shape;
    if (thread->kind == THREAD_VALUE) return hlo_build_integer(g->r, value, 0);
    if (thread->kind == THREAD_ARRAY)
        return hlo_build_integer(g->r, array_shape(g, value, thread->size), 0);
    hlo_attr element = {.id = HLO_ATTR_ELEMENT, .u.shape = value};
    const hlo_shape *handle = hlo_shape_opaque(&g->r->module->shapes);
    return hlo_emit(g->r, HLO_OP_STACK_CREATE, handle, NULL, 0, &element, 1);
}

/* Where an array has the value of an execution. */
static hlo_instr **starts_at(hlo_gradient *g, hlo_instr *number, uint32_t rank) {
    hlo_instr **starts = hlo_malloc((rank + 1u) * sizeof *starts);
    starts[0] = number;
    hlo_instr *zero = rank ? hlo_build_integer(g->r, s32(g), 0) : NULL;
    for (uint32_t i = 0; i < rank; i++) starts[i + 1] = zero;
    return starts;
}

static hlo_instr *stored(hlo_gradient *g, const hlo_thread *thread) {
    const hlo_shape *one = array_shape(g, thread->kept->shape, 1);
    hlo_instr *part = hlo_emit_unary(g->r, HLO_OP_RESHAPE, one, thread->kept);
    hlo_instr **starts = starts_at(g, thread->scope->cursor->inside, thread->kept->shape->rank);
    hlo_instr *array = hlo_build_dynamic_update(g->r, thread->inside, part, starts);
    hlo_free(starts);
    return array;
}

static hlo_instr *change(hlo_gradient *g, const hlo_thread *thread) {
    if (thread->kind == THREAD_VALUE) return thread->kept;
    bool is_cursor = thread->kind == THREAD_CURSOR;
    g->r->target = is_cursor ? thread->scope->forward->root : thread->kept->next;
    if (is_cursor) {
        hlo_instr *one = hlo_build_integer(g->r, s32(g), 1);
        return hlo_build_binary(g->r, HLO_OP_ADD, thread->inside, one);
    }
    if (thread->kind == THREAD_ARRAY) return stored(g, thread);
    return hlo_emit_binary(g->r, HLO_OP_STACK_PUSH, thread->inside->shape, thread->inside,
                           thread->kept);
}

/* ---- the way through the forward computation ---- */

/* An element more of what goes into a computation, which is handed on. */
static hlo_instr *go_in(hlo_rewriter *r, hlo_scope *scope, hlo_instr *init) {
    hlo_instr *parameter = scope->forward->parameters[0];
    uint32_t index = parameter->shape->rank + scope->added.n;
    hlo_instr *inner = hlo_new_element(r, parameter->next, parameter, index, init->shape);
    hlo_list_push(&scope->added, (hlo_element){init, inner, inner});
    return inner;
}

/* The same of the other branches of a conditional. */
static hlo_instr *enter(hlo_rewriter *r, hlo_scope *scope, hlo_instr *init) {
    hlo_scope **siblings = scope->parent->children[scope->caller->index];
    hlo_instr *inner = NULL;
    for (uint32_t k = 0; k < hlo_scope_child_count(scope->caller); k++) {
        hlo_instr *element = go_in(r, siblings[k], init);
        if (siblings[k] == scope) inner = element;
    }
    return inner;
}

/* The newest element of a scope becomes `next`; what comes out. */
static hlo_instr *leave(hlo_rewriter *r, hlo_scope *scope, hlo_instr *next) {
    hlo_element *newest = &scope->added.v[scope->added.n - 1];
    newest->next = next;
    uint32_t index = scope->caller->shape->rank + scope->added.n - 1;
    return hlo_new_element(r, scope->caller->next, scope->caller, index, newest->inner->shape);
}

/* Where what goes into a loop or conditional can be made. */
static hlo_instr *place_before(const hlo_instr *caller) {
    return hlo_operand(caller, caller->opcode == HLO_OP_WHILE ? 0 : 1);
}

typedef HLO_LIST(hlo_scope *) scope_list;

/* From the scope out to, and without, the entry. */
static scope_list scopes_around(hlo_scope *scope) {
    scope_list list = {0};
    for (; scope->kind != HLO_SCOPE_ENTRY; scope = scope->parent) hlo_list_push(&list, scope);
    return list;
}

static void run_through(hlo_gradient *g, hlo_thread *thread) {
    scope_list way = scopes_around(thread->scope);
    hlo_instr *target = g->r->target;
    g->r->target = place_before(way.v[way.n - 1]->caller);
    hlo_instr *value = start_of_thread(g, thread);
    for (uint32_t i = way.n; i-- > 0;) value = enter(g->r, way.v[i], value);
    thread->inside = value;
    value = change(g, thread);
    for (uint32_t i = 0; i < way.n; i++) value = leave(g->r, way.v[i], value);
    thread->last = value;
    g->r->target = target;
    hlo_list_free(&way);
}

hlo_instr *hlo_add_counter(hlo_gradient *g, hlo_scope *body) {
    const hlo_shape *s64 = hlo_shape_scalar(&g->r->module->shapes, HLO_S64);
    hlo_instr *target = g->r->target;
    g->r->target = place_before(body->caller);
    hlo_instr *count = enter(g->r, body, hlo_build_integer(g->r, s64, 0));
    g->r->target = body->forward->root;
    hlo_instr *one = hlo_build_integer(g->r, s64, 1);
    hlo_instr *next = hlo_build_binary(g->r, HLO_OP_ADD, count, one);
    g->r->target = target;
    return leave(g->r, body, next);
}

/* ---- the way through the gradient ---- */

static hlo_held_thread *find_held(hlo_scope *scope, const hlo_thread *thread) {
    for (uint32_t i = 0; i < scope->threads.n; i++)
        if (scope->threads.v[i].thread == thread) return &scope->threads.v[i];
    return NULL;
}

hlo_instr *hlo_thread_in(hlo_gradient *g, hlo_scope *scope, hlo_thread *thread) {
    hlo_held_thread *held = find_held(scope, thread);
    if (held) return held->current;
    hlo_held_thread first = {thread, scope->elements.n, thread->last};
    if (scope->kind != HLO_SCOPE_ENTRY)
        first.current = hlo_add_element(g, scope, NULL, thread->last->shape);
    hlo_list_push(&scope->threads, first);
    return first.current;
}

void hlo_thread_set(hlo_scope *scope, const hlo_thread *thread, hlo_instr *current) {
    find_held(scope, thread)->current = current;
}

static hlo_instr *popped(hlo_gradient *g, hlo_scope *scope, hlo_thread *thread) {
    hlo_instr *handle = hlo_thread_in(g, scope, thread);
    const hlo_shape *parts[] = {handle->shape, thread->kept->shape};
    const hlo_shape *both = hlo_shape_tuple(&g->r->module->shapes, parts, 2);
    hlo_instr *pop = hlo_emit_unary(g->r, HLO_OP_STACK_POP, both, handle);
    hlo_thread_set(scope, thread, hlo_emit_element(g->r, pop, 0));
    return hlo_emit_element(g->r, pop, 1);
}

static hlo_instr *loaded(hlo_gradient *g, hlo_scope *scope, hlo_thread *thread) {
    const hlo_shape *value = thread->kept->shape;
    const hlo_shape *one = array_shape(g, value, 1);
    hlo_instr *array = hlo_thread_in(g, scope, thread);
    hlo_instr **starts = starts_at(g, hlo_thread_in(g, scope, scope->cursor), value->rank);
    hlo_instr *part = hlo_build_dynamic_slice(g->r, array, starts, one->dims);
    hlo_free(starts);
    return hlo_emit_unary(g->r, HLO_OP_RESHAPE, value, part);
}

/* ---- keeping ---- */

static hlo_thread *new_thread(hlo_gradient *g, thread_kind kind, hlo_scope *scope, hlo_instr *kept,
                              int64_t size) {
    hlo_thread *thread = HLO_NEW(&g->r->module->arena, hlo_thread);
    *thread = (hlo_thread){.kind = kind, .scope = scope, .kept = kept, .size = size};
    run_through(g, thread);
    return thread;
}

/* The gradient of a scope is about the execution before where the cursor is. */
static void open_cursor(hlo_gradient *g, hlo_scope *scope) {
    if (scope->cursor) return;
    scope->cursor = new_thread(g, THREAD_CURSOR, scope, NULL, 0);
    hlo_instr *after = hlo_thread_in(g, scope, scope->cursor);
    hlo_instr *one = hlo_build_integer(g->r, s32(g), 1);
    hlo_thread_set(scope, scope->cursor, hlo_build_binary(g->r, HLO_OP_SUBTRACT, after, one));
}

static bool is_in_loop(const hlo_scope *scope) {
    while (scope && scope->kind != HLO_SCOPE_LOOP) scope = scope->parent;
    return scope != NULL;
}

static int64_t most_iterations(const hlo_instr *loop) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    hlo_iterations iterations;
    int64_t told;
    if (hlo_count_iterations(loop, &iterations)) return iterations.count;
    return hlo_known_trip_count(loop, &told) ? told : -1;
}

static bool refuse_loop(hlo_gradient *g, const hlo_scope *body, const char *why) {
    hlo_scope *before = g->scope;
    g->scope = body->parent;
    hlo_gradient_refuse(g, body->caller, why);
    g->scope = before;
    return false;
}

/* At least 1, so that an array has a place to be read at where nothing is ever read. */
static bool count_executions(hlo_gradient *g, const hlo_scope *scope, int64_t *size) {
    *size = 1;
    for (; scope->kind != HLO_SCOPE_ENTRY; scope = scope->parent) {
        if (scope->kind != HLO_SCOPE_LOOP) continue;
        int64_t n = most_iterations(scope->caller);
        if (n < 0)
            return refuse_loop(g, scope,
                               "has no known trip count: values of its iterations cannot be saved "
                               "in static arrays");
        if (n > 1 && __builtin_mul_overflow(*size, n, size)) *size = INT64_MAX;
        if (*size > INT32_MAX)
            return refuse_loop(g, scope, "has too many iterations for static arrays");
    }
    return true;
}

static hlo_instr *keep_in_array(hlo_gradient *g, hlo_scope *scope, hlo_instr *instr) {
    int64_t size;
    if (instr->shape->dynamic) {
        hlo_gradient_refuse(g, instr, "has dynamic sizes, which cannot be saved in static arrays");
        return NULL;
    }
    if (!count_executions(g, scope, &size)) return NULL;
    open_cursor(g, scope);
    return loaded(g, scope, new_thread(g, THREAD_ARRAY, scope, instr, size));
}

hlo_instr *hlo_keep_value(hlo_gradient *g, hlo_scope *scope, hlo_instr *instr) {
    if (!is_in_loop(scope) && !instr->shape->dynamic)
        return hlo_thread_in(g, scope, new_thread(g, THREAD_VALUE, scope, instr, 1));
    if (g->is_static) return keep_in_array(g, scope, instr);
    return popped(g, scope, new_thread(g, THREAD_STACK, scope, instr, 0));
}
