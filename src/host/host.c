/* The host of a run: where infeed and recv take their arrays from, and outfeed and send leave them,
 * each array of a tuple on its own. */
#include "host/run.h"

/* ---- setting up ---- */

/* The CHANNEL of "CHANNEL=FILE". */
static size_t channel_length(const char *text) {
    return strcspn(text, "=");
}

static hlo_status check_channels(const char *const *texts, size_t count, const char *option,
                                 hlo_diags *diags) {
    for (size_t i = 0; i < count; i++) {
        size_t length = channel_length(texts[i]);
        if (length && texts[i][length] && texts[i][length + 1]) continue;
        hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0}, "--%s takes CHANNEL=FILE, not '%s'",
                  option, texts[i]);
        return HLO_BAD_USE;
    }
    return HLO_OK;
}

/* Several texts may name one channel: its files in their order. */
static void add_recv(hlo_run_host *host, const char *text) {
    size_t length = channel_length(text);
    hlo_run_channel *channel = NULL;
    for (size_t i = 0; i < host->recv_count && !channel; i++)
        if (host->recv[i].length == length && memcmp(host->recv[i].name, text, length) == 0)
            channel = &host->recv[i];
    if (!channel) {
        channel = &host->recv[host->recv_count++];
        *channel = (hlo_run_channel){
            .name = text, .length = length, .in.kind = "recv", .in.device = host->device};
        channel->files = hlo_calloc(host->recv_capacity, sizeof *channel->files);
        channel->in.files = channel->files;
    }
    channel->files[channel->in.count++] = text + length + 1;
}

static void name_device(hlo_run *run) {
    hlo_buf name = HLO_BUF_INIT;
    hlo_run_put_device(&name, run);
    snprintf(run->host.device, sizeof run->host.device, "%.*s", (int)name.len,
             name.len ? name.data : "");
    hlo_buf_free(&name);
}

/* Several devices have separate files. */
static hlo_status check_directories(const hlo_run_host *host, hlo_diags *diags) {
    const char *path = hlo_feed_one_file(host->outfeed.path);
    for (size_t i = 0; i < host->infeed.count && !path; i++)
        path = hlo_feed_one_pipe(host->infeed.files[i]);
    for (size_t i = 0; i < host->recv_count && !path; i++)
        for (size_t k = 0; k < host->recv[i].in.count && !path; k++)
            path = hlo_feed_one_pipe(host->recv[i].files[k]);
    for (size_t i = 0; i < host->send_count && !path; i++)
        path = hlo_feed_one_file(host->send[i].out.path);
    if (!path) return HLO_OK;
    hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0},
              "%s cannot be used for several devices; a directory can, with files for each", path);
    return HLO_BAD_USE;
}

hlo_status hlo_run_open_host(hlo_run *run, const hlo_run_options *options, hlo_diags *diags) {
    hlo_run_host *host = &run->host;
    name_device(run);
    host->infeed = (hlo_feed_in){.kind = "infeed",
                                 .device = host->device,
                                 .files = options->host.infeed,
                                 .count = options->host.infeed_count};
    host->outfeed =
        (hlo_feed_out){.kind = "outfeed", .device = host->device, .path = options->host.outfeed};
    hlo_status status = check_channels(options->host.recv, options->host.recv_count, "recv", diags);
    if (status == HLO_OK)
        status = check_channels(options->host.send, options->host.send_count, "send", diags);
    if (status != HLO_OK) return status;
    host->recv_capacity = options->host.recv_count;
    host->recv = hlo_calloc(options->host.recv_count, sizeof *host->recv);
    for (size_t i = 0; i < options->host.recv_count; i++) add_recv(host, options->host.recv[i]);
    host->send_count = options->host.send_count;
    host->send = hlo_calloc(options->host.send_count, sizeof *host->send);
    for (size_t i = 0; i < options->host.send_count; i++) {
        size_t length = channel_length(options->host.send[i]);
        host->send[i] = (hlo_run_channel){.name = options->host.send[i],
                                          .length = length,
                                          .out = {.kind = "send",
                                                  .device = host->device,
                                                  .path = options->host.send[i] + length + 1}};
    }
    return host->device[0] ? check_directories(host, diags) : HLO_OK;
}

hlo_status hlo_run_begin_host(hlo_run *run, hlo_diags *diags) {
    hlo_run_host *host = &run->host;
    hlo_status status = HLO_OK;
    hlo_feed_in_begin(&host->infeed);
    for (size_t i = 0; i < host->recv_count; i++) hlo_feed_in_begin(&host->recv[i].in);
    if (host->outfeed.path) status = hlo_feed_out_begin(&host->outfeed, diags);
    for (size_t i = 0; i < host->send_count && status == HLO_OK; i++)
        status = hlo_feed_out_begin(&host->send[i].out, diags);
    return status;
}

/* Of the processes that run the parts of a graph, the one whose part gives. */
static bool is_written_here(const hlo_run *run, const hlo_feed_out *feed) {
    return !run->graph || !run->world || feed->given;
}

hlo_status hlo_run_end_host(hlo_run *run, bool went_well, hlo_diags *diags) {
    hlo_run_host *host = &run->host;
    hlo_status status = HLO_OK;
    for (size_t i = 0; i <= host->send_count; i++) {
        hlo_feed_out *feed = i < host->send_count ? &host->send[i].out : &host->outfeed;
        hlo_status committed = HLO_OK;
        bool commits = went_well && status == HLO_OK && is_written_here(run, feed);
        if (commits) committed = hlo_feed_out_commit(feed, diags);
        else hlo_feed_out_discard(feed);
        if (committed != HLO_OK) status = committed;
    }
    return status;
}

void hlo_run_stop_host(hlo_run *run) {
    hlo_run_host *host = &run->host;
    hlo_feed_in_begin(&host->infeed);
    for (size_t i = 0; i < host->recv_count; i++) hlo_feed_in_begin(&host->recv[i].in);
    hlo_run_end_host(run, false, NULL);
}

void hlo_run_close_host(hlo_run *run) {
    hlo_run_host *host = &run->host;
    hlo_run_stop_host(run);
    for (size_t i = 0; i < host->recv_count; i++) hlo_free(host->recv[i].files);
    hlo_free(host->recv);
    hlo_free(host->send);
}

/* ---- whose array ---- */

static bool is_named(const hlo_run_channel *channel, hlo_str name) {
    return channel->length == name.len && memcmp(channel->name, name.ptr, name.len) == 0;
}

/* Whether the option means the channel of the transfer: by number, or by the name on which XLA's
 * runtimes agree. */
static bool is_channel_of(const hlo_run_channel *channel, const hlo_instr *instr) {
    const hlo_attr *id = hlo_instr_attr(instr, HLO_ATTR_CHANNEL_ID);
    char number[32];
    if (id) {
        snprintf(number, sizeof number, "%lld", (long long)id->u.i);
        if (is_named(channel, hlo_str_from(number))) return true;
    }
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_FRONTEND_ATTRIBUTES);
    const hlo_frontend *pairs = attr ? attr->u.frontend : NULL;
    for (uint32_t i = 0; pairs && i < pairs->n; i++)
        if (hlo_str_is(pairs->v[i].key, "_xla_host_transfer_rendezvous"))
            return is_named(channel, pairs->v[i].value);
    return false;
}

static hlo_run_channel *find_channel(hlo_run_channel *channels, size_t count,
                                     const hlo_instr *instr) {
    for (size_t i = 0; i < count; i++)
        if (is_channel_of(&channels[i], instr)) return &channels[i];
    return NULL;
}

static hlo_feed_in *source_of(hlo_run *run, const hlo_instr *instr) {
    if (instr->opcode == HLO_OP_INFEED) return run->host.infeed.count ? &run->host.infeed : NULL;
    hlo_run_channel *channel = find_channel(run->host.recv, run->host.recv_count, instr);
    return channel ? &channel->in : NULL;
}

static hlo_feed_out *target_of(hlo_run *run, const hlo_instr *instr) {
    if (instr->opcode == HLO_OP_OUTFEED) return run->host.outfeed.path ? &run->host.outfeed : NULL;
    hlo_run_channel *channel = find_channel(run->host.send, run->host.send_count, instr);
    return channel ? &channel->out : NULL;
}

bool hlo_run_has_host(void *context, const hlo_instr *instr) {
    bool takes = instr->opcode == HLO_OP_INFEED || instr->opcode == HLO_OP_RECV ||
                 instr->opcode == HLO_OP_RECV_DONE;
    return takes ? source_of(context, instr) != NULL : target_of(context, instr) != NULL;
}

/* ---- transfers ---- */

/* The steps of a graph have many threads, none of which is the run's. */
static void refuse_to_take(hlo_run *run, const hlo_feed_in *feed, const hlo_instr *instr) {
    static const char format[] = "receives more than the %zu array%s of the host";
    const char *plural = feed->taken == 1 ? "" : "s";
    if (!run->graph) {
        hlo_thread_error(run->thread, instr, format, feed->taken, plural);
        return;
    }
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_printf(&text, format, feed->taken, plural);
    hlo_error(run->diags, HLO_RULE_RUN, NULL, (hlo_span){0}, "'%.*s' (%s) %.*s",
              (int)instr->name->len, instr->name->ptr, hlo_info(instr)->text, (int)text.len,
              text.data);
    hlo_buf_free(&text);
}

static hlo_value *take_array(hlo_run *run, hlo_feed_in *feed, const hlo_instr *instr,
                             const hlo_shape *shape) {
    bool more;
    hlo_value *value = hlo_feed_take(feed, shape, run->diags, &more);
    if (!value && !more) refuse_to_take(run, feed, instr);
    return value;
}

static hlo_value *take(hlo_run *run, hlo_feed_in *feed, const hlo_instr *instr,
                       const hlo_shape *shape) {
    if (hlo_shape_is_array(shape)) return take_array(run, feed, instr, shape);
    hlo_value *value = hlo_value_new(shape);
    for (uint32_t i = 0; value && hlo_shape_is_tuple(shape) && i < shape->rank; i++) {
        value->elements[i] = take(run, feed, instr, shape->elements[i]);
        if (value->elements[i]) continue;
        hlo_value_release(value);
        return NULL;
    }
    return value;
}

hlo_value *hlo_run_take(void *context, const hlo_instr *instr, const hlo_shape *shape) {
    return take(context, source_of(context, instr), instr, shape);
}

/* Run-time sizes become the shapes of what leaves. */
static bool give(hlo_run *run, hlo_feed_out *feed, const hlo_value *value) {
    if (hlo_shape_is_array(value->shape)) return hlo_feed_give(feed, value, run->diags);
    for (uint32_t i = 0; value->elements && i < value->shape->rank; i++)
        if (!give(run, feed, value->elements[i])) return false;
    return true;
}

bool hlo_run_give(void *context, const hlo_instr *instr, hlo_value *value) {
    hlo_run *run = context;
    hlo_value *settled = hlo_value_settle(&run->result_shapes, hlo_value_retain(value));
    if (!settled) return hlo_run_no_memory(run->diags, "an array for the host") == HLO_OK;
    bool given = give(run, target_of(run, instr), settled);
    hlo_value_release(settled);
    return given;
}
