/* Devices that wait for each other, and what happens when one ends, or in a deadlock. meeting.c and
 * message.c define what they wait for. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/pool.h"
#include "eval/comm/wire.h"

/* A stopped run is noticed within that time by a few of the devices, and these wake the others:
 * thousands that look up 50 times a second would do nothing else. */
enum { WATCHFUL = 16, PATIENCE_MS = 20, LONG_PATIENCE_MS = 1000 };

/* ---- making ---- */

hlo_comm *hlo_comm_new(uint32_t devices, hlo_world *world, const hlo_module *module) {
    hlo_comm *comm = hlo_calloc(1, sizeof *comm);
    comm->count = comm->last = devices;
    comm->decides = true;
    comm->devices = hlo_calloc(devices, sizeof *comm->devices);
    comm->reports = hlo_calloc(devices, sizeof *comm->reports);
    comm->spins = devices <= hlo_processors();
    pthread_mutex_init(&comm->lock, NULL);
    for (uint32_t i = 0; i < devices; i++) pthread_cond_init(&comm->devices[i].changed, NULL);
    if (world) hlo_wire_new(comm, world, module);
    return comm;
}

static void free_topics(hlo_comm *comm) {
    for (hlo_topic_count *t = comm->topics, *next; t; t = next) {
        next = t->next;
        hlo_free(t);
    }
}

static void free_device(hlo_comm_device *device) {
    hlo_value_release(device->delivered);
    hlo_message_free(device->fetched);
    pthread_cond_destroy(&device->changed);
}

void hlo_comm_free(hlo_comm *comm) {
    if (!comm) return;
    for (hlo_meeting *m = comm->meetings, *next; m; m = next) {
        next = m->next;
        hlo_meeting_free(m);
    }
    for (hlo_message *m = comm->messages, *next; m; m = next) {
        next = m->next;
        hlo_message_free(m);
    }
    for (uint32_t i = 0; i < comm->count; i++) free_device(&comm->devices[i]);
    free_topics(comm);
    hlo_wire_free(comm->wire);
    pthread_mutex_destroy(&comm->lock);
    hlo_free(comm->reports);
    hlo_free(comm->devices);
    hlo_free(comm);
}

/* ---- deadlock ---- */

/* Appends a device to the list, which has `n` of `all` so far. */
static void say_device(hlo_comm_wait_report *report, uint32_t device, uint32_t n, uint32_t all) {
    enum { SAID = 4 };
    size_t used = strlen(report->peers), left = sizeof report->peers - used;
    char *to = report->peers + used;
    if (n == 0) snprintf(to, left, all > 1 ? "devices %u" : "device %u", device);
    else if (n + 1 == all && n < SAID) snprintf(to, left, " and %u", device);
    else if (n < SAID) snprintf(to, left, ", %u", device);
    else if (n == SAID) snprintf(to, left, " and %u more", all - n);
}

static void say_missing(hlo_comm_wait_report *report, const hlo_meeting *meeting) {
    const hlo_device_group *group = meeting->group;
    uint32_t all = group->count - meeting->arrived, n = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t member = group->ascending[i];
        if (meeting->is_here[member]) continue;
        if (!n) report->first_peer = group->devices[member];
        say_device(report, group->devices[member], n++, all);
    }
}

static void say_sender(hlo_comm_wait_report *report, const hlo_comm_address *address) {
    report->first_peer = address->from;
    if (address->from == HLO_NO_GROUP) snprintf(report->peers, sizeof report->peers, "any device");
    else say_device(report, address->from, 0, 1);
}

/* Records what all devices are doing, before any goes on. */
static void send_wait_reports(hlo_comm *comm) {
    HLO_ASSERT_LOCKED(&comm->lock);
    for (uint32_t i = 0; i < comm->count; i++) {
        const hlo_comm_device *device = &comm->devices[i];
        hlo_comm_wait_report *report = &comm->reports[i];
        *report = (hlo_comm_wait_report){.device = i, .first_peer = HLO_NO_GROUP};
        if (device->state == HLO_DEVICE_ENDED) continue;
        report->instr = device->wait.instr;
        if (device->wait.meeting) say_missing(report, device->wait.meeting);
        else say_sender(report, device->wait.address);
    }
}

void hlo_comm_wake_all(hlo_comm *comm) {
    for (uint32_t i = 0; i < comm->count; i++) pthread_cond_signal(&comm->devices[i].changed);
}

/* Devices that all have ended are no deadlock. The first that waits reports it. */
void hlo_comm_look_for_deadlock(hlo_comm *comm) {
    HLO_ASSERT_LOCKED(&comm->lock);
    HLO_ASSERT(comm->idle <= comm->count);
    uint32_t first = 0;
    if (!comm->decides || comm->idle < comm->count || comm->is_over) return;
    while (first < comm->count && comm->devices[first].state == HLO_DEVICE_ENDED) first++;
    if (first == comm->count) return;
    send_wait_reports(comm);
    comm->is_over = comm->is_stuck = true;
    comm->reporter = first;
    hlo_comm_wake_all(comm);
    hlo_wire_notify(comm->wire);
}

const hlo_comm_wait_report *hlo_comm_wait_reports(const hlo_comm *comm, uint32_t *count) {
    *count = comm->count;
    return comm->reports;
}

const hlo_instr *hlo_comm_other(const hlo_comm *comm, uint32_t device) {
    HLO_ASSERT(device < comm->count);
    return comm->devices[device].other;
}

/* ---- waiting ---- */

void hlo_comm_wake(hlo_comm *comm, uint32_t device) {
    HLO_ASSERT_LOCKED(&comm->lock);
    HLO_ASSERT(device < comm->count);
    hlo_comm_device *d = &comm->devices[device];
    if (d->state != HLO_DEVICE_WAITS) return;
    HLO_ASSERT(comm->idle > 0);
    d->state = HLO_DEVICE_RUNS;
    comm->idle--;
    pthread_cond_signal(&d->changed);
    if (!hlo_comm_is_here(comm, device)) hlo_wire_notify(comm->wire);
}

void hlo_comm_begin_wait(hlo_comm *comm, uint32_t device, const hlo_comm_wait *wait) {
    HLO_ASSERT_LOCKED(&comm->lock);
    hlo_comm_device *d = &comm->devices[device];
    HLO_ASSERT(d->state == HLO_DEVICE_RUNS && comm->idle < comm->count);
    d->state = HLO_DEVICE_WAITS;
    d->wait = *wait;
    comm->idle++;
    hlo_comm_look_for_deadlock(comm);
}

void hlo_comm_wake_group(hlo_comm *comm, const hlo_device_group *group) {
    for (uint32_t i = 0; i < group->count; i++) hlo_comm_wake(comm, group->devices[i]);
}

/* For the partner that comes a moment later: handing over by the kernel takes 5 to 50 us. */
static void spin(hlo_comm *comm, bool (*is_there)(hlo_comm *, const void *), const void *what) {
    enum { ROUNDS = 2000 };
    for (int i = 0; i < ROUNDS && !comm->is_over && !is_there(comm, what); i++) {
        pthread_mutex_unlock(&comm->lock);
        hlo_pool_rest();
        pthread_mutex_lock(&comm->lock);
    }
}

void hlo_comm_sleep_a_while(hlo_comm *comm, uint32_t number) {
    HLO_ASSERT_LOCKED(&comm->lock);
    HLO_ASSERT(hlo_comm_is_here(comm, number));
    bool is_watchful = number - comm->first < WATCHFUL;
    const struct timespec until =
        hlo_deadline((is_watchful ? PATIENCE_MS : LONG_PATIENCE_MS) * 1000000L);
    pthread_cond_timedwait(&comm->devices[number].changed, &comm->lock, &until);
    if (is_watchful && hlo_pool_is_stopped()) hlo_comm_wake_all(comm);
}

static hlo_comm_outcome outcome(const hlo_comm *comm, uint32_t device, bool is_there) {
    if (is_there) return HLO_COMM_DONE;
    if (comm->devices[device].other) return HLO_COMM_OTHER;
    return comm->is_stuck && comm->reporter == device ? HLO_COMM_STUCK : HLO_COMM_OVER;
}

hlo_comm_outcome hlo_comm_sleep(hlo_comm *comm, uint32_t device, const hlo_comm_wait *wait,
                                bool (*is_there)(hlo_comm *, const void *), const void *what) {
    HLO_ASSERT_LOCKED(&comm->lock);
    hlo_comm_device *own = &comm->devices[device];
    HLO_ASSERT(own->state == HLO_DEVICE_RUNS);
    if (comm->spins) spin(comm, is_there, what);
    while (!is_there(comm, what) && !comm->is_over && !own->other && !hlo_pool_is_stopped()) {
        if (own->state == HLO_DEVICE_RUNS) hlo_comm_begin_wait(comm, device, wait);
        else hlo_comm_sleep_a_while(comm, device);
    }
    if (own->state == HLO_DEVICE_WAITS) comm->idle--;
    own->state = HLO_DEVICE_RUNS;
    return outcome(comm, device, is_there(comm, what));
}

void hlo_comm_end_locked(hlo_comm *comm, uint32_t device, bool went_well) {
    HLO_ASSERT_LOCKED(&comm->lock);
    hlo_comm_device *own = &comm->devices[device];
    HLO_ASSERT(own->state != HLO_DEVICE_ENDED);
    if (own->state == HLO_DEVICE_RUNS) comm->idle++;
    own->state = HLO_DEVICE_ENDED;
    if (!went_well) {
        comm->is_over = true;
        hlo_comm_wake_all(comm);
    }
    hlo_comm_look_for_deadlock(comm);
    hlo_wire_notify(comm->wire);
}

void hlo_comm_end(hlo_comm *comm, uint32_t device, bool went_well) {
    hlo_posted *posted = hlo_worker_report_end(comm, device, went_well);
    pthread_mutex_lock(&comm->lock);
    hlo_wire_post(comm->wire, &posted);
    hlo_comm_end_locked(comm, device, went_well);
    pthread_mutex_unlock(&comm->lock);
}

/* ---- the other processes ---- */

void hlo_comm_start(hlo_comm *comm) {
    if (comm->wire) hlo_wire_start(comm->wire);
}

void hlo_comm_stop(hlo_comm *comm) {
    if (comm->wire) hlo_wire_join(comm->wire);
}
