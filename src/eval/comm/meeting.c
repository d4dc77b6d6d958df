/* Meetings of groups of devices: see comm.h. */
#include <stdio.h>

#include "analysis/match.h"
#include "base/pool.h"
#include "eval/comm/wire.h"
#include "eval/value/value_memory.h"

/* ---- finding the meeting ---- */

static bool is_same_group(const hlo_device_group *a, const hlo_device_group *b) {
    if (a == b) return true;
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++) same = a->devices[i] == b->devices[i];
    return same;
}

static bool is_about(const hlo_meeting *m, const hlo_comm_topic *topic) {
    return m->key == topic->key && m->has_channel == topic->has_channel &&
           is_same_group(m->group, topic->group);
}

/* A device that has been to a meeting comes to the next one of the same topic. */
static hlo_meeting *find_meeting(hlo_comm *comm, const hlo_comm_topic *topic) {
    for (hlo_meeting *m = comm->meetings; m; m = m->next)
        if (is_about(m, topic) && !m->is_here[topic->position]) return m;
    return NULL;
}

hlo_meeting *hlo_meeting_find(hlo_comm *comm, const hlo_comm_topic *topic, uint64_t ordinal) {
    for (hlo_meeting *m = comm->meetings; m; m = m->next)
        if (m->ordinal == ordinal && is_about(m, topic)) return m;
    return NULL;
}

static uint32_t count_here(const hlo_comm *comm, const hlo_device_group *group) {
    uint32_t here = 0;
    for (uint32_t i = 0; i < group->count; i++) here += hlo_comm_is_here(comm, group->devices[i]);
    return here;
}

static hlo_meeting *new_meeting(const hlo_comm *comm, const hlo_comm_topic *topic, uint32_t count) {
    uint32_t members = topic->group->count;
    hlo_meeting *m = hlo_calloc(1, sizeof *m);
    m->has_channel = topic->has_channel;
    m->key = topic->key;
    m->group = topic->group;
    m->instr = topic->instr;
    m->count = count;
    m->here = count_here(comm, m->group);
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

static void take_out(hlo_comm *comm, hlo_meeting *meeting) {
    HLO_ASSERT(meeting->here <= meeting->group->count);
    hlo_meeting **at = &comm->meetings;
    while (*at != meeting) at = &(*at)->next;
    *at = meeting->next;
}

/* What a meeting may need that is not there yet: made before the lock is taken. */
typedef struct {
    hlo_meeting *meeting;
    hlo_topic_count *topic; /* of a job only */
} fresh_parts;

static fresh_parts new_parts(const hlo_comm *comm, const hlo_comm_topic *topic, uint32_t count) {
    fresh_parts fresh = {.meeting = new_meeting(comm, topic, count)};
    if (!comm->wire) return fresh;
    fresh.topic = hlo_calloc(1, sizeof *fresh.topic);
    fresh.topic->has_channel = topic->has_channel;
    fresh.topic->key = topic->key;
    fresh.topic->group = topic->group;
    return fresh;
}

static void free_parts(fresh_parts *fresh) {
    hlo_meeting_free(fresh->meeting);
    hlo_free(fresh->topic);
}

/* How many meetings of the topic there were before this one. */
static uint64_t next_ordinal(hlo_comm *comm, fresh_parts *fresh) {
    HLO_ASSERT_LOCKED(&comm->lock);
    const hlo_topic_count *wanted = fresh->topic;
    hlo_topic_count **at = &comm->topics;
    if (!wanted) return 0;
    while (*at && !((*at)->key == wanted->key && (*at)->has_channel == wanted->has_channel &&
                    is_same_group((*at)->group, wanted->group)))
        at = &(*at)->next;
    if (!*at) {
        *at = fresh->topic;
        fresh->topic = NULL;
    }
    return (*at)->meetings++;
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

/* Whether both reduce by the same operation, as far as these are known, or neither does. */
static bool combine_alike(const hlo_instr *a, const hlo_instr *b) {
    if (!hlo_called_count(a) || !hlo_called_count(b)) return true;
    hlo_opcode mine = hlo_binary_computation(hlo_called(a, 0));
    hlo_opcode other = hlo_binary_computation(hlo_called(b, 0));
    return mine == other || mine == HLO_OP_COUNT || other == HLO_OP_COUNT;
}

static bool fit(const hlo_instr *a, const hlo_instr *b) {
    bool good = a == b || (operation(a) == operation(b) && a->operand_count == b->operand_count);
    for (uint32_t i = 0; a != b && good && i < a->operand_count; i++)
        good = hlo_shape_compatible(hlo_operand(a, i)->shape, hlo_operand(b, i)->shape);
    return good && (a == b || combine_alike(a, b));
}

/* ---- arriving ---- */

void hlo_meeting_complete(hlo_comm *comm, hlo_meeting *meeting) {
    HLO_ASSERT_LOCKED(&comm->lock);
    HLO_ASSERT(!comm->decides || meeting->arrived == meeting->group->count);
    meeting->is_complete = true;
    hlo_comm_wake_group(comm, meeting->group);
    hlo_meeting_signal(comm, meeting);
    hlo_wire_notify(comm->wire);
}

static void come(hlo_comm *comm, hlo_meeting *m, uint32_t position) {
    HLO_ASSERT_LOCKED(&comm->lock);
    HLO_ASSERT(position < m->group->count && !m->is_here[position] && m->arrived < m->group->count);
    m->is_here[position] = true;
    if (++m->arrived == m->group->count && comm->decides) hlo_meeting_complete(comm, m);
}

static void offer(hlo_meeting *m, uint32_t position, hlo_value *const *offers, bool are_kept) {
    HLO_ASSERT(position < m->group->count);
    for (uint32_t i = 0; i < m->count; i++) m->offers[(size_t)position * m->count + i] = offers[i];
    m->are_kept = are_kept;
}

/* The meeting, which is not there when the run is over, nor when *other is set. */
static hlo_meeting *enter(hlo_comm *comm, const hlo_comm_topic *topic, fresh_parts *fresh,
                          const hlo_instr **other) {
    HLO_ASSERT_LOCKED(&comm->lock);
    if (comm->is_over) return NULL;
    hlo_meeting *m = find_meeting(comm, topic);
    if (m && !fit(m->instr, topic->instr)) *other = m->instr;
    if (m) return *other ? NULL : m;
    m = fresh->meeting;
    fresh->meeting = NULL;
    m->ordinal = next_ordinal(comm, fresh);
    hlo_meeting **end = &comm->meetings;
    while (*end) end = &(*end)->next;
    *end = m;
    return m;
}

hlo_meeting *hlo_comm_arrive(hlo_comm *comm, const hlo_comm_topic *topic, hlo_value *const *offers,
                             uint32_t count, bool are_kept, const hlo_instr **other) {
    *other = NULL;
    fresh_parts fresh = new_parts(comm, topic, count);
    hlo_posted *posted = hlo_worker_report_arrival(comm, topic, count);
    for (uint32_t i = 0; i < count; i++) hlo_value_retain(offers[i]);
    pthread_mutex_lock(&comm->lock);
    hlo_meeting *m = enter(comm, topic, &fresh, other);
    if (m) {
        offer(m, topic->position, offers, are_kept);
        hlo_wire_post(comm->wire, &posted);
        come(comm, m, topic->position);
    }
    pthread_mutex_unlock(&comm->lock);
    free_parts(&fresh);
    hlo_free(posted);
    for (uint32_t i = 0; !m && i < count; i++) hlo_value_release(offers[i]);
    return m;
}

void hlo_meeting_come(hlo_comm *comm, const hlo_comm_topic *topic, uint32_t count,
                      const hlo_instr **other) {
    *other = NULL;
    fresh_parts fresh = new_parts(comm, topic, count);
    hlo_meeting *m = enter(comm, topic, &fresh, other);
    if (m) come(comm, m, topic->position);
    free_parts(&fresh);
}

static bool is_complete(hlo_comm *comm, const void *meeting) {
    (void)comm;
    return ((const hlo_meeting *)meeting)->is_complete;
}

/* Until what members elsewhere offer is here, too. */
static bool await_offers(hlo_comm *comm, uint32_t device, const hlo_meeting *m) {
    HLO_ASSERT_LOCKED(&comm->lock);
    if (m->here == m->group->count) return true;
    while (!m->is_filled && !comm->is_over) hlo_comm_sleep_a_while(comm, device);
    return m->is_filled;
}

hlo_comm_outcome hlo_comm_await(hlo_comm *comm, uint32_t device, const hlo_instr *instr,
                                hlo_meeting *meeting) {
    const hlo_comm_wait wait = {.instr = instr, .meeting = meeting};
    hlo_posted *posted = hlo_worker_report_wait(comm, device, instr, meeting);
    pthread_mutex_lock(&comm->lock);
    if (!meeting->is_complete) hlo_wire_post(comm->wire, &posted);
    hlo_comm_outcome outcome = hlo_comm_sleep(comm, device, &wait, is_complete, meeting);
    if (outcome == HLO_COMM_DONE && !await_offers(comm, device, meeting)) outcome = HLO_COMM_OVER;
    pthread_mutex_unlock(&comm->lock);
    hlo_free(posted);
    return outcome;
}

const hlo_value *hlo_meeting_offer(const hlo_meeting *meeting, uint32_t member, uint32_t i) {
    HLO_ASSERT(member < meeting->group->count && i < meeting->count);
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

void hlo_meeting_signal(hlo_comm *comm, const hlo_meeting *meeting) {
    const hlo_device_group *group = meeting->group;
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
    if (++m->pieces_done == pieces || m->has_failed) hlo_meeting_signal(comm, m);
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

/* Who has arrived in this process, still runs and has not left may be reading. */
static bool is_anyone_reading(const hlo_comm *comm, const hlo_meeting *m) {
    if (m->left == m->here) return false;
    for (uint32_t i = 0; i < m->group->count; i++) {
        uint32_t device = m->group->devices[i];
        if (m->is_here[i] && !m->has_left[i] && hlo_comm_is_here(comm, device) &&
            comm->devices[device].state == HLO_DEVICE_RUNS)
            return true;
    }
    return false;
}

/* The last one wakes the others; when a device ends in the middle, its end
 * does. */
static void await_readers(hlo_comm *comm, uint32_t device, hlo_meeting *m, uint32_t position) {
    HLO_ASSERT_LOCKED(&comm->lock);
    HLO_ASSERT(!m->has_left[position] && m->left < m->here);
    m->has_left[position] = true;
    if (++m->left == m->here) hlo_meeting_signal(comm, m);
    while (!m->are_kept && m->is_complete && is_anyone_reading(comm, m))
        hlo_comm_sleep_a_while(comm, device);
}

/* Offers that are kept stay until all have taken what they want; others are released by the device
 * that offered them, which alone counts the references. */
static void release_own(hlo_meeting *m, uint32_t position) {
    for (uint32_t i = 0; i < m->count; i++) {
        hlo_value **offer = &m->offers[(size_t)position * m->count + i];
        hlo_value_release(*offer);
        *offer = NULL;
    }
}

/* Offers that others are to have, but that have not reached them when the run is over: copies stay
 * for them, unless they are under way, which does not take long. */
static void leave_copies(hlo_comm *comm, uint32_t device, hlo_meeting *m, uint32_t position) {
    hlo_value **own = m->offers + (size_t)position * m->count;
    hlo_value **copies = hlo_calloc(m->count, sizeof *copies);
    for (uint32_t i = 0; i < m->count; i++) {
        copies[i] = hlo_value_copy(hlo_value_retain(own[i]));
        if (!copies[i]) hlo_out_of_memory_for("operands for remote devices");
    }
    pthread_mutex_lock(&comm->lock);
    while (m->is_started && !m->is_filled) hlo_comm_sleep_a_while(comm, device);
    for (uint32_t i = 0; i < m->count && !m->is_filled; i++) {
        hlo_value *before = own[i];
        own[i] = copies[i];
        copies[i] = before;
    }
    pthread_mutex_unlock(&comm->lock);
    for (uint32_t i = 0; i < m->count; i++) hlo_value_release(copies[i]);
    hlo_free(copies);
}

/* Offers that others may still ask for stay as long as the comm. */
static bool is_last_to_leave(hlo_comm *comm, hlo_meeting *m) {
    HLO_ASSERT_LOCKED(&comm->lock);
    HLO_ASSERT(m->gone < m->here);
    bool is_wanted = m->here < m->group->count && !m->is_filled;
    if (++m->gone < m->here || is_wanted) return false;
    take_out(comm, m);
    return true;
}

void hlo_meeting_drop(hlo_comm *comm, hlo_meeting *meeting) {
    HLO_ASSERT_LOCKED(&comm->lock);
    take_out(comm, meeting);
    hlo_meeting_free(meeting);
}

void hlo_comm_leave(hlo_comm *comm, uint32_t device, hlo_meeting *meeting) {
    uint32_t position = hlo_device_position(meeting->group, device);
    bool crosses = meeting->here < meeting->group->count;
    pthread_mutex_lock(&comm->lock);
    await_readers(comm, device, meeting, position);
    bool is_lost = crosses && !meeting->is_filled && !meeting->are_kept;
    pthread_mutex_unlock(&comm->lock);
    if (is_lost) leave_copies(comm, device, meeting, position);
    else if (!meeting->are_kept) release_own(meeting, position);
    pthread_mutex_lock(&comm->lock);
    bool was_last = is_last_to_leave(comm, meeting);
    pthread_mutex_unlock(&comm->lock);
    if (was_last) hlo_meeting_free(meeting);
}
