/* Lines of Fourier transforms: see fft_lines.h. */
#include "eval/kernels/fft_lines.h"

#include <math.h>
#include <string.h>

#include "base/pool.h"

/* ---- what is known before a run ---- */

/* Beyond this the lines of a group would be too much memory. */
enum { MOST_OF_COLUMNS = 1 << 17, FEW_LINES = 4 };

static int64_t lanes_of(const hlo_fft_stage *s) {
    if (s->from.number == 1 && s->to.number == 1)
        return hlo_fft_suits_one(s->n) || s->lines < FEW_LINES ? 1 : HLO_FFT_LANES;
    return s->n > MOST_OF_COLUMNS ? 1 : HLO_FFT_LANES;
}

static hlo_fft_numbers roots(hlo_arena *arena, int64_t count, int64_t step, int64_t n) {
    hlo_fft_numbers x = hlo_fft_numbers_new(arena, count);
    for (int64_t k = 0; k < count; k++) hlo_fft_root(k * step, n, &x.re[k], &x.im[k]);
    return x;
}

void hlo_fft_prepare_stage(hlo_arena *arena, hlo_fft_stage *s) {
    s->set = hlo_fft_chosen();
    s->lanes = lanes_of(s);
    s->plan = hlo_fft_plan_new(arena, s->n, s->lanes);
    if (s->form == HLO_FFT_FROM_HALVES || s->form == HLO_FFT_TO_HALVES)
        s->turns = roots(arena, s->n, 1, 2 * s->n);
}

const hlo_fft_twist *hlo_fft_twist_new(hlo_arena *arena, int64_t n, int64_t lines) {
    hlo_fft_twist *t = HLO_NEW(arena, hlo_fft_twist);
    int64_t all = n * lines;
    t->low = (int64_t)sqrt((double)all) + 1;
    t->highs = roots(arena, all / t->low + 1, t->low, all);
    t->rests = roots(arena, t->low, 1, all);
    t->lanes = hlo_fft_numbers_new(arena, n * HLO_FFT_LANES);
    for (int64_t k = 0; k < n; k++)
        for (int64_t lane = 0; lane < HLO_FFT_LANES; lane++) {
            int64_t at = HLO_FFT_LANES * k + lane;
            hlo_fft_root(k * lane % all, all, &t->lanes.re[at], &t->lanes.im[at]);
        }
    return t;
}

/* Numbers of a buffer; apart from each other by no power of two, so that they do not meet in the
 * same sets of a cache. */
static int64_t buffer_size(const hlo_fft_stage *s) {
    enum { APART = 24 };
    int64_t spectrum = (s->n + 1) * s->lanes, buffer = hlo_fft_buffer(s->plan);
    return (spectrum > buffer ? spectrum : buffer) / 8 * 8 + 8 + APART;
}

size_t hlo_fft_work_bytes(const hlo_fft_stage *s) {
    int64_t numbers = 4 * buffer_size(s) + (s->twist ? 2 * s->n : 0);
    return (size_t)numbers * sizeof(double);
}

static int64_t groups_of(const hlo_fft_stage *s) {
    return (s->lines + s->lanes - 1) / s->lanes;
}

bool hlo_fft_is_one_piece(const hlo_fft_stage *s) {
    return s->batches * groups_of(s) == 1;
}

/* ---- reading and writing ---- */

/* Some lines, as many as a group has or fewer. */
typedef struct {
    const hlo_fft_stage *stage;
    int64_t lines;
    const char *from;
    char *to;
} group;

static const hlo_fft_storage *storage_of(const hlo_fft_set *set, hlo_type type) {
    return type == HLO_C64 ? &set->c64 : &set->c128;
}

/* One number or, of a real line, one element. */
static void load_number(hlo_type type, const char *from, int64_t at, double *re, double *im) {
    bool is_wide = type == HLO_F64 || type == HLO_C128;
    int64_t parts = hlo_type_is_complex(type) ? 2 : 1, first = at * parts;
    *re = is_wide ? ((const double *)from)[first] : (double)((const float *)from)[first];
    *im = 0;
    if (parts == 2)
        *im =
            is_wide ? ((const double *)from)[first + 1] : (double)((const float *)from)[first + 1];
}

static void store_number(hlo_type type, char *to, int64_t at, double re, double im) {
    bool is_wide = type == HLO_F64 || type == HLO_C128;
    int64_t parts = hlo_type_is_complex(type) ? 2 : 1;
    double both[2] = {re, im};
    for (int64_t part = 0; part < parts; part++)
        if (is_wide) ((double *)to)[at * parts + part] = both[part];
        else ((float *)to)[at * parts + part] = (float)both[part];
}

/* Any number of lines with any strides. */
static void load_each(const group *g, hlo_fft_numbers x, int64_t n) {
    const hlo_fft_place *p = &g->stage->from;
    int64_t lanes = g->stage->lanes;
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < lanes; i++) {
            double *re = &x.re[k * lanes + i], *im = &x.im[k * lanes + i];
            if (i < g->lines) load_number(p->type, g->from, k * p->number + i * p->line, re, im);
            else *re = *im = 0;
        }
}

static void store_each(const group *g, hlo_fft_numbers x, int64_t n, double scale) {
    const hlo_fft_place *p = &g->stage->to;
    int64_t lanes = g->stage->lanes;
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < g->lines; i++)
            store_number(p->type, g->to, k * p->number + i * p->line, x.re[k * lanes + i] * scale,
                         x.im[k * lanes + i] * scale);
}

/* Whether the kernels move the group. */
static bool is_regular(const group *g, const hlo_fft_place *p) {
    if (!hlo_type_is_complex(p->type) || g->lines < g->stage->lanes) return false;
    return p->number == 1 || (p->line == 1 && g->stage->lanes == HLO_FFT_LANES);
}

static void load(const group *g, hlo_fft_numbers x, int64_t n) {
    const hlo_fft_place *p = &g->stage->from;
    const hlo_fft_storage *storage = storage_of(g->stage->set, p->type);
    if (!is_regular(g, p)) load_each(g, x, n);
    else if (g->stage->lanes == 1) storage->load(x, g->from, n);
    else if (p->number == 1) storage->load_lines(x, g->from, p->line, n);
    else storage->load_columns(x, g->from, p->number, n);
}

static void store(const group *g, hlo_fft_numbers x, int64_t n, double scale) {
    const hlo_fft_place *p = &g->stage->to;
    const hlo_fft_storage *storage = storage_of(g->stage->set, p->type);
    if (!is_regular(g, p)) store_each(g, x, n, scale);
    else if (g->stage->lanes == 1) storage->store(g->to, x, n, scale);
    else if (p->number == 1) storage->store_lines(g->to, p->line, x, n, scale);
    else storage->store_columns(g->to, p->number, x, n, scale);
}

/* ---- transforming ---- */

/* Completes the spectrum of a real line, an odd number of elements: what is missing mirrors what is
 * there. */
static void mirror(const hlo_fft_stage *s, hlo_fft_numbers x) {
    for (int64_t i = 0; i < s->lanes; i++) x.im[i] = 0;
    for (int64_t k = s->n / 2 + 1; k < s->n; k++)
        for (int64_t i = 0; i < s->lanes; i++) {
            x.re[k * s->lanes + i] = x.re[(s->n - k) * s->lanes + i];
            x.im[k * s->lanes + i] = -x.im[(s->n - k) * s->lanes + i];
        }
}

/* What is transformed, in `line`. */
static void load_form(const group *g, hlo_fft_numbers *line, hlo_fft_numbers *other) {
    const hlo_fft_stage *s = g->stage;
    if (s->form == HLO_FFT_TO_HALVES) {
        load(g, *other, s->n + 1);
        g->stage->set->split_halves(*line, *other, s->turns, s->n, s->lanes);
    } else if (s->form == HLO_FFT_TO_REAL) {
        load(g, *line, s->n / 2 + 1);
        mirror(s, *line);
    } else {
        load(g, *line, s->n);
    }
}

static void store_form(const group *g, hlo_fft_numbers line, hlo_fft_numbers other) {
    const hlo_fft_stage *s = g->stage;
    double scale = s->inverse ? 1 / (double)s->n : 1;
    if (s->form == HLO_FFT_FROM_HALVES) {
        g->stage->set->join_halves(other, line, s->turns, s->n, s->lanes);
        store(g, other, s->n + 1, 1);
    } else {
        store(g, line, s->form == HLO_FFT_FROM_REAL ? s->n / 2 + 1 : s->n, scale);
    }
}

/* Multiplies by the roots of k times the lines from `first` on. */
static void twist(const group *g, hlo_fft_numbers x, int64_t first, hlo_fft_numbers firsts) {
    const hlo_fft_twist *t = g->stage->twist;
    int64_t n = g->stage->n;
    for (int64_t k = 0; k < n; k++) {
        int64_t high = k * first / t->low, rest = k * first % t->low;
        double a = t->highs.re[high], b = t->highs.im[high];
        double c = t->rests.re[rest], d = t->rests.im[rest];
        firsts.re[k] = a * c - b * d;
        firsts.im[k] = a * d + b * c;
    }
    g->stage->set->multiply(x, x, firsts, n, HLO_FFT_LANES);
    g->stage->set->multiply(x, x, t->lanes, n * HLO_FFT_LANES, 1);
}

static void transform(const group *g, int64_t first, double *memory) {
    const hlo_fft_stage *s = g->stage;
    int64_t size = buffer_size(s);
    hlo_fft_numbers line = {memory, memory + size};
    hlo_fft_numbers other = {memory + 2 * size, memory + 3 * size};
    double *firsts = memory + 4 * size;
    load_form(g, &line, &other);
    if (s->inverse) line = hlo_fft_exchanged(line);
    line = hlo_fft_run(s->plan, s->set, line, &other);
    if (s->twist) twist(g, line, first, (hlo_fft_numbers){firsts, firsts + s->n});
    if (s->inverse) line = hlo_fft_exchanged(line);
    store_form(g, line, other);
}

/* ---- all lines ---- */

typedef struct {
    const hlo_call *call;
    const hlo_fft_stage *stage;
    const hlo_work_memory *work;
    const char *from;
    char *to;
} line_loop;

static void transform_range(void *context, int64_t begin, int64_t end) {
    const line_loop *l = context;
    const hlo_fft_stage *s = l->stage;
    int64_t groups = groups_of(s);
    double *memory = hlo_work_take(l->work, l->call);
    for (int64_t i = begin; i < end; i++) {
        int64_t batch = i / groups, first = i % groups * s->lanes, rest = s->lines - first;
        int64_t from = batch * s->from.batch + first * s->from.line;
        int64_t to = batch * s->to.batch + first * s->to.line;
        group g = {s, rest < s->lanes ? rest : s->lanes,
                   l->from + from * hlo_types[s->from.type].bytes,
                   l->to + to * hlo_types[s->to.type].bytes};
        transform(&g, first, memory);
    }
    hlo_work_leave(l->work, l->call, memory);
}

void hlo_fft_run_stage(const hlo_call *call, const hlo_fft_stage *s, const hlo_work_memory *work,
                       const void *from, void *to) {
    enum { PER_NUMBER = 2 };
    line_loop l = {call, s, work, from, to};
    int64_t numbers = hlo_fft_buffer(s->plan);
    hlo_parallel(s->batches * groups_of(s),
                 hlo_grain(numbers < HLO_PIECE_COST ? numbers * PER_NUMBER : numbers),
                 transform_range, &l);
}
