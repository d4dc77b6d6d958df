/* Fourier transforms of lines: see fft_plan.h. */
#include "eval/kernels/fft_plan.h"

#include <math.h>
#include <string.h>

struct hlo_fft_plan {
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
    int64_t quarters = (8 * k / n + 1) / 2;
    double angle = (double)(4 * k - quarters * n) * (M_PI / 2) / (double)n;
    double c = cos(angle), s = sin(angle);
    double x = quarters % 2 ? -s : c, y = quarters % 2 ? c : s;
    *re = quarters % 4 >= 2 ? -x : x;
    *im = quarters % 4 >= 2 ? y : -y;
}

hlo_fft_numbers hlo_fft_numbers_new(hlo_arena *arena, int64_t count) {
    size_t bytes = (size_t)count * sizeof(double);
    double *re = hlo_arena_aligned(arena, bytes, 64);
    return (hlo_fft_numbers){re, hlo_arena_aligned(arena, bytes, 64)};
}

/* ---- mixed radix ---- */

/* Eights first: they are the fewest steps. */
static int64_t radix_of(int64_t n) {
    if (n % 8 == 0) return 8;
    if (n % 4 == 0) return 4;
    if (n % 2 == 0) return 2;
    for (int64_t p = 3; p * p <= n; p += 2)
        if (n % p == 0) return p;
    return n;
}

bool hlo_fft_is_smooth(int64_t n) {
    while (n > 1) {
        int64_t radix = radix_of(n);
        if (radix > HLO_FFT_LARGEST_RADIX) return false;
        n /= radix;
    }
    return true;
}

bool hlo_fft_suits_one(int64_t n) {
    return n % (8 * HLO_FFT_LANES) == 0 || !hlo_fft_is_smooth(n);
}

/* e^(-2 pi i j p / n) of all places j and parts p, n = radix parts. */
static const double *make_turns(hlo_arena *arena, const hlo_fft_step *s) {
    int64_t places = s->radix - 1, n = s->radix * s->parts;
    double *turns = hlo_arena_aligned(arena, (size_t)(2 * places * s->parts) * sizeof *turns, 64);
    for (int64_t p = 0; p < s->parts; p++)
        for (int64_t j = 0; j < places; j++) {
            int64_t at = s->across ? 2 * j * s->parts + p : 2 * places * p + j;
            hlo_fft_root((j + 1) * p, n, &turns[at], &turns[at + (s->across ? s->parts : places)]);
        }
    return turns;
}

static const double *make_roots(hlo_arena *arena, int64_t radix) {
    int64_t half = radix / 2;
    double *roots = hlo_arena_aligned(arena, (size_t)(2 * half * half) * sizeof *roots, 64),
           *to = roots;
    for (int64_t j = 1; j <= half; j++)
        for (int64_t k = 1; k <= half; k++, to += 2) {
            hlo_fft_root(j * k % radix, radix, &to[0], &to[1]);
            to[1] = -to[1];
        }
    return roots;
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
        s->across = run == 1 && s->radix == 8 && s->parts % HLO_FFT_LANES == 0;
        s->turns = make_turns(arena, s);
        if (s->radix % 2) s->roots = make_roots(arena, s->radix);
        run *= s->radix;
        n = s->parts;
    }
}

static hlo_fft_numbers run_steps(const hlo_fft_plan *plan, const hlo_fft_set *set,
                                 hlo_fft_numbers line, hlo_fft_numbers *other) {
    for (uint32_t i = 0; i < plan->count; i++) {
        hlo_fft_numbers from = line;
        set->step(&plan->steps[i], from, *other);
        line = *other;
        *other = from;
    }
    return line;
}

/* ---- Bluestein ---- */

/* The smallest length from `least` on that suits a convolution. */
static int64_t wide_length(int64_t least) {
    enum { SMALLEST = 8 * HLO_FFT_LANES };
    int64_t best = SMALLEST;
    while (best < least) best *= 2;
    for (int64_t odd = 1; odd <= 15; odd += 2) {
        int64_t n = odd * SMALLEST;
        if (odd == 7 || odd == 11 || odd == 13) continue;
        while (n < least) n *= 2;
        if (n < best) best = n;
    }
    return best;
}

static void make_chirp(hlo_fft_plan *plan, hlo_arena *arena) {
    int64_t n = plan->n, length = wide_length(2 * n - 1);
    plan->wide = hlo_fft_plan_new(arena, length, plan->lanes);
    const hlo_fft_plan *one = plan->lanes == 1 ? plan->wide : hlo_fft_plan_new(arena, length, 1);
    plan->chirp = hlo_fft_numbers_new(arena, n);
    hlo_fft_numbers kernel = hlo_fft_numbers_new(arena, length);
    hlo_fft_numbers other = hlo_fft_numbers_new(arena, length);
    memset(kernel.re, 0, (size_t)length * sizeof(double));
    memset(kernel.im, 0, (size_t)length * sizeof(double));
    for (int64_t k = 0; k < n; k++) {
        int64_t square =
            (int64_t)((unsigned __int128)k * (unsigned __int128)k % (2 * (unsigned __int128)n));
        double *re = &plan->chirp.re[k], *im = &plan->chirp.im[k];
        hlo_fft_root(square, 2 * n, re, im);
        kernel.re[k] = kernel.re[k ? length - k : 0] = *re / (double)length;
        kernel.im[k] = kernel.im[k ? length - k : 0] = -*im / (double)length;
    }
    plan->kernel = run_steps(one, hlo_fft_chosen(), kernel, &other);
}

static hlo_fft_numbers convolve(const hlo_fft_plan *plan, const hlo_fft_set *set,
                                hlo_fft_numbers line, hlo_fft_numbers *other) {
    int64_t n = plan->n, lanes = plan->lanes, length = plan->wide->n;
    size_t rest = (size_t)((length - n) * lanes) * sizeof(double);
    set->multiply(line, line, plan->chirp, n, lanes);
    memset(line.re + n * lanes, 0, rest);
    memset(line.im + n * lanes, 0, rest);
    line = run_steps(plan->wide, set, line, other);
    set->multiply(line, line, plan->kernel, length, lanes);
    *other = hlo_fft_exchanged(*other);
    line = hlo_fft_exchanged(run_steps(plan->wide, set, hlo_fft_exchanged(line), other));
    *other = hlo_fft_exchanged(*other);
    set->multiply(line, line, plan->chirp, n, lanes);
    return line;
}

/* ---- plans ---- */

const hlo_fft_plan *hlo_fft_plan_new(hlo_arena *arena, int64_t n, int64_t lanes) {
    hlo_fft_plan *plan = HLO_NEW(arena, hlo_fft_plan);
    plan->n = n;
    plan->lanes = lanes;
    if (hlo_fft_is_smooth(n)) make_steps(plan, arena);
    else make_chirp(plan, arena);
    return plan;
}

int64_t hlo_fft_buffer(const hlo_fft_plan *plan) {
    return (plan->wide ? plan->wide->n : plan->n) * plan->lanes;
}

hlo_fft_numbers hlo_fft_run(const hlo_fft_plan *plan, const hlo_fft_set *set, hlo_fft_numbers line,
                            hlo_fft_numbers *other) {
    return plan->wide ? convolve(plan, set, line, other) : run_steps(plan, set, line, other);
}
