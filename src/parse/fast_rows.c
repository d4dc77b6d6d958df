/* Rows of the stack-frame tables as the printer writes them, a whole table as one token: a large
 * dump has thousands, and each is 10 to 30 tokens by the rules of grammar/hlo.re. Saves 3 to 11 %
 * of the instructions that reading a text with such tables takes. unit/fast_parse_test.c and
 * unit/mutate.c in tests hold them to those rules. */
#include "hlo_grammar.h"
#include "parse/bytes.h"
#include "parse/fast.h"
#include "parse/scan_place.h"

/* `PREFIX` and a number after it; NULL when something else stands there. */
static const char *field(const char *at, const char *prefix, size_t n, int32_t *out) {
    int64_t value;
    if (memcmp(at, prefix, n) != 0 || !(at = hlo_few_digits(at + n, 10, &value))) return NULL;
    if (value > INT32_MAX || hlo_is_digit(*at)) return NULL;
    *out = (int32_t)value;
    return at;
}

#define FIELD(prefix, out) ((at = field(at, prefix, sizeof(prefix) - 1, out)) != NULL)

/* What stands in the braces after the number of a row. */
static const char *frame_end(hlo_parser *p, const char *at) {
    int32_t location, parent;
    if (!FIELD("{file_location_id=", &location) || !FIELD(" parent_frame_id=", &parent))
        return NULL;
    hlo_stack_frame row = {(uint32_t)location, (uint32_t)parent - 1};
    if (*at != '}') return NULL;
    hlo_list_push(&p->frames.rows, row);
    return at + 1;
}

static const char *location_end(hlo_parser *p, const char *at) {
    int32_t file, function, v[4];
    if (!FIELD("{file_name_id=", &file) || !FIELD(" function_name_id=", &function) ||
        !FIELD(" line=", &v[0]) || !FIELD(" end_line=", &v[1]) || !FIELD(" column=", &v[2]) ||
        !FIELD(" end_column=", &v[3]) || *at != '}')
        return NULL;
    hlo_file_location row = {(uint32_t)file, (uint32_t)function, v[0], v[1], v[2], v[3]};
    hlo_list_push(&p->frames.locations, row);
    return at + 1;
}

static const char *row_start(const char *at) {
    while (*at == '\n') at++;
    return at;
}

/* Only right after the keyword of the table, so that rows of another one are refused in parts. */
static bool begins_table(const hlo_parser *p, const char *keyword) {
    return hlo_word_is(p->scan.begin + p->scan.token_at.lo, p->scan.begin + p->scan.token_at.hi,
                       keyword);
}

int hlo_fast_rows(hlo_parser *p, hlo_span *at) {
    HLO_ASSERT(p->scan.cursor >= p->scan.begin && p->scan.cursor <= p->scan.limit);
    int32_t number;
    const char *from = row_start(p->scan.cursor), *row = from;
    bool frames = begins_table(p, "StackFrames");
    const char *(*row_end)(hlo_parser *, const char *) = frames ? frame_end : location_end;
    if (!frames && !begins_table(p, "FileLocations")) return 0;
    for (const char *end; (end = field(row, "", 0, &number)); row = row_start(end)) {
        if (*end != ' ' || !(end = row_end(p, end + 1))) break;
        p->scan.cursor = end;
        p->scan.last_piece = hlo_span_of(p, row, end);
        if (row == from) *at = p->scan.last_piece;
    }
    if (row == from) return 0;
    return frames ? T_FRAME_ROWS : T_LOCATION_ROWS;
}
