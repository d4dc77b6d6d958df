/* Modules: reading them, and what is in them. Part of hlo.h. */
#ifndef HLO_PUBLIC_MODULE_H
#define HLO_PUBLIC_MODULE_H

#include "output.h"
#include "source.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hlo_module hlo_module;

/* Parses HLO text: a module, a computation or an instruction. Reports up to max_errors errors. */
HLO_API hlo_status hlo_parse(hlo_source *source, hlo_diags *diags, hlo_module **out);
/* The same for any form, detected by content: HLO text, the JSON or the binary form of
 * HloModuleProto, or of an HloProto or HloSnapshot around one. Fields that are not known are named
 * in warnings. */
HLO_API hlo_status hlo_read_module(hlo_source *source, hlo_diags *diags, hlo_module **out);
HLO_API void hlo_module_free(hlo_module *module);
/* Another module with the same text, for example to change one and keep the other. It knows of no
 * recorded run. */
HLO_API hlo_status hlo_module_copy(const hlo_module *module, hlo_diags *diags, hlo_module **out);

/* A module from a message keeps the arguments and the result of a run (see hlo_run_use_recording)
 * and knows of parts that no output form can hold, like a buffer assignment: drops all of these
 * with warnings. For callers that write the module. */
HLO_API void hlo_module_forget_extras(hlo_module *module, hlo_diags *diags);

/* Whether the result of a run was recorded with the module, which came from an HloSnapshot then. */
HLO_API bool hlo_module_has_result(const hlo_module *module);
/* The same, or arguments alone, as an HloUnoptimizedSnapshot has them. */
HLO_API bool hlo_module_has_recording(const hlo_module *module);

/* For how many devices the module is from now on: each of so many replicas has so many partitions.
 * 0 keeps the count of the header. hlo_verify checks replica groups against it. */
HLO_API hlo_status hlo_module_set_devices(hlo_module *module, uint32_t replicas,
                                          uint32_t partitions, hlo_diags *diags);

typedef struct {
    const char *name; /* lives as long as the facts' module */
    size_t name_len;
    size_t computations, instructions;
    size_t memory; /* bytes that the module takes */
} hlo_module_facts;

HLO_API hlo_module_facts hlo_module_describe(const hlo_module *module);
/* Whether some float of the module's text is written -0, which is the integer 0, so that its sign
 * is lost, as in XLA; line and column of the first one, from 1. */
HLO_API bool hlo_module_minus_zero(const hlo_module *module, uint32_t *line, uint32_t *column);

/* Of 128 bits, as hexadecimal digits and a NUL. Equal for modules of equal content: names,
 * metadata and the order of computations change nothing; shapes, layouts, attributes and every
 * element of every constant count, and {...} stands for itself. Not cryptographic: equal hashes can
 * be constructed. */
enum { HLO_HASH_SIZE = 33 };
HLO_API hlo_status hlo_module_hash(hlo_module *module, char hash[HLO_HASH_SIZE], hlo_diags *diags);

/* ---- what is in a module ---- */

/* Handles of a module's parts. They, and all pointers that the functions of this section return,
 * are valid until the module changes (hlo_pipeline_execute, hlo_reduce) or is freed. The functions
 * take NULL, and numbers that are too large: they return NULL, 0, false or an empty text then. */
typedef struct hlo_computation hlo_computation;
typedef struct hlo_instr hlo_instr;
typedef struct hlo_shape hlo_shape;

/* Not NUL-terminated; never NULL. */
typedef struct {
    const char *text;
    size_t len;
} hlo_text;

HLO_API hlo_text hlo_module_name(const hlo_module *module);
HLO_API const hlo_computation *hlo_module_entry(const hlo_module *module);
/* All computations, in the order of the text that was read. */
HLO_API const hlo_computation *hlo_module_first(const hlo_module *module);
HLO_API const hlo_computation *hlo_computation_next(const hlo_computation *computation);

HLO_API hlo_text hlo_computation_name(const hlo_computation *computation);
HLO_API const hlo_instr *hlo_computation_root(const hlo_computation *computation);
HLO_API uint32_t hlo_computation_parameter_count(const hlo_computation *computation);
HLO_API const hlo_instr *hlo_computation_parameter(const hlo_computation *computation,
                                                   uint32_t number);
/* All instructions, in the order in which they are written. */
HLO_API uint32_t hlo_computation_size(const hlo_computation *computation);
HLO_API const hlo_instr *hlo_computation_first(const hlo_computation *computation);
HLO_API const hlo_instr *hlo_instr_next(const hlo_instr *instr);

HLO_API const hlo_computation *hlo_instr_parent(const hlo_instr *instr);
HLO_API hlo_text hlo_instr_name(const hlo_instr *instr); /* without % */
/* As HLO spells it, NUL-terminated: a name of hlo_operation_row. */
HLO_API const char *hlo_instr_opcode(const hlo_instr *instr);
HLO_API const hlo_shape *hlo_instr_shape(const hlo_instr *instr);
HLO_API uint32_t hlo_instr_operand_count(const hlo_instr *instr);
HLO_API const hlo_instr *hlo_instr_operand(const hlo_instr *instr, uint32_t number);

typedef struct {
    const hlo_instr *user;
    uint32_t operand; /* of the user: the number */
} hlo_instr_use;

/* Writes the first `capacity` uses (`uses` may be NULL); returns how many there are. An instruction
 * with two equal operands uses it twice. */
HLO_API size_t hlo_instr_uses(const hlo_instr *instr, hlo_instr_use *uses, size_t capacity);

/* Computations in XLA's order: of while body and condition, of conditional its branches (true,
 * false), of select-and-scatter select and scatter. */
HLO_API uint32_t hlo_instr_called_count(const hlo_instr *instr);
HLO_API const hlo_computation *hlo_instr_called(const hlo_instr *instr, uint32_t number);

HLO_API int64_t hlo_instr_parameter_number(const hlo_instr *instr); /* -1: no parameter */
/* A dense array of a constant: its only one, or a leaf of a tuple, depth first. False when it is no
 * constant, or has no such leaf. Elements that the text left out ({...}) are made up, now; false
 * also when there is no memory for them. */
HLO_API bool hlo_instr_literal(const hlo_instr *instr, uint32_t leaf, hlo_array *array);

/* From the metadata; the source comes from the module's stack frames where the metadata names one
 * of them instead. Empty texts and zeros: not known. */
typedef struct {
    hlo_text op_type, op_name, source_file;
    int64_t source_line, source_end_line, source_column, source_end_column;
} hlo_instr_origin;

HLO_API hlo_instr_origin hlo_instr_metadata(const hlo_instr *instr);

/* Attributes by their names in HLO's text ("dimensions", "direction"), those that were given and
 * those that the parser fills in: the names by number, NULL after the last one. */
HLO_API const char *hlo_instr_attr_name(const hlo_instr *instr, uint32_t number);
HLO_API const char *hlo_module_attr_name(const hlo_module *module, uint32_t number);
/* What HLO's text has after `name=`. HLO_BAD_USE when there is no such attribute. */
HLO_API hlo_status hlo_instr_write_attr(const hlo_instr *instr, const char *name,
                                        hlo_output *output, hlo_diags *diags);
HLO_API hlo_status hlo_module_write_attr(const hlo_module *module, const char *name,
                                         hlo_output *output, hlo_diags *diags);
/* An integer, a flag (0 or 1), or a word by its number in XLA's messages; its default when it is
 * not given. False when it is something else, has no default, or belongs to other operations. */
HLO_API bool hlo_instr_attr_int(const hlo_instr *instr, const char *name, int64_t *value);
HLO_API bool hlo_module_attr_int(const hlo_module *module, const char *name, int64_t *value);
/* A list of these. */
HLO_API bool hlo_instr_attr_ints(const hlo_instr *instr, const char *name, const int64_t **values,
                                 size_t *count);

HLO_API hlo_element_type hlo_shape_type(const hlo_shape *shape);
HLO_API uint32_t hlo_shape_rank(const hlo_shape *shape); /* of an array */
/* A size, or a bound when the dimension is dynamic; -1: without bound. */
HLO_API int64_t hlo_shape_dim(const hlo_shape *shape, uint32_t dimension);
HLO_API bool hlo_shape_dim_is_dynamic(const hlo_shape *shape, uint32_t dimension);
/* The dimension at a place of the layout, the most minor one first; -1: no such place. */
HLO_API int64_t hlo_shape_minor_to_major(const hlo_shape *shape, uint32_t place);
/* Of a tuple; a buffer has one. */
HLO_API uint32_t hlo_shape_element_count(const hlo_shape *shape);
HLO_API const hlo_shape *hlo_shape_element(const hlo_shape *shape, uint32_t number);
/* As HLO spells it; tiles and memory spaces are in the layout. */
HLO_API hlo_status hlo_shape_write(const hlo_shape *shape, bool with_layout, hlo_output *output,
                                   hlo_diags *diags);

#ifdef __cplusplus
}
#endif
#endif
