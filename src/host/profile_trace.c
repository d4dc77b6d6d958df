/* The events of a profile as JSON for chrome://tracing and Perfetto: complete events ("X"), which
 * these nest by their times, on one track for each thread. */
#include <inttypes.h>

#include "base/json_string.h"
#include "host/profile.h"

/* Names are made once for each step, not for each event. */
typedef struct {
    hlo_buf *to;
    const hlo_run *run;
    hlo_profile_list names; /* for its arena */
    hlo_str *steps;         /* `"name": ..., "cat": ..., "args": ...` by number; empty: not made */
} trace;

static hlo_str describe(trace *t, uint32_t step) {
    hlo_buf text = HLO_BUF_INIT, label = HLO_BUF_INIT;
    hlo_profile_row row = {0};
    hlo_profile_name_step(&t->names, t->run, step, &row);
    hlo_profile_put_label(&label, &row);
    hlo_buf_lit(&text, "\"name\": ");
    hlo_json_string(&text, label.data, label.len);
    hlo_buf_printf(&text, ", \"cat\": \"%s\", \"args\": {\"instruction\": ", row.opcode);
    hlo_json_string(&text, row.name, strlen(row.name));
    hlo_buf_printf(&text, ", \"kernel\": \"%s\"}", row.kernel);
    char *kept = hlo_arena_alloc(&t->names.arena, text.len);
    memcpy(kept, text.data, text.len);
    hlo_str described = {kept, (uint32_t)text.len, 0};
    hlo_buf_free(&text);
    hlo_buf_free(&label);
    return described;
}

static void put_step(trace *t, const hlo_event *event) {
    hlo_str *step = &t->steps[event->number];
    if (!step->len) *step = describe(t, event->number);
    hlo_buf_str(t->to, *step);
}

static void put_frame(trace *t, const hlo_event *event) {
    const hlo_name *name = hlo_profile_computation(t->run->profile, event->number)->name;
    hlo_buf_lit(t->to, "\"name\": ");
    hlo_json_string(t->to, name->ptr, name->len);
    hlo_buf_lit(t->to, ", \"cat\": \"computation\"");
    if (event->iteration >= 0)
        hlo_buf_printf(t->to, ", \"args\": {\"iteration\": %" PRId64 "}", event->iteration);
}

static void put_microseconds(hlo_buf *to, const char *name, uint64_t nanoseconds) {
    hlo_buf_printf(to, ", \"%s\": %" PRIu64 ".%03" PRIu64, name, nanoseconds / 1000,
                   nanoseconds % 1000);
}

static void put_event(trace *t, const hlo_event *event) {
    hlo_buf_lit(t->to, ",\n{");
    if (event->kind == HLO_EVENT_FRAME) put_frame(t, event);
    else put_step(t, event);
    hlo_buf_lit(t->to, ", \"ph\": \"X\"");
    put_microseconds(t->to, "ts", event->begin);
    put_microseconds(t->to, "dur", event->end - event->begin);
    hlo_buf_printf(t->to, ", \"pid\": 1, \"tid\": %u}", event->lane);
}

static void put_track(hlo_buf *to, uint32_t lane) {
    hlo_buf_printf(to,
                   ",\n{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": %u, "
                   "\"args\": {\"name\": \"thread %u\"}}",
                   lane, lane);
}

static uint32_t count_lanes(const hlo_event *events, uint64_t count) {
    uint32_t lanes = 0;
    for (uint64_t n = 0; n < count; n++)
        if (events[n].lane >= lanes) lanes = events[n].lane + 1u;
    return lanes;
}

void hlo_profile_put_trace(hlo_buf *to, const hlo_run *run) {
    uint64_t kept, all;
    const hlo_event *events = hlo_profile_events(run->profile, &kept, &all);
    trace t = {.to = to, .run = run};
    hlo_arena_init(&t.names.arena);
    t.steps = hlo_calloc(hlo_profile_steps(run->profile) + 1u, sizeof *t.steps);
    hlo_buf_printf(to,
                   "{\"displayTimeUnit\": \"ns\", \"otherData\": {\"events\": %" PRIu64
                   ", \"events_left_out\": %" PRIu64 "},\n\"traceEvents\": [\n"
                   "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 1, \"args\": "
                   "{\"name\": ",
                   kept, all - kept);
    hlo_json_string(to, run->module->name.ptr, run->module->name.len);
    hlo_buf_lit(to, "}}");
    uint32_t lanes = count_lanes(events, kept);
    for (uint32_t lane = 0; lane < lanes; lane++) put_track(to, lane);
    for (uint64_t n = 0; n < kept; n++) put_event(&t, &events[n]);
    hlo_buf_lit(to, "\n]}\n");
    hlo_free(t.steps);
    hlo_arena_free(&t.names.arena);
}
