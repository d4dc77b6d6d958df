/* What runs before what: see orders.h. */
#include "passes/memory/orders.h"

typedef struct {
    uint32_t from, to;
} edge;

typedef HLO_LIST(edge) edge_list;

static void add_operands(edge_list *edges, const hlo_instr *instr) {
    const hlo_attr *control = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
    for (uint32_t k = 0; k < instr->operand_count; k++)
        hlo_list_push(edges, (edge){hlo_operand(instr, k)->index, instr->index});
    for (uint32_t k = 0; control && k < control->u.instructions->n; k++)
        hlo_list_push(edges, (edge){control->u.instructions->v[k]->index, instr->index});
}

/* In the order of the instructions that have them. */
static edge_list find_edges(const hlo_call_graph *graph, const hlo_computation *c) {
    edge_list edges = {0};
    const hlo_instr *effect = NULL;
    for (const hlo_instr *i = c->first; i; i = i->next) {
        add_operands(&edges, i);
        if (!hlo_call_graph_effect(graph, i)) continue;
        if (effect) hlo_list_push(&edges, (edge){effect->index, i->index});
        effect = i;
    }
    return edges;
}

/* Where edges begin, by where they end: those of i from (*first)[i] up to (*first)[i + 1]. */
static uint32_t *group(const edge_list *edges, uint32_t count, uint32_t **first) {
    uint32_t *from = hlo_malloc((edges->n + 1u) * sizeof *from);
    uint32_t *place = hlo_calloc(count + 1u, sizeof *place);
    *first = hlo_calloc(count + 1u, sizeof **first);
    for (uint32_t e = 0; e < edges->n; e++) (*first)[edges->v[e].to + 1]++;
    for (uint32_t i = 0; i < count; i++) (*first)[i + 1] += (*first)[i];
    memcpy(place, *first, (count + 1u) * sizeof *place);
    for (uint32_t e = 0; e < edges->n; e++) from[place[edges->v[e].to]++] = edges->v[e].from;
    hlo_free(place);
    return from;
}

static double size_of(const hlo_buffer *buffer) {
    int64_t bytes = hlo_shape_bytes(buffer->shape);
    bool is_there =
        buffer->maker->opcode == HLO_OP_PARAMETER || buffer->maker->opcode == HLO_OP_CONSTANT;
    return is_there || bytes < 0 ? 0 : (double)bytes;
}

static void measure(hlo_dependences *d) {
    hlo_dataflow_init(&d->flow, d->computation);
    d->size = hlo_calloc(d->flow.buffers.n + 1u, sizeof *d->size);
    d->made = hlo_calloc(d->count + 1u, sizeof *d->made);
    for (uint32_t b = 0; b < d->flow.buffers.n; b++) {
        d->size[b] = size_of(&d->flow.buffers.v[b]);
        d->made[d->flow.buffers.v[b].maker->index] += d->size[b];
    }
}

void hlo_dependences_init(hlo_dependences *d, const hlo_call_graph *graph, hlo_computation *c) {
    *d = (hlo_dependences){.computation = c, .count = c->instr_count};
    d->instr = hlo_malloc((d->count + 1u) * sizeof *d->instr);
    hlo_number_instructions(c);
    for (hlo_instr *i = c->first; i; i = i->next) d->instr[i->index] = i;
    edge_list edges = find_edges(graph, c);
    d->before = group(&edges, d->count, &d->first_before);
    for (uint32_t e = 0; e < edges.n; e++) edges.v[e] = (edge){edges.v[e].to, edges.v[e].from};
    d->after = group(&edges, d->count, &d->first_after);
    hlo_list_free(&edges);
    measure(d);
    d->users = hlo_calloc(d->count + 1u, sizeof *d->users);
    for (uint32_t i = 0; i < d->count; i++)
        for (const hlo_use *use = d->instr[i]->first_use; use; use = use->next)
            d->users[i] += !use->prev || use->prev->user != use->user;
}

void hlo_dependences_free(hlo_dependences *d) {
    hlo_free(d->instr);
    hlo_free(d->first_before);
    hlo_free(d->before);
    hlo_free(d->first_after);
    hlo_free(d->after);
    hlo_free(d->size);
    hlo_free(d->made);
    hlo_free(d->users);
    hlo_dataflow_free(&d->flow);
}
