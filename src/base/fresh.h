/* A pattern for memory that is handed out: what a kernel did not write of its result shows, since
 * results change with the pattern. Programs that test the evaluator set the pattern. */
#ifndef HLO_BASE_FRESH_H
#define HLO_BASE_FRESH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Builds with AddressSanitizer, and those with HLO_FILL_FRESH, always fill: see hlo_fresh_next. */
#if defined __has_feature
#if __has_feature(address_sanitizer)
#define HLO_FILL_FRESH
#endif
#endif
#if defined __SANITIZE_ADDRESS__ && !defined HLO_FILL_FRESH
#define HLO_FILL_FRESH
#endif

/* Signalling NaNs of f64, and of half of a range as f32; bytes that are neither 0 nor 1, and finite
 * numbers of all types. */
#define HLO_FRESH_NAN UINT64_C(0x7ff4a1a17fa0a1a1)
#define HLO_FRESH_BYTES UINT64_C(0xa5a5a5a5a5a5a5a5)

/* The word that memory is filled with; 0: it stays as it is. */
extern _Atomic uint64_t hlo_fresh_pattern;

/* For those to whom the size is not known without a call. */
static inline bool hlo_fresh_fills(void) {
    return __builtin_expect(atomic_load_explicit(&hlo_fresh_pattern, memory_order_relaxed) != 0, 0);
}

void hlo_fresh_write(void *memory, size_t bytes);

static inline void hlo_fresh_fill(void *memory, size_t bytes) {
    if (hlo_fresh_fills()) hlo_fresh_write(memory, bytes);
}

/* In builds that always fill: another pattern for the next run, also in another process. */
#if defined HLO_FILL_FRESH
void hlo_fresh_next(void);
#else
static inline void hlo_fresh_next(void) {
}
#endif

#endif
