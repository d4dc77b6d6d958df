/* The same program for several devices: parameters and results are replicated, and what is between
 * them is cut along random dimensions. */
#include <stdio.h>
#include <string.h>

#include "differential/differential.h"
#include "ir/ir.h"

/* The end of the line in the entry that defines the instruction; 0 when it is on several lines. */
static size_t definition_end(const hlo_buf *text, size_t entry, const hlo_instr *instr) {
    char start[256];
    int n = snprintf(start, sizeof start, " %%%.*s = ", (int)instr->name->len, instr->name->ptr);
    if (n >= (int)sizeof start) return 0;
    const char *line = memmem(text->data + entry, text->len - entry, start, (size_t)n);
    if (!line) return 0;
    const char *end = memchr(line, '\n', text->len - (size_t)(line - text->data));
    if (!end || end[-1] == '{') return 0;
    return (size_t)(end - text->data);
}

static void insert(hlo_buf *text, size_t at, const char *what) {
    size_t n = strlen(what), after = text->len - at;
    hlo_buf_reserve(text, n);
    memmove(text->data + at + n, text->data + at, after);
    memcpy(text->data + at, what, n);
    text->len += n;
}

/* `, sharding={devices=[1,2,1]<=[2]}` along a dimension that divides; false when there is none. */
static bool tile(const hlo_shape *shape, uint32_t devices, dice *d, char *to, size_t size) {
    if (!hlo_shape_is_array(shape) || shape->rank == 0 || shape->rank > 8 || shape->dynamic)
        return false;
    uint32_t along = (uint32_t) throw(d, shape->rank);
    if (shape->dims[along] == 0 || shape->dims[along] % devices != 0) return false;
    size_t n = (size_t)snprintf(to, size, ", sharding={devices=[");
    for (uint32_t i = 0; i < shape->rank; i++)
        n += (size_t)snprintf(to + n, size - n, "%s%u", i ? "," : "", i == along ? devices : 1);
    snprintf(to + n, size - n, "]<=[%u]}", devices);
    return true;
}

static bool choose(const hlo_instr *instr, uint32_t devices, dice *d, char *to, size_t size) {
    bool is_end = instr->opcode == HLO_OP_PARAMETER || instr == instr->parent->root;
    if (!is_end) return throw(d, 2) && tile(instr->shape, devices, d, to, size);
    snprintf(to, size, ", sharding={replicated}");
    return true;
}

/* Groups of collectives are for other devices, and run-time sizes are not exchanged. */
static bool can_be_sharded(const hlo_module *module) {
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            if (i->shape->dynamic || hlo_info(i)->class == HLO_CLASS_COLLECTIVE) return false;
    return true;
}

bool shard(hlo_module *module, uint32_t devices, dice *d, mutant_text *to) {
    if (!can_be_sharded(module)) return false;
    hlo_print_options style = hlo_print_default;
    style.large_constants = true;
    style.exact_literals = true;
    hlo_buf text = HLO_BUF_INIT;
    hlo_module_print(module, &style, &text);
    const char *header = memchr(text.data, ',', text.len), *entry = NULL;
    bool fits = header && !memmem(text.data, text.len, "num_partitions=", 15) &&
                !memmem(text.data, text.len, "replica_count=", 14) &&
                !memmem(text.data, text.len, "sharding", 8);
    char what[128];
    snprintf(what, sizeof what, ", num_partitions=%u", devices);
    if (fits) insert(&text, (size_t)(header - text.data), what);
    if (fits) entry = memmem(text.data, text.len, "\nENTRY ", 7);
    size_t from = entry ? (size_t)(entry - text.data) : 0;
    for (const hlo_instr *i = module->entry->first; from && i; i = i->next) {
        size_t end = definition_end(&text, from, i);
        if (end && choose(i, devices, d, what, sizeof what)) insert(&text, end, what);
    }
    fits = from && text.len < sizeof to->bytes;
    if (fits) memcpy(to->bytes, text.data, to->len = text.len);
    hlo_buf_free(&text);
    return fits;
}
