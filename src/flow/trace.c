/* Events of a run as JSON lines (reference of the fields: docs/dataflow.md) and as a Chrome trace.
 * See trace.h. */
#include "flow/trace.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/json_string.h"
#include "eval/value/swap.h"

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
    [HLO_EVENT_SWAP_OUT] = "swap-out",
    [HLO_EVENT_SWAP_IN] = "swap-in",
};

/* One event, as in both forms. */
typedef struct {
    hlo_flow_event event;
    const hlo_instr *instr; /* NULL: of a frame */
    uint32_t device, thread;
    uint64_t at, since;
    bool is_dead;
    hlo_str tag;
    uint64_t bytes; /* swapped; 0: of another event */
} event_row;

static double microseconds(uint64_t from, uint64_t to) {
    return to > from ? (double)(to - from) / 1000 : 0;
}

static void put_name(hlo_buf *to, const event_row *row) {
    if (row->instr) hlo_json_string(to, row->instr->name->ptr, row->instr->name->len);
    else hlo_json_string(to, row->tag.ptr, row->tag.len);
}

/* What only some events have: swapping knows no iteration. */
static void put_particulars(hlo_buf *to, const event_row *row) {
    if (row->bytes) {
        hlo_buf_printf(to, "\"bytes\": %" PRIu64, row->bytes);
        return;
    }
    hlo_buf_lit(to, "\"tag\": ");
    hlo_json_string(to, row->tag.ptr, row->tag.len);
    hlo_buf_printf(to, ", \"dead\": %s", row->is_dead ? "true" : "false");
}

static void put_line(const hlo_flow_trace *trace, const event_row *row, hlo_buf *text) {
    hlo_buf_printf(text, "{\"t\": %.3f, \"device\": %u, \"thread\": %u, \"event\": \"%s\"",
                   microseconds(trace->start, row->at), row->device, row->thread,
                   names[row->event]);
    if (row->instr) hlo_buf_lit(text, ", \"node\": ");
    if (row->instr) put_name(text, row);
    hlo_buf_lit(text, ", ");
    put_particulars(text, row);
    hlo_buf_lit(text, "}\n");
}

static void put_chrome(hlo_flow_trace *trace, const event_row *row, hlo_buf *text) {
    uint64_t since = row->since ? row->since : row->at;
    hlo_buf_printf(text, "%s{\"ph\": \"%s\", \"pid\": %u, \"tid\": %u, \"ts\": %.3f",
                   trace->has_events ? ",\n" : "", row->since ? "X" : "i", row->device, row->thread,
                   microseconds(trace->start, since));
    if (row->since) hlo_buf_printf(text, ", \"dur\": %.3f", microseconds(since, row->at));
    hlo_buf_lit(text, ", \"name\": ");
    put_name(text, row);
    hlo_buf_printf(text, ", \"cat\": \"%s\", \"args\": {", names[row->event]);
    put_particulars(text, row);
    hlo_buf_lit(text, "}}");
    trace->has_events = true;
}

static void write_row(hlo_flow_trace *trace, const event_row *row) {
    hlo_buf text = HLO_BUF_INIT;
    pthread_mutex_lock(&trace->lock);
    if (trace->is_chrome) put_chrome(trace, row, &text);
    else put_line(trace, row, &text);
    fwrite(text.data, 1, text.len, trace->to);
    pthread_mutex_unlock(&trace->lock);
    hlo_buf_free(&text);
}

/* ---- swap files ---- */

/* A device's file, whose thread is counted after those of the run. */
struct swap_watch {
    hlo_flow_trace *trace;
    hlo_swap *swap;
    uint32_t device, thread;
};

static void see_swap(void *context, const hlo_instr *stack, bool is_out, uint64_t bytes,
                     uint64_t since) {
    const struct swap_watch *watch = context;
    write_row(watch->trace, &(event_row){.event = is_out ? HLO_EVENT_SWAP_OUT : HLO_EVENT_SWAP_IN,
                                         .instr = stack,
                                         .device = watch->device,
                                         .thread = watch->thread,
                                         .at = hlo_clock(),
                                         .since = since,
                                         .bytes = bytes});
}

static void watch_swaps(hlo_flow_trace *trace, const hlo_steps *steps, uint32_t first,
                        uint32_t last, uint32_t threads) {
    trace->watches = hlo_calloc(last - first + 1u, sizeof *trace->watches);
    trace->watch_count = last - first;
    for (uint32_t d = first; d < last; d++) {
        struct swap_watch *watch = &trace->watches[d - first];
        *watch = (struct swap_watch){trace, steps[d].device->stacks.swap, d, threads};
        hlo_swap_observe(watch->swap, see_swap, watch);
    }
}

static void unwatch_swaps(hlo_flow_trace *trace) {
    for (uint32_t d = 0; d < trace->watch_count; d++)
        hlo_swap_observe(trace->watches[d].swap, NULL, NULL);
    hlo_free(trace->watches);
}

/* ---- the run ---- */

void hlo_trace_begin(hlo_flow_trace *trace, const hlo_steps *steps, uint32_t first, uint32_t last,
                     uint32_t threads) {
    if (!hlo_traces(trace)) return;
    pthread_mutex_init(&trace->lock, NULL);
    trace->start = hlo_clock();
    if (trace->is_chrome) fputs("[\n", trace->to);
    watch_swaps(trace, steps, first, last, threads);
}

void hlo_trace_end(hlo_flow_trace *trace) {
    if (!hlo_traces(trace)) return;
    unwatch_swaps(trace);
    if (trace->is_chrome) fputs("\n]\n", trace->to);
    pthread_mutex_destroy(&trace->lock);
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
