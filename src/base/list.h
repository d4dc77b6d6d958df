/* Lists that grow, of any type of element.
 *
 *     typedef HLO_LIST(hlo_instr *) hlo_instr_list;
 *     hlo_instr_list list = {0};
 *     hlo_list_push(&list, instr);
 *     for (uint32_t i = 0; i < list.n; i++) use(list.v[i]);
 *     hlo_list_free(&list);
 *
 * A list of zero bytes is empty and owns nothing. The elements are one block of hlo_malloc, which
 * belongs to the list and moves when it grows: pointers into it are good until the next push. What
 * elements point to is not the list's. To empty a list and keep its block, set n to 0; to give the
 * block away, take v. A list cannot be copied and grown twice.
 *
 * Growing does not return when memory runs out, and leaves the list as it was (see arena.h). A list
 * in an object that outlives the public call which fills it needs hlo_keep(list.v) (see unwind.h).
 *
 * The macros evaluate `list`, a pointer, several times. */
#ifndef HLO_BASE_LIST_H
#define HLO_BASE_LIST_H

#include "base/arena.h"

#define HLO_LIST(type)        \
    struct {                  \
        type *v;              \
        uint32_t n, capacity; \
    }

/* Adds an element. It is evaluated after the list has grown and before n counts it. */
#define hlo_list_push(list, ...)                                \
    do {                                                        \
        HLO_ASSERT((list)->n <= (list)->capacity);              \
        if ((list)->n == (list)->capacity) hlo_list_grow(list); \
        (list)->v[(list)->n] = (__VA_ARGS__);                   \
        (list)->n++;                                            \
    } while (0)

/* Adds an element and returns where it is; its bytes are undefined. */
#define hlo_list_add(list) \
    ((list)->n == (list)->capacity ? hlo_list_grow(list) : (void)0, &(list)->v[(list)->n++])

/* The same as hlo_list_push for a list whose block is in an arena: it is not freed, and a list that
 * grows leaves its old block there. */
#define hlo_list_push_in(arena, list, ...)                                                    \
    do {                                                                                      \
        HLO_ASSERT((list)->n <= (list)->capacity);                                            \
        if ((list)->n == (list)->capacity)                                                    \
            (list)->v = hlo_list_enlarge_in((arena), (list)->v, (list)->n, &(list)->capacity, \
                                            sizeof *(list)->v);                               \
        (list)->v[(list)->n] = (__VA_ARGS__);                                                 \
        (list)->n++;                                                                          \
    } while (0)

/* Removes the last element of a list that has one, and returns it. */
#define hlo_list_pop(list) ((list)->v[(HLO_ASSERT((list)->n > 0), --(list)->n)])

/* Makes space for `count` elements in all, so that pushes up to there neither move nor fail; v is
 * not NULL afterwards unless `count` is 0. */
#define hlo_list_reserve(list, count) \
    ((list)->v = hlo_list_enlarge((list)->v, &(list)->capacity, (size_t)(count), sizeof *(list)->v))

/* Frees the elements and empties the list. */
#define hlo_list_free(list) \
    (hlo_free((list)->v), (list)->v = NULL, (list)->n = (list)->capacity = 0, (void)0)

#define hlo_list_grow(list)                                                                   \
    ((void)((list)->v = hlo_list_enlarge((list)->v, &(list)->capacity, (size_t)(list)->n + 1, \
                                         sizeof *(list)->v)))

/* Returns the block with space for at least `wanted` elements of `size` bytes, more than asked for
 * so that a list of n elements moves O(log n) times, and stores for how many in *capacity. */
void *hlo_list_enlarge(void *block, uint32_t *capacity, size_t wanted, size_t size);
/* Returns a block of the arena with space for more than n elements, and copies the n. */
void *hlo_list_enlarge_in(hlo_arena *arena, const void *block, uint32_t n, uint32_t *capacity,
                          size_t size);

/* For qsort: numbers of int64_t ascend. */
int hlo_by_number(const void *a, const void *b);

#endif
