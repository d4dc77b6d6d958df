/* The pattern of memory that is handed out (base/fresh.h): values and scratch memory have it.
 * check_engines compares runs under different patterns. */
#include <stdio.h>
#include <string.h>

#include "base/blocks.h"
#include "base/fresh.h"
#include "eval/value/value_memory.h"
#include "unit/check.h"

static const uint64_t patterns[] = {HLO_FRESH_NAN, HLO_FRESH_BYTES};

/* Of a new array of so many bytes, each is the pattern's. */
static bool is_filled(const void *memory, size_t bytes, uint64_t pattern) {
    const char *at = memory;
    for (size_t i = 0; i < bytes; i++)
        if (at[i] != ((const char *)&pattern)[i % sizeof pattern]) return false;
    return true;
}

static void check_values(hlo_shapes_table *shapes, int64_t elements, uint64_t pattern) {
    const hlo_shape *shape = hlo_shape_array(shapes, HLO_U8, &elements, 1, NULL, NULL, NULL);
    hlo_value *value = hlo_value_new(shape);
    check(value && is_filled(value->data, (size_t)elements, pattern),
          "a new value has the pattern");
    hlo_value_release(value);
    value = hlo_value_zeros(shape);
    check(value && is_filled(value->data, (size_t)elements, 0), "zeros are zeros");
    hlo_value_release(value);
}

int main(void) {
    hlo_arena arena;
    hlo_shapes_table shapes;
    hlo_arena_init(&arena);
    hlo_shapes_init(&shapes, &arena);
    for (int i = 0; i < 2; i++) {
        atomic_store(&hlo_fresh_pattern, patterns[i]);
        for (int64_t elements = 1; elements < 1 << 20; elements = elements * 3 + 1)
            check_values(&shapes, elements, patterns[i]);
        void *scratch = hlo_scratch_new(1001);
        check(is_filled(scratch, 1001, patterns[i]), "scratch memory has the pattern");
        hlo_block_free(scratch);
    }
    hlo_shapes_free(&shapes);
    hlo_arena_free(&arena);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
