/* Events of a run as JSON lines (reference of the fields: docs/dataflow.md) and as a Chrome trace.
 * See trace.h. */
#include "flow/trace.h"

#include "base/clock.h"
#include "base/json_string.h"

static const char *const names[] = {
    [HLO_EVENT_FIRE] = "fire",
    [HLO_EVENT_FRAME_OPEN] = "frame-open",
    [HLO_EVENT_FRAME_CLOSE] = "frame-close",
    [HLO_EVENT_ITERATION_OPEN] = "iteration-open",
    [HLO_EVENT_ITERATION_CLOSE] = "iteration-close",
    [HLO_EVENT_HELD] = "held",
    [HLO_EVENT_SEND] = "send",
    [HLO_EVENT_RECV] = "recv",
    [HLO_EVENT_PUSH] = "push",
    [HLO_EVENT_POP] = "pop",
};

/* One event, as both forms tell it. */
typedef struct {
    hlo_flow_event event;
    const hlo_instr *instr; /* NULL: of a frame */
    uint32_t device, thread;
    uint64_t at, since;
    bool is_dead;
    hlo_str tag;
} event_row;

static double microseconds(uint64_t from, uint64_t to) {
    return to > from ? (double)(to - from) / 1000 : 0;
}

static void put_name(hlo_buf *to, const event_row *row) {
    if (row->instr) hlo_json_string(to, row->instr->name->ptr, row->instr->name->len);
    else hlo_json_string(to, row->tag.ptr, row->tag.len);
}

static void put_line(const hlo_flow_trace *trace, const event_row *row, hlo_buf *text) {
    hlo_buf_printf(text, "{\"t\": %.3f, \"device\": %u, \"thread\": %u, \"event\": \"%s\"",
                   microseconds(trace->start, row->at), row->device, row->thread,
                   names[row->event]);
    if (row->instr) hlo_buf_lit(text, ", \"node\": ");
    if (row->instr) put_name(text, row);
    hlo_buf_lit(text, ", \"tag\": ");
    hlo_json_string(text, row->tag.ptr, row->tag.len);
    hlo_buf_printf(text, ", \"dead\": %s}\n", row->is_dead ? "true" : "false");
}

static void put_chrome(hlo_flow_trace *trace, const event_row *row, hlo_buf *text) {
    uint64_t since = row->since ? row->since : row->at;
    hlo_buf_printf(text, "%s{\"ph\": \"%s\", \"pid\": %u, \"tid\": %u, \"ts\": %.3f",
                   trace->has_events ? ",\n" : "", row->since ? "X" : "i", row->device, row->thread,
                   microseconds(trace->start, since));
    if (row->since) hlo_buf_printf(text, ", \"dur\": %.3f", microseconds(since, row->at));
    hlo_buf_lit(text, ", \"name\": ");
    put_name(text, row);
    hlo_buf_printf(text, ", \"cat\": \"%s\", \"args\": {\"tag\": ", names[row->event]);
    hlo_json_string(text, row->tag.ptr, row->tag.len);
    hlo_buf_printf(text, ", \"dead\": %s}}", row->is_dead ? "true" : "false");
    trace->has_events = true;
}

static void write_row(hlo_flow_trace *trace, const event_row *row) {
    hlo_buf text = HLO_BUF_INIT;
    if (trace->is_chrome) put_chrome(trace, row, &text);
    else put_line(trace, row, &text);
    fwrite(text.data, 1, text.len, trace->to);
    hlo_buf_free(&text);
}

void hlo_trace_begin(hlo_flow_trace *trace) {
    if (!hlo_traces(trace)) return;
    trace->start = hlo_clock();
    if (trace->is_chrome) fputs("[\n", trace->to);
}

void hlo_trace_end(hlo_flow_trace *trace) {
    if (trace->is_chrome) fputs("\n]\n", trace->to);
}

static hlo_flow_event event_of(hlo_flow_event event, const hlo_instr *instr, bool is_dead) {
    if (event != HLO_EVENT_FIRE || is_dead) return event;
    if (instr->opcode == HLO_OP_STACK_PUSH) return HLO_EVENT_PUSH;
    return instr->opcode == HLO_OP_STACK_POP ? HLO_EVENT_POP : event;
}

void hlo_trace_node(hlo_flow_trace *trace, const hlo_graph *graph, hlo_flow_event event,
                    const hlo_node *node, const hlo_iteration *iteration, bool is_dead,
                    uint32_t thread, uint64_t since) {
    hlo_buf tag = HLO_BUF_INIT;
    hlo_put_tag(&tag, graph, iteration);
    event_row row = {.event = event,
                     .instr = node->instr,
                     .device = node->device,
                     .thread = thread,
                     .at = hlo_clock(),
                     .since = since,
                     .is_dead = is_dead,
                     .tag = {tag.data, (uint32_t)tag.len, 0}};
    const hlo_graph_step *step = node->kind == HLO_NODE_STEP ? &graph->steps.v[node->step] : NULL;
    for (uint32_t i = 0; i < (step ? step->instrs.n : 1); i++) {
        if (step) row.instr = step->instrs.v[i];
        row.event = event_of(event, row.instr, is_dead);
        write_row(trace, &row);
        if (row.event == event || is_dead) continue;
        row.event = event;
        write_row(trace, &row);
    }
    hlo_buf_free(&tag);
}

void hlo_trace_frame(hlo_flow_trace *trace, const hlo_graph *graph, hlo_flow_event event,
                     const hlo_iteration *iteration, uint32_t thread) {
    hlo_buf tag = HLO_BUF_INIT;
    bool is_frame = event == HLO_EVENT_FRAME_OPEN || event == HLO_EVENT_FRAME_CLOSE;
    hlo_put_tag(&tag, graph, iteration);
    while (is_frame && tag.len && tag.data[tag.len - 1] != '/') tag.len--;
    if (is_frame && tag.len) tag.len--;
    event_row row = {.event = event,
                     .device = graph->frames.v[iteration->instance->frame].device,
                     .thread = thread,
                     .at = hlo_clock(),
                     .tag = {tag.data, (uint32_t)tag.len, 0}};
    write_row(trace, &row);
    hlo_buf_free(&tag);
}
