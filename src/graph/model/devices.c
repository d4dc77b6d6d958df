/* Colours by device. What a few devices have parts of is striped, one stripe for each part; what
 * many have is grey. */
#include "graph/model/devices.h"

#include "ir/sharding.h"
#include "ir/sharding_named.h"

/* The devices of one sharding, in the order of the parts. */
typedef struct {
    int64_t v[HLO_DOT_MOST_STRIPES];
    uint32_t count;
    bool many;  /* more than these */
    bool all;   /* every device has the whole, or the whole of an element */
    bool other; /* the place of each part is not known */
} places;

static void add_device(places *p, int64_t device) {
    for (uint32_t i = 0; i < p->count; i++)
        if (p->v[i] == device) return;
    if (p->count == HLO_DOT_MOST_STRIPES) p->many = true;
    else p->v[p->count++] = device;
}

static void add_tiles(places *p, hlo_arena *arena, const hlo_sharding *tiled) {
    hlo_tiles tiles = hlo_tiles_of(tiled);
    p->many |= hlo_tiles_count(tiles) > HLO_DOT_MOST_STRIPES;
    if (p->many) return;
    const hlo_ints *devices = hlo_tiles_listed(arena, tiles);
    for (uint32_t i = 0; i < devices->n; i++) add_device(p, devices->v[i]);
}

static bool is_large(const hlo_mesh *mesh) {
    int64_t devices = 1;
    for (uint32_t i = 0; !mesh->maximal && i < mesh->n && devices <= HLO_DOT_MOST_STRIPES; i++)
        if (__builtin_mul_overflow(devices, mesh->axes[i].size, &devices)) return true;
    return devices > HLO_DOT_MOST_STRIPES;
}

static bool is_cut(const hlo_sharding *named) {
    bool cut = named->manual.n || named->unreduced.n;
    for (uint32_t i = 0; i < named->dim_count; i++) cut |= named->dims[i].axes.n > 0;
    return cut;
}

static void add_array(places *p, hlo_arena *arena, const hlo_sharding *sharding) {
    switch (sharding->kind) {
    case HLO_SHARDING_MAXIMAL: add_device(p, sharding->device); break;
    case HLO_SHARDING_REPLICATED: p->all = true; break;
    case HLO_SHARDING_TILED: add_tiles(p, arena, sharding); break;
    default: p->other = true;
    }
}

/* A named sharding is equivalent to tiles or a word; those of many devices are not written out. */
static void add_sharding(places *p, hlo_arena *arena, const hlo_sharding *sharding) {
    const char *why;
    bool is_named = sharding->kind == HLO_SHARDING_NAMED;
    if (is_named && is_large(sharding->mesh) && is_cut(sharding)) {
        p->many = true;
        return;
    }
    if (is_named) sharding = hlo_sharding_as_tiles(arena, sharding, &why);
    if (sharding) add_array(p, arena, sharding);
    else p->other = true;
}

static places places_of(const hlo_sharding *sharding) {
    hlo_arena arena;
    hlo_arena_init(&arena);
    places p = {0};
    if (sharding->kind != HLO_SHARDING_TUPLE) add_sharding(&p, &arena, sharding);
    else
        for (uint32_t i = 0; i < sharding->n; i++) add_sharding(&p, &arena, sharding->elements[i]);
    hlo_arena_free(&arena);
    return p;
}

/* ---- what is drawn ---- */

static uint32_t use_device(hlo_dot_colours *colours, int64_t device) {
    uint32_t colour = (uint32_t)((uint64_t)device % HLO_DOT_PALETTE);
    hlo_dot_devices *drawn = &colours->devices[colour];
    colours->drawn[colour] = true;
    if (drawn->count && drawn->v[0] == device) return colour;
    if (drawn->count > 1 && drawn->v[1] == device) return colour;
    if (drawn->count < HLO_DOT_NAMED_DEVICES) drawn->v[drawn->count] = device;
    if (drawn->count <= HLO_DOT_NAMED_DEVICES) drawn->count++;
    return colour;
}

static uint32_t use_stripes(hlo_dot_colours *colours, const places *p) {
    hlo_dot_stripes *stripes = hlo_list_add(&colours->stripes);
    size_t len = 0;
    for (uint32_t i = 0; i < p->count; i++)
        len += (size_t)snprintf(stripes->fill + len, sizeof stripes->fill - len, "%s%s",
                                i ? ":" : "", hlo_dot_palette(use_device(colours, p->v[i])));
    return HLO_DOT_STRIPES + colours->stripes.n - 1;
}

uint32_t hlo_dot_colour_of_devices(hlo_dot_colours *colours, const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_SHARDING);
    if (!attr || !attr->u.sharding) return HLO_DOT_NONE;
    places p = places_of(attr->u.sharding);
    if (p.other || p.many) return HLO_DOT_PALETTE;
    if (p.all || !p.count) return p.all ? HLO_DOT_PALETTE_ALL : HLO_DOT_NONE;
    return p.count == 1 ? use_device(colours, p.v[0]) : use_stripes(colours, &p);
}

void hlo_dot_name_devices(const hlo_dot_colours *colours, uint32_t colour, hlo_buf *out) {
    const hlo_dot_devices *drawn = &colours->devices[colour];
    hlo_buf_printf(out, "device%s %lld", drawn->count > 1 ? "s" : "", (long long)drawn->v[0]);
    if (drawn->count > 1)
        hlo_buf_printf(out, "%s %lld", drawn->count > 2 ? "," : " and", (long long)drawn->v[1]);
    if (drawn->count > 2) hlo_buf_lit(out, ", ...");
}
