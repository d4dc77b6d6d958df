/* Fourier transforms of lines: see fft_plan.h. */
#include "eval/kernels/fft/fft_plan.h"

#include <math.h>
#include <string.h>

struct hlo_fft_plan {
    const hlo_fft_arithmetic *arithmetic;
    int64_t n, lanes;
    uint32_t count; /* of steps */
    hlo_fft_step *steps;
    const hlo_fft_plan *wide; /* of the convolution; NULL: none */
    hlo_fft_numbers chirp;    /* e^(-pi i k^2 / n) */
    hlo_fft_numbers kernel;   /* the transform of its conjugate, divided by wide->n */
};

/* ---- roots of unity ---- */

/* The angle to the nearest multiple of a quarter turn is an eighth at most. */
void hlo_fft_root(int64_t k, int64_t n, double *re, double *im) {
    HLO_ASSERT(n > 0);
    int64_t quarters = (8 * k / n + 1) / 2;
    double angle = (double)(4 * k - quarters * n) * (M_PI / 2) / (double)n;
    double c = cos(angle), s = sin(angle);
    double x = quarters % 2 ? -s : c, y = quarters % 2 ? c : s;
    *re = quarters % 4 >= 2 ? -x : x;
    *im = quarters % 4 >= 2 ? y : -y;
}

hlo_fft_numbers hlo_fft_numbers_new(hlo_arena *arena, const hlo_fft_arithmetic *arithmetic,
                                    int64_t count) {
    HLO_ASSERT(count >= 0);
    size_t bytes = (size_t)count * arithmetic->bytes;
    void *re = hlo_arena_aligned(arena, bytes, 64);
    return (hlo_fft_numbers){re, hlo_arena_aligned(arena, bytes, 64)};
}

/* Number `at` of x becomes root k of n. */
static void put_root(const hlo_fft_arithmetic *arithmetic, hlo_fft_numbers x, int64_t at, int64_t k,
                     int64_t n) {
    double re, im;
    hlo_fft_root(k, n, &re, &im);
    arithmetic->put(x, at, re, im);
}

hlo_fft_numbers hlo_fft_roots(hlo_arena *arena, const hlo_fft_arithmetic *arithmetic, int64_t count,
                              int64_t step, int64_t n) {
    hlo_fft_numbers x = hlo_fft_numbers_new(arena, arithmetic, count);
    for (int64_t k = 0; k < count; k++) put_root(arithmetic, x, k, k * step, n);
    return x;
}

/* ---- mixed radix ---- */

/* Eights first: they are the fewest steps. */
static int64_t radix_of(int64_t n) {
    HLO_ASSERT(n > 1);
    if (n % 8 == 0) return 8;
    if (n % 4 == 0) return 4;
    if (n % 2 == 0) return 2;
    for (int64_t p = 3; p * p <= n; p += 2)
        if (n % p == 0) return p;
    return n;
}

bool hlo_fft_is_smooth(int64_t n) {
    HLO_ASSERT(n > 0);
    while (n > 1) {
        int64_t radix = radix_of(n);
        if (radix > HLO_FFT_LARGEST_RADIX) return false;
        n /= radix;
    }
    return true;
}

bool hlo_fft_suits_one(const hlo_fft_arithmetic *arithmetic, int64_t n) {
    return n % (8 * arithmetic->lanes) == 0 || !hlo_fft_is_smooth(n);
}

/* e^(-2 pi i j p / n) of all places j and parts p, n = radix parts. */
static const void *make_turns(hlo_arena *arena, const hlo_fft_arithmetic *a,
                              const hlo_fft_step *s) {
    int64_t places = s->radix - 1, n = s->radix * s->parts, copies = s->across ? s->run : 1;
    int64_t apart = s->across ? s->parts * copies : places;
    char *turns = hlo_arena_aligned(arena, (size_t)(2 * places * s->parts * copies) * a->bytes, 64);
    hlo_fft_numbers to = {turns, turns + (size_t)apart * a->bytes};
    for (int64_t p = 0; p < s->parts * copies; p++)
        for (int64_t j = 0; j < places; j++)
            put_root(a, to, s->across ? 2 * j * apart + p : 2 * places * p + j,
                     (j + 1) * (p / copies), n);
    return turns;
}

static const void *make_roots(hlo_arena *arena, const hlo_fft_arithmetic *a, int64_t radix) {
    HLO_ASSERT(radix > 1);
    int64_t half = radix / 2, at = 0;
    char *roots = hlo_arena_aligned(arena, (size_t)(2 * half * half) * a->bytes, 64);
    for (int64_t j = 1; j <= half; j++)
        for (int64_t k = 1; k <= half; k++, at += 2) {
            double re, im;
            hlo_fft_root(j * k % radix, radix, &re, &im);
            a->put((hlo_fft_numbers){roots, roots + a->bytes}, at, re, -im);
        }
    return roots;
}

/* Whether vectors of several parts are full. */
static bool goes_across(const hlo_fft_arithmetic *a, const hlo_fft_step *s) {
    bool is_short = s->run == 1 || s->run == 8;
    return s->radix == 8 && is_short && s->run < a->lanes && s->parts * s->run % a->lanes == 0;
}

static void make_steps(hlo_fft_plan *plan, hlo_arena *arena) {
    int64_t run = plan->lanes;
    uint32_t steps = 0;
    for (int64_t n = plan->n; n > 1; n /= radix_of(n)) steps++;
    plan->steps = HLO_NEW_ARRAY(arena, hlo_fft_step, steps);
    for (int64_t n = plan->n; n > 1;) {
        hlo_fft_step *s = &plan->steps[plan->count++];
        s->radix = radix_of(n);
        s->parts = n / s->radix;
        s->run = run;
        s->across = goes_across(plan->arithmetic, s);
        s->turns = make_turns(arena, plan->arithmetic, s);
        if (s->radix % 2) s->roots = make_roots(arena, plan->arithmetic, s->radix);
        run *= s->radix;
        n = s->parts;
    }
}

static hlo_fft_numbers run_steps(const hlo_fft_plan *plan, hlo_fft_numbers line,
                                 hlo_fft_numbers *other) {
    for (uint32_t i = 0; i < plan->count; i++) {
        hlo_fft_numbers from = line;
        plan->arithmetic->step(&plan->steps[i], from, *other);
        line = *other;
        *other = from;
    }
    return line;
}

/* ---- Bluestein ---- */

/* The smallest length from `least` on that suits a convolution. */
static int64_t wide_length(const hlo_fft_arithmetic *arithmetic, int64_t least) {
    const int64_t smallest = 8 * arithmetic->lanes;
    int64_t best = smallest;
    while (best < least) best *= 2;
    for (int64_t odd = 1; odd <= 15; odd += 2) {
        int64_t n = odd * smallest;
        if (odd == 7 || odd == 11 || odd == 13) continue;
        while (n < least) n *= 2;
        if (n < best) best = n;
    }
    return best;
}

/* Number k of a chirp, and of the conjugate that goes on to both sides of 0. */
static void put_chirp(hlo_fft_plan *plan, hlo_fft_numbers kernel, int64_t k) {
    const hlo_fft_arithmetic *a = plan->arithmetic;
    unsigned __int128 twice = 2 * (unsigned __int128)plan->n, square = (unsigned __int128)k;
    int64_t length = plan->wide->n;
    double re, im;
    hlo_fft_root((int64_t)(square * square % twice), 2 * plan->n, &re, &im);
    a->put(plan->chirp, k, re, im);
    a->put(kernel, k, re / (double)length, -im / (double)length);
    a->put(kernel, k ? length - k : 0, re / (double)length, -im / (double)length);
}

static void clear(const hlo_fft_plan *plan, hlo_fft_numbers x, int64_t from, int64_t to) {
    size_t skipped = (size_t)from * plan->arithmetic->bytes;
    size_t bytes = (size_t)(to - from) * plan->arithmetic->bytes;
    memset((char *)x.re + skipped, 0, bytes);
    memset((char *)x.im + skipped, 0, bytes);
}

static void make_chirp(hlo_fft_plan *plan, hlo_arena *arena) {
    const hlo_fft_arithmetic *a = plan->arithmetic;
    int64_t n = plan->n, length = wide_length(a, 2 * n - 1);
    plan->wide = hlo_fft_plan_new(arena, a, length, plan->lanes);
    const hlo_fft_plan *one = plan->lanes == 1 ? plan->wide : hlo_fft_plan_new(arena, a, length, 1);
    plan->chirp = hlo_fft_numbers_new(arena, a, n);
    hlo_fft_numbers kernel = hlo_fft_numbers_new(arena, a, length);
    hlo_fft_numbers other = hlo_fft_numbers_new(arena, a, length);
    clear(plan, kernel, 0, length);
    for (int64_t k = 0; k < n; k++) put_chirp(plan, kernel, k);
    plan->kernel = run_steps(one, kernel, &other);
}

static hlo_fft_numbers convolve(const hlo_fft_plan *plan, hlo_fft_numbers line,
                                hlo_fft_numbers *other) {
    const hlo_fft_arithmetic *a = plan->arithmetic;
    int64_t n = plan->n, lanes = plan->lanes, length = plan->wide->n;
    a->multiply(line, plan->chirp, n, lanes);
    clear(plan, line, n * lanes, length * lanes);
    line = run_steps(plan->wide, line, other);
    a->multiply(line, plan->kernel, length, lanes);
    *other = hlo_fft_exchanged(*other);
    line = hlo_fft_exchanged(run_steps(plan->wide, hlo_fft_exchanged(line), other));
    *other = hlo_fft_exchanged(*other);
    a->multiply(line, plan->chirp, n, lanes);
    return line;
}

/* ---- plans ---- */

const hlo_fft_plan *hlo_fft_plan_new(hlo_arena *arena, const hlo_fft_arithmetic *arithmetic,
                                     int64_t n, int64_t lanes) {
    hlo_fft_plan *plan = HLO_NEW(arena, hlo_fft_plan);
    plan->arithmetic = arithmetic;
    plan->n = n;
    plan->lanes = lanes;
    if (hlo_fft_is_smooth(n)) make_steps(plan, arena);
    else make_chirp(plan, arena);
    return plan;
}

int64_t hlo_fft_buffer(const hlo_fft_plan *plan) {
    return (plan->wide ? plan->wide->n : plan->n) * plan->lanes;
}

hlo_fft_numbers hlo_fft_run(const hlo_fft_plan *plan, hlo_fft_numbers line,
                            hlo_fft_numbers *other) {
    return plan->wide ? convolve(plan, line, other) : run_steps(plan, line, other);
}
