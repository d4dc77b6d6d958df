/* Parameters and results of the entry: which of them may take another sharding than they were given
 * is in the module's header. */
#include "passes/spmd/propagation.h"

/* ---- the header ---- */

static bool fail(hlo_propagation *p, hlo_attr_id id, const hlo_ints *list, const char *wanted) {
    hlo_error(p->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0},
              "sharding-propagation: %s has %u entries; expected %s", hlo_attr_table[id].text,
              list->n, wanted);
    return false;
}

static bool is_only_tuple(const hlo_computation *entry, uint32_t n) {
    return entry->parameter_count == 1 && hlo_shape_is_tuple(entry->parameters[0]->shape) &&
           entry->parameters[0]->shape->rank == n;
}

bool hlo_check_boundary(hlo_propagation *p) {
    const hlo_computation *entry = p->module->entry;
    const hlo_ints *out = p->to_output, *in = p->to_parameters;
    const hlo_sharding *root = hlo_sharding_on(p, entry->root);
    if (out && out->n != 1 && !hlo_shape_is_tuple(entry->root->shape))
        return fail(p, HLO_ATTR_SPMD_TO_OUTPUT, out, "one, because the result is not a tuple");
    if (out && root && out->n != 1 && root->n != out->n)
        return fail(p, HLO_ATTR_SPMD_TO_OUTPUT, out, "one, or one for each element of the result");
    if (in && in->n != 1 && in->n != entry->parameter_count && !is_only_tuple(entry, in->n))
        return fail(p, HLO_ATTR_SPMD_TO_PARAMETERS, in, "one, or one for each parameter");
    return true;
}

/* ---- before ---- */

/* As the annotations left them. */
void hlo_save_boundary(hlo_propagation *p) {
    const hlo_computation *entry = p->module->entry;
    p->saved_root = hlo_shape_is_tuple(entry->root->shape) ? hlo_sharding_on(p, entry->root) : NULL;
    p->saved_parameters =
        HLO_NEW_ARRAY(&p->kept, const hlo_sharding *, entry->parameter_count + 1u);
    for (uint32_t i = 0; i < entry->parameter_count; i++)
        p->saved_parameters[i] = hlo_sharding_on(p, entry->parameters[i]);
}

/* ---- after: what was not to change ---- */

static bool says_something(const hlo_sharding *s) {
    return s && !hlo_sharding_is(s, HLO_SHARDING_UNKNOWN);
}

static void restore_root(hlo_propagation *p) {
    const hlo_instr *root = p->module->entry->root;
    const hlo_sharding *s = hlo_sharding_on(p, root), *saved = p->saved_root;
    if (!p->to_output || !s || !saved || saved->n != p->to_output->n || s->n != saved->n) return;
    for (uint32_t i = 0; i < saved->n; i++)
        if (!p->to_output->v[i] && says_something(saved->elements[i]))
            s = hlo_sharding_with_leaf(&p->arena, s, i, saved->elements[i]);
    hlo_set_sharding(p, root, s);
}

/* Element i of a tuple, an array, takes the sharding that it has in another tuple. */
static const hlo_sharding *with_element(hlo_propagation *p, const hlo_sharding *s,
                                        const hlo_shape *shape, uint32_t i,
                                        const hlo_sharding *from) {
    HLO_ASSERT(i < shape->rank);
    uint32_t first = hlo_shape_leaves_before(shape, i),
             n = hlo_shape_leaf_count(shape->elements[i]);
    for (uint32_t k = 0; k < n; k++)
        if (says_something(from->elements[first + k]))
            s = hlo_sharding_with_leaf(&p->arena, s, first + k, from->elements[first + k]);
    return s;
}

static void restore_only_parameter(hlo_propagation *p, const hlo_instr *parameter) {
    const hlo_sharding *s = hlo_sharding_on(p, parameter), *saved = p->saved_parameters[0];
    if (!s || !saved) return;
    for (uint32_t i = 0; i < p->to_parameters->n; i++)
        if (!p->to_parameters->v[i]) s = with_element(p, s, parameter->shape, i, saved);
    hlo_set_sharding(p, parameter, s);
}

static void restore_parameters(hlo_propagation *p) {
    const hlo_computation *entry = p->module->entry;
    if (!p->to_parameters) return;
    if (p->to_parameters->n != entry->parameter_count) {
        if (is_only_tuple(entry, p->to_parameters->n))
            restore_only_parameter(p, entry->parameters[0]);
        return;
    }
    for (uint32_t i = 0; i < entry->parameter_count; i++) {
        if (p->to_parameters->v[i]) continue;
        const hlo_sharding *saved = p->saved_parameters[i];
        hlo_set_sharding(p, entry->parameters[i], says_something(saved) ? saved : NULL);
    }
}

/* ---- after: even parts only ---- */

/* Recursion is as deep as tuples nest. */
static bool is_even(hlo_propagation *p, const hlo_shape *shape, const hlo_sharding *s) {
    if (hlo_shape_is_tuple(shape)) {
        for (uint32_t i = 0; i < shape->rank; i++)
            if (!is_even(p, shape->elements[i], hlo_sharding_element(&p->arena, s, shape, i)))
                return false;
        return true;
    }
    for (uint32_t i = 0; s->kind == HLO_SHARDING_TILED && i < shape->rank; i++)
        if (shape->dims[i] % hlo_tiles_along(s, i) != 0) return false;
    return true;
}

/* An array that was allowed to change, and cannot be cut into equal parts, is replicated. */
static void even_out(hlo_propagation *p, const hlo_instr *instr) {
    const hlo_sharding *s = hlo_sharding_on(p, instr);
    if (!s || is_even(p, instr->shape, s)) return;
    s = hlo_sharding_replicated(&p->arena, NULL);
    hlo_set_sharding(p, instr, hlo_sharding_for_shape(&p->arena, s, instr->shape));
}

static void even_out_elements(hlo_propagation *p, const hlo_instr *instr, const hlo_ints *allowed) {
    const hlo_sharding *s = hlo_sharding_on(p, instr);
    const hlo_sharding *whole = hlo_sharding_replicated(&p->arena, NULL);
    for (uint32_t i = 0; s && i < allowed->n; i++) {
        const hlo_shape *shape = instr->shape->elements[i];
        uint32_t first = hlo_shape_leaves_before(instr->shape, i);
        if (!allowed->v[i] ||
            is_even(p, shape, hlo_sharding_element(&p->arena, s, instr->shape, i)))
            continue;
        for (uint32_t k = 0; k < hlo_shape_leaf_count(shape); k++)
            s = hlo_sharding_with_leaf(&p->arena, s, first + k, whole);
    }
    if (s) hlo_set_sharding(p, instr, s);
}

static void even_out_parameters(hlo_propagation *p) {
    const hlo_computation *entry = p->module->entry;
    const hlo_ints *allowed = p->to_parameters;
    if (!allowed) return;
    if (allowed->n == entry->parameter_count) {
        for (uint32_t i = 0; i < allowed->n; i++)
            if (allowed->v[i]) even_out(p, entry->parameters[i]);
    } else if (is_only_tuple(entry, allowed->n)) {
        even_out_elements(p, entry->parameters[0], allowed);
    }
}

void hlo_restore_boundary(hlo_propagation *p) {
    const hlo_instr *root = p->module->entry->root;
    restore_root(p);
    restore_parameters(p);
    even_out_parameters(p);
    if (!p->to_output) return;
    if (!hlo_shape_is_tuple(root->shape)) even_out(p, root);
    else if (p->to_output->n == root->shape->rank) even_out_elements(p, root, p->to_output);
}
