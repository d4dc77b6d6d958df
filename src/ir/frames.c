/* Static frames of a dataflow graph: see frames.h. */
#include "ir/frames.h"

typedef struct {
    hlo_static_frames found;
    uint32_t capacity;
    hlo_frame_fault *fault;
    void *context;
} search;

enum { ROOT = 0 };

static void report(const search *s, hlo_rule rule, const hlo_instr *instr, const hlo_instr *other,
                   const char *message) {
    if (s->fault) s->fault(s->context, rule, instr, other, message);
}

const hlo_instr *hlo_switch_side(const hlo_instr *instr, int64_t *side) {
    if (instr->opcode != HLO_OP_GET_TUPLE_ELEMENT) return NULL;
    const hlo_instr *def = hlo_operand(instr, 0);
    if (def->opcode != HLO_OP_SWITCH) return NULL;
    *side = hlo_attr_int(instr, HLO_ATTR_INDEX);
    return def;
}

/* ---- frames by name ---- */

static uint32_t add_frame(search *s, hlo_static_frame frame) {
    HLO_ASSERT(s->found.count <= s->capacity);
    if (s->found.count == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 8;
        s->found.v = hlo_realloc(s->found.v, s->capacity * sizeof *s->found.v);
    }
    s->found.v[s->found.count] = frame;
    return s->found.count++;
}

static hlo_str frame_name(const hlo_instr *enter) {
    HLO_ASSERT(enter->opcode == HLO_OP_ENTER);
    const hlo_attr *name = hlo_instr_attr(enter, HLO_ATTR_FRAME_NAME);
    return name ? *name->u.string : (hlo_str){0};
}

static uint32_t find_frame(const search *s, hlo_str name) {
    for (uint32_t i = 1; i < s->found.count; i++)
        if (hlo_str_equal(s->found.v[i].name, name)) return i;
    return ROOT;
}

/* All enters with a number of parallel iterations have the same. */
static void check_iterations(search *s, uint32_t number, const hlo_instr *enter) {
    HLO_ASSERT(enter->opcode == HLO_OP_ENTER);
    HLO_ASSERT(number != ROOT && number < s->found.count);
    hlo_static_frame *frame = &s->found.v[number];
    const hlo_attr *given = hlo_instr_attr(enter, HLO_ATTR_PARALLEL_ITERATIONS);
    if (!given) return;
    if (given->u.i < 1)
        report(s, HLO_RULE_PARALLEL_ITERATIONS, enter, NULL, "parallel_iterations is less than 1");
    if (frame->limit && frame->parallel_iterations != given->u.i)
        report(s, HLO_RULE_PARALLEL_ITERATIONS, frame->limit, enter,
               "another enter of the frame has other parallel_iterations");
    if (frame->limit) return;
    frame->limit = enter;
    frame->parallel_iterations = given->u.i;
}

static uint32_t open_frame(search *s, const hlo_instr *enter, uint32_t parent) {
    HLO_ASSERT(parent < s->found.count);
    hlo_str name = frame_name(enter);
    uint32_t number = find_frame(s, name);
    if (number == ROOT)
        number = add_frame(s, (hlo_static_frame){.name = name,
                                                 .parent = parent,
                                                 .depth = s->found.v[parent].depth + 1,
                                                 .enter = enter});
    else if (s->found.v[number].parent != parent)
        report(s, HLO_RULE_FRAME, enter, s->found.v[number].enter,
               "the frame has another parent at another enter");
    hlo_static_frame *frame = &s->found.v[number];
    frame->enter_count++;
    frame->variable_count += !hlo_attr_int(enter, HLO_ATTR_IS_CONSTANT);
    check_iterations(s, number, enter);
    return number;
}

/* ---- instructions ---- */

static bool join(search *s, const hlo_instr *instr, const hlo_instr *from, bool *is_known,
                 uint32_t *inside) {
    uint32_t frame = s->found.of[from->index];
    HLO_ASSERT(frame < s->found.count);
    if (*is_known && frame != *inside) {
        report(s, HLO_RULE_FRAME, instr, from,
               "operands and control predecessors are in several "
               "frames");
        return false;
    }
    *inside = frame;
    *is_known = true;
    return true;
}

/* The frame of the operands and control predecessors; that of an instruction without any is the
 * root. */
static uint32_t inside_of(search *s, const hlo_instr *instr) {
    bool is_known = false;
    uint32_t inside = ROOT;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (!join(s, instr, hlo_operand(instr, i), &is_known, &inside)) return inside;
    const hlo_attr *control = hlo_instr_attr(instr, HLO_ATTR_CONTROL_PREDECESSORS);
    for (uint32_t i = 0; control && i < control->u.instructions->n; i++)
        if (!join(s, instr, control->u.instructions->v[i], &is_known, &inside)) break;
    return inside;
}

/* The switches before the exits of a frame have one predicate. */
static void note_predicate(search *s, const hlo_instr *exit, uint32_t number) {
    HLO_ASSERT(exit->opcode == HLO_OP_EXIT && number < s->found.count);
    int64_t side;
    const hlo_instr *decides = hlo_switch_side(hlo_operand(exit, 0), &side);
    hlo_static_frame *frame = &s->found.v[number];
    if (!decides) return;
    if (frame->decides && hlo_operand(frame->decides, 1) != hlo_operand(decides, 1))
        report(s, HLO_RULE_LOOP, frame->decides, decides,
               "another exit of the frame has another predicate");
    if (!frame->decides) frame->decides = decides;
}

static uint32_t leave_frame(search *s, const hlo_instr *exit, uint32_t inside) {
    if (inside == ROOT) report(s, HLO_RULE_FRAME, exit, NULL, "it is outside of a frame");
    else note_predicate(s, exit, inside);
    return s->found.v[inside].parent;
}

static uint32_t frame_of(search *s, const hlo_instr *instr) {
    uint32_t inside = inside_of(s, instr);
    switch (instr->opcode) {
    case HLO_OP_ENTER: return open_frame(s, instr, inside);
    case HLO_OP_EXIT: return leave_frame(s, instr, inside);
    case HLO_OP_NEXT_ITERATION:
        if (inside == ROOT)
            report(s, HLO_RULE_FRAME, instr, NULL, "it is outside of a frame with iterations");
        s->found.v[inside].next_count++;
        return inside;
    default: return inside;
    }
}

hlo_static_frames hlo_static_frames_find(hlo_module *module, hlo_frame_fault *fault,
                                         void *context) {
    search s = {.fault = fault, .context = context};
    hlo_computation *entry = module->entry;
    hlo_number_instructions(entry);
    s.found.of = hlo_calloc(entry->instr_count, sizeof *s.found.of);
    add_frame(&s, (hlo_static_frame){.parent = ROOT, .parallel_iterations = 1});
    for (const hlo_instr *i = entry->first; i; i = i->next) s.found.of[i->index] = frame_of(&s, i);
    for (uint32_t i = 1; i < s.found.count; i++)
        if (!s.found.v[i].parallel_iterations)
            s.found.v[i].parallel_iterations =
                hlo_attr_table[HLO_ATTR_PARALLEL_ITERATIONS].fallback;
    return s.found;
}

void hlo_static_frames_free(hlo_static_frames *frames) {
    hlo_free(frames->v);
    hlo_free(frames->of);
    *frames = (hlo_static_frames){0};
}

uint32_t hlo_frame_inside(const hlo_static_frames *frames, const hlo_instr *instr) {
    if (instr->opcode != HLO_OP_ENTER && instr->opcode != HLO_OP_EXIT)
        return frames->of[instr->index];
    return frames->of[hlo_operand(instr, 0)->index];
}
