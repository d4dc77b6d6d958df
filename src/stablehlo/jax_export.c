/* The module in a file of jax.export: bytecode in an Exported, a table of FlatBuffers. Of its
 * fields only the version of the form and the module are read. */
#include "stablehlo/stablehlo.h"

/* A number of so many bytes, the lowest first. */
static uint64_t little(const char *at, int bytes) {
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) value = value << 8 | (uint8_t)at[i];
    return value;
}

/* Where the list of a table's fields has the places of those that are read. */
enum { VERSION = 4, MODULE = 30 };

/* The offset of a field, of so many bytes, of the outermost table; 0: it has none, or this is no
 * such file. The table's first word is the distance back to the list of its fields. */
static uint64_t field(const char *file, uint64_t n, unsigned which, unsigned width) {
    enum { MOST_FIELDS = 64, LEAST_LIST = 32, MOST_START = 4096 };
    if (n < 64) return 0;
    uint64_t table = little(file, 4);
    if (table < 8 || table % 4 || table > n - 8 || table > MOST_START) return 0;
    uint64_t back = little(file + table, 4);
    if (back < 6 || back > table - 4) return 0;
    const char *fields = file + table - back;
    uint64_t size = little(fields, 2), room = little(fields + 2, 2), at = little(fields + which, 2);
    if (size < LEAST_LIST || size % 2 || size > 4 + 2 * MOST_FIELDS || size > back) return 0;
    return at < 4 || at + width > room || table + at + width > n ? 0 : table + at;
}

bool hlo_is_jax_export(const char *start, size_t n) {
    enum { MOST_VERSION = 99 };
    uint64_t at = field(start, n, VERSION, 2);
    uint64_t version = at ? little(start + at, 2) : 0;
    return version > 0 && version <= MOST_VERSION;
}

hlo_str hlo_jax_export_module(const hlo_source *source) {
    const hlo_str none = {0};
    const char *file = source->text;
    uint64_t n = source->len, at = field(file, n, MODULE, 4);
    if (!at) return none;
    at += little(file + at, 4);
    if (at > n - 8) return none;
    uint64_t size = little(file + at, 4);
    return size > n - at - 4 ? none : (hlo_str){file + at + 4, (uint32_t)size, 0};
}
