/* Fourier transforms of lines: see fft_plan.h. */
#include "eval/kernels/fft_plan.h"

#include <math.h>
#include <string.h>

/* Prime factors above this go through a convolution. */
enum { LARGEST_RADIX = 32 };

typedef double _Complex number;

struct hlo_fft_plan {
    int64_t n;
    number *roots;            /* e^(-2 pi i k / n) */
    const hlo_fft_plan *wide; /* of the convolution, whose length is a power of two; NULL: none */
    number *chirp;            /* e^(-pi i k^2 / n) */
    number *kernel;           /* the transform of its conjugate */
};

static inline number number_of(double real, double imag) {
    union {
        double parts[2];
        number value;
    } n = {{real, imag}};
    return n.value;
}

/* Products of finite numbers: C's own operator looks for infinities. */
static inline number times(number a, number b) {
    return number_of(creal(a) * creal(b) - cimag(a) * cimag(b),
                     creal(a) * cimag(b) + cimag(a) * creal(b));
}

static number root(int64_t k, int64_t n) {
    double angle = -2 * M_PI * (double)k / (double)n;
    return number_of(cos(angle), sin(angle));
}

static int64_t smallest_factor(int64_t n) {
    for (int64_t p = 2; p * p <= n; p++)
        if (n % p == 0) return p;
    return n;
}

static int64_t largest_factor(int64_t n) {
    int64_t p = 1;
    while (n > 1) {
        p = smallest_factor(n);
        n /= p;
    }
    return p;
}

/* ---- mixed radix ---- */

/* Joins p transforms of m elements each, one after the other in `line`, to one of p * m. */
static void join(const hlo_fft_plan *plan, number *line, int64_t p, int64_t m) {
    int64_t step = plan->n / (p * m), turn = plan->n / p;
    number part[LARGEST_RADIX];
    for (int64_t k = 0; k < m; k++) {
        for (int64_t r = 0; r < p; r++) part[r] = times(line[r * m + k], plan->roots[r * k * step]);
        if (p == 2) {
            line[k] = part[0] + part[1];
            line[m + k] = part[0] - part[1];
            continue;
        }
        for (int64_t q = 0; q < p; q++) {
            number sum = part[0];
            for (int64_t r = 1; r < p; r++) sum += times(part[r], plan->roots[r * q % p * turn]);
            line[q * m + k] = sum;
        }
    }
}

/* The transform of n elements that lie `stride` apart; as deep as n has factors. */
static void transform(const hlo_fft_plan *plan, const number *from, int64_t stride, number *to,
                      int64_t n) {
    if (n == 1) {
        *to = *from;
        return;
    }
    int64_t p = smallest_factor(n), m = n / p;
    for (int64_t r = 0; r < p; r++) transform(plan, from + r * stride, stride * p, to + r * m, m);
    join(plan, to, p, m);
}

/* ---- Bluestein ---- */

static void make_chirp(hlo_fft_plan *plan, hlo_arena *arena) {
    int64_t n = plan->n, length = 1;
    while (length < 2 * n - 1) length *= 2;
    plan->wide = hlo_fft_plan_new(arena, length);
    plan->chirp = hlo_arena_aligned(arena, (size_t)n * sizeof(number), 64);
    plan->kernel = hlo_arena_aligned(arena, (size_t)length * sizeof(number), 64);
    memset(plan->kernel, 0, (size_t)length * sizeof(number));
    for (int64_t k = 0; k < n; k++) {
        int64_t square =
            (int64_t)((unsigned __int128)k * (unsigned __int128)k % (2 * (unsigned __int128)n));
        plan->chirp[k] = root(square, 2 * n);
        plan->kernel[k] = plan->kernel[k ? length - k : 0] = conj(plan->chirp[k]);
    }
    number *scratch = hlo_malloc((size_t)hlo_fft_scratch(plan->wide) * sizeof *scratch);
    hlo_fft_run(plan->wide, plan->kernel, scratch, false);
    hlo_free(scratch);
}

/* `product` has numbers for the convolution and for the transforms of it. */
static void convolve(const hlo_fft_plan *plan, number *line, number *product) {
    int64_t n = plan->n, length = plan->wide->n;
    for (int64_t k = 0; k < n; k++) product[k] = times(line[k], plan->chirp[k]);
    memset(product + n, 0, (size_t)(length - n) * sizeof *product);
    hlo_fft_run(plan->wide, product, product + length, false);
    for (int64_t k = 0; k < length; k++) product[k] = times(product[k], plan->kernel[k]);
    hlo_fft_run(plan->wide, product, product + length, true);
    for (int64_t k = 0; k < n; k++) line[k] = times(product[k], plan->chirp[k]);
}

/* ---- plans ---- */

const hlo_fft_plan *hlo_fft_plan_new(hlo_arena *arena, int64_t n) {
    hlo_fft_plan *plan = HLO_NEW(arena, hlo_fft_plan);
    plan->n = n;
    if (largest_factor(n) > LARGEST_RADIX) {
        make_chirp(plan, arena);
        return plan;
    }
    plan->roots = hlo_arena_aligned(arena, (size_t)n * sizeof(number), 64);
    for (int64_t k = 0; k < n; k++) plan->roots[k] = root(k, n);
    return plan;
}

int64_t hlo_fft_scratch(const hlo_fft_plan *plan) {
    return plan->wide ? plan->wide->n + hlo_fft_scratch(plan->wide) : plan->n;
}

/* The inverse transform is the conjugate of the transform of the conjugate, divided by n. */
void hlo_fft_run(const hlo_fft_plan *plan, number *line, number *scratch, bool inverse) {
    int64_t n = plan->n;
    for (int64_t k = 0; k < n && inverse; k++) line[k] = conj(line[k]);
    if (plan->wide) {
        convolve(plan, line, scratch);
    } else {
        memcpy(scratch, line, (size_t)n * sizeof *scratch);
        transform(plan, scratch, 1, line, n);
    }
    for (int64_t k = 0; k < n && inverse; k++) line[k] = conj(line[k]) / (double)n;
}
