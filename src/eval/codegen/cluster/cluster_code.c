/* Code of a cluster's steps: see cluster_code.h. Here is which steps become a function, and how it
 * is put together; cluster_coder.h has the parts. */
#include "eval/kernels/cluster/cluster_code.h"

#include <string.h>

#include "eval/codegen/cluster/cluster_coder.h"
#include "eval/kernel/isa.h"

enum { FEWEST_STEPS = 3 };

/* ---- which steps ---- */

/* Elements in memory are of 32 bits; predicates are masks, which the same code has made. */
static bool is_codable(const hlo_coder *c, uint32_t s) {
    const hlo_cluster_step *step = hlo_coder_step(c, s);
    if (step->work != HLO_CLUSTER_LANES || step->grain != HLO_OF_TILE || !hlo_coder_supports(step))
        return false;
    for (uint32_t i = 0; i <= step->arity; i++) {
        uint32_t r = i < step->arity ? step->in[i] : step->out;
        bool is_made = i == step->arity || (c->defined[r] >= c->first && c->defined[r] < s);
        bool is_mask = hlo_coder_is_mask(c, r);
        if (is_mask ? !is_made : hlo_types[c->cluster->registers[r].type].bytes != 4) return false;
    }
    return true;
}

static void note_reads(hlo_coder *c) {
    const hlo_cluster *cluster = c->cluster;
    for (uint32_t r = 0; r < cluster->register_count; r++) {
        c->last[r] = 0;
        c->is_wanted[r] = false;
    }
    for (uint32_t s = 0; s < cluster->step_count; s++)
        for (uint32_t i = 0; i < cluster->steps[s].arity; i++) {
            if (s >= c->first && s < c->end) c->last[cluster->steps[s].in[i]] = s;
            else c->is_wanted[cluster->steps[s].in[i]] = true;
        }
    for (uint32_t i = 0; i < cluster->result_count; i++)
        c->is_wanted[cluster->results[i].reg] = true;
}

/* The first step whose predicate others than the steps read, or their end. */
static uint32_t find_escape(const hlo_coder *c) {
    for (uint32_t s = c->first; s < c->end; s++) {
        uint32_t out = hlo_coder_step(c, s)->out;
        if (hlo_coder_is_mask(c, out) && c->is_wanted[out]) return s;
    }
    return c->end;
}

static void find_run(hlo_coder *c, uint32_t first, uint32_t limit) {
    HLO_ASSERT(first < limit);
    c->first = first;
    for (c->end = first; c->end < limit && is_codable(c, c->end);) c->end++;
    for (uint32_t end = UINT32_MAX; end != c->end;) {
        note_reads(c);
        end = c->end;
        c->end = find_escape(c);
    }
}

/* ---- the code ---- */

static void put_body(hlo_coder *c) {
    hlo_coder_begin(c);
    for (uint32_t s = c->first; s < c->end && !c->is_full; s++) {
        hlo_coder_put_step(c, s);
        if (c->is_full) c->end = s;
    }
}

/* Finds what the steps need, or that they are too many; leaves no code. The tail has the most. */
static void try_body(hlo_coder *c) {
    uint32_t start = c->code.a->code.n;
    hlo_coder_forget(c);
    c->tail = hlo_coder_tail(c);
    put_body(c);
    c->tail = 0;
    c->code.a->code.n = start;
}

/* Numbers for all lanes go into vectors that nothing else needs, as they come. */
static void hold(hlo_coder *c) {
    uint32_t most = c->fewest_free;
    for (uint32_t s = c->first; s < c->end; s++)
        for (uint32_t i = 0; i < hlo_coder_step(c, s)->arity; i++) {
            uint32_t r = hlo_coder_step(c, s)->in[i];
            if (!hlo_coder_is_one(c, r) || c->is_held[r] || !most) continue;
            most--;
            c->is_held[r] = true;
            hlo_coder_vector(c, r);
        }
}

static uint32_t put_code(hlo_coder *c) {
    hlo_vector_loop loop;
    uint32_t start = hlo_begin_vectors(&c->code);
    hlo_coder_start(c);
    hold(c);
    hlo_put_vector_loop(&c->code, &loop);
    put_body(c);
    c->tail = hlo_coder_tail(c);
    hlo_put_vector_tail(&c->code, &loop, c->tail);
    put_body(c);
    c->tail = 0;
    hlo_end_vectors(&c->code, &loop);
    return start;
}

/* Code for steps from c->first on, as many as the vectors are enough for. Returns where it ends. */
static uint32_t code_run(hlo_coder *c, uint32_t first, uint32_t limit) {
    HLO_ASSERT(first < limit);
    uint32_t kept;
    c->kept = 0;
    do {
        find_run(c, first, limit);
        if (c->end < first + FEWEST_STEPS) return first + 1;
        kept = c->kept;
        try_body(c);
        limit = c->end;
    } while (c->is_full || kept != c->kept);
    hlo_cluster_step *step = &c->cluster->steps[first];
    step->code = put_code(c);
    step->code_end = c->end;
    return c->end;
}

static void code_levels(hlo_coder *c) {
    for (uint32_t l = 0; l < c->cluster->level_count; l++) {
        const hlo_cluster_level *level = &c->cluster->levels[l];
        for (uint32_t s = level->first_of_tile; s < level->end;) s = code_run(c, s, level->end);
    }
}

void hlo_code_cluster(hlo_preparation *p, hlo_cluster *cluster) {
    size_t n = cluster->register_count;
    hlo_coder c = {.cluster = cluster,
                   .code = {hlo_prepare_code(p), hlo_find_vector_set(hlo_isa_current())}};
    if (!c.code.a || !c.code.set || !n) return;
    c.defined = hlo_malloc(2 * n * sizeof *c.defined);
    c.last = c.defined + n;
    c.is_wanted = hlo_malloc(2 * n * sizeof *c.is_wanted);
    c.is_held = c.is_wanted + n;
    c.vector = hlo_malloc(2 * n);
    c.pointer = c.vector + n;
    for (size_t r = 0; r < n; r++) c.defined[r] = UINT32_MAX;
    for (uint32_t s = 0; s < cluster->step_count; s++) c.defined[cluster->steps[s].out] = s;
    code_levels(&c);
    for (uint32_t s = 0; s < cluster->step_count; s++)
        p->has_code |= cluster->steps[s].code_end > 0;
    hlo_free(c.vector);
    hlo_free(c.is_wanted);
    hlo_free(c.defined);
}
