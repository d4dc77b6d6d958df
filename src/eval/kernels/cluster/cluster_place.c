/* The order of a cluster's steps, and where its registers are: see cluster_program.h. */
#include "base/pool.h"
#include "eval/kernels/cluster/cluster_code.h"

/* Elements of a tile, and of a row that is one; rows of a group, and their bytes. */
enum { SHORT_TILE = 256, LONG_TILE = 1024, LONGEST_ROW = 2048 };
enum { GROUP_ROWS = 8, GROUP_BYTES = 65536, STEPS_A_STREAM = 8, FEW_STEPS_A_STREAM = 2 };

/* ---- levels ---- */

typedef struct {
    hlo_cluster *cluster;
    uint32_t *of;     /* the level of each register's lanes; of accumulators: when they are whole */
    uint32_t *latest; /* the least level of those who read it */
    uint32_t *reads;  /* how often it is read */
} levels;

static void find_level(levels *l, hlo_cluster_step *step) {
    for (uint32_t i = 0; i < step->arity; i++) {
        if (step->level < l->of[step->in[i]]) step->level = l->of[step->in[i]];
        l->reads[step->in[i]]++;
    }
    l->of[step->out] = step->level + (step->work == HLO_CLUSTER_FOLD);
}

/* What would be kept in memory for a step that waits is not more than what it computes. */
static bool may_wait(const levels *l, const hlo_cluster_step *step) {
    uint32_t kept = 0;
    if (step->grain != HLO_OF_TILE || step->work >= HLO_CLUSTER_FOLD) return false;
    for (uint32_t i = 0; i < step->arity; i++) {
        const hlo_cluster_register *reg = &l->cluster->registers[step->in[i]];
        kept +=
            reg->grain == HLO_OF_TILE && reg->place == HLO_IN_MEMORY && l->reads[step->in[i]] > 1;
    }
    return kept <= 1;
}

/* Steps are as late as who reads their lanes. Each follows what it reads. There is a level without
 * any steps too: at its end leaves that are operands, or the product, are copied. */
static void find_levels(levels *l) {
    hlo_cluster *cluster = l->cluster;
    cluster->level_count = 1;
    for (uint32_t s = 0; s < cluster->step_count; s++) find_level(l, &cluster->steps[s]);
    for (uint32_t r = 0; r < cluster->register_count; r++) l->latest[r] = UINT32_MAX;
    for (uint32_t i = 0; i < cluster->result_count; i++)
        l->latest[cluster->results[i].reg] = l->of[cluster->results[i].reg];
    for (uint32_t s = cluster->step_count; s-- > 0;) {
        hlo_cluster_step *step = &cluster->steps[s];
        uint32_t latest = l->latest[step->out];
        if (latest != UINT32_MAX && latest > step->level && may_wait(l, step)) step->level = latest;
        for (uint32_t i = 0; i < step->arity; i++)
            if (l->latest[step->in[i]] > step->level) l->latest[step->in[i]] = step->level;
        if (cluster->level_count <= step->level) cluster->level_count = step->level + 1;
    }
}

/* ---- rows of operands that are broadcast ---- */

/* Where tiles begin is a multiple of it. */
static int64_t alignment_of(const hlo_cluster *cluster) {
    return cluster->row ? cluster->row : cluster->unit > 1 ? cluster->unit : HLO_PIECE_COST;
}

/* Whether the tile is a part of each period, or periods a part of the tile; of clusters whose tiles
 * may become shorter, for all of their sizes. */
static bool is_in_period(const hlo_cluster *cluster, int64_t count) {
    int64_t tile = (int64_t)cluster->tile;
    return alignment_of(cluster) % count == 0 &&
           (count % tile == 0 || (count == cluster->row && tile <= count));
}

static bool is_of_periods(const hlo_cluster *cluster, int64_t count) {
    bool is_fixed = cluster->row || cluster->sink_count;
    int64_t tile = is_fixed ? (int64_t)cluster->tile : SHORT_TILE;
    return alignment_of(cluster) % count == 0 && tile % count == 0;
}

/* Lanes that are rows of an operand, again and again, are in the operand, or the same in all tiles.
 */
static void place_broadcast(hlo_cluster *cluster) {
    uint32_t n = 0;
    for (uint32_t s = 0; s < cluster->step_count; s++) {
        hlo_cluster_step *step = &cluster->steps[s];
        hlo_cluster_register *reg = &cluster->registers[step->out];
        int64_t count = step->view.count;
        bool is_row = step->work == HLO_CLUSTER_SPREAD && step->grain == HLO_OF_TILE &&
                      !step->constant && step->view.inner == 1;
        if (is_row && is_in_period(cluster, count)) {
            reg->place = HLO_IN_OPERAND;
            reg->number = step->operand;
            reg->period = count;
            continue;
        }
        if (is_row && is_of_periods(cluster, count)) step->grain = reg->grain = HLO_OF_RUN;
        cluster->steps[n++] = *step;
    }
    cluster->step_count = n;
}

/* ---- results ---- */

/* Whether the leaves are more than the caches keep. */
static bool is_too_much(const hlo_cluster *cluster) {
    int64_t bytes = 0;
    for (uint32_t i = 0; i < cluster->result_count; i++)
        if (!cluster->results[i].of_rows)
            bytes += hlo_types[cluster->registers[cluster->results[i].reg].type].bytes;
    return bytes && cluster->elements >= hlo_stream_least() / bytes;
}

/* A step writes straight into the result; the first leaf of several that are one register. What
 * scalars, operands and other leaves are is copied, and what goes past the caches. */
static void write_into_results(hlo_cluster *cluster) {
    cluster->streams = is_too_much(cluster) && !hlo_cluster_handed_on(cluster);
    for (uint32_t i = 0; i < cluster->result_count; i++) {
        hlo_cluster_register *reg = &cluster->registers[cluster->results[i].reg];
        if (reg->place != HLO_IN_MEMORY || reg->grain <= HLO_OF_RUN) continue;
        if (reg->grain == HLO_OF_TILE && cluster->streams) continue;
        reg->place = HLO_IN_RESULT;
        reg->number = cluster->results[i].leaf;
    }
}

/* ---- order ---- */

/* Lanes in memory that depend on the row only, where a group is one row. */
static bool is_once(const hlo_cluster *cluster, const hlo_cluster_step *step) {
    bool is_one_row = cluster->row && cluster->group == (size_t)cluster->row;
    if (!is_one_row || step->grain != HLO_OF_TILE) return false;
    if (cluster->registers[step->out].place != HLO_IN_MEMORY) return false;
    if (step->work == HLO_CLUSTER_REPEAT) return true;
    return step->work == HLO_CLUSTER_SPREAD && step->view.inner % cluster->row == 0;
}

enum { OF_ROWS, OF_GROUP, OF_TILE, KINDS };

static int kind_of(const hlo_cluster_step *step) {
    return step->grain == HLO_OF_ROWS ? OF_ROWS : step->is_once ? OF_GROUP : OF_TILE;
}

/* Appends the steps of a kind to those in order; of what runs once, level and kind count nothing.
 */
static void take_steps(const hlo_cluster *cluster, hlo_cluster_step *to, uint32_t *n,
                       bool is_of_run, uint32_t level, int kind) {
    for (uint32_t s = 0; s < cluster->step_count; s++) {
        const hlo_cluster_step *step = &cluster->steps[s];
        if ((step->grain <= HLO_OF_RUN) != is_of_run) continue;
        if (is_of_run || (step->level == level && kind_of(step) == kind)) to[(*n)++] = *step;
    }
}

static void put_in_order(hlo_preparation *p, hlo_cluster *cluster) {
    hlo_cluster_step *steps = HLO_NEW_ARRAY(p->arena, hlo_cluster_step, cluster->step_count + 1);
    cluster->levels = HLO_NEW_ARRAY(p->arena, hlo_cluster_level, cluster->level_count + 1);
    uint32_t n = 0;
    take_steps(cluster, steps, &n, true, 0, 0);
    cluster->first_of_level = n;
    for (uint32_t l = 0; l < cluster->level_count; l++) {
        uint32_t *starts = &cluster->levels[l].first_of_rows;
        for (int kind = 0; kind < KINDS; kind++) {
            starts[kind] = n;
            take_steps(cluster, steps, &n, false, l, kind);
        }
        cluster->levels[l].end = n;
    }
    cluster->steps = steps;
}

/* ---- memory ---- */

static uint32_t level_at(const hlo_cluster *cluster, uint32_t s) {
    HLO_ASSERT(s < cluster->step_count);
    uint32_t l = 0;
    while (s >= cluster->levels[l].end) l++;
    return l;
}

static uint32_t end_of_level(const hlo_cluster *cluster, uint32_t s) {
    return cluster->levels[level_at(cluster, s)].end;
}

/* Whether the register has separate lanes for each tile of a group. */
static bool varies(const hlo_cluster *cluster, uint32_t reg, const uint32_t *defined) {
    return cluster->registers[reg].grain == HLO_OF_TILE && !cluster->steps[defined[reg]].is_once;
}

static void note_read(hlo_cluster *cluster, uint32_t in, uint32_t s, const uint32_t *defined,
                      uint32_t *last) {
    hlo_cluster_register *reg = &cluster->registers[in];
    if (reg->place == HLO_IN_ROWS) {
        note_read(cluster, reg->number, s, defined, last);
        return;
    }
    if (reg->place != HLO_IN_MEMORY || reg->grain <= HLO_OF_RUN) return;
    bool is_own = varies(cluster, in, defined);
    reg->is_long |= is_own && s >= end_of_level(cluster, defined[in]);
    bool by_each_tile = !is_own && cluster->steps[s].grain == HLO_OF_TILE;
    uint32_t until = by_each_tile ? end_of_level(cluster, s) - 1 : s;
    if (last[in] < until) last[in] = until;
}

/* The last step that reads each register; scalars stay. What a later level reads is there for all
 * tiles of a group; what all tiles have in common is there until the last of them has read it. */
static void find_last_reads(hlo_cluster *cluster, uint32_t *defined, uint32_t *last) {
    for (uint32_t s = 0; s < cluster->step_count; s++) {
        const hlo_cluster_step *step = &cluster->steps[s];
        defined[step->out] = s;
        last[step->out] = s < cluster->first_of_level ? UINT32_MAX : s;
        for (uint32_t i = 0; i < step->arity; i++)
            note_read(cluster, step->in[i], s, defined, last);
    }
}

/* Leaves that are copied at the end of the last level. */
static void keep_results(hlo_cluster *cluster, const uint32_t *defined, uint32_t *last) {
    for (uint32_t i = 0; i < cluster->result_count; i++) {
        uint32_t r = cluster->results[i].reg;
        hlo_cluster_register *reg = &cluster->registers[r];
        if (reg->place != HLO_IN_MEMORY || reg->grain <= HLO_OF_RUN) continue;
        reg->is_long |=
            varies(cluster, r, defined) && level_at(cluster, defined[r]) + 1 < cluster->level_count;
        last[r] = UINT32_MAX;
    }
}

/* Those that share memory have places of one size. */
typedef enum { ONE_PLACE, TILE_PLACE, GROUP_PLACE, ROWS_PLACE, PLACES } place_kind;

static place_kind place_of_register(const hlo_cluster_register *reg) {
    if (reg->grain == HLO_OF_ONE) return ONE_PLACE;
    return reg->grain == HLO_OF_ROWS ? ROWS_PLACE : reg->is_long ? GROUP_PLACE : TILE_PLACE;
}

/* Memory of dead registers is used again, so that few tiles are in the cache. Places have the size
 * of the widest type; returns how many there are. */
static uint32_t place_registers(hlo_cluster *cluster, place_kind kind, const uint32_t *last,
                                uint32_t *busy_until) {
    uint32_t places = 0;
    for (uint32_t s = 0; s < cluster->step_count; s++) {
        hlo_cluster_register *reg = &cluster->registers[cluster->steps[s].out];
        if (reg->place != HLO_IN_MEMORY || place_of_register(reg) != kind) continue;
        uint32_t place = 0;
        while (place < places && busy_until[place] >= s) place++;
        if (place == places) places++;
        busy_until[place] = last[cluster->steps[s].out];
        reg->at = place;
    }
    return places;
}

/* Long tiles have fewer calls, as long as what is between the steps stays in the first cache. */
static size_t tile_for(size_t bytes_an_element) {
    enum { CACHE = 24576 };
    size_t tile = LONG_TILE;
    while (tile > SHORT_TILE && bytes_an_element * tile > CACHE) tile /= 2;
    return tile;
}

/* Tiles of long rows are blocks, which rows are folded by; others have whole rows. A group has
 * several rows, so that what is computed for each row is a loop. */
static void set_tile(hlo_cluster *cluster, size_t tile) {
    size_t row = (size_t)cluster->row;
    cluster->tile = cluster->group = tile;
    if (row > LONGEST_ROW) {
        cluster->tile = HLO_FOLD_BLOCK;
        cluster->group = row;
    } else if (row) {
        size_t rows = row < tile ? tile / row : 1;
        cluster->tile = cluster->group = rows * row;
        while (rows < GROUP_ROWS && 2 * cluster->group * cluster->widest <= GROUP_BYTES) {
            rows *= 2;
            cluster->group *= 2;
        }
    }
}

static void set_memory(hlo_preparation *p, hlo_cluster *cluster, const uint32_t *places) {
    enum { APART = 320 }; /* tiles of whole pages would meet in few places of the first cache */
    size_t rows = cluster->row ? cluster->group / (size_t)cluster->row : 0;
    size_t bytes[PLACES] = {1, cluster->tile, cluster->group, (rows + 3) / 4 * 4};
    size_t first[PLACES], end = (cluster->register_count * sizeof(char *) + 63) / 64 * 64;
    for (int kind = 0; kind < PLACES; kind++) {
        bytes[kind] =
            (bytes[kind] * cluster->widest + 63) / 64 * 64 + (kind == ONE_PLACE ? 0 : APART);
        first[kind] = end;
        end += places[kind] * bytes[kind];
    }
    for (uint32_t r = 0; r < cluster->register_count; r++) {
        hlo_cluster_register *reg = &cluster->registers[r];
        reg->at = first[place_of_register(reg)] + reg->at * bytes[place_of_register(reg)];
    }
    bool is_one = cluster->elements <= HLO_PIECE_COST;
    if (cluster->product) {
        is_one = is_one && !cluster->product->handed_on;
        end += is_one ? 0 : cluster->product->memory;
    }
    cluster->work = hlo_prepare_work(p, end, is_one);
}

static void find_widest(hlo_cluster *cluster) {
    cluster->widest = 1;
    for (uint32_t r = 0; r < cluster->register_count; r++)
        if (hlo_types[cluster->registers[r].type].bytes > cluster->widest)
            cluster->widest = hlo_types[cluster->registers[r].type].bytes;
}

static void place_in_memory(hlo_preparation *p, hlo_cluster *cluster) {
    uint32_t *last = hlo_calloc(cluster->register_count, sizeof *last), places[PLACES];
    uint32_t *defined = hlo_calloc(cluster->register_count, sizeof *defined);
    uint32_t *busy_until = hlo_malloc((cluster->step_count + 1) * sizeof *busy_until);
    find_last_reads(cluster, defined, last);
    keep_results(cluster, defined, last);
    for (int kind = 0; kind < PLACES; kind++)
        places[kind] = place_registers(cluster, (place_kind)kind, last, busy_until);
    if (!cluster->row && !cluster->sink_count)
        set_tile(cluster, tile_for(places[TILE_PLACE] * cluster->widest));
    set_memory(p, cluster, places);
    hlo_free(busy_until);
    hlo_free(defined);
    hlo_free(last);
}

static void list_moving(hlo_preparation *p, hlo_cluster *cluster, hlo_cluster_grain grain) {
    hlo_cluster_moving *moving = &cluster->moving[grain];
    moving->registers = HLO_NEW_ARRAY(p->arena, uint32_t, cluster->register_count);
    for (uint32_t r = 0; r < cluster->register_count; r++) {
        const hlo_cluster_register *reg = &cluster->registers[r];
        bool moves = reg->is_long || (reg->place != HLO_IN_MEMORY && reg->place != HLO_NOWHERE);
        if (reg->grain == grain && moves) moving->registers[moving->count++] = r;
    }
}

/* Fetching is worth it where much is computed from what is read: else it takes as long as the
 * steps, and the processor does it. Of what is too much for the caches less is enough. Rows are an
 * exception: each level computes with all of a group. */
static bool fetches(const hlo_cluster *cluster) {
    const hlo_cluster_moving *moving = &cluster->moving[HLO_OF_TILE];
    uint32_t streams = 0;
    for (uint32_t i = 0; i < moving->count; i++) {
        const hlo_cluster_register *reg = &cluster->registers[moving->registers[i]];
        streams += reg->place != HLO_IN_MEMORY && reg->place != HLO_IN_ROWS && !reg->period;
    }
    uint32_t steps = cluster->streams ? FEW_STEPS_A_STREAM : STEPS_A_STREAM;
    return cluster->elements > HLO_PIECE_COST &&
           (cluster->row || cluster->step_count >= steps * streams);
}

void hlo_place_cluster(hlo_preparation *p, hlo_cluster *cluster) {
    levels l = {.cluster = cluster};
    l.of = hlo_calloc(cluster->register_count, sizeof *l.of);
    l.latest = hlo_calloc(cluster->register_count, sizeof *l.latest);
    l.reads = hlo_calloc(cluster->register_count, sizeof *l.reads);
    find_levels(&l);
    find_widest(cluster);
    set_tile(cluster, LONG_TILE);
    place_broadcast(cluster);
    write_into_results(cluster);
    hlo_join_cluster_steps(cluster);
    hlo_narrow_cluster_steps(cluster);
    for (uint32_t s = 0; s < cluster->step_count; s++)
        cluster->steps[s].is_once = is_once(cluster, &cluster->steps[s]);
    put_in_order(p, cluster);
    place_in_memory(p, cluster);
    for (int grain = HLO_OF_ROWS; grain <= HLO_OF_TILE; grain++)
        list_moving(p, cluster, (hlo_cluster_grain)grain);
    cluster->fetches = fetches(cluster);
    hlo_code_cluster(p, cluster);
    hlo_free(l.of);
    hlo_free(l.latest);
    hlo_free(l.reads);
}
