/* A frame as a loop: its enters are the state, what its predicate needs is the condition, what the
 * true side of its switches leads to is the body. */
#include "passes/dataflow/raise.h"

typedef struct {
    hlo_raising *r;
    hlo_raise_body *outside;
    uint32_t frame;
    const hlo_instr *predicate;
    const hlo_raise_list *nodes;
    hlo_raise_list condition, body;
    HLO_LIST(hlo_instr *) enters; /* of the state, by element */
    HLO_LIST(hlo_instr *) exits;
    hlo_instr **merges; /* by element; NULL: it is handed on */
    hlo_instr **values; /* by element: scratch */
    hlo_raise_tuple state;
    hlo_instr *made;
} loop;

static hlo_instr *node_at(const loop *p, uint32_t i) {
    return p->r->nodes.v[p->nodes->v[i]].instr;
}

/* ---- the parts ---- */

/* Where a node that is none of the loop's primitives stands. */
static bool sort_other(loop *p, hlo_instr *instr) {
    hlo_raising *r = p->r;
    uint32_t place = hlo_raise_place(r, instr);
    uint32_t child = place == p->frame ? place : hlo_raise_child(r, p->frame, place);
    const hlo_raise_region *region = &r->regions.v[child];
    bool is_decided = region->predicate == p->predicate;
    if (is_decided && !region->side)
        return hlo_raise_refuse(r, instr,
                                "the false side of the loop's predicate leads to an exit");
    hlo_list_push_in(&r->scratch, is_decided ? &p->body : &p->condition, instr->index);
    return true;
}

static bool sort_nodes(loop *p) {
    for (uint32_t i = 0; i < p->nodes->n; i++) {
        hlo_instr *instr = node_at(p, i);
        if (hlo_raise_loop_of(p->r, instr) == p->frame) {
            if (instr->opcode == HLO_OP_ENTER && !hlo_raise_at(p->r, instr)->literal) {
                hlo_raise_at(p->r, instr)->element = p->enters.n;
                hlo_list_push_in(&p->r->scratch, &p->enters, instr);
            }
            if (instr->opcode == HLO_OP_EXIT) hlo_list_push_in(&p->r->scratch, &p->exits, instr);
        } else if (!sort_other(p, instr)) return false;
    }
    return true;
}

static void find_merges(loop *p) {
    p->merges = HLO_NEW_ARRAY(&p->r->scratch, hlo_instr *, p->enters.n);
    p->values = HLO_NEW_ARRAY(&p->r->scratch, hlo_instr *, p->enters.n);
    for (uint32_t i = 0; i < p->nodes->n; i++) {
        hlo_instr *instr = node_at(p, i);
        if (hlo_raise_loop_of(p->r, instr) != p->frame || instr->opcode != HLO_OP_MERGE) continue;
        uint32_t element = hlo_raise_at(p->r, hlo_operand(instr, 0))->element;
        hlo_raise_at(p->r, instr)->element = element;
        p->merges[element] = instr;
    }
}

static void find_state(loop *p) {
    uint32_t n = p->enters.n;
    const hlo_shape **shapes = HLO_NEW_ARRAY(&p->r->scratch, const hlo_shape *, n + 1u);
    for (uint32_t i = 0; i < n; i++) shapes[i] = p->enters.v[i]->shape;
    const char *form = p->exits.n ? hlo_flow_form(p->exits.v[0], n) : NULL;
    p->state = (hlo_raise_tuple){n, shapes, form};
}

/* ---- computations ---- */

static void open_body(loop *p, hlo_raise_body *body, uint32_t region, const char *suffix) {
    hlo_buf name = HLO_BUF_INIT;
    hlo_buf_str(&name, p->r->frames.v[p->frame].name);
    hlo_buf_cstr(&name, suffix);
    hlo_buf_char(&name, 0);
    hlo_raise_open(p->r, body, region, NULL, name.data);
    hlo_buf_free(&name);
    body->form = p->state.form;
    for (uint32_t i = 0; i < p->enters.n; i++) {
        hlo_instr *element = hlo_raise_give(p->r, body, p->enters.v[i], p->state.shapes[i]);
        hlo_raise_at(p->r, p->enters.v[i])->image = element;
        if (p->merges[i]) hlo_raise_at(p->r, p->merges[i])->image = element;
    }
}

static hlo_computation *make_condition(loop *p) {
    hlo_raise_body body;
    open_body(p, &body, p->frame, ".condition");
    bool good = hlo_raise_fill(p->r, &body, &p->condition);
    hlo_instr *root =
        good ? hlo_raise_value(p->r, &body, hlo_operand(p->r->frames.v[p->frame].decides, 1),
                               p->predicate)
             : NULL;
    if (!root) return NULL;
    hlo_raise_tuple result = {.n = 1, .shapes = &root->shape};
    return hlo_raise_close(p->r, &body, &result, &root);
}

static bool enter_side(loop *p, hlo_instr *instr) {
    int64_t side;
    const hlo_instr *decides = hlo_switch_side(instr, &side);
    if (!decides || !side || hlo_raise_loop_of(p->r, instr) != p->frame) return true;
    hlo_raise_node *data = hlo_raise_at(p->r, hlo_operand(decides, 0));
    if (data->literal) return true;
    if (data->element == HLO_NOT_RAISED)
        return hlo_raise_refuse(p->r, decides,
                                "the loop's predicate controls neither a merge nor a constant");
    hlo_raise_at(p->r, instr)->image = data->image;
    return true;
}

static bool enter_sides(loop *p) {
    for (uint32_t i = 0; i < p->nodes->n; i++)
        if (!enter_side(p, node_at(p, i))) return false;
    return true;
}

static bool make_next_state(loop *p, hlo_raise_body *body) {
    for (uint32_t i = 0; i < p->enters.n; i++) {
        const hlo_instr *next = p->merges[i] ? hlo_back_edge(p->merges[i]) : NULL;
        p->values[i] =
            next ? hlo_raise_value(p->r, body, hlo_operand(next, 0), next) : body->elements.v[i];
        if (!p->values[i]) return false;
    }
    return true;
}

static uint32_t body_region(const loop *p) {
    for (uint32_t i = 0; i < p->nodes->n; i++) {
        int64_t side;
        const hlo_instr *instr = node_at(p, i);
        if (hlo_switch_side(instr, &side) && side && hlo_raise_loop_of(p->r, instr) == p->frame)
            return hlo_raise_at(p->r, instr)->region;
    }
    return p->frame;
}

static hlo_computation *make_body(loop *p) {
    hlo_raise_body body;
    open_body(p, &body, body_region(p), ".body");
    for (uint32_t i = 0; i < p->enters.n; i++) {
        /* Where a device is named for an element, the body reads it there. */
        const hlo_attr *sharding = hlo_instr_attr(p->enters.v[i], HLO_ATTR_SHARDING);
        if (sharding) hlo_instr_set_attr(body.elements.v[i], *sharding);
    }
    bool good =
        enter_sides(p) && hlo_raise_fill(p->r, &body, &p->body) && make_next_state(p, &body);
    return good ? hlo_raise_close(p->r, &body, &p->state, p->values) : NULL;
}

/* ---- the loop ---- */

static bool find_start(loop *p) {
    for (uint32_t i = 0; i < p->enters.n; i++) {
        hlo_instr *enter = p->enters.v[i];
        p->values[i] = hlo_raise_value(p->r, p->outside, hlo_operand(enter, 0), enter);
        if (!p->values[i]) return false;
    }
    return true;
}

static void make_loop(loop *p, hlo_computation *condition, hlo_computation *body) {
    hlo_instr *start = hlo_raise_pack(p->r, &p->state, p->values);
    p->made = hlo_build_while(p->r->r, condition, body, start);
    p->made->shape = hlo_raise_packed(p->r, &p->state);
    hlo_str name = p->r->frames.v[p->frame].name;
    hlo_instr_take_name(p->made, hlo_module_intern_copy(p->r->r->module, name));
}

/* The first exit has the attributes of the loop. */
static void carry(loop *p) {
    if (!p->exits.n) return;
    hlo_flow_carry(p->exits.v[0], p->made);
    hlo_flow_forget_form(p->made);
}

hlo_instr *hlo_raise_loop(hlo_raising *r, hlo_raise_body *outside, uint32_t frame,
                          const hlo_raise_list *nodes) {
    loop p = {.r = r,
              .outside = outside,
              .frame = frame,
              .predicate = hlo_raise_predicate(r, frame),
              .nodes = nodes};
    if (!sort_nodes(&p)) return NULL;
    find_merges(&p);
    find_state(&p);
    hlo_computation *condition = make_condition(&p);
    hlo_computation *body = condition ? make_body(&p) : NULL;
    if (!body || !find_start(&p)) return NULL;
    make_loop(&p, condition, body);
    carry(&p);
    for (uint32_t i = 0; i < p.exits.n; i++) {
        const hlo_instr *decides = hlo_operand(hlo_operand(p.exits.v[i], 0), 0);
        uint32_t element = hlo_raise_at(p.r, hlo_operand(decides, 0))->element;
        hlo_raise_at(p.r, p.exits.v[i])->image = hlo_raise_element(p.r, &p.state, p.made, element);
    }
    return p.made;
}
