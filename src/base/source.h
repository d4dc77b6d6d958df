/* A text to be parsed: mapped file or pipe, padded with zero bytes, and offset -> line:column. */
#ifndef HLO_BASE_SOURCE_H
#define HLO_BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/unwind.h"

/* Zero bytes that are readable after the text: the scanner looks ahead without bounds checks. */
enum { HLO_SOURCE_PADDING = 64 };

/* A span of a source in byte offsets: lo is the first byte, hi one past the last. */
typedef struct {
    uint32_t lo, hi;
} hlo_span;

/* A part of a text that another part replaces. */
typedef struct {
    hlo_span from, to;
} hlo_source_move;

typedef struct hlo_source {
    char *name; /* as shown in diagnostics: a path or "<stdin>" */
    const char *text;
    size_t len;
    void *map; /* what to unmap or free */
    size_t map_len;
    int references;      /* counted by atomic instructions: runs in several threads report errors */
    uint32_t first_line; /* the line number of the text's first line (1 unless it is a part) */
    uint32_t *line_starts; /* made on the first question */
    size_t line_count;
    int dialect;             /* an hlo_dialect of hlo.h */
    char *input_shapes;      /* of a StableHLO program: "f32[4],s32[]"; NULL: not given */
    bool guesses_shapes;     /* they count where the program has unknown sizes only */
    struct hlo_source *from; /* the text that this one was made from, retained, or NULL */
    hlo_source_move *moves;  /* how, in order */
    uint32_t move_count;
    hlo_cleanup maker; /* releases the reference of who made it, when memory runs out */
} hlo_source;

/* Both return NULL with errno set when the file cannot be read (EFBIG above 4 GiB).
 * "-" is standard input. Release with hlo_source_release. */
hlo_source *hlo_source_open(const char *path);
hlo_source *hlo_source_from_text(const char *name, const char *text, size_t len); /* copies */
hlo_source *hlo_source_retain(hlo_source *source);
void hlo_source_release(hlo_source *source);
/* The same by who made the source, in the call that made it. */
void hlo_source_close(hlo_source *source);

/* Shapes of the arguments of a StableHLO program, which are copied; NULL: none. */
void hlo_source_set_shapes(hlo_source *source, const char *shapes);

/* Says which text the source was made from: the parts between moves are the same. Takes `moves`,
 * and keeps `from` alive. */
void hlo_source_moved(hlo_source *source, hlo_source *from, hlo_source_move *moves, uint32_t count);
/* The text as the user wrote it, and where this part of the source stands there. */
hlo_source *hlo_source_written(hlo_source *source, hlo_span *span);

/* How many of the first bytes are a UTF-8 byte order mark: 3 or 0. It is no part of a source's
 * text.
 */
size_t hlo_byte_order_mark(const char *start, size_t n);

typedef struct {
    uint32_t line, column; /* both from 1, columns in bytes */
} hlo_position;

hlo_position hlo_source_position(hlo_source *source, uint32_t offset);
/* The line that holds `offset`, without its line break. */
hlo_str hlo_source_line(hlo_source *source, uint32_t offset);

#endif
