/* The state of reading one module from its message. Private to src/proto: shared by the readers of
 * forms and by from_*.c. */
#ifndef HLO_PROTO_READER_H
#define HLO_PROTO_READER_H

#include "base/list.h"
#include "proto/attr_fields.h"
#include "proto/node.h"
#include "proto/proto.h"

/* Messages nest at most so deep: a little more than the text's shapes do. */
enum { HLO_MOST_NESTED_MESSAGES = 1050, HLO_MOST_NAMED_UNKNOWN = 32 };

typedef struct {
    int64_t id;
    void *value;
} hlo_id_entry;

/* From ids of the message to what was built: an array for ids that are about as small as they are
 * many, a table for others. */
typedef struct {
    void **dense; /* NULL: free */
    size_t dense_capacity;
    HLO_LIST(hlo_id_entry) sparse;
    hlo_hash by_hash; /* numbers of those, from 1 */
    size_t count;     /* of all ids */
} hlo_id_map;

bool hlo_id_map_add(hlo_id_map *map, int64_t id, void *value); /* false: the id was there */
void *hlo_id_map_find(const hlo_id_map *map, int64_t id);      /* NULL: it is not */
void hlo_id_map_clear(hlo_id_map *map);
void hlo_id_map_free(hlo_id_map *map);

/* A merge, and the name of the next-iteration that feeds it. */
typedef struct {
    hlo_instr *merge;
    hlo_str name;
} hlo_read_back_edge;

typedef struct {
    hlo_instr *instr;
    int64_t id;
} hlo_read_instr;

/* A backend_config, or the payload of metadata, that is the n-th payload of the module. */
typedef struct {
    hlo_instr *instr; /* one of the two */
    hlo_metadata *metadata;
    int64_t payload;
    uint32_t at;
} hlo_read_payload;

/* The shape that the bytes [at, at + size) of the source stand for. */
typedef struct {
    uint32_t at, size;
    const hlo_shape *shape;
} hlo_seen_shape;

struct hlo_reader {
    hlo_source *source;
    hlo_proto_form form;
    bool has_lines;         /* a text: strings stay in it, and values have places */
    const hlo_node *around; /* the outermost message is part of this one; NULL: of none */
    uint32_t modules_around;
    hlo_diags *diags;
    hlo_module *module, *outermost; /* modules may be part of others */
    hlo_arena keep, scratch;        /* nodes: of the module, and of the instruction that is read */
    hlo_arena *arena;               /* one of the two */
    uint32_t depth;                 /* of open messages */
    bool in_computation;            /* one is open */
    hlo_computation *computation;
    hlo_id_map computations, instrs; /* instructions: of the open computation, by the low 32 bits */
    HLO_LIST(hlo_seen_shape) shapes; /* those that were met, of a source on the wire */
    hlo_hash shapes_by_hash;         /* numbers of them, from 1 */
    struct {
        const char *text;
        uint32_t len, hash;
    } fetched;                        /* see hlo_reader_fetch_name */
    HLO_LIST(hlo_read_instr) read;    /* those instructions as they came */
    bool is_read_in_order;            /* of their ids */
    bool takes_any_order;             /* of dimensions in layouts: nothing is in them */
    HLO_LIST(hlo_instr *) parameters; /* those of them that are parameters */
    hlo_computation *with_gaps;       /* between the numbers of its parameters; or NULL */
    const hlo_node *with_gaps_at;
    HLO_LIST(hlo_instr *) async_starts; /* of the module */
    HLO_LIST(hlo_read_payload) payloads;
    HLO_LIST(hlo_instr *) operands; /* of the instruction that is read */
    HLO_LIST(hlo_attr) attrs;       /* its attributes */
    hlo_str back_edge; /* of the merge that is read: the name of its next-iteration; or empty */
    HLO_LIST(hlo_read_back_edge) back_edges; /* of the open computation */
    HLO_LIST(hlo_metadata *) framed;         /* metadata that names a stack frame */
    hlo_instr_fields_cache fields;
    struct {
        uint32_t message, hash;
    } unknown[HLO_MOST_NAMED_UNKNOWN];
    uint32_t unknown_count;
    uint8_t told[HLO_FIELD_COUNT]; /* fields about which there was a warning */
};

/* Most messages of a module are shapes, and most of those the same few. NULL: not met before. */
const hlo_shape *hlo_shape_lookup(const hlo_reader *r, uint32_t at, uint32_t end);
void hlo_shape_remember(hlo_reader *r, const hlo_node *node, const hlo_shape *shape);

/* A value of a field, without members yet if it is a message. A field that is not MANY and was met
 * before gives its node again. */
static inline hlo_node *hlo_node_add(hlo_reader *r, hlo_node *message, const hlo_proto_field *field,
                                     uint32_t at) {
    hlo_node_list *list = &message->u.members[field->place];
    hlo_node *last = list->last;
    if (last && (!hlo_field_is_many(field) || hlo_field_is_numeric(field))) return last;
    bool is_instr = field == HLO_F(HloComputationProto, instructions);
    if (is_instr) r->arena = &r->scratch; /* until hlo_reader_leave */
    hlo_node *node = hlo_arena_alloc(r->arena, sizeof *node);
    *node = (hlo_node){.field = field, .parent = message, .at = at, .end = at};
    if (last) {
        node->index = last->index + 1;
        last->next = node;
    } else {
        list->first = node;
        if (is_instr) node->index = r->read.n; /* those before it were forgotten */
    }
    list->last = node;
    return node;
}

/* ---- the forms: each reads [at, end) of the source into a message ---- */

bool hlo_read_wire(hlo_reader *r, hlo_node *message, hlo_message_id id);
bool hlo_read_json(hlo_reader *r, hlo_node *message, hlo_message_id id);
bool hlo_read_pbtxt(hlo_reader *r, hlo_node *message, hlo_message_id id);

/* ---- what they call while they read ---- */

/* Whether a field's value is to be passed over; with a warning when the module has no place for it.
 */
bool hlo_reader_drops(hlo_reader *r, const hlo_proto_field *field, uint32_t at);
static inline bool hlo_reader_skips(hlo_reader *r, const hlo_proto_field *field, uint32_t at) {
    return r->told[field->id] && hlo_reader_drops(r, field, at);
}
/* The name of the instruction that is read: its row in the table of names comes from memory while
 * the rest of the instruction is read. */
static inline void hlo_reader_fetch_name(hlo_reader *r, hlo_str name) {
    r->fetched.text = name.ptr;
    r->fetched.len = name.len;
    r->fetched.hash = hlo_name_hash(name.ptr, name.len);
    hlo_module_prefetch_name(r->module, r->fetched.hash);
}
/* A field as the form of the source calls it. */
static inline const char *hlo_reader_called(const hlo_reader *r, const hlo_proto_field *field) {
    return r->form == HLO_PROTO_PBTXT ? field->name : field->json_name;
}
/* A field that no table knows; `name` is its name or number. */
void hlo_reader_unknown(hlo_reader *r, hlo_message_id message, hlo_str name, uint32_t at,
                        uint32_t end);
/* Computations and instructions are built as they come: both are called when such a message begins
 * and ends. */
static inline bool hlo_is_built(const hlo_node *message) {
    return message->field->type == HLO_MESSAGE_HloInstructionProto ||
           message->field->type == HLO_MESSAGE_HloComputationProto;
}
bool hlo_reader_enter(hlo_reader *r, const hlo_node *message);
bool hlo_reader_leave(hlo_reader *r, hlo_node *message);

/* ---- errors: all return false ---- */

/* With the place of the node: its JSON pointer, and line and column, or the byte. */
bool hlo_node_bad(hlo_reader *r, const hlo_node *node, hlo_rule rule, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* At a byte, below the pointer of `message`, which may be NULL. */
bool hlo_read_bad(hlo_reader *r, const hlo_node *message, uint32_t at, uint32_t end, hlo_rule rule,
                  const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The value of an enum by its name, which stands in [at, end). */
bool hlo_reader_enum(hlo_reader *r, const hlo_node *node, hlo_enum_id id, hlo_str text, uint32_t at,
                     uint32_t end, int64_t *out);

/* A string that lives as long as the module. */
hlo_str hlo_reader_keep(hlo_reader *r, hlo_str text);

#endif
