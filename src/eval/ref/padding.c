/* Copies into padded arrays: see padding.h. Called by pad and reduce-window. */
#include "eval/ref/padding.h"

/* The elements of one dimension that stay: from `first` on `count` of them, the first at `place`. */
typedef struct {
    int64_t first, count, place;
} kept;

static kept kept_of(const hlo_pad_dim *dim) {
    __int128 step = (__int128)dim->interior + 1, room = (__int128)dim->to - 1 - dim->low;
    __int128 first = dim->low < 0 ? (step - 1 - dim->low) / step : 0;
    __int128 last = room < 0 ? -1 : room / step;
    if (last >= dim->live) last = dim->live - 1;
    if (last < first) return (kept){0};
    return (kept){(int64_t)first, (int64_t)(last - first + 1), (int64_t)(dim->low + first * step)};
}

/* Walks dimensions from the innermost to the outermost, since strides grow that way, and then hands
 * them to the walk in its own order. */
void hlo_copy_padded(void *to, const void *from, const hlo_pad_dim *dims, uint32_t rank,
                     uint32_t bytes) {
    int64_t *strides = hlo_malloc(2 * rank * sizeof *strides), to_unit = bytes, from_unit = bytes;
    for (uint32_t d = rank; d-- > 0;) {
        strides[2 * d] = to_unit;
        strides[2 * d + 1] = from_unit;
        to_unit = (int64_t)((uint64_t)to_unit * (uint64_t)dims[d].to);
        from_unit = (int64_t)((uint64_t)from_unit * (uint64_t)dims[d].from);
    }
    hlo_walk walk;
    hlo_walk_init(&walk, 2);
    for (uint32_t d = 0; d < rank && !walk.empty; d++) {
        kept k = kept_of(&dims[d]);
        walk.at[0] += k.place * strides[2 * d];
        walk.at[1] += k.first * strides[2 * d + 1];
        hlo_walk_dim2(&walk, k.count,
                      k.count > 1 ? strides[2 * d] * (dims[d].interior + 1) : strides[2 * d],
                      strides[2 * d + 1]);
    }
    hlo_copy_walk(&walk, to, from, bytes);
    hlo_free(strides);
}
