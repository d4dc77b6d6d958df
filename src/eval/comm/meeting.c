/* Meetings of groups of devices: see comm.h. Called by kernel_device.c for collectives. */
#include <stdio.h>

#include "base/pool.h"
#include "eval/comm/comm_parts.h"
#include "eval/value_memory.h"

/* ---- finding the meeting ---- */

static bool is_same_group(const hlo_device_group *a, const hlo_device_group *b) {
    if (a == b) return true;
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++) same = a->devices[i] == b->devices[i];
    return same;
}

/* A device that has been to a meeting comes to the next one of the same topic. */
static hlo_meeting *find(hlo_comm *comm, const hlo_comm_topic *topic) {
    for (hlo_meeting *m = comm->meetings; m; m = m->next)
        if (m->key == topic->key && m->has_channel == topic->has_channel &&
            !m->is_here[topic->position] && is_same_group(m->group, topic->group))
            return m;
    return NULL;
}

static hlo_meeting *new_meeting(const hlo_comm_topic *topic, uint32_t count) {
    uint32_t members = topic->group->count;
    hlo_meeting *m = hlo_calloc(1, sizeof *m);
    m->has_channel = topic->has_channel;
    m->key = topic->key;
    m->group = topic->group;
    m->instr = topic->instr;
    m->count = count;
    m->is_here = hlo_calloc(members, sizeof *m->is_here);
    m->has_left = hlo_calloc(members, sizeof *m->has_left);
    m->offers = hlo_calloc((size_t)members * count, sizeof *m->offers);
    return m;
}

void hlo_meeting_free(hlo_meeting *m) {
    if (!m) return;
    for (size_t i = 0; i < (size_t)m->group->count * m->count; i++) hlo_value_release(m->offers[i]);
    hlo_value_release(m->common);
    hlo_free(m->offers);
    hlo_free(m->has_left);
    hlo_free(m->is_here);
    hlo_free(m);
}

static void append(hlo_comm *comm, hlo_meeting *meeting) {
    hlo_meeting **end = &comm->meetings;
    while (*end) end = &(*end)->next;
    *end = meeting;
}

static void take_out(hlo_comm *comm, hlo_meeting *meeting) {
    hlo_meeting **at = &comm->meetings;
    while (*at != meeting) at = &(*at)->next;
    *at = meeting->next;
}

/* ---- what must be the same ---- */

/* A start and what starts and ends at once are the same operation. */
static hlo_opcode operation(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_ALL_REDUCE_START: return HLO_OP_ALL_REDUCE;
    case HLO_OP_ALL_GATHER_START: return HLO_OP_ALL_GATHER;
    default: return (hlo_opcode)instr->opcode;
    }
}

static bool fit(const hlo_instr *a, const hlo_instr *b) {
    bool good = a == b || (operation(a) == operation(b) && a->operand_count == b->operand_count);
    for (uint32_t i = 0; a != b && good && i < a->operand_count; i++)
        good = hlo_shape_compatible(hlo_operand(a, i)->shape, hlo_operand(b, i)->shape);
    return good;
}

/* ---- arriving ---- */

/* With the lock held. */
static void come(hlo_comm *comm, hlo_meeting *m, const hlo_comm_topic *topic,
                 hlo_value *const *offers, bool are_kept) {
    for (uint32_t i = 0; i < m->count; i++)
        m->offers[(size_t)topic->position * m->count + i] = offers[i];
    m->is_here[topic->position] = true;
    m->are_kept = are_kept;
    if (++m->arrived == m->group->count) hlo_comm_wake_group(comm, m->group);
}

/* The meeting, which is not there when the run is over. */
static hlo_meeting *enter(hlo_comm *comm, const hlo_comm_topic *topic, hlo_meeting **fresh) {
    if (comm->is_over) return NULL;
    hlo_meeting *m = find(comm, topic);
    if (m) return m;
    m = *fresh;
    *fresh = NULL;
    append(comm, m);
    return m;
}

hlo_meeting *hlo_comm_arrive(hlo_comm *comm, const hlo_comm_topic *topic, hlo_value *const *offers,
                             uint32_t count, bool are_kept, const hlo_instr **other) {
    *other = NULL;
    hlo_meeting *fresh = new_meeting(topic, count);
    for (uint32_t i = 0; i < count; i++) hlo_value_retain(offers[i]);
    pthread_mutex_lock(&comm->lock);
    hlo_meeting *m = enter(comm, topic, &fresh);
    if (m && !fit(m->instr, topic->instr)) *other = m->instr;
    if (m && !*other) come(comm, m, topic, offers, are_kept);
    pthread_mutex_unlock(&comm->lock);
    hlo_meeting_free(fresh);
    if (m && !*other) return m;
    for (uint32_t i = 0; i < count; i++) hlo_value_release(offers[i]);
    return NULL;
}

static bool are_all_here(hlo_comm *comm, const void *meeting) {
    (void)comm;
    const hlo_meeting *m = meeting;
    return m->arrived == m->group->count;
}

hlo_comm_outcome hlo_comm_await(hlo_comm *comm, uint32_t device, const hlo_instr *instr,
                                hlo_meeting *meeting) {
    const hlo_comm_wait wait = {.instr = instr, .meeting = meeting};
    pthread_mutex_lock(&comm->lock);
    hlo_comm_outcome outcome = hlo_comm_sleep(comm, device, &wait, are_all_here, meeting);
    pthread_mutex_unlock(&comm->lock);
    return outcome;
}

const hlo_value *hlo_meeting_offer(const hlo_meeting *meeting, uint32_t member, uint32_t i) {
    return meeting->offers[(size_t)member * meeting->count + i];
}

/* ---- what they have in common ---- */

hlo_value *hlo_meeting_common(hlo_comm *comm, hlo_meeting *meeting, const hlo_shape *shape) {
    pthread_mutex_lock(&comm->lock);
    hlo_value *there = meeting->common;
    pthread_mutex_unlock(&comm->lock);
    if (there) return there;
    hlo_value *fresh = hlo_value_new_tree(shape);
    if (!fresh) return NULL;
    hlo_value_share(fresh);
    pthread_mutex_lock(&comm->lock);
    if (!meeting->common) {
        meeting->common = fresh;
        fresh = NULL;
    }
    pthread_mutex_unlock(&comm->lock);
    hlo_value_release(fresh);
    return meeting->common;
}

static void signal_group(hlo_comm *comm, const hlo_device_group *group) {
    for (uint32_t i = 0; i < group->count; i++)
        pthread_cond_signal(&comm->devices[group->devices[i]].changed);
}

static bool take_piece(hlo_comm *comm, hlo_meeting *m, uint32_t pieces, uint32_t *number) {
    pthread_mutex_lock(&comm->lock);
    bool found = m->next_piece < pieces && !m->has_failed && !comm->is_over;
    if (found) *number = m->next_piece++;
    pthread_mutex_unlock(&comm->lock);
    return found;
}

static void end_piece(hlo_comm *comm, hlo_meeting *m, uint32_t pieces, bool went_well) {
    pthread_mutex_lock(&comm->lock);
    m->has_failed |= !went_well;
    if (++m->pieces_done == pieces || m->has_failed) signal_group(comm, m->group);
    pthread_mutex_unlock(&comm->lock);
}

bool hlo_meeting_together(hlo_comm *comm, uint32_t device, hlo_meeting *meeting, uint32_t pieces,
                          bool (*piece)(void *context, uint32_t number), void *context) {
    for (uint32_t k; take_piece(comm, meeting, pieces, &k);)
        end_piece(comm, meeting, pieces, piece(context, k));
    pthread_mutex_lock(&comm->lock);
    while (meeting->pieces_done < pieces && !meeting->has_failed && !comm->is_over)
        hlo_comm_sleep_a_while(comm, device);
    bool good = meeting->pieces_done >= pieces && !meeting->has_failed;
    pthread_mutex_unlock(&comm->lock);
    return good;
}

/* ---- leaving ---- */

/* Who has arrived, still runs and has not left may be reading. */
static bool is_anyone_reading(const hlo_comm *comm, const hlo_meeting *m) {
    for (uint32_t i = 0; i < m->group->count; i++)
        if (m->is_here[i] && !m->has_left[i] &&
            comm->devices[m->group->devices[i]].state == HLO_DEVICE_RUNS)
            return true;
    return false;
}

static uint32_t position_of(const hlo_device_group *group, uint32_t device) {
    uint32_t position = 0;
    while (group->devices[position] != device) position++;
    return position;
}

/* With the lock held. */
static void await_readers(hlo_comm *comm, uint32_t device, hlo_meeting *m, uint32_t position) {
    bool is_complete = m->arrived == m->group->count;
    m->has_left[position] = true;
    signal_group(comm, m->group);
    while (!m->are_kept && is_complete && is_anyone_reading(comm, m))
        hlo_comm_sleep_a_while(comm, device);
}

/* Offers that are kept stay until all have taken what they want; others are released by whoever
 * offered them, who alone counts the references. */
static void release_own(hlo_meeting *m, uint32_t position) {
    for (uint32_t i = 0; i < m->count; i++) {
        hlo_value **offer = &m->offers[(size_t)position * m->count + i];
        hlo_value_release(*offer);
        *offer = NULL;
    }
}

void hlo_comm_leave(hlo_comm *comm, uint32_t device, hlo_meeting *meeting) {
    uint32_t position = position_of(meeting->group, device);
    pthread_mutex_lock(&comm->lock);
    await_readers(comm, device, meeting, position);
    pthread_mutex_unlock(&comm->lock);
    if (!meeting->are_kept) release_own(meeting, position);
    pthread_mutex_lock(&comm->lock);
    bool was_last = ++meeting->gone == meeting->group->count;
    if (was_last) take_out(comm, meeting);
    pthread_mutex_unlock(&comm->lock);
    if (was_last) hlo_meeting_free(meeting);
}
