/* Attributes: the table (attrs.def), the kinds of values, and the values themselves as data. All
 * values live in the module's arena and are never changed after they were made, so instructions and
 * clones may share them. */
#ifndef HLO_IR_ATTRS_H
#define HLO_IR_ATTRS_H

#include "base/arena.h"
#include "base/nearest.h"
#include "base/str.h"
#include "ir/shape.h"

struct hlo_computation;
struct hlo_instr;
struct hlo_literal;
struct hlo_sharding;

typedef enum {
#define HLO_ATTR(id, ...) HLO_ATTR_##id,
#include "ir/attrs.def"
#undef HLO_ATTR
    HLO_ATTR_COUNT
} hlo_attr_id;

/* How a value is spelled, and which member of hlo_attr.u holds it (kinds.def). */
typedef enum {
#define HLO_KIND(id, ...) HLO_KIND_##id,
#include "ir/kinds.def"
    HLO_KIND_COUNT
} hlo_attr_kind;

typedef enum { HLO_PLACE_OWN, HLO_PLACE_COMMON, HLO_PLACE_HEADER, HLO_PLACE_PARENS } hlo_attr_place;
typedef enum {
    HLO_PRINT_ALWAYS,
    HLO_PRINT_UNLESS_DEFAULT,
    HLO_PRINT_IF_GIVEN,
    HLO_PRINT_NEVER
} hlo_attr_printed;

/* Words of fixed sets (words.def). */
typedef enum {
    HLO_WORDS_NONE,
    HLO_WORDS_DIRECTION,
    HLO_WORDS_COMPARE_TYPE,
    HLO_WORDS_FUSION_KIND,
    HLO_WORDS_FFT_TYPE,
    HLO_WORDS_DISTRIBUTION,
    HLO_WORDS_RNG_ALGORITHM,
    HLO_WORDS_PRECISION,
    HLO_WORDS_DOT_ALGORITHM,
    HLO_WORDS_TRANSPOSE,
    HLO_WORDS_PADDING_TYPE,
    HLO_WORDS_SCHEDULE,
    HLO_WORDS_API_VERSION,
    HLO_WORDS_CONVOLUTION_KIND,
    HLO_WORDS_MODE,
    HLO_WORDS_ACCURACY_MODE,
    HLO_WORDS_ALIAS_KIND,
    HLO_WORDS_DEBUG_LOG_MODE,
    HLO_WORDS_REDUCTION,
    HLO_WORD_SETS /* their number */
} hlo_word_set;

typedef struct {
    hlo_word_set set;
    const char *text;
    int number;
} hlo_word_info;

extern const hlo_word_info hlo_words[];
extern const size_t hlo_word_count;

/* The row of `set` that spells `text`, or NULL. Sets whose readers ignore case do so here. */
const hlo_word_info *hlo_word_find(hlo_word_set set, hlo_str text);
/* Which word of the set a misspelt text probably means. */
hlo_nearest hlo_word_nearest(hlo_word_set set, hlo_str text);
/* The spelling of a number in a set; NULL when the set has no such number. */
const char *hlo_word_text(hlo_word_set set, int64_t number);

typedef struct {
    const char *text;
    hlo_attr_kind kind;
    hlo_word_set words;
    hlo_attr_place place;
    hlo_attr_printed printed;
    int64_t fallback; /* the default of BOOL, INT and WORD kinds */
} hlo_attr_info;

extern const hlo_attr_info hlo_attr_table[HLO_ATTR_COUNT];

/* Whether values are in hlo_attr.u.i, and in hlo_attr.u.ints. */
static inline bool hlo_attr_is_integer(hlo_attr_id id) {
    HLO_ASSERT(id < HLO_ATTR_COUNT);
    hlo_attr_kind kind = hlo_attr_table[id].kind;
    return kind == HLO_KIND_BOOL || kind == HLO_KIND_INT || kind == HLO_KIND_INT32 ||
           kind == HLO_KIND_WORD;
}
static inline bool hlo_attr_is_integers(hlo_attr_id id) {
    HLO_ASSERT(id < HLO_ATTR_COUNT);
    hlo_attr_kind kind = hlo_attr_table[id].kind;
    return kind == HLO_KIND_INTS || kind == HLO_KIND_BOOLS || kind == HLO_KIND_WORDS;
}

/* The first attribute spelled `text` (several rows may share a spelling), or HLO_ATTR_COUNT. */
hlo_attr_id hlo_attr_from_text(const char *text, size_t n);

/* ---- values ---- */

typedef struct {
    uint32_t n;
    int64_t v[];
} hlo_ints;

typedef struct {
    uint32_t n;
    const hlo_ints *v[];
} hlo_int_lists;

typedef struct {
    uint32_t n;
    struct hlo_computation *v[];
} hlo_computations;

typedef struct {
    uint32_t n;
    struct hlo_instr *v[];
} hlo_instrs;

typedef struct {
    uint32_t n;
    const hlo_shape *v[];
} hlo_shapes;

typedef struct {
    const hlo_shapes *parameters;
    const hlo_shape *result;
} hlo_program_shape;

typedef struct {
    hlo_str key, value;
} hlo_frontend_entry;

typedef struct {
    uint32_t n;
    hlo_frontend_entry v[]; /* sorted by key, bytewise; keys differ */
} hlo_frontend;

typedef struct {
    int64_t visualizing_index;
    uint32_t n;
    struct {
        hlo_str name;
        double value;
    } v[];
} hlo_statistics;

typedef struct {
    bool is_tolerance;
    int mode; /* proto number, when not a tolerance */
    double atol, rtol;
    int64_t ulps;
} hlo_accuracy;

/* A leaf names an array of the original program; a tuple node holds one tree per element. */
typedef struct hlo_origin {
    enum { HLO_ORIGIN_EMPTY, HLO_ORIGIN_LEAF, HLO_ORIGIN_TUPLE, HLO_ORIGIN_SYNTHETIC } form;
    hlo_str name;
    const hlo_ints *index; /* NULL: none */
    uint32_t n;
    const struct hlo_origin *const *elements;
} hlo_origin;

typedef struct {
    uint32_t n;
    struct {
        const hlo_origin *from, *to;
        hlo_str module; /* the module's text as printed; ptr NULL: none */
    } v[];
} hlo_recovery;

/* One of the ways in which an array of the original program is logged. */
typedef struct {
    const hlo_origin *array;
    int64_t mode; /* a word of DEBUG_LOG_MODE; 0: none */
    int64_t callback_id, op_id;
    bool partitioned;
} hlo_debug_log;

typedef struct {
    uint32_t n;
    hlo_debug_log v[]; /* those of one array stand together */
} hlo_debug_table;

/* OpMetadata; empty strings and zeros are absent, but a payload whose ptr is not NULL is present
 * even when empty. profile_type: NULL when absent. */
typedef struct {
    hlo_str op_type, op_name, source_file, deduplicated_name, scheduling_name, payload;
    int32_t source_line, source_end_line, source_column, source_end_column;
    uint32_t stack_frame; /* into the module's table, 1-based; 0: none */
    const hlo_ints *profile_type;
} hlo_metadata;

typedef struct {
    int64_t size, stride, pad_low, pad_high, base_dilation, window_dilation;
    bool reversed;
} hlo_window_dim;

/* After so many windows the same elements of a window meet elements of the dilated operand again.
 */
static inline int64_t hlo_window_period(const hlo_window_dim *dim) {
    int64_t a = dim->stride, b = dim->base_dilation;
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return dim->base_dilation / a;
}

typedef struct {
    uint32_t n;
    hlo_window_dim v[];
} hlo_window;

/* Positions of the roles of a convolution's dimensions; spatial arrays have n entries. Labels of
 * dimensions without a role ('?') are positions that no role uses. */
typedef struct {
    uint32_t n;
    int64_t input_batch, input_feature, kernel_input_feature, kernel_output_feature;
    int64_t output_batch, output_feature;
    const int64_t *input_spatial, *kernel_spatial, *output_spatial;
} hlo_dim_labels;

typedef struct {
    uint32_t n;
    struct {
        int64_t low, high, interior;
    } v[];
} hlo_padding;

typedef struct {
    uint32_t n;
    struct {
        int64_t start, limit, stride;
    } v[];
} hlo_slice;

typedef struct {
    uint32_t n;
    struct {
        const hlo_ints *output; /* NULL in buffer_donor */
        int64_t parameter;      /* or operand number */
        const hlo_ints *index;
        int kind; /* ALIAS_KIND number; 0 where the form has none */
    } v[];
} hlo_aliasing;

typedef struct {
    const struct hlo_sharding *entry, *exit;
} hlo_domain;

typedef struct {
    struct {
        bool given;
        int64_t nonzeros, block, dimension, stride;
    } lhs, rhs;
} hlo_sparsity;

struct hlo_groups; /* ir/sharding.h */

/* One attribute of an instruction or of the module. */
typedef struct hlo_attr {
    uint16_t id; /* hlo_attr_id */
    uint16_t unused;
    uint32_t at; /* offset of the attribute's name in the source; 0 when made by a pass */
    union {
#define HLO_MEMBER(name, type, layout) type name;
#include "ir/kinds.def"
        const void *any;
    } u;
} hlo_attr;

hlo_ints *hlo_ints_new(hlo_arena *arena, uint32_t n); /* zeros */
hlo_ints *hlo_ints_from(hlo_arena *arena, const int64_t *values, uint32_t n);
bool hlo_ints_equal(const hlo_ints *a, const hlo_ints *b);
/* Less than, equal to or greater than 0: in the order of words, number by number. */
int hlo_ints_compare(const hlo_ints *a, const hlo_ints *b);
bool hlo_ints_ascend(const hlo_ints *list); /* none is below the one before it */
/* The first position of the value, -1 when the list does not hold it; NULL holds nothing. */
int64_t hlo_ints_find(const hlo_ints *list, int64_t value);
bool hlo_ints_contain(const hlo_ints *list, int64_t value);
bool hlo_ints_repeat(const hlo_ints *list); /* a value is in it twice */

/* By value; computations and instructions by identity. Equal attributes have equal hashes. */
bool hlo_attr_equal(const hlo_attr *a, const hlo_attr *b);
uint64_t hlo_attr_hash(const hlo_attr *attr);
/* A copy that shares nothing with the original: everything lies in `arena`, shapes in `shapes`.
 * Computations and instructions stay as they are; the caller puts their counterparts in. */
hlo_attr hlo_attr_import(hlo_arena *arena, hlo_shapes_table *shapes, const hlo_attr *from);
/* The same, but elements of literals that are made already are shared with the original. */
hlo_attr hlo_attr_import_sharing(hlo_arena *arena, hlo_shapes_table *shapes, const hlo_attr *from);

/* A recovery table as XLA keeps it: by the array that is replaced (name, then index); of several
 * entries for one array the first. Shares the entries with `read`. */
const hlo_recovery *hlo_recovery_sorted(hlo_arena *arena, const hlo_recovery *read);

/* A debug table as XLA keeps it: by array, the logs of one array in their order. With `is_text`,
 * the last entry for an array replaces the ones before: logs of one entry have one pointer to their
 * array, and a mode of HLO_DEBUG_NOTHING stands for an entry without logs. */
enum { HLO_DEBUG_NOTHING = -1 };
const hlo_debug_table *hlo_debug_sorted(hlo_arena *arena, const hlo_debug_table *read,
                                        bool is_text);
bool hlo_origin_same_array(const hlo_origin *a, const hlo_origin *b);

/* Whether a backend_config or frontend attribute is printed bare: lexed from its start the text is
 * one {...} region, blanks and comments around it (docs/text-format.md, 1.4). */
bool hlo_text_is_json_region(hlo_str text);
/* What XLA keeps of a backend_config that it reads; `read` itself where that is all of it. */
const hlo_str *hlo_kept_config(hlo_arena *arena, const hlo_str *read);

#endif
