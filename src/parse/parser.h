/* The state shared by scanner, grammar and actions while one text is read. Private to src/parse and
 * grammar. The scanner decides what a token means from the place where it stands (scan_place), so
 * the grammar needs one token of look-ahead and no feedback to the scanner. */
#ifndef HLO_PARSE_PARSER_H
#define HLO_PARSE_PARSER_H

#include "base/list.h"
#include "ir/draft.h"
#include "parse/parse.h"

typedef enum { HLO_PLAIN_OP, HLO_SUGAR_START, HLO_SUGAR_UPDATE, HLO_SUGAR_DONE } hlo_sugar;

/* An instruction that is being read: the draft of it, whose operands and attributes lie on the
 * parser's stacks, and where its parts stand. */
typedef struct {
    hlo_draft draft; /* name, operands and attributes: from hlo_finish_instruction on */
    hlo_name *name;  /* NULL for nested operands */
    hlo_span at;     /* of the name, or of the opcode with its parenthesis */
    hlo_span opcode_at;
    uint32_t open_at;   /* the parenthesis before the operands */
    hlo_span closed_at; /* and after them */
    hlo_span shape_at;
    hlo_sugar sugar;
    hlo_name *forward; /* operand of a merge that no earlier instruction defines; NULL: none */
    hlo_span forward_at;
    bool is_root, poisoned;
    uint32_t errors; /* how many there were when it began */
    uint32_t operand_base, attr_base;
} hlo_pending;

typedef struct {
    hlo_name *name;
    uint32_t scope;
    void *bound;
} hlo_shadowed;

/* The operand of a merge that names a later instruction. */
typedef struct {
    hlo_instr *merge;
    hlo_name *name;
    hlo_span at;
} hlo_forward_edge;

/* A key and its value inside the braces of an attribute. */
typedef struct {
    hlo_name *key;
    hlo_span key_at, at;
    int64_t integer;
    double number;
    bool is_integer;
    const hlo_str *text; /* NULL: a number */
} hlo_field;

typedef struct {
    const hlo_ints *output, *index;
    int64_t parameter;
    int kind;
} hlo_alias_entry;

typedef struct {
    hlo_name *name;
    hlo_span at; /* with the '%' */
    uint32_t hash;
} hlo_named_operand;

/* A statement as the printer writes it, read as one token: its head `ROOT %name = SHAPE opcode(`;
 * mostly the operands too, which then lie on p->fast.operands, and attributes, on p->fast.attrs
 * (fast.h). */
typedef struct {
    hlo_name *name;
    const hlo_shape *shape;
    hlo_span at, root_at, shape_at, opcode_at, closed_at;
    int opcode;
    bool is_root;
    union {
        int64_t number;       /* of a parameter */
        hlo_literal *literal; /* of a constant */
    } u;
} hlo_statement;

typedef struct {
    hlo_attr_id id;        /* as spelled */
    hlo_span at, value_at; /* its name; the value */
    union {
        int64_t i;
        hlo_name *name;
        const hlo_ints *ints;
        const hlo_slice *slice;
        const hlo_metadata *metadata;
        const void *any;
    } u;
} hlo_line_attr;

/* The same of a computation: `ENTRY %name (a: SHAPE, ...) -> SHAPE {`. */
typedef struct {
    hlo_name *name;
    const hlo_shape *result;
    hlo_span at, entry_at, result_at;
    bool is_entry;
} hlo_computation_head;

/* A computation that is being read. */
typedef struct {
    hlo_computation *computation;
    hlo_instr *root;
    bool has_root;
    bool lost_names; /* a broken statement may have defined any name */
    bool is_broken;  /* an instruction is missing, here or in a computation that it calls */
    uint32_t shadowed_base, pending_base, parameter_base, forward_base;
    hlo_name *name;
    hlo_span name_at, result_at, open_at;
    const hlo_shape *result; /* of the signature, or NULL */
    bool is_entry, is_nested;
    uint32_t number; /* hlo_name.scope of names bound here */
    uint32_t errors; /* how many there were when it began */
} hlo_scope;

/* What the text around the scanner's position is: the re2c conditions of grammar/hlo.re. */
typedef struct {
    int condition;
    uint32_t depth;       /* braces open inside the value of an attribute */
    uint32_t round_depth; /* parentheses open: operands, or a value's */
    int attr_class;       /* token class of the attribute whose value stands here */
    int attr;             /* that attribute */
    hlo_span attr_at;     /* and its name */
    bool after_arrow;
} hlo_scan_place;

/* Texts seen before and what they meant: shapes and metadata repeat all over a dump. */
typedef struct {
    const char *text;
    uint32_t len;
    const void *value;
} hlo_memo_entry;

typedef struct {
    HLO_LIST(hlo_memo_entry) entries;
    hlo_hash by_hash; /* numbers of them, from 1 */
} hlo_memo;

typedef struct {
    hlo_memo shapes, metadata, values;
} hlo_memos;

/* Which token may be read as a whole next, because the opcode or the attribute before it
 * determines it. */
typedef enum {
    HLO_NEXT_ANY,
    HLO_NEXT_LITERAL,  /* is one */
    HLO_NEXT_OPERANDS, /* may be all operands */
    HLO_NEXT_NUMBER,   /* may be a parameter's number */
} hlo_next_token;

/* Where the scanner is. */
typedef struct {
    const char *begin, *cursor, *limit; /* of the text; the byte after it is 0 */
    int start_token; /* pending token that names the kind of file; 0 when it was taken */
    hlo_scan_place place;
    HLO_LIST(hlo_scan_place) outer_places; /* around nested bodies */
    hlo_next_token next;
    const hlo_shape *last_shape;     /* most recent SHAPE before an opcode */
    bool header_named;               /* the module's name was read */
    hlo_span token_at, token_before; /* the newest token and the one before it */
    hlo_span last_string;            /* the newest one that was read byte by byte */
    hlo_span last_piece;             /* what a token of several pieces ends with */
    const char *body_end;            /* after the brace that closed a body last */
    uint32_t fill_words, fill_bytes; /* what elided literals, {...}, were filled with so far */
} hlo_scanner;

/* The newest token of each kind that the fast path reads as a whole (fast.h). */
typedef struct {
    bool off; /* the rules of the scanner read everything, for tests */
    hlo_statement statement;
    hlo_computation_head head;
    HLO_LIST(hlo_named_operand) operands; /* of the statement, or of a token of operands */
    HLO_LIST(hlo_line_attr) attrs;        /* of the statement */
} hlo_fast_tokens;

/* How reading goes on after an error (recover.h). */
typedef enum {
    HLO_READING,
    HLO_READING_LAST, /* what is ahead cannot be read: the next error is the last */
    HLO_SKIPPING,     /* an error was reported: to where reading can go on */
    HLO_CLOSING,      /* the same; first the open bodies are closed, for a computation begins */
    HLO_GIVING_UP,    /* nothing more is read */
} hlo_recovery_state;

/* The errors so far, and what they leave in doubt. */
typedef struct {
    hlo_recovery_state state;
    bool may_be_in_next;      /* the newest error: in a statement after the one being read */
    bool note_end;            /* it is in the instruction's last value: note where that ends */
    const char *tried_at;     /* where reading went on last: not there again */
    uint32_t errors;          /* how many the diagnostics held before this text */
    uint32_t operand_noted;   /* up to which error the operand that it is in is noted */
    hlo_computation *broken;  /* stands for a computation that could not be read */
    hlo_computation *missing; /* and for one that was named and not found */
    bool lost_computations;   /* a broken one may have had any name */
} hlo_error_state;

/* What is open, and parts of values that are not complete: each is used from a base on, above what
 * lies there for what stands around it. Those from `operands` to `axes` are never NULL. */
typedef struct {
    HLO_LIST(hlo_scope) scopes;         /* computations; more than one where bodies are nested */
    HLO_LIST(hlo_shadowed) shadowed;    /* names as they were before the open bodies bound them */
    HLO_LIST(hlo_instr *) parameters;   /* of the open computations */
    HLO_LIST(hlo_forward_edge) forward; /* the same */
    HLO_LIST(hlo_pending) pending;      /* instructions; more than one where operands are nested */
    HLO_LIST(hlo_instr *) operands;     /* of those */
    HLO_LIST(hlo_attr) attrs;           /* the same */
    HLO_LIST(int64_t) ints;             /* of a list */
    HLO_LIST(const void *) pointers;    /* of a list of anything else */
    HLO_LIST(hlo_field) fields;         /* of a value with keys */
    HLO_LIST(hlo_mesh_axis) axes;       /* of a mesh */
    HLO_LIST(hlo_alias_entry) aliases;
} hlo_stacks;

/* The value of an attribute that is being read, where a stack is not enough. */
typedef struct {
    uint32_t slice_base;    /* of the ranges of a slice on the stack of ints */
    hlo_sharding *sharding; /* the innermost */
    hlo_span dims_at;       /* the bracket of its dimensions, in the named form */
    uint32_t sharding_rank; /* of the word that decides its kind */
    hlo_mesh *mesh;
    uint32_t mesh_axes; /* where its axes begin on their stack */
    hlo_domain domain;
    hlo_sparsity sparsity;
    hlo_debug_log log;
} hlo_open_value;

/* The tables of stack frames as they stand in the text, and who refers to them. */
typedef struct {
    HLO_LIST(hlo_str) files;
    HLO_LIST(hlo_str) functions;
    HLO_LIST(hlo_file_location) locations;
    HLO_LIST(hlo_stack_frame) rows;
    HLO_LIST(hlo_metadata *) framed; /* metadata that names a stack frame, as read */
    bool out_of_order;               /* some of it is no instruction's, or not of the next one */
} hlo_frame_tables;

/* What is known of the module by now. */
typedef struct {
    bool is_single;           /* the text is one instruction */
    bool is_bare;             /* it is instructions of one computation, without a header */
    hlo_opcode attributes_of; /* it is attributes of one instruction; HLO_OP_COUNT: of a module */
    bool has_entry, has_async;
    bool has_threads;                 /* other than the main one */
    HLO_LIST(hlo_attr) header;        /* its attributes */
    uint32_t next_scope;              /* numbers computations from 1, as they begin */
    uint32_t closed;                  /* and from 0, as they end */
    hlo_computation *last;            /* that ended */
    uint32_t single_parameters;       /* so far, made of operands with a shape and no definition */
    uint32_t anonymous[HLO_OP_COUNT]; /* nested operands so far, which have no names */
    bool names_clash;                 /* names must be made unique at the end */
    HLO_LIST(hlo_name *) dot_zero;    /* names such as x.0, which clash with x */
    hlo_span empty_at;                /* the place of what a text of one instruction leaves out */
    hlo_span end_at;                  /* of the text */
} hlo_progress;

typedef struct hlo_parser {
    hlo_module *module;
    hlo_arena *arena; /* the module's */
    hlo_source *source;
    hlo_diags *diags;
    hlo_scanner scan;
    hlo_fast_tokens fast;
    hlo_error_state recovery;
    hlo_stacks stacks;
    hlo_open_value value;
    hlo_memos memos;
    hlo_frame_tables frames;
    hlo_progress made;
} hlo_parser;

/* An error was reported: the scanner skips to where reading can go on. */
static inline void hlo_skip(hlo_parser *p) {
    bool last = p->recovery.state == HLO_READING_LAST || p->recovery.state == HLO_GIVING_UP;
    p->recovery.state = last ? HLO_GIVING_UP : HLO_SKIPPING;
}
/* What is ahead cannot be read. False: that was known. */
static inline bool hlo_stop_at_next_error(hlo_parser *p) {
    hlo_recovery_state *state = &p->recovery.state;
    if (*state == HLO_READING_LAST || *state == HLO_GIVING_UP) return false;
    *state = *state == HLO_READING ? HLO_READING_LAST : HLO_GIVING_UP;
    return true;
}

/* The instruction that stands for one that could not be read: uses of it make no further errors. */
extern const hlo_instr hlo_poison;

/* grammar/hlo.re */
union HLO_YYSTYPE;
int hlo_scan(union HLO_YYSTYPE *value, hlo_span *at, hlo_parser *p);
void hlo_scan_begin(hlo_parser *p);
/* The same for a text whose attributes begin with the comma at `offset`, and are all of it. */
void hlo_scan_begin_attributes(hlo_parser *p, uint32_t offset, bool of_module);
/* The newest LINE is after the cursor: what its last attribute was matters to what follows. */
void hlo_scan_after_line(hlo_parser *p);
/* An opcode that is also the sugar of an asynchronous operation becomes that where the operands and
 * the result shape are those of one; asked once they are known. */
void hlo_settle_sugar(hlo_parser *p, hlo_pending *pending);
/* An opcode, or the sugar WRAPPED-start, -update, -done of an asynchronous one, as the value of an
 * OPCODE token; -1: neither. */
int hlo_scan_opcode(const char *text, size_t n);
/* Is this word a name, not a keyword or an element type? */
bool hlo_scan_is_name(hlo_parser *p, const char *from, const char *to);
/* The value of an OPCODE token: an opcode and the sugar it was written with. */
static inline int hlo_opcode_token(hlo_opcode op, hlo_sugar sugar) {
    HLO_ASSERT(op < HLO_OP_COUNT);
    return (int)op | (int)sugar << 16;
}

hlo_parser *hlo_parser_new(hlo_source *source, hlo_diags *diags);
void hlo_parser_free(hlo_parser *p); /* not the module */

/* ---- scanning parts of a token stream as one token (src/parse/scan_*.c, grammar/metadata.re) ----
 */
/* Blanks and comments; NULL after reporting an unterminated comment. */
const char *hlo_skip_blanks(hlo_parser *p, const char *at);
/* Each reads one item at `at` and returns where it ends, or NULL after reporting. */
const char *hlo_scan_shape(hlo_parser *p, const char *at, const hlo_shape **out);
/* The same for a shape whose text was seen before; NULL, without a report, for others. */
const char *hlo_recall_shape(hlo_parser *p, const char *at, const hlo_shape **out);
/* The same for the text up to `end`; false: not seen before. */
bool hlo_recall_shape_text(hlo_parser *p, const char *at, const char *end, const hlo_shape **out);
const char *hlo_scan_string(hlo_parser *p, const char *at, hlo_str *out);
/* Instead of an error right after a string: reports a string that runs on to the quote of another.
 */
bool hlo_report_unclosed_string(hlo_parser *p, hlo_span at);
/* A string without escapes and quotes in it; NULL, without a report, for others. */
const char *hlo_plain_string(const hlo_parser *p, const char *at, hlo_str *out);
/* Where the braces that open at `at` close, strings skipped; NULL when they do not, or when a
 * spelling is rare and better read in full. */
const char *hlo_braces_end(const hlo_parser *p, const char *at);
const char *hlo_scan_json(hlo_parser *p, const char *at, hlo_str *out);
const char *hlo_scan_metadata(hlo_parser *p, const char *at, const hlo_metadata **out);
/* The same for usual metadata; NULL, without a report, for others. */
const char *hlo_fast_metadata(hlo_parser *p, const char *at, const hlo_metadata **out);
const char *hlo_scan_metadata_list(hlo_parser *p, const char *at, const hlo_metadata_list **out);
const char *hlo_scan_shaped_literal(hlo_parser *p, const char *at, hlo_literal **out,
                                    uint32_t depth);
const char *hlo_scan_literal(hlo_parser *p, const char *at, const hlo_shape *shape,
                             hlo_literal **out);
const void *hlo_memo_find(const hlo_memo *memo, uint64_t hash, const char *text, uint32_t len);
void hlo_memo_add(hlo_memo *memo, uint64_t hash, const char *text, uint32_t len, const void *value);
void hlo_memo_free(hlo_memo *memo);

/* ---- reporting ---- */
static inline hlo_span hlo_span_of(const hlo_parser *p, const char *from, const char *to) {
    HLO_ASSERT(from >= p->scan.begin && from <= to);
    return (hlo_span){(uint32_t)(from - p->scan.begin), (uint32_t)(to - p->scan.begin)};
}
/* The value of an attribute is wrong; names the instruction. */
void hlo_bad_value(hlo_parser *p, hlo_span at, const char *message);
void hlo_parse_error(hlo_parser *p, hlo_rule rule, hlo_span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Notes of the newest error (src/parse/remarks.c): the instruction that is being read; the place
 * that XLA's parser names, where that is another than the one that is wrong; the same for the token
 * after `offset`. */
void hlo_note_instruction(hlo_parser *p);
hlo_span hlo_instruction_at(const hlo_parser *p); /* its name */
void hlo_note_refusal(hlo_parser *p, hlo_span at);
void hlo_note_after(hlo_parser *p, uint32_t offset);
/* That the text ends without what the error misses; and the same, at the end of reading, when the
 * newest error is the text's last word. */
void hlo_note_text_end(hlo_parser *p);
void hlo_note_cut(hlo_parser *p);
/* The same for what was read as a single instruction: how it becomes a module. */
void hlo_hint_at_module(hlo_parser *p);
/* Is the newest error one after `offset`? What is built from a broken part is not complained
 * about. */
bool hlo_reported_since(const hlo_parser *p, uint32_t offset);

const hlo_str *hlo_keep_str(hlo_parser *p, hlo_str text);

/* ---- actions: computations and instructions (src/parse/actions.c) ---- */
/* `entry` and `root`: the place of that word, or NULL when it does not stand there. */
void hlo_begin_computation(hlo_parser *p, const hlo_span *entry, hlo_name *name, hlo_span at);
void hlo_set_result(hlo_parser *p, const hlo_shape *result, hlo_span at);
hlo_computation *hlo_end_computation(hlo_parser *p, hlo_span close);
void hlo_set_execution_thread(hlo_parser *p, const hlo_str *thread);
void hlo_begin_nested_body(hlo_parser *p, hlo_span at);
void hlo_begin_instruction(hlo_parser *p, hlo_name *name, hlo_span at, const hlo_span *root);
bool hlo_begin_nested_instruction(hlo_parser *p, const hlo_shape *shape, hlo_span shape_at, int op,
                                  hlo_span at);
/* The newest STATEMENT or LINE token up to its parenthesis; root_at: of a ROOT that is a separate
 * token, or NULL. */
void hlo_begin_statement(hlo_parser *p, const hlo_span *root_at);
void hlo_set_opcode(hlo_parser *p, const hlo_shape *shape, hlo_span shape_at, int op, hlo_span at);
void hlo_set_parameter_number(hlo_parser *p, int64_t number, hlo_span at);
void hlo_set_literal(hlo_parser *p, hlo_literal *literal, hlo_span at);
void hlo_add_operand(hlo_parser *p, const hlo_shape *shape, hlo_span shape_at, hlo_name *name,
                     hlo_span at);
/* An element of the tuple of that name; its indices are the numbers on the stack from `base`. */
void hlo_add_element_operand(hlo_parser *p, const hlo_shape *shape, hlo_span shape_at,
                             hlo_name *name, hlo_span at, uint32_t base);
void hlo_add_named_operands(hlo_parser *p); /* those of the newest token of operands */
void hlo_add_unnamed_operand(hlo_parser *p, const hlo_shape *shape, hlo_span at);
void hlo_add_nested_operand(hlo_parser *p, hlo_span at);
void hlo_end_instruction(hlo_parser *p, hlo_span next);
void hlo_begin_bare_body(hlo_parser *p);
void hlo_begin_single(hlo_parser *p);
void hlo_begin_attributes(hlo_parser *p); /* of p->made.attributes_of alone */
void hlo_end_single(hlo_parser *p, hlo_span at);
hlo_computation *hlo_find_computation(hlo_parser *p, hlo_name *name, hlo_span at);
bool hlo_unknown_instruction(hlo_parser *p, hlo_name *name,
                             hlo_span at); /* whether it was reported */
/* The instruction that `name` means here: NULL when there is none, &hlo_poison when it was broken.
 */
hlo_instr *hlo_find_instr(hlo_parser *p, const hlo_name *name);
void hlo_bind_instr(hlo_parser *p, hlo_name *name, hlo_instr *instr);
void hlo_count_name(hlo_parser *p, hlo_name *name);
/* The name that XLA gives to what is written with one that nothing can have; else `name`. */
hlo_name *hlo_respelled(hlo_parser *p, hlo_name *name);
void hlo_poison_pending(hlo_parser *p);

static inline hlo_pending *hlo_current(hlo_parser *p) {
    HLO_ASSERT(p->stacks.pending.n > 0);
    return &p->stacks.pending.v[p->stacks.pending.n - 1];
}
/* Was an error found in the instruction that is being read? It gets no second one. */
static inline bool hlo_current_is_broken(const hlo_parser *p) {
    return p->stacks.pending.n &&
           p->stacks.pending.v[p->stacks.pending.n - 1].errors != p->diags->errors;
}
static inline hlo_scope *hlo_scope_now(hlo_parser *p) {
    HLO_ASSERT(p->stacks.scopes.n > 0);
    return &p->stacks.scopes.v[p->stacks.scopes.n - 1];
}

/* ---- actions: one instruction made whole (src/parse/finish.c) ---- */
/* Checks and completes the pending instruction and appends it; NULL when it is broken. `next` is
 * the token after it. */
hlo_instr *hlo_finish_instruction(hlo_parser *p, hlo_pending *pending, hlo_name *name,
                                  hlo_span next);

/* ---- actions: the module made whole (src/parse/finish_module.c) ---- */
void hlo_finish_module(hlo_parser *p, hlo_str name);
void hlo_renumber_stack_frames(hlo_parser *p);

#endif
