/* Reading pairs of devices from a frontend attribute: see transfer_pairs.h. */
#include "shape/transfer_pairs.h"

#include "base/list.h"
#include "base/text.h"

const hlo_str *hlo_transfer_pairs_text(const hlo_instr *instr) {
    return hlo_frontend_value(instr, "_xla_send_recv_source_target_pairs");
}

typedef HLO_LIST(const hlo_ints *) pairs;

static bool take_pairs(hlo_arena *arena, hlo_cursor c, pairs *list) {
    bool good = hlo_take(&c, '{'), more = good && !hlo_take(&c, '}');
    while (good && more) {
        uint64_t from, to;
        good = hlo_take(&c, '{') && hlo_take_number(&c, INT64_MAX, &from) && hlo_take(&c, ',') &&
               hlo_take_number(&c, INT64_MAX, &to) && hlo_take(&c, '}');
        if (!good) break;
        hlo_list_push(list, hlo_ints_from(arena, (int64_t[]){(int64_t)from, (int64_t)to}, 2));
        more = hlo_take(&c, ',');
        good = more || hlo_take(&c, '}');
    }
    return good && hlo_cursor_is_done(&c);
}

const hlo_int_lists *hlo_transfer_pairs(hlo_arena *arena, const hlo_str *text) {
    pairs list = {0};
    hlo_int_lists *out = NULL;
    if (take_pairs(arena, hlo_cursor_of(*text), &list)) {
        out = hlo_arena_alloc(arena, sizeof *out + list.n * sizeof *out->v);
        out->n = list.n;
        for (uint32_t i = 0; i < list.n; i++) out->v[i] = list.v[i];
    }
    hlo_list_free(&list);
    return out;
}
