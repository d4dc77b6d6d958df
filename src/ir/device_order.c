/* Orders of devices: iotas that are reshaped and transposed, their canonical form, and arrays of
 * device numbers. */
#include <stdarg.h>
#include <stdio.h>

#include "ir/sharding_parts.h"

void *hlo_refuse(hlo_arena *arena, const char **why, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n < 0) n = 0;
    size_t len = (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    char *kept = hlo_arena_alloc(arena, len + 1);
    memcpy(kept, text, len);
    kept[len] = 0;
    *why = kept;
    return NULL;
}

int64_t hlo_checked_product(const int64_t *v, uint32_t n) {
    int64_t product = 1;
    for (uint32_t i = 0; i < n; i++)
        if (v[i] <= 0 || __builtin_mul_overflow(product, v[i], &product)) return -1;
    return product;
}

/* ---- canonical iotas ---- */

/* Removes dimensions of size 1 and renumbers the permutation; returns how many are left. */
static uint32_t drop_ones(int64_t *dims, int64_t *perm, uint32_t n, int64_t *renumbered) {
    uint32_t kept = 0, at = 0;
    for (uint32_t i = 0; i < n; i++) renumbered[i] = dims[i] == 1 ? -1 : (int64_t)kept++;
    for (uint32_t i = 0; i < n; i++)
        if (renumbered[i] >= 0) dims[renumbered[i]] = dims[i];
    for (uint32_t i = 0; i < n; i++)
        if (renumbered[perm[i]] >= 0) perm[at++] = renumbered[perm[i]];
    return kept;
}

/* Multiplies dimensions that follow each other before and after the transposition into the first of
 * them and leaves the others as 1; true when there were any. */
static bool merge_neighbours(int64_t *dims, const int64_t *perm, uint32_t n) {
    bool changed = false;
    for (uint32_t i = 1, base = 0; i < n; i++) {
        if (perm[base] + (int64_t)(i - base) == perm[i]) {
            dims[perm[base]] *= dims[perm[i]];
            dims[perm[i]] = 1;
            changed = true;
        } else {
            base = i;
        }
    }
    return changed;
}

const hlo_iota_list *hlo_iota_from(hlo_arena *arena, const int64_t *dims, const int64_t *perm,
                                   uint32_t n) {
    hlo_ints *d = hlo_ints_from(arena, dims, n), *p = hlo_ints_from(arena, perm, n);
    int64_t *renumbered = hlo_arena_alloc(arena, n * sizeof *renumbered);
    bool again = n > 1;
    while (again) {
        d->n = p->n = drop_ones(d->v, p->v, d->n, renumbered);
        again = merge_neighbours(d->v, p->v, d->n);
    }
    if (d->n == 0) {
        static const int64_t one = 1, first = 0;
        d = hlo_ints_from(arena, &one, 1);
        p = hlo_ints_from(arena, &first, 1);
    }
    hlo_iota_list *iota = HLO_NEW(arena, hlo_iota_list);
    *iota = (hlo_iota_list){d, p};
    return iota;
}

static bool is_permutation(hlo_arena *arena, const hlo_ints *perm) {
    uint8_t *seen = hlo_arena_zero(arena, perm->n);
    for (uint32_t i = 0; i < perm->n; i++) {
        if (perm->v[i] < 0 || perm->v[i] >= perm->n || seen[perm->v[i]]) return false;
        seen[perm->v[i]] = 1;
    }
    return true;
}

const hlo_iota_list *hlo_iota_canonical(hlo_arena *arena, const hlo_ints *dims,
                                        const hlo_ints *perm, const char **why) {
    if (!dims || dims->n == 0)
        return hlo_refuse(arena, why, "an iota of devices requires at least one dimension");
    if (hlo_checked_product(dims->v, dims->n) < 0)
        return hlo_refuse(arena, why,
                          "the dimensions of an iota of devices must be positive and "
                          "their product must fit 64 bits");
    if (!perm && dims->n > 1)
        return hlo_refuse(arena, why, "an iota of %u dimensions requires a transposition T(...)",
                          dims->n);
    static const int64_t identity = 0;
    if (!perm) return hlo_iota_from(arena, dims->v, &identity, 1);
    if (perm->n != dims->n)
        return hlo_refuse(arena, why,
                          "the transposition of an iota has %u entries, its dimensions are %u",
                          perm->n, dims->n);
    if (!is_permutation(arena, perm))
        return hlo_refuse(arena, why, "the transposition of an iota must name each of 0 to %u once",
                          dims->n - 1);
    return hlo_iota_from(arena, dims->v, perm->v, dims->n);
}

const hlo_iota_list *hlo_iota_of_count(hlo_arena *arena, const hlo_iota_list *read, int64_t count,
                                       const char **why) {
    const hlo_iota_list *iota = hlo_iota_canonical(arena, read->dims, read->perm, why);
    if (!iota) return NULL;
    int64_t devices = hlo_checked_product(iota->dims->v, iota->dims->n);
    if (devices != count)
        return hlo_refuse(arena, why, "the iota lists %lld devices, but there are %lld tiles",
                          (long long)devices, (long long)count);
    return iota;
}

/* ---- transposed iotas ----
 * An array of some dimensions is filled by an iota, then transposed. To write the result as an iota
 * again, the iota's own dimensions are taken apart into primes, the primes are grouped so that each
 * group is one dimension of the array, and the groups are transposed. */

enum { MOST_PRIMES = 64 }; /* an int64 has at most 62 prime factors */

typedef struct {
    uint32_t n;
    int64_t factor[MOST_PRIMES]; /* dimensions of the finer iota */
    int64_t perm[MOST_PRIMES];   /* its transposition */
    int64_t from[MOST_PRIMES];   /* by place in perm: the dimension that was taken apart */
} prime_iota;

static void add_primes(prime_iota *p, int64_t dim) {
    for (; dim % 2 == 0; dim /= 2) p->factor[p->n++] = 2;
    for (int64_t i = 3; i * i <= dim; i += 2)
        for (; dim % i == 0; dim /= i) p->factor[p->n++] = i;
    if (dim > 1) p->factor[p->n++] = dim;
}

static void take_apart(prime_iota *p, const hlo_iota_list *iota) {
    uint32_t begin[MOST_PRIMES + 1], at = 0;
    p->n = 0;
    for (uint32_t i = 0; i < iota->dims->n; i++) {
        begin[i] = p->n;
        add_primes(p, iota->dims->v[i]);
    }
    begin[iota->dims->n] = p->n;
    for (uint32_t i = 0; i < iota->perm->n; i++) {
        int64_t dim = iota->perm->v[i];
        for (uint32_t k = begin[dim]; k < begin[dim + 1]; k++, at++) {
            p->perm[at] = k;
            p->from[at] = dim;
        }
    }
}

/* Sees to it that the prime at `at` divides `target`, by exchange with a later one of the same
 * dimension if need be. */
static bool prime_divides(prime_iota *p, uint32_t at, int64_t target) {
    int64_t *here = &p->factor[p->perm[at]];
    for (uint32_t k = at; k < p->n && p->from[k] == p->from[at]; k++) {
        int64_t *other = &p->factor[p->perm[k]];
        if (target % *other != 0) continue;
        int64_t prime = *other;
        *other = *here;
        *here = prime;
        return true;
    }
    return false;
}

/* Groups the primes, in transposed order, into the array's dimensions: dimension i has the places
 * begin[i] to begin[i + 1]. */
static bool group_primes(prime_iota *p, const int64_t *dims, uint32_t rank, uint32_t *begin) {
    HLO_ASSERT(rank > 0);
    uint32_t at = 0;
    for (uint32_t i = 0; i < rank; i++) {
        begin[i] = at;
        int64_t target = dims[i];
        while (target > 1 && at < p->n && prime_divides(p, at, target))
            target /= p->factor[p->perm[at++]];
        if (target != 1) return false;
    }
    begin[rank] = at;
    return at == p->n;
}

static bool keeps_order(const int64_t *dims, const int64_t *perm, uint32_t rank) {
    int64_t last = -1;
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[perm[i]] == 1) continue;
        if (perm[i] <= last) return false;
        last = perm[i];
    }
    return true;
}

const hlo_iota_list *hlo_iota_transposed(hlo_arena *arena, const hlo_iota_list *iota,
                                         const int64_t *dims, const int64_t *perm, uint32_t rank) {
    HLO_ASSERT(iota->perm->n == iota->dims->n);
    if (keeps_order(dims, perm, rank)) return iota;
    if (iota->dims->n == 1) return hlo_iota_from(arena, dims, perm, rank);
    prime_iota p;
    take_apart(&p, iota);
    uint32_t *begin = hlo_arena_alloc(arena, (rank + (size_t)1) * sizeof *begin);
    if (!group_primes(&p, dims, rank, begin)) return NULL;
    int64_t flattened[MOST_PRIMES];
    uint32_t n = 0;
    for (uint32_t i = 0; i < rank; i++)
        for (uint32_t k = begin[perm[i]]; k < begin[perm[i] + 1]; k++) flattened[n++] = p.perm[k];
    return hlo_iota_from(arena, p.factor, flattened, n);
}

/* ---- orders written out ---- */

hlo_ints *hlo_listed_transposed(hlo_arena *arena, const int64_t *values, const int64_t *dims,
                                const int64_t *perm, uint32_t rank) {
    struct {
        int64_t size, stride, index;
    } loops[MOST_PRIMES]; /* dimensions of size 1 need none, the others are at most 62 */
    int64_t *stride = hlo_arena_alloc(arena, rank * sizeof *stride);
    int64_t count = 1, at = 0;
    uint32_t n = 0;
    for (uint32_t i = rank; i-- > 0; count *= dims[i]) stride[i] = count;
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[perm[i]] == 1) continue;
        loops[n].size = dims[perm[i]];
        loops[n].stride = stride[perm[i]];
        loops[n++].index = 0;
    }
    hlo_ints *out = hlo_ints_new(arena, (uint32_t)count);
    for (int64_t k = 0; k < count; k++) {
        out->v[k] = values ? values[at] : at;
        for (uint32_t i = n; i-- > 0;) {
            at += loops[i].stride;
            if (++loops[i].index < loops[i].size) break;
            at -= loops[i].size * loops[i].stride;
            loops[i].index = 0;
        }
    }
    return out;
}

hlo_ints *hlo_iota_listed(hlo_arena *arena, const hlo_iota_list *iota) {
    return hlo_listed_transposed(arena, NULL, iota->dims->v, iota->perm->v, iota->dims->n);
}
