/* One instruction as an HloInstructionProto, driven by attr_fields.def: a function for each form of
 * value. */
#include "proto/to_instr.h"

#include "form/form.h"
#include "proto/extension.h"
#include "proto/nans.h"

typedef void put_form(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                      const hlo_attr *attr, const hlo_attr_field *row);

/* ---- numbers and words ---- */

static int64_t int_value(const hlo_attr *attr, const hlo_attr_field *row) {
    return attr ? attr->u.i : hlo_attr_table[row->attr].fallback;
}

static void put_int(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                    const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr;
    hlo_emit_int(w, field, int_value(attr, row));
}

static void put_given_int(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                          const hlo_attr *attr, const hlo_attr_field *row) {
    if (attr) put_int(w, field, instr, attr, row);
}

static void put_first(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                      const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr;
    int64_t value = int_value(attr, row);
    if (attr && (row->always || value != hlo_attr_table[row->attr].fallback))
        hlo_emit_ints(w, field, &value, 1);
}

static void put_tri_state(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                          const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr;
    hlo_emit_int(w, field, int_value(attr, row) ? 1 : 2);
}

static void put_real(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                     const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr, (void)row;
    if (attr) hlo_emit_real(w, field, attr->u.f);
}

static void put_text(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                     const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr, (void)row;
    if (attr) hlo_emit_text(w, field, *attr->u.string);
}

static void put_thread(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                       const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr, (void)row;
    if (attr && !hlo_str_is(*attr->u.string, "main")) hlo_emit_text(w, field, *attr->u.string);
}

static void put_word(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                     const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr;
    const char *word = hlo_word_text(hlo_attr_table[row->attr].words, int_value(attr, row));
    if (word) hlo_emit_text(w, field, hlo_str_from(word));
}

/* What the type of the operands implies is written out. */
static int64_t compare_type(const hlo_instr *instr, const hlo_attr *attr) {
    if (attr) return attr->u.i;
    return instr->operand_count ? hlo_implied_compare_type(hlo_operand(instr, 0)->shape) : -1;
}

static void put_compare_type(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                             const hlo_attr *attr, const hlo_attr_field *row) {
    (void)row;
    const char *word = hlo_word_text(HLO_WORDS_COMPARE_TYPE, compare_type(instr, attr));
    if (word) hlo_emit_text(w, field, hlo_str_from(word));
}

/* ---- lists ---- */

static void put_ints(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                     const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr, (void)row;
    if (attr) hlo_write_ints(w, field, attr->u.ints);
}

/* One for each operand that can have one; the default where none was given. */
static void put_precisions(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                           const hlo_attr *attr, const hlo_attr_field *row) {
    (void)row;
    if (attr) {
        hlo_write_ints(w, field, attr->u.ints);
        return;
    }
    static const int32_t defaults[64];
    uint32_t n = instr->opcode == HLO_OP_CUSTOM_CALL ? instr->operand_count : 2;
    if (n <= 64) {
        hlo_emit_array(w, field, defaults, n);
        return;
    }
    int32_t *many = hlo_calloc(n, sizeof *many);
    hlo_emit_array(w, field, many, n);
    hlo_free(many);
}

static void put_pairs(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                      const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr, (void)row;
    for (uint32_t i = 0; attr && i < attr->u.int_lists->n; i++) {
        const hlo_ints *pair = attr->u.int_lists->v[i];
        hlo_emit_begin(w, field);
        if (pair->n > 0) hlo_emit_int(w, HLO_F(SourceTarget, source), pair->v[0]);
        if (pair->n > 1) hlo_emit_int(w, HLO_F(SourceTarget, target), pair->v[1]);
        hlo_emit_end(w);
    }
}

static void put_permute_slices(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                               const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr, (void)row;
    hlo_buf flat = HLO_BUF_INIT;
    for (uint32_t i = 0; attr && i < attr->u.int_lists->n; i++)
        hlo_buf_bytes(&flat, attr->u.int_lists->v[i]->v,
                      attr->u.int_lists->v[i]->n * sizeof(int64_t));
    hlo_emit_array(w, field, flat.data, flat.len / sizeof(int64_t));
    hlo_buf_free(&flat);
}

static void put_slice(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                      const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr, (void)row;
    for (uint32_t i = 0; attr && i < attr->u.slice->n; i++) {
        hlo_emit_begin(w, field);
        hlo_emit_int(w, HLO_F(HloInstructionProto_SliceDimensions, start),
                     attr->u.slice->v[i].start);
        hlo_emit_int(w, HLO_F(HloInstructionProto_SliceDimensions, limit),
                     attr->u.slice->v[i].limit);
        hlo_emit_int(w, HLO_F(HloInstructionProto_SliceDimensions, stride),
                     attr->u.slice->v[i].stride);
        hlo_emit_end(w);
    }
}

static void put_padding(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                        const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr, (void)row;
    hlo_emit_begin(w, field);
    for (uint32_t i = 0; attr && i < attr->u.padding->n; i++) {
        hlo_emit_begin(w, HLO_F(PaddingConfig, dimensions));
        hlo_emit_int(w, HLO_F(PaddingConfig_PaddingConfigDimension, edge_padding_low),
                     attr->u.padding->v[i].low);
        hlo_emit_int(w, HLO_F(PaddingConfig_PaddingConfigDimension, edge_padding_high),
                     attr->u.padding->v[i].high);
        hlo_emit_int(w, HLO_F(PaddingConfig_PaddingConfigDimension, interior_padding),
                     attr->u.padding->v[i].interior);
        hlo_emit_end(w);
    }
    hlo_emit_end(w);
}

static void put_aliasing(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                         const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr, (void)row;
    for (uint32_t i = 0; attr && i < attr->u.aliasing->n; i++) {
        hlo_emit_begin(w, field);
        hlo_write_ints(w, HLO_F(OutputOperandAliasing, output_shape_index),
                       attr->u.aliasing->v[i].output);
        hlo_emit_int(w, HLO_F(OutputOperandAliasing, operand_index),
                     attr->u.aliasing->v[i].parameter);
        hlo_write_ints(w, HLO_F(OutputOperandAliasing, operand_shape_index),
                       attr->u.aliasing->v[i].index);
        hlo_emit_end(w);
    }
}

/* ---- values that are messages ---- */

static void put_literal(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                        const hlo_attr *attr, const hlo_attr_field *row) {
    (void)row;
    if (!attr || !attr->u.literal) return;
    bool is_constant = instr->opcode == HLO_OP_CONSTANT;
    hlo_write_literal(w, field, attr->u.literal,
                      is_constant ? instr->shape : attr->u.literal->shape);
}

static void put_shape(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                      const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr, (void)row;
    if (attr) hlo_write_shape(w, field, attr->u.shape);
}

static void put_constraints(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                            const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr, (void)row;
    if (!attr) return;
    hlo_emit_int(w, HLO_F(HloInstructionProto, constrain_layout), 1);
    for (uint32_t i = 0; i < attr->u.shapes->n; i++)
        hlo_write_shape(w, field, attr->u.shapes->v[i]);
}

static void put_window(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                       const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr;
    if (attr || row->always) hlo_write_window(w, field, attr ? attr->u.window : NULL);
}

static void put_dim_labels(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                           const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr, (void)row;
    if (attr) hlo_write_dim_labels(w, field, attr->u.dim_labels);
}

static void put_sparsity(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                         const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr, (void)row;
    hlo_write_sparsity(w, field, attr ? attr->u.sparsity : NULL);
}

static void put_groups(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                       const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr, (void)row;
    hlo_write_groups(w, field, attr ? attr->u.groups : NULL);
}

/* The message has the sharding of the operand's side as entry, the text calls that the exit. */
static void put_domain(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                       const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr, (void)row;
    bool is_entry = field == HLO_F(HloInstructionProto, domain_entry_sharding);
    const hlo_domain *domain = attr ? attr->u.domain : NULL;
    if (domain) hlo_write_sharding(w, field, is_entry ? domain->exit : domain->entry);
}

static void put_sharding(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                         const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr, (void)row;
    if (attr) hlo_write_sharding(w, field, attr->u.sharding);
}

static void put_frontend(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                         const hlo_attr *attr, const hlo_attr_field *row) {
    (void)row;
    hlo_buf nans = HLO_BUF_INIT;
    const hlo_attr *value = instr->opcode == HLO_OP_CONSTANT && w->has_one_nan
                                ? hlo_instr_attr(instr, HLO_ATTR_VALUE)
                                : NULL;
    if (value && value->u.literal) hlo_nans_write(value->u.literal, &nans);
    hlo_arena scratch;
    hlo_arena_init(&scratch);
    hlo_write_frontend(w, field,
                       hlo_extension_frontend(&scratch, instr, attr ? attr->u.frontend : NULL),
                       (hlo_str){nans.data, (uint32_t)nans.len, 1});
    hlo_arena_free(&scratch);
    hlo_buf_free(&nans);
}

static void put_statistics(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                           const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr, (void)row;
    hlo_write_statistics(w, field, attr ? attr->u.statistics : NULL);
}

static void put_accuracy(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                         const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr, (void)row;
    if (attr) hlo_write_accuracy(w, field, attr->u.accuracy);
}

static void put_origin(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                       const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr, (void)row;
    if (attr) hlo_write_origin(w, field, attr->u.origin);
}

static void put_metadata(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                         const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr, (void)row;
    hlo_write_metadata(w, field, attr ? attr->u.metadata : NULL);
}

/* ---- what every instruction has ---- */

static void put_name(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                     const hlo_attr *attr, const hlo_attr_field *row) {
    (void)attr, (void)row;
    hlo_emit_text(w, field, (hlo_str){instr->name->ptr, instr->name->len, 0});
}

static void put_opcode(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                       const hlo_attr *attr, const hlo_attr_field *row) {
    (void)attr, (void)row;
    hlo_emit_text(w, field, hlo_str_from(hlo_info(instr)->text));
}

static void put_result(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                       const hlo_attr *attr, const hlo_attr_field *row) {
    (void)attr, (void)row;
    hlo_write_shape(w, field, instr->shape);
}

static void put_id(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                   const hlo_attr *attr, const hlo_attr_field *row) {
    (void)attr, (void)row;
    hlo_emit_int(w, field, hlo_instr_proto_id(instr));
}

/* Ids that most instructions have few of. */
typedef struct {
    uint32_t n;
    int64_t *v, few[16];
} id_list;

static int64_t *reserve_ids(id_list *ids, uint32_t n) {
    ids->n = n;
    ids->v = n > 16 ? hlo_malloc(n * sizeof *ids->v) : ids->few;
    return ids->v;
}

static void put_ids(hlo_writer *w, const hlo_proto_field *field, id_list *ids) {
    hlo_emit_ints(w, field, ids->v, ids->n);
    if (ids->v != ids->few) hlo_free(ids->v);
}

static void put_operands(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                         const hlo_attr *attr, const hlo_attr_field *row) {
    (void)attr, (void)row;
    id_list ids;
    reserve_ids(&ids, instr->operand_count);
    for (uint32_t i = 0; i < ids.n; i++) ids.v[i] = hlo_instr_proto_id(hlo_operand(instr, i));
    put_ids(w, field, &ids);
}

static void put_predecessors(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                             const hlo_attr *attr, const hlo_attr_field *row) {
    (void)instr, (void)row;
    if (!attr) return;
    id_list ids;
    reserve_ids(&ids, attr->u.instructions->n);
    for (uint32_t i = 0; i < ids.n; i++) ids.v[i] = hlo_instr_proto_id(attr->u.instructions->v[i]);
    put_ids(w, field, &ids);
}

static void put_called(hlo_writer *w, const hlo_proto_field *field, const hlo_instr *instr,
                       const hlo_attr *attr, const hlo_attr_field *row) {
    (void)attr, (void)row;
    uint32_t n = hlo_called_count(instr);
    if (!n) return;
    id_list ids;
    reserve_ids(&ids, n);
    for (uint32_t i = 0; i < n; i++) ids.v[i] = hlo_called(instr, i)->id;
    put_ids(w, field, &ids);
}

/* ---- the instruction ---- */

static put_form *const forms[HLO_FORM_COUNT_OF_FORMS] = {
#define HLO_FORM(id, writer, reader, needs) [HLO_FORM_##id] = put_##writer,
#include "proto/forms.def"
#undef HLO_FORM
};

/* The messages that stand around the field that is written. */
typedef struct {
    hlo_writer *w;
    uint8_t depth;
    uint16_t path[3];
} open_messages;

static void open_around(open_messages *open, const hlo_attr_field *row) {
    uint8_t same = 0, around = (uint8_t)(row->depth - 1);
    while (same < open->depth && same < around && open->path[same] == row->path[same]) same++;
    for (; open->depth > same; open->depth--) hlo_emit_end(open->w);
    for (; open->depth < around; open->depth++) {
        open->path[open->depth] = row->path[open->depth];
        hlo_emit_begin(open->w, &hlo_fields[row->path[open->depth]]);
    }
}

void hlo_write_instr(hlo_writer *w, hlo_instr_fields_cache *cache, const hlo_instr *instr) {
    uint32_t n;
    const hlo_attr_field *const *rows = hlo_instr_fields(cache, (hlo_opcode)instr->opcode, &n);
    open_messages open = {.w = w};
    hlo_emit_begin(w, HLO_F(HloComputationProto, instructions));
    for (uint32_t i = 0; i < n; i++) {
        const hlo_attr_field *row = rows[i];
        const hlo_attr *attr =
            row->attr == HLO_ATTR_COUNT ? NULL : hlo_instr_attr(instr, (hlo_attr_id)row->attr);
        if (attr || row->always || row->depth == 1) {
            open_around(&open, row);
            forms[row->form](w, hlo_attr_field_of(row), instr, attr, row);
        }
    }
    for (; open.depth; open.depth--) hlo_emit_end(w);
    hlo_emit_end(w);
}
