/* The end of a run in several processes. A process that cannot go on reports to process 0 what is
 * left, and the messages that it has sent to and received from each. When all have reported, and
 * what each has sent to each is what that one has received, no message is under way and none has
 * been received since the reports: the first process to receive one would have got it from a
 * process that sent it before its own report, which counts it. */
#include "flow/remote_parts.h"

static uint32_t ranks_of(const hlo_remote *remote) {
    return remote->transport->ranks;
}

static hlo_remote_report *new_report(const hlo_remote *remote) {
    return hlo_calloc(1, remote->report_bytes);
}

void hlo_remote_make_reports(hlo_remote *remote) {
    remote->report_bytes =
        sizeof *remote->own + 2 * (size_t)ranks_of(remote) * sizeof *remote->own->messages;
    remote->own = new_report(remote);
    remote->told = new_report(remote);
    if (!remote->transport->rank)
        remote->reports = hlo_calloc(ranks_of(remote), sizeof *remote->reports);
}

/* ---- reporting ---- */

/* Whether there is something new to report: it is in `told` then. */
static bool has_news(hlo_remote *remote) {
    hlo_execution *run = remote->run;
    hlo_remote_lock(remote);
    bool is_new = hlo_flow_rests(run) && !remote->posted;
    if (is_new) {
        remote->own->left = hlo_flow_leftovers(run);
        is_new = !remote->has_told || memcmp(remote->told, remote->own, remote->report_bytes) != 0;
        memcpy(remote->told, remote->own, remote->report_bytes);
    }
    pthread_mutex_unlock(&run->lock);
    remote->has_told |= is_new;
    return is_new;
}

void hlo_remote_report_rest(hlo_remote *remote) {
    if (!has_news(remote)) return;
    if (remote->transport->rank)
        hlo_remote_send_frame(remote, 0, HLO_REMOTE_REPORT, remote->told, remote->report_bytes);
    else hlo_remote_receive_report(remote, 0, remote->told);
}

/* ---- process 0 ---- */

static void tell_all(hlo_remote *remote, hlo_remote_kind kind, const void *text, size_t bytes) {
    for (uint32_t rank = 1; rank < ranks_of(remote); rank++)
        hlo_remote_send_frame(remote, rank, kind, text, bytes);
}

static bool have_all_arrived(const hlo_remote *remote, uint32_t from) {
    uint32_t ranks = ranks_of(remote);
    for (uint32_t to = 0; to < ranks; to++)
        if (remote->reports[from]->messages[to] != remote->reports[to]->messages[ranks + from])
            return false;
    return true;
}

static bool has_ended(const hlo_remote *remote) {
    uint32_t i = 0;
    while (i < ranks_of(remote) && remote->reports[i]) i++;
    if (i < ranks_of(remote)) return false;
    while (i > 0 && have_all_arrived(remote, i - 1)) i--;
    return i == 0;
}

static void end_all(hlo_remote *remote) {
    hlo_leftovers left = {0};
    for (uint32_t i = 0; i < ranks_of(remote); i++) {
        const hlo_leftovers *one = &remote->reports[i]->left;
        left.failed += one->failed;
        left.iterations += one->iterations;
        left.recvs += one->recvs;
        left.messages += one->messages;
        left.nodes += one->nodes;
        left.stack_peak += one->stack_peak;
    }
    tell_all(remote, HLO_REMOTE_FINISHED, &left, sizeof left);
    hlo_remote_finish(remote, &left);
}

void hlo_remote_receive_report(hlo_remote *remote, uint32_t from, const void *report) {
    HLO_ASSERT(from < ranks_of(remote));
    hlo_remote_report **known = &remote->reports[from];
    if (!*known) *known = new_report(remote);
    memcpy(*known, report, remote->report_bytes);
    if ((*known)->left.failed && !remote->has_told_over) {
        remote->has_told_over = true;
        tell_all(remote, HLO_REMOTE_OVER, NULL, 0);
        hlo_remote_be_over(remote);
    }
    if (has_ended(remote)) end_all(remote);
}

/* ---- frames from process 0 ---- */

void hlo_remote_be_over(hlo_remote *remote) {
    hlo_remote_lock(remote);
    remote->run->has_failed = true;
    pthread_mutex_unlock(&remote->run->lock);
}

void hlo_remote_finish(hlo_remote *remote, const void *left) {
    hlo_execution *run = remote->run;
    hlo_remote_lock(remote);
    memcpy(&run->left, left, sizeof run->left);
    run->has_finished = true;
    atomic_store(&run->is_over, true);
    pthread_mutex_unlock(&run->lock);
    remote->is_finished = true;
    hlo_job_notify(run->pool);
}
