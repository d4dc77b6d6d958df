/* spmd-partitioner: a module with shardings becomes the program of one of its devices, on tiles of
 * operands, which collectives bring to where they are needed. */
#include "analysis/call_graph.h"
#include "passes/spmd/jobs.h"
#include "passes/spmd/sharding_rules.h"

enum { MOST_PARTITIONS = 1 << 16 };

/* ---- one computation ---- */

/* In the module's arena. */
static const hlo_sharding *sharding_of(hlo_partitioner *p, const hlo_instr *instr) {
    const hlo_attr *given = hlo_instr_attr(instr, HLO_ATTR_SHARDING);
    hlo_arena *arena = &p->r->module->arena;
    if (given) return given->u.sharding;
    return hlo_sharding_for_shape(arena, hlo_sharding_replicated(arena, NULL), instr->shape);
}

static hlo_shards *parameter(hlo_partitioner *p, hlo_instr *instr, const hlo_partition_job *job) {
    int64_t number = hlo_attr_int(instr, HLO_ATTR_PARAMETER_NUMBER);
    const hlo_tiling **tiles = job->parameters[number];
    const hlo_shape *shape = hlo_part_shape_of(p, instr->shape, tiles);
    hlo_instr *made = hlo_emit_like(p->r, instr, shape, NULL, 0);
    /* Parameters of the entry keep their shardings, which state of what they are tiles. */
    if (!job->original)
        hlo_instr_set_attr(
            made, (hlo_attr){.id = HLO_ATTR_SHARDING, .u.sharding = sharding_of(p, instr)});
    return hlo_shards_of(p, made, instr->shape, tiles);
}

/* Elements of tuples are made with the tuple. */
static bool name_element(const hlo_instr *instr, const hlo_shards *x) {
    bool is_element = instr->opcode == HLO_OP_GET_TUPLE_ELEMENT && x && x->n == 1 &&
                      x->leaves[0].data->opcode == HLO_OP_GET_TUPLE_ELEMENT;
    if (is_element) hlo_instr_take_name(x->leaves[0].data, instr->name);
    return is_element;
}

/* What is made for an instruction has its metadata; the first of its opcode has its name. */
static void hand_on(hlo_partitioner *p, const hlo_instr *instr, const hlo_shards *x) {
    bool named = name_element(instr, x);
    for (size_t i = 0; i < p->r->fresh.n; i++) {
        hlo_instr *made = p->r->fresh.v[i];
        hlo_inherit_metadata(instr, made);
        if (!made->at.hi) made->at = instr->at;
        if (!named && made->opcode == instr->opcode && made->parent == instr->parent) {
            hlo_instr_take_name(made, instr->name);
            named = true;
        }
    }
}

static bool has_dynamic(const hlo_shards *x) {
    bool dynamic = false;
    for (uint32_t i = 0; i < x->n; i++)
        dynamic |= x->leaves[i].shape->dynamic && !hlo_tiling_is_whole(x->leaves[i].tiles) &&
                   !hlo_tiling_is_manual(x->leaves[i].tiles);
    return dynamic;
}

static bool visit(hlo_partitioner *p, hlo_instr *instr, const hlo_partition_job *job) {
    p->at = instr;
    hlo_rewriter_aim(p->r, instr);
    if (hlo_is_tied(p->r, instr)) hlo_part_refuse(p, "has control dependencies");
    if (p->failed) return false;
    hlo_shards *x =
        instr->opcode == HLO_OP_PARAMETER ? parameter(p, instr, job) : hlo_part_instr(p, instr);
    if (x && has_dynamic(x)) hlo_part_refuse(p, "has dynamic dimensions and tiles");
    if (!x || p->failed) return false;
    hand_on(p, instr, x);
    p->known[instr->index] = x;
    hlo_arena_reset(&p->scratch);
    return true;
}

/* All that was there before, and what was made and is not needed. */
static void sweep(hlo_computation *c) {
    for (hlo_instr *i = c->last, *before; i; i = before) {
        before = i->prev;
        bool is_own = i->index == HLO_PART_COLLECTIVE;
        bool stays = i == c->root || i->opcode == HLO_OP_PARAMETER || i->first_use ||
                     (!is_own && (hlo_instr_has_side_effect(i) || hlo_called(i, 0))) ||
                     hlo_ends_asynchronous_call((hlo_opcode)i->opcode);
        if ((!i->index || is_own) && stays) continue;
        hlo_instr_remove(i);
        i->parent = NULL;
    }
    hlo_computation_index_parameters(c);
}

static bool partition_computation(hlo_partitioner *p, const hlo_partition_job *job) {
    hlo_computation *c = job->copy;
    hlo_instr **order = hlo_malloc((c->instr_count + 1u) * sizeof *order), *root = c->root;
    uint32_t n = hlo_run_order(c, order);
    for (uint32_t i = 0; i < n; i++) order[i]->index = i + 1;
    p->known = hlo_calloc(n + 1u, sizeof *p->known);
    p->id = NULL;
    bool good = true;
    for (uint32_t i = 0; good && i < n; i++) good = visit(p, order[i], job);
    if (good) {
        p->at = root;
        hlo_rewriter_aim(p->r, root);
        c->root = hlo_shards_pack(p, p->known[root->index], job->root);
        hlo_instr_move_before(c->root, root);
        if (root->opcode == HLO_OP_TUPLE) hand_on(p, root, NULL);
        good = !p->failed;
    }
    hlo_free(p->known);
    hlo_free(order);
    if (good) sweep(c);
    return good;
}

/* ---- the module ---- */

static int64_t free_channel(const hlo_module *module) {
    int64_t most = 0;
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next) {
            int64_t channel = hlo_attr_int(i, HLO_ATTR_CHANNEL_ID);
            if (channel > most) most = channel;
        }
    return most + 1;
}

/* The entry's parameters and result have the tiles of their shardings. */
static bool start_with_entry(hlo_partitioner *p, hlo_computation *entry, hlo_partition_job *job) {
    *job = (hlo_partition_job){.copy = entry};
    job->parameters = HLO_NEW_ARRAY(&p->arena, const hlo_tiling **, entry->parameter_count + 1u);
    p->known = hlo_calloc(entry->instr_count + 1u, sizeof *p->known);
    hlo_number_instructions(entry);
    for (uint32_t i = 0; i < entry->parameter_count; i++) {
        p->at = entry->parameters[i];
        job->parameters[i] = hlo_part_wanted(p, p->at);
    }
    p->at = entry->root;
    job->root = hlo_part_wanted(p, p->at);
    hlo_free(p->known);
    return !p->failed;
}

static const hlo_spmd_shardings *record_shardings(hlo_partitioner *p) {
    const hlo_computation *entry = p->r->module->entry;
    hlo_arena *arena = &p->r->module->arena;
    hlo_spmd_shardings *spmd = HLO_NEW(arena, hlo_spmd_shardings);
    spmd->n = entry->parameter_count;
    spmd->parameters = HLO_NEW_ARRAY(arena, const hlo_sharding *, spmd->n + 1u);
    for (uint32_t i = 0; i < spmd->n; i++)
        spmd->parameters[i] = sharding_of(p, entry->parameters[i]);
    spmd->result = sharding_of(p, entry->root);
    return spmd;
}

/* The shapes of tiles, with the layouts that were asked for. */
static void set_header(hlo_partitioner *p, const hlo_partition_job *job) {
    hlo_module *module = p->r->module;
    const hlo_program_shape *old =
        hlo_module_attr(module, HLO_ATTR_ENTRY_COMPUTATION_LAYOUT)->u.program_shape;
    uint32_t n = old->parameters->n;
    hlo_shapes *parameters =
        hlo_arena_zero(&module->arena, sizeof *parameters + n * sizeof parameters->v[0]);
    parameters->n = n;
    for (uint32_t i = 0; i < n; i++)
        parameters->v[i] = hlo_part_shape_of(p, old->parameters->v[i], job->parameters[i]);
    hlo_program_shape *program = HLO_NEW(&module->arena, hlo_program_shape);
    *program = (hlo_program_shape){parameters, hlo_part_shape_of(p, old->result, job->root)};
    hlo_module_set_attr(
        module, (hlo_attr){.id = HLO_ATTR_ENTRY_COMPUTATION_LAYOUT, .u.program_shape = program});
}

static const hlo_shape *at_index(const hlo_shape *shape, const hlo_ints *index) {
    for (uint32_t i = 0; i < index->n; i++) shape = shape->elements[index->v[i]];
    return shape;
}

/* A result can be written over a parameter only while tiles of both are alike. */
static void drop_aliases(hlo_module *module) {
    const hlo_attr *attr = hlo_module_attr(module, HLO_ATTR_INPUT_OUTPUT_ALIAS);
    if (!attr) return;
    const hlo_aliasing *old = attr->u.aliasing;
    const hlo_computation *entry = module->entry;
    hlo_aliasing *kept =
        hlo_arena_copy(&module->arena, old, sizeof *old + old->n * sizeof old->v[0]);
    kept->n = 0;
    for (uint32_t i = 0; i < old->n; i++) {
        const hlo_shape *from = entry->parameters[old->v[i].parameter]->shape;
        const hlo_shape *given = at_index(from, old->v[i].index);
        const hlo_shape *made = at_index(entry->root->shape, old->v[i].output);
        if (hlo_shape_compatible(given, made)) kept->v[kept->n++] = old->v[i];
    }
    hlo_module_set_attr(module, (hlo_attr){.id = HLO_ATTR_INPUT_OUTPUT_ALIAS, .u.aliasing = kept});
}

static void set_partitions(hlo_module *module, int64_t count) {
    hlo_module_set_attr(module, hlo_attr_of_int(HLO_ATTR_NUM_PARTITIONS, count));
}

static bool partition_module(hlo_partitioner *p) {
    hlo_partition_job entry;
    p->channel = free_channel(p->r->module);
    if (!start_with_entry(p, p->r->module->entry, &entry)) return false;
    const hlo_spmd_shardings *spmd = record_shardings(p);
    bool good = partition_computation(p, &entry);
    for (hlo_partition_job *job = p->unfinished; good && job; job = p->unfinished = job->next)
        good = partition_computation(p, job);
    if (good) {
        set_header(p, &entry);
        drop_aliases(p->r->module);
        hlo_name_for_device(p->r->module->entry, p->r->module->entry->name);
        p->r->module->spmd = spmd;
    }
    return good;
}

static bool is_count(const hlo_pass_call *call, int64_t count) {
    if (count >= 1 && count <= MOST_PARTITIONS) return true;
    hlo_error(call->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0},
              "spmd-partitioner: the number of partitions is 1 to %d", MOST_PARTITIONS);
    return false;
}

/* A second time, tiles would be cut. */
static hlo_pass_result leave(const hlo_pass_call *call, int64_t count, int64_t now) {
    if (count == now) return HLO_UNCHANGED;
    hlo_error(call->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0},
              "spmd-partitioner: %s is the program of one of %lld partitions already",
              hlo_name_quoted(&call->module->arena, call->module->entry->name), (long long)now);
    return HLO_PASS_FAILED;
}

hlo_pass_result hlo_pass_spmd_partitioner(const hlo_pass_call *call) {
    hlo_module *module = call->module;
    int64_t given = HLO_OPTION(call, SPMD_PARTITIONER, partitions);
    int64_t now = hlo_module_int(module, HLO_ATTR_NUM_PARTITIONS), count = given ? given : now;
    if (!is_count(call, count)) return HLO_PASS_FAILED;
    if (hlo_is_device_program(module)) return leave(call, count, now);
    if (!hlo_has_shardings(module) && count == now) return HLO_UNCHANGED;
    if (!hlo_rewrite_allowed(call->rewriter, HLO_REWRITE_partition_module)) return HLO_UNCHANGED;
    hlo_rewrite_count(call->rewriter, HLO_REWRITE_partition_module, module->entry->name);
    hlo_partitioner p = {.r = call->rewriter, .diags = call->diags, .count = count};
    p.replicas = hlo_module_int(module, HLO_ATTR_REPLICA_COUNT);
    hlo_arena_init(&p.arena);
    hlo_arena_init(&p.scratch);
    bool good = !hlo_has_shardings(module) || partition_module(&p);
    hlo_list_free(&p.tilings);
    hlo_arena_free(&p.scratch);
    hlo_arena_free(&p.arena);
    if (!good) return HLO_PASS_FAILED;
    set_partitions(module, count);
    hlo_remove_unreachable(module);
    return HLO_CHANGED;
}
