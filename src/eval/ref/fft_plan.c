/* Fourier transforms of lines: see fft_plan.h. */
#include "eval/ref/fft_plan.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

/* Prime factors above this go through a convolution. */
enum { LARGEST_RADIX = 32 };

typedef double _Complex number;

struct hlo_fft_plan {
    int64_t n;
    number *roots;             /* e^(-2 pi i k / n) */
    struct hlo_fft_plan *wide; /* of the convolution, whose length is a power of two; NULL: none */
    number *chirp;             /* e^(-pi i k^2 / n) */
    number *kernel;            /* the transform of its conjugate */
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

static void make_chirp(hlo_fft_plan *plan) {
    int64_t n = plan->n, length = 1;
    while (length < 2 * n - 1) length *= 2;
    plan->wide = hlo_fft_plan_new(length);
    plan->chirp = hlo_malloc((size_t)n * sizeof(number));
    plan->kernel = hlo_calloc((size_t)length, sizeof(number));
    for (int64_t k = 0; k < n; k++) {
        int64_t square =
            (int64_t)((unsigned __int128)k * (unsigned __int128)k % (2 * (unsigned __int128)n));
        plan->chirp[k] = root(square, 2 * n);
        plan->kernel[k] = plan->kernel[k ? length - k : 0] = conj(plan->chirp[k]);
    }
    hlo_fft_run(plan->wide, plan->kernel, false);
}

static void convolve(const hlo_fft_plan *plan, number *line) {
    int64_t n = plan->n, length = plan->wide->n;
    number *product = hlo_malloc((size_t)length * sizeof *product);
    for (int64_t k = 0; k < n; k++) product[k] = times(line[k], plan->chirp[k]);
    memset(product + n, 0, (size_t)(length - n) * sizeof *product);
    hlo_fft_run(plan->wide, product, false);
    for (int64_t k = 0; k < length; k++) product[k] = times(product[k], plan->kernel[k]);
    hlo_fft_run(plan->wide, product, true);
    for (int64_t k = 0; k < n; k++) line[k] = times(product[k], plan->chirp[k]);
    hlo_free(product);
}

/* ---- plans ---- */

hlo_fft_plan *hlo_fft_plan_new(int64_t n) {
    hlo_fft_plan *plan = hlo_calloc(1, sizeof *plan);
    plan->n = n;
    if (largest_factor(n) > LARGEST_RADIX) {
        make_chirp(plan);
        return plan;
    }
    plan->roots = hlo_malloc((size_t)n * sizeof(number));
    for (int64_t k = 0; k < n; k++) plan->roots[k] = root(k, n);
    return plan;
}

void hlo_fft_plan_free(hlo_fft_plan *plan) {
    if (!plan) return;
    hlo_fft_plan_free(plan->wide);
    hlo_free(plan->roots);
    hlo_free(plan->chirp);
    hlo_free(plan->kernel);
    hlo_free(plan);
}

/* The inverse transform is the conjugate of the transform of the conjugate, divided by n. */
void hlo_fft_run(const hlo_fft_plan *plan, number *line, bool inverse) {
    int64_t n = plan->n;
    for (int64_t k = 0; k < n && inverse; k++) line[k] = conj(line[k]);
    if (plan->wide) {
        convolve(plan, line);
    } else {
        number *copy = hlo_malloc((size_t)n * sizeof *copy);
        memcpy(copy, line, (size_t)n * sizeof *copy);
        transform(plan, copy, 1, line, n);
        hlo_free(copy);
    }
    for (int64_t k = 0; k < n && inverse; k++) line[k] = conj(line[k]) / (double)n;
}
