/* The public interface of libhlo: read, check, rewrite, print, draw and run HLO modules.
 *
 * Rules that hold for every function here
 * - A function that can fail takes an hlo_diags, writes what went wrong there, and returns an
 *   hlo_status. The library itself prints nothing and never ends the process.
 * - When the system has no memory left, the call is undone: it returns HLO_BAD_SYSTEM with one more
 *   error, "out of memory" (a function without hlo_status: NULL, or as its comment states), and all
 *   that it allocated is freed. Objects that were there before can be used as before, but for the
 *   module that a pipeline was changing, which can only be freed: other functions then return
 *   HLO_BAD_USE. An output that a call was writing to is incomplete, which hlo_output_commit
 *   reports. A run keeps its inputs and has no result.
 * - Arguments may not be NULL unless a comment defines the meaning. NULL, a number that does not
 *   exist and a call before what it needs are HLO_BAD_USE with a diagnostic (NULL for the hlo_diags
 *   too, without one). Functions that return no status do nothing then, and return NULL, 0 or
 *   false.
 * - Out-pointers come last and are set to NULL (or zero) on failure.
 * - What a function ..._create, ..._open, ..._parse, ..._prepare or ..._read_... makes is the
 *   caller's, who frees it with the ..._free of its type, which takes NULL.
 * - Strings are NUL-terminated unless a length stands beside them. No function keeps a pointer to
 *   an argument unless its comment states that.
 * - Different modules may be used from different threads at the same time; one module, with what
 *   was made from it and the source that it was read from, by one thread at a time.
 * - Option structs begin with their size, so that later releases can add members: start from their
 *   HLO_..._INIT. Members that the library does not know are ignored, members that the caller does
 *   not know have their defaults. A NULL in their place means the defaults.
 *
 * C11; also compiles as C++17. */
#ifndef HLO_H
#define HLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HLO_API __attribute__((visibility("default")))
#else
#define HLO_API
#endif

#define HLO_VERSION "0.2.0"

/* The version of the library that runs (HLO_VERSION is that of the header). */
HLO_API const char *hlo_version(void);

/* What a function reports; the numbers are the exit statuses of the programs. */
typedef enum {
    HLO_OK = 0,
    HLO_BAD_MODULE = 1, /* the module breaks a rule, or what was asked of it failed */
    HLO_BAD_USE = 2,    /* the arguments make no sense */
    HLO_BAD_SYSTEM = 3, /* a file cannot be read or written, memory is missing */
} hlo_status;

/* ---- diagnostics ---- */

/* A list of errors, warnings and notes with their places. */
typedef struct hlo_diags hlo_diags;

/* `max_errors` are kept; the parser stops there, others go on and only count. As many warnings, or
 * findings of a lint rule, are kept of each rule. 0 means 20. */
HLO_API hlo_diags *hlo_diags_create(uint32_t max_errors);
HLO_API void hlo_diags_free(hlo_diags *diags);
/* Hints that name something to set or to call do it in the words of this header. A program whose
 * users know it by another name has a separate text for such a topic (hlo_advice_row lists them);
 * NULL: the library's. The text is copied; both must stay as long as the list is used. */
typedef const char *hlo_hint_text(void *context, const char *topic);
HLO_API void hlo_diags_set_hints(hlo_diags *diags, hlo_hint_text *text, void *context);
/* `name: ` then begins messages that name no file but standard input, or none; NULL: nothing does.
 * The text is not copied. */
HLO_API void hlo_diags_set_program(hlo_diags *diags, const char *name);
HLO_API uint32_t hlo_diags_error_count(const hlo_diags *diags);
HLO_API uint32_t hlo_diags_warning_count(const hlo_diags *diags);
/* Errors and warnings of one rule, by its number in hlo_rule_row, kept or not. */
HLO_API uint32_t hlo_diags_rule_count(const hlo_diags *diags, size_t rule);
/* What is found from now on is about this file, or NULL. Findings in a text name the text all the
 * same; those without, like findings in a binary message, name the file. The name is copied. */
HLO_API void hlo_diags_set_file(hlo_diags *diags, const char *file);
/* Writes them in order of position, each as `FILE:LINE:COLUMN: error: MESSAGE [RULE]`, the source
 * line and a caret, notes and a hint. `colour` adds terminal escapes. Without memory a line states
 * that not all are shown. */
HLO_API void hlo_diags_render(hlo_diags *diags, FILE *to, bool colour);
/* Copies a text as messages show names and strings: control characters, marks of direction and what
 * is no UTF-8 become \n, \t, \r or \xHH, so that it stays in its line, and so does the first byte
 * of what CI services take for a command (`::` in front, `##[`). Writes as much as fits into
 * `capacity` bytes with the zero after it, and returns the length of the whole. */
HLO_API size_t hlo_escape(const char *text, char *out, size_t capacity);
/* Of `count` names (NULL: skipped) the one that `text` probably misspells, or NULL. */
HLO_API const char *hlo_nearest_name(const char *text, const char *const *names, size_t count);

/* Formats for other programs: a JSON object per line; one SARIF 2.1.0 document with all rules; the
 * commands by which a GitHub workflow annotates lines. */
typedef enum { HLO_REPORT_JSON, HLO_REPORT_SARIF, HLO_REPORT_GITHUB } hlo_report_format;
typedef struct hlo_report hlo_report;
typedef struct hlo_output hlo_output; /* below: where output goes */

/* Writes to `output`, which must live until the end; the diagnostics of any number of modules may
 * be added. hlo_output_commit reports that memory ran out; the result here is NULL. */
HLO_API hlo_report *hlo_report_begin(hlo_report_format format, hlo_output *output);
HLO_API void hlo_report_add(hlo_report *report, const hlo_diags *diags);
HLO_API void hlo_report_end(hlo_report *report);

/* Findings that were there before, so that only new ones count. A finding is known by its file, its
 * rule, its message and the names of computation and instruction, without the numbers at the end of
 * names and whatever its line. The baseline counts them: of equal findings, as many as were added
 * are known. Lists for a baseline should keep all findings (max_errors: UINT32_MAX). */
typedef struct hlo_baseline hlo_baseline;

HLO_API hlo_baseline *hlo_baseline_create(void); /* nothing is known */
HLO_API void hlo_baseline_free(hlo_baseline *baseline);
/* Adds what a file holds that hlo_baseline_write has written. HLO_BAD_USE when it is none. */
HLO_API hlo_status hlo_baseline_read(hlo_baseline *baseline, const char *path, hlo_diags *diags);
/* Adds the findings of a list. */
HLO_API hlo_status hlo_baseline_add(hlo_baseline *baseline, const hlo_diags *found,
                                    hlo_diags *diags);
/* A line of text per finding, in an order that does not depend on that of the findings. */
HLO_API void hlo_baseline_write(const hlo_baseline *baseline, hlo_output *output);
/* Appends to `news` what is not known, and returns how many were: each of these is known once less
 * from now on. For a baseline that was read. */
HLO_API size_t hlo_baseline_subtract(hlo_baseline *baseline, const hlo_diags *found,
                                     hlo_diags *news);
/* How many known findings no list had. */
HLO_API size_t hlo_baseline_left(const hlo_baseline *baseline);

/* ---- element types ---- */

/* The numbers are those of XLA's PrimitiveType and stay what they are. A shape is a tuple, a
 * buffer, a token or opaque, or else an array of such elements. */
typedef enum {
    HLO_TYPE_INVALID = 0,
    HLO_TYPE_PRED = 1,
    HLO_TYPE_S8 = 2,
    HLO_TYPE_S16 = 3,
    HLO_TYPE_S32 = 4,
    HLO_TYPE_S64 = 5,
    HLO_TYPE_U8 = 6,
    HLO_TYPE_U16 = 7,
    HLO_TYPE_U32 = 8,
    HLO_TYPE_U64 = 9,
    HLO_TYPE_F16 = 10,
    HLO_TYPE_F32 = 11,
    HLO_TYPE_F64 = 12,
    HLO_TYPE_TUPLE = 13,
    HLO_TYPE_OPAQUE = 14,
    HLO_TYPE_C64 = 15,
    HLO_TYPE_BF16 = 16,
    HLO_TYPE_TOKEN = 17,
    HLO_TYPE_C128 = 18,
    HLO_TYPE_F8E5M2 = 19,
    HLO_TYPE_F8E4M3FN = 20,
    HLO_TYPE_S4 = 21,
    HLO_TYPE_U4 = 22,
    HLO_TYPE_F8E4M3B11FNUZ = 23,
    HLO_TYPE_F8E5M2FNUZ = 24,
    HLO_TYPE_F8E4M3FNUZ = 25,
    HLO_TYPE_S2 = 26,
    HLO_TYPE_U2 = 27,
    HLO_TYPE_F8E4M3 = 28,
    HLO_TYPE_F8E3M4 = 29,
    HLO_TYPE_S1 = 30,
    HLO_TYPE_U1 = 31,
    HLO_TYPE_F4E2M1FN = 32,
    HLO_TYPE_F8E8M0FNU = 33,
    HLO_TYPE_BUFFER = 34,
    HLO_TYPE_F6E3M2FN = 35,
    HLO_TYPE_F6E2M3FN = 36,
} hlo_element_type;

/* As HLO spells it: "f32", "pred"; "tuple" and "buffer" for what has no word. NULL when no type has
 * the number. */
HLO_API const char *hlo_element_type_name(hlo_element_type type);
/* HLO_TYPE_INVALID when nothing is called that. */
HLO_API hlo_element_type hlo_element_type_from_name(const char *name);
/* Of one element of an array in memory, where types of less than a byte take one; 0 for what is no
 * array. */
HLO_API size_t hlo_element_type_bytes(hlo_element_type type);

/* An array in memory. Elements of types of less than a byte take one; a complex number is its real
 * part and its imaginary part. */
typedef struct {
    hlo_element_type type;
    uint32_t rank;
    const int64_t *dims;    /* rank of them */
    const int64_t *strides; /* bytes from an element to the next of each dimension, of any sign;
                               NULL: dense in row-major order */
    const void *data;       /* the element whose indices are 0; NULL: not set, or no element */
} hlo_array;

/* What its elements take without gaps; 0 when that is more than memory. */
HLO_API size_t hlo_array_bytes(const hlo_array *array);

/* ---- texts to read ---- */

typedef struct hlo_source hlo_source;

/* A file, or standard input for "-" and NULL. Files of up to 4 GiB; regular files are mapped, gzip
 * and zstd files decompressed. */
HLO_API hlo_status hlo_read_source(const char *path, hlo_diags *diags, hlo_source **out);
/* The same, where decompressed content may have up to `most` bytes; with 0, as in the function
 * above, 64 MiB or 100 times the file. */
HLO_API hlo_status hlo_read_source_within(const char *path, uint64_t most, hlo_diags *diags,
                                          hlo_source **out);
/* `text` is copied; `name` is what diagnostics call it. A UTF-8 byte order mark at the start is
 * skipped, as in files. NULL when it is longer than 4 GiB or memory is missing. */
HLO_API hlo_source *hlo_source_from_text(const char *name, const char *text, size_t len);
/* What a text is written in: as XLA reads it today; that and old forms (hlo_old_form_row lists
 * them), with the meaning of today where editions of the operation semantics differ; or with the
 * forms and the meaning of one edition, where what it forbids is an error. */
typedef enum {
    HLO_DIALECT_XLA,
    HLO_DIALECT_EXTENDED,
    HLO_DIALECT_2018,
    HLO_DIALECT_2019,
    HLO_DIALECT_2024,
    HLO_DIALECT_2025
} hlo_dialect;

/* HLO_DIALECT_XLA until this is called. Old forms are translated into today's text before it is
 * read; each is named in a warning. Sources that it is split into take the dialect over. */
HLO_API void hlo_source_read_as(hlo_source *source, hlo_dialect dialect);
/* Every module that was parsed from a source keeps it alive, so it may be freed at once. */
HLO_API void hlo_source_free(hlo_source *source);
/* The parts of a text between lines that start with `// -----`, each a source that knows which line
 * it starts at. Freed by hlo_source_parts_free. At least one part, which may be empty; 0 and NULL
 * when memory is missing. */
HLO_API size_t hlo_source_split(hlo_source *source, hlo_source ***parts);
HLO_API void hlo_source_parts_free(hlo_source **parts, size_t count);

/* Whether a file that starts with these bytes, some thousand of them, looks like a module in any
 * form. True when memory is too short to decide: reading the file reports that. */
HLO_API bool hlo_starts_like_module(const void *start, size_t count);
/* The files that arguments of a program stand for: each itself; below a directory, those that start
 * like a module or are named like one, by name, without hidden ones, and after them those in
 * directories that links lead to, each directory once; the matches of a pattern when no file has
 * that name. Freed by hlo_paths_free, also after an error: what was found is still there. */
HLO_API hlo_status hlo_find_modules(char *const *arguments, size_t argument_count, hlo_diags *diags,
                                    char ***paths, size_t *count);
HLO_API void hlo_paths_free(char **paths, size_t count);

/* The same, and in between the files below directories that are passed over although their names
 * end in .txt, .pb or .json: they do not start like modules. A name that ends like those of modules
 * (.hlo, before_optimizations.txt and the like) makes a file one, whatever it starts with: reading
 * it reports the error. Freed by hlo_found_files_free. */
typedef struct {
    char *path;
    bool is_skipped;
} hlo_found_file;

HLO_API hlo_status hlo_find_files(char *const *arguments, size_t argument_count, hlo_diags *diags,
                                  hlo_found_file **files, size_t *count);
HLO_API void hlo_found_files_free(hlo_found_file *files, size_t count);

/* ---- modules ---- */

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

/* ---- reading a module ---- */

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

/* ---- checking and changing a module ---- */

/* Infers every shape and checks every constraint of the operations and of the module. */
HLO_API hlo_status hlo_verify(hlo_module *module, hlo_diags *diags);

/* What XLA's back ends demand beyond its plain verifier, or allow: options by the names of
 * hlo_verify_option_row. */
typedef struct hlo_verify_options hlo_verify_options;

HLO_API hlo_verify_options *hlo_verify_options_create(void); /* the plain verifier */
HLO_API void hlo_verify_options_free(hlo_verify_options *options);
/* The value is "on" or "off"; where the row's group is OPERATIONS, names with commas between them,
 * or "all", which are added. HLO_BAD_USE when there is no such option or value. */
HLO_API hlo_status hlo_verify_options_set(hlo_verify_options *options, const char *name,
                                          const char *value, hlo_diags *diags);
/* hlo_verify is the same with NULL. */
HLO_API hlo_status hlo_verify_with(hlo_module *module, const hlo_verify_options *options,
                                   hlo_diags *diags);

/* What goes beyond XLA's verdict: rules of the stage "lint", each off, a warning or an error. An
 * instruction with frontend_attributes={hlo_lint_suppress="RULE,RULE"} (or "all") is passed over by
 * those rules; in the module's frontend attributes that holds for all instructions. */
typedef struct hlo_lint hlo_lint;
typedef enum { HLO_LINT_OFF, HLO_LINT_WARN, HLO_LINT_ERROR } hlo_lint_level;

HLO_API hlo_lint *hlo_lint_create(void); /* all off */
HLO_API void hlo_lint_free(hlo_lint *lint);
/* `rules`: names with commas between them, or "all". HLO_BAD_USE when there is no such lint rule.
 */
HLO_API hlo_status hlo_lint_set(hlo_lint *lint, const char *rules, hlo_lint_level level,
                                hlo_diags *diags);
HLO_API void hlo_lint_set_large_constant(hlo_lint *lint, uint64_t bytes);
/* The module must have been verified. HLO_BAD_MODULE when a rule that is an error found something.
 */
HLO_API hlo_status hlo_lint_module(const hlo_lint *lint, hlo_module *module, hlo_diags *diags);

/* Passes in the order in which they run: `dce`, `dce{option=value},other`, `fix(dce,other)`; in
 * names `-` and `_` mean the same; an empty text does nothing. */
typedef struct hlo_pipeline hlo_pipeline;

/* `name` is what diagnostics call the text. HLO_BAD_USE with errors that point into it when it
 * names no such pass or option. */
HLO_API hlo_status hlo_pipeline_parse(const char *name, const char *text, hlo_diags *diags,
                                      hlo_pipeline **out);
HLO_API void hlo_pipeline_free(hlo_pipeline *pipeline);
/* Takes the passes that the list A,B names out of the pipeline, wherever they stand in it. */
HLO_API void hlo_pipeline_disable(hlo_pipeline *pipeline, const char *passes);
/* The pipeline as text that parses to the same, without a newline. */
HLO_API void hlo_pipeline_write(const hlo_pipeline *pipeline, hlo_output *output);
/* Whether anything changed goes to *changed, which may be NULL. HLO_BAD_MODULE when a pass failed;
 * the module is then still well formed. */
HLO_API hlo_status hlo_pipeline_execute(const hlo_pipeline *pipeline, hlo_module *module,
                                        hlo_diags *diags, bool *changed);

/* What is seen of a pass before and after it ran. */
typedef struct {
    const char *pass; /* its name */
    const char *text; /* the same with its options, as typed in a pipeline */
    size_t number;    /* 1, 2, 3... in the order of running */
    bool done;        /* false: about to run */
    bool changed;
    double seconds;
} hlo_pass_event;

/* Must not change the module; HLO_OK, or what ends the run. */
typedef hlo_status hlo_pass_watcher(void *context, hlo_module *module, const hlo_pass_event *event);

/* Counts of any number of runs. */
typedef struct hlo_pass_stats hlo_pass_stats;

typedef enum { HLO_BY_STYLE, HLO_ON, HLO_OFF } hlo_switch;

typedef struct {
    size_t size;
    hlo_switch verify_each; /* after every pass that changed something; HLO_BY_STYLE: in debug
                               builds */
    uint64_t max_rewrites;  /* passes stop after so many; UINT64_MAX: never */
    hlo_pass_watcher *watch;
    void *watch_context;
    hlo_pass_stats *stats;                /* added to */
    const hlo_verify_options *strictness; /* of verify_each; NULL: the plain verifier */
} hlo_pipeline_options;

#define HLO_PIPELINE_OPTIONS_INIT \
    { sizeof(hlo_pipeline_options), HLO_BY_STYLE, UINT64_MAX, NULL, NULL, NULL, NULL }

HLO_API hlo_status hlo_pipeline_execute_with(const hlo_pipeline *pipeline, hlo_module *module,
                                             const hlo_pipeline_options *options, hlo_diags *diags,
                                             bool *changed);

HLO_API hlo_pass_stats *hlo_pass_stats_create(void);
HLO_API void hlo_pass_stats_free(hlo_pass_stats *stats);
/* How often the rewrite of that number (hlo_rewrite_row) fired; the sum of all. */
HLO_API uint64_t hlo_pass_stats_fired(const hlo_pass_stats *stats, size_t rewrite);
HLO_API uint64_t hlo_pass_stats_total(const hlo_pass_stats *stats);
/* The number of the rewrite that fired last and the name of what it changed; NULL: none did. */
HLO_API const char *hlo_pass_stats_last(const hlo_pass_stats *stats, size_t *rewrite);
/* How often the pass of that number (hlo_pass_row) ran and changed something, and the time it
 * took; false when it did not run. */
HLO_API bool hlo_pass_stats_pass(const hlo_pass_stats *stats, size_t pass, uint64_t *runs,
                                 uint64_t *changes, double *seconds);

/* What running a module that has been verified costs, by XLA's way of counting: a loop's body once,
 * nothing kept in registers. peak_bytes is what is alive at the same time when instructions run in
 * order. */
typedef struct {
    double flops, transcendentals, bytes, peak_bytes;
} hlo_module_cost;

/* All NaN without memory, or for a module that can only be freed. */
HLO_API hlo_module_cost hlo_module_estimate(hlo_module *module);

/* ---- what devices exchange ---- */

/* How the devices that take part in a collective are connected: in a ring, or in rows and columns
 * (as square as their number allows), without or with links from the last to the first of each. */
typedef enum { HLO_RING, HLO_MESH, HLO_TORUS } hlo_topology;

typedef struct {
    size_t size;
    hlo_topology topology;
    double gigabits;     /* a second that a link carries in each direction; more than 0 */
    double microseconds; /* until a message begins to arrive at the next device; not negative */
} hlo_link_options;

#define HLO_LINK_OPTIONS_INIT \
    { sizeof(hlo_link_options), HLO_RING, 100, 1 }

/* What a collective exchanges in one run of its module. Bytes and seconds are those of all times
 * together. */
typedef struct {
    const char *kind;        /* its opcode; that of a start without "-start" */
    const char *instruction; /* with its length; not NUL-terminated, like the next one */
    size_t instruction_len;
    const char *computation;
    size_t computation_len;
    uint64_t devices; /* of a group, the largest; of a permute: those that send */
    double times;     /* how often it runs */
    bool times_known; /* false: it is in a loop of unknown trip count, counted once, or in a
                         branch, counted as taken */
    double bytes_sent, bytes_received; /* by the device that has most of them */
    double seconds; /* of the algorithms in docs/communication.md, nothing else on the links */
} hlo_transfer;

/* Strings live as long as the call. */
typedef void hlo_transfer_visitor(void *context, const hlo_transfer *transfer);

/* Shows the collectives of a module that verifies, in the order in which it is printed. */
HLO_API hlo_status hlo_module_transfers(hlo_module *module, const hlo_link_options *links,
                                        hlo_transfer_visitor *visit, void *context,
                                        hlo_diags *diags);

/* ---- statistics ---- */

/* How what a module costs is counted. What a device does a second at most is 0 where it is not
 * known; with any of these there are times: an instruction takes no less than its flops, its bytes
 * and its exchanges take one by one, the longest of them. */
typedef struct {
    size_t size;
    bool trip_counts;  /* what loops run counts as often as it runs, where that is known; else once,
                          as XLA counts */
    double peak_flops; /* a second */
    double peak_bandwidth;         /* bytes of memory a second */
    const hlo_link_options *links; /* between devices; NULL: not known */
} hlo_stats_options;

#define HLO_STATS_OPTIONS_INIT \
    { sizeof(hlo_stats_options), false, 0, 0, NULL }

/* What was counted: tables of columns and rows, which hlo_stats_table_row and hlo_stats_column_row
 * list. It does not need the module any more. */
typedef struct hlo_stats hlo_stats;

/* Counts a module that verifies. */
HLO_API hlo_status hlo_stats_create(hlo_module *module, const hlo_stats_options *options,
                                    hlo_diags *diags, hlo_stats **out);
HLO_API void hlo_stats_free(hlo_stats *stats);
/* How many rows a table has; 0 when there is no such table. */
HLO_API size_t hlo_stats_rows(const hlo_stats *stats, size_t table);

/* `text` is NULL for numbers, and not NUL-terminated. A number is NaN where it is not known. */
typedef struct {
    const char *text;
    size_t text_len;
    double number;
} hlo_stats_value;

/* False when there is no such table, row or column; *out is then empty. */
HLO_API bool hlo_stats_cell(const hlo_stats *stats, size_t table, size_t row, size_t column,
                            hlo_stats_value *out);

/* Tables for readers; one JSON object per module; one table as CSV with a head; one page that needs
 * nothing else. */
typedef enum { HLO_STATS_TEXT, HLO_STATS_JSON, HLO_STATS_CSV, HLO_STATS_HTML } hlo_stats_form;

typedef struct {
    size_t size;
    hlo_stats_form form;
    uint64_t tables;  /* bit n: table n; 0: those that suit the form. CSV takes one table */
    uint64_t top;     /* rows of a table; 0: as many as suit the form; UINT64_MAX: all */
    const char *sort; /* a column whose largest values come first, in tables that have it; NULL:
                         flops, or seconds where there are times */
    bool exact;       /* numbers without units, names in full; JSON and CSV are always so */
} hlo_stats_report_options;

#define HLO_STATS_REPORT_OPTIONS_INIT \
    { sizeof(hlo_stats_report_options), HLO_STATS_TEXT, 0, 0, NULL, false }

/* Writes to `output`, which must live until the end. HLO_BAD_USE for CSV of several tables, and for
 * a column that no table has. */
typedef struct hlo_stats_report hlo_stats_report;
HLO_API hlo_status hlo_stats_report_begin(const hlo_stats_report_options *options,
                                          hlo_output *output, hlo_diags *diags,
                                          hlo_stats_report **out);
/* The tables of one more module; `file` is what it is called by. */
HLO_API void hlo_stats_report_add(hlo_stats_report *report, const char *file,
                                  const hlo_stats *stats);
/* What differs between two: each number of the first, of the second, and how it changed. Rows in
 * which nothing differs are left out, but for the summary. */
HLO_API void hlo_stats_report_compare(hlo_stats_report *report, const char *first_file,
                                      const hlo_stats *first, const char *second_file,
                                      const hlo_stats *second);
HLO_API void hlo_stats_report_end(hlo_stats_report *report);

/* ---- making a module smaller ---- */

/* A module that verifies, as text that is not NUL-terminated; lives until the test returns. */
typedef struct {
    const char *text;
    size_t len, instructions;
} hlo_candidate;

enum { HLO_REDUCE_NONE = -1, HLO_REDUCE_STOP = -2 };

/* Tells which is the first candidate in order that still has what is looked for: its number,
 * HLO_REDUCE_NONE, or HLO_REDUCE_STOP when no more tests should run. No text is tested twice,
 * unless its batch contained an accepted one. */
typedef int hlo_reduce_test(void *context, const hlo_candidate *candidates, int count);

typedef struct {
    size_t size;
    hlo_reduce_test *test;
    void *context;
    uint32_t batch;     /* candidates that are handed over at once; 0: one */
    uint64_t max_tests; /* 0: any number */
    bool xla_literals;  /* negative zeros are -0, not -0.0: see hlo_text_options */
} hlo_reduce_options;

#define HLO_REDUCE_OPTIONS_INIT \
    { sizeof(hlo_reduce_options), NULL, NULL, 1, 0, false }

typedef struct {
    uint64_t tests; /* the same for any size of batches */
    size_t instructions_before, instructions_after;
    bool is_done; /* no known edit makes it smaller: the end, not a stop */
} hlo_reduction;

/* Makes a module smaller, one edit after the other, as long as the test accepts the module; the
 * last one that it accepted is the result. It is asked about the original first, which is not
 * changed. HLO_BAD_MODULE when it does not verify or the test does not accept it. */
HLO_API hlo_status hlo_reduce(hlo_module *module, const hlo_reduce_options *options,
                              hlo_diags *diags, hlo_reduction *out);

/* ---- where output goes ---- */

/* An hlo_output is a file that is written atomically, standard output, or memory.
 *
 * The file is written next to its final name and renamed by hlo_output_commit; "-" and NULL are
 * standard output. */
HLO_API hlo_status hlo_output_open(const char *path, hlo_diags *diags, hlo_output **out);
HLO_API hlo_output *hlo_output_to_memory(void);
HLO_API void hlo_output_write(hlo_output *output, const void *bytes, size_t count);
/* Writes the bytes as a JSON string with its quotes; what is no UTF-8 becomes U+FFFD. */
HLO_API void hlo_output_write_json_string(hlo_output *output, const char *bytes, size_t count);
/* What an output to memory holds; valid until the next write. */
HLO_API const char *hlo_output_bytes(const hlo_output *output, size_t *count);
/* Writes the rest of the buffer, reports every write that failed before, and moves the file to its
 * name. For an output to memory: reports whether all that was written is there. */
HLO_API hlo_status hlo_output_commit(hlo_output *output, hlo_diags *diags);
/* Without a commit before, the file never appears. */
HLO_API void hlo_output_free(hlo_output *output);

/* Removes the files and directories of the process that are not finished: of outputs without
 * commit, of runs that write results. For a handler of a signal that ends the process: it calls
 * nothing that such a handler must not call, and after it nothing can be committed. */
HLO_API void hlo_remove_unfinished(void);

/* ---- printing ---- */

typedef enum {
    HLO_STYLE_DEFAULT, /* what XLA prints by default, byte for byte */
    HLO_STYLE_SHORT,   /* the least that parses again */
    HLO_STYLE_CANONICAL,
    HLO_STYLE_FINGERPRINT
} hlo_text_style;

typedef struct {
    size_t size;
    hlo_text_style style;
    hlo_switch metadata, backend_config, large_constants, operand_shapes, percent, layouts;
    hlo_switch control_predecessors;
    hlo_switch compact_gte; /* elements of tuples are %tuple#0 where they are used */
    /* Negative zeros are -0.0, which reads back to the same bits, in XLA too. Otherwise they are -0
     * as XLA prints them, which is read as +0. */
    hlo_switch exact_literals;
    /* All elements of constants that no text or message had, as passes make them: no dump has
     * their elements. By the style they are there, except for canonical and fingerprint. */
    hlo_switch made_constants;
} hlo_text_options;

#define HLO_TEXT_OPTIONS_INIT                                                                   \
    {                                                                                           \
        sizeof(hlo_text_options), HLO_STYLE_DEFAULT, HLO_BY_STYLE, HLO_BY_STYLE, HLO_BY_STYLE,  \
            HLO_BY_STYLE, HLO_BY_STYLE, HLO_BY_STYLE, HLO_BY_STYLE, HLO_BY_STYLE, HLO_BY_STYLE, \
            HLO_BY_STYLE                                                                        \
    }

/* The module's text, ended by exactly one newline. A warning for each kind of thing that does not
 * read back as it is in the module (rule lossy-text), once for a module. */
HLO_API hlo_status hlo_write_text(hlo_module *module, const hlo_text_options *options,
                                  hlo_output *output, hlo_diags *diags);
/* The message that a module becomes: its HloModuleProto, or an HloProto around that, which is what
 * XLA's dumps have. */
typedef enum { HLO_AS_MODULE_PROTO, HLO_AS_HLO_PROTO } hlo_message_form;
/* The module as such a message: in protobuf's JSON mapping, on one line or indented, ended by a
 * newline; and on the wire. HLO_BAD_MODULE when the form cannot hold it: strings of JSON are UTF-8.
 */
HLO_API hlo_status hlo_write_json(hlo_module *module, hlo_message_form form, bool pretty,
                                  hlo_output *output, hlo_diags *diags);
HLO_API hlo_status hlo_write_proto(hlo_module *module, hlo_message_form form, hlo_output *output,
                                   hlo_diags *diags);

/* Who places the nodes of a drawing: Graphviz, or the library in time that hardly grows faster than
 * the graph; AUTO means the library from some hundred nodes on. */
typedef enum { HLO_LAYOUT_AUTO, HLO_LAYOUT_DOT, HLO_LAYOUT_FAST } hlo_graph_layout;
/* PLAN: by memory, as in hlo_run_write_planned_module; nodes show what computes them. DEVICE: by
 * the device that a sharding names. FLOPS, BYTES: by the cost of an instruction, which its label
 * shows, too; it needs a well-formed module. TIME: the same by the seconds of `profile`. DIFF: by
 * what `other` has and has not. */
typedef enum {
    HLO_COLOUR_CLASS,
    HLO_COLOUR_SHARDING,
    HLO_COLOUR_PLAN,
    HLO_COLOUR_DEVICE,
    HLO_COLOUR_FLOPS,
    HLO_COLOUR_BYTES,
    HLO_COLOUR_TIME,
    HLO_COLOUR_DIFF
} hlo_graph_colour;
/* Labels of edge heads; AUTO: operand numbers, where an instruction has several drawn operands;
 * SHAPE: the operands' shapes, too. */
typedef enum { HLO_EDGE_AUTO, HLO_EDGE_SHAPE, HLO_EDGE_NUMBER } hlo_graph_edges;

typedef struct {
    size_t size;
    /* What is drawn: everything, or one of the next four. Fusions come with what calls them. */
    bool entry_only;
    const char *computation; /* NULL: not asked; the same below */
    /* An instruction with what it needs, up to `up` edges above it, and with what needs it, up to
     * `down` edges below; UINT64_MAX: `radius`. */
    const char *around;
    const char *from, *to; /* all paths from one instruction to another, through calls too */
    uint64_t radius;
    uint64_t depth;      /* levels of called computations that are followed; UINT64_MAX: any */
    uint64_t max_nodes;  /* draw the most important, count the others; 0: no limit */
    bool collapse_while; /* a loop is one node */
    bool expand_tuples;  /* get-tuple-elements are nodes, not labels of edges */
    bool legend;         /* a box that explains the colours */
    hlo_graph_layout layout;
    hlo_graph_colour colour;
    hlo_graph_edges edges;
    const char *url; /* hyperlink of a node, with {file} and {line} filled in; NULL: the file */
    /* "dot" (or NULL); "svg", "png", "pdf" by Graphviz; "html", a page for a browser, in which
     * parts are opened: then `around` and `computation` choose what is shown first; options that
     * leave something out are refused. Its reader chooses the colours: `colour` are those that come
     * first, and `profile` and `other` may be given with any of them. */
    const char *format;
    uint64_t up, down;   /* of `around` */
    const char *profile; /* for TIME: the file that hlo_run_write_profile wrote as JSON */
    /* For DIFF: the module before. What only it has is drawn, too, with dashed borders. Layouts
     * count, metadata do not. */
    hlo_module *other;
} hlo_graph_options;

#define HLO_GRAPH_OPTIONS_INIT                                                                    \
    {                                                                                             \
        sizeof(hlo_graph_options), false, NULL, NULL, NULL, NULL, 3, UINT64_MAX, 0, false, false, \
            false, HLO_LAYOUT_AUTO, HLO_COLOUR_CLASS, HLO_EDGE_AUTO, NULL, NULL, UINT64_MAX,      \
            UINT64_MAX, NULL, NULL                                                                \
    }

HLO_API hlo_status hlo_write_graph(hlo_module *module, const hlo_graph_options *options,
                                   hlo_output *output, hlo_diags *diags);

/* ---- comparing ---- */

typedef struct {
    size_t size;
    bool metadata;      /* counts, too; so do origins and statistics */
    bool json;          /* one object instead of lines */
    bool brief;         /* only how many differences there are */
    hlo_switch layouts; /* count (default) */
    bool schedule;      /* the order of instructions counts where both are scheduled */
} hlo_diff_options;

#define HLO_DIFF_OPTIONS_INIT \
    { sizeof(hlo_diff_options), false, false, false, HLO_BY_STYLE, false }

/* Writes what was added, removed and changed from `a` to `b`; nothing (in text) when they do the
 * same. Names, and (unless asked for) the order of instructions and computations, do not count;
 * names only pair instructions where the structure does not. *same, which may be NULL:
 * whether they do the same.
 */
HLO_API hlo_status hlo_write_diff(hlo_module *a, hlo_module *b, const hlo_diff_options *options,
                                  hlo_output *output, hlo_diags *diags, bool *same);

/* ---- jobs of several processes ---- */

/* The processes that mpirun started together, numbered from 0 (ranks). With hlo_run_options.world
 * they share the devices of a run, rank by rank, and each executes its own: then all of them
 * prepare the same module with the same options, and call hlo_run_execute and hlo_run_repeat
 * equally often. Files of a device are read and written by the process that has it; inputs may be
 * set in every process. After a successful run rank 0 has the results of all devices, and each
 * other rank its own. Errors are reported in the process that meets them; in the others, the
 * call returns the same status. A process that ends while others compute is MPI's to notice. */
typedef struct hlo_world hlo_world;

/* *out: the job that this process is part of; NULL when mpirun has not started it, or HLO_MPI is 0
 * in the environment. Loads libhlo-mpi.so, and initialises MPI: once in a process. HLO_BAD_SYSTEM
 * when there is no such library. */
HLO_API hlo_status hlo_world_open(hlo_diags *diags, hlo_world **out);
/* Ends MPI, when all processes have called it. NULL is fine. */
HLO_API void hlo_world_close(hlo_world *world);
HLO_API uint32_t hlo_world_rank(const hlo_world *world); /* NULL: 0 */
HLO_API uint32_t hlo_world_size(const hlo_world *world); /* NULL: 1 */
/* All processes call it: the worst of their statuses. *rank (NULL: not wanted): the first that has
 * it. Without a job, it is `own`. */
HLO_API hlo_status hlo_world_agree(hlo_world *world, hlo_status own, uint32_t *rank);
/* Ends all processes at once, this one with the status; returns only without a job. */
HLO_API void hlo_world_stop(hlo_world *world, int status);

/* ---- running ---- */

/* Which kernels compute operations. */
typedef enum {
    HLO_ENGINE_FAST,     /* tuned ones */
    HLO_ENGINE_REFERENCE /* plain ones, which follow the semantics element by element: the judge */
} hlo_engine;

/* What runs conditionals and loops. */
typedef enum {
    HLO_EXECUTOR_STRUCTURED, /* as they are; dataflow graphs always run as such */
    HLO_EXECUTOR_DATAFLOW    /* lowered to a dataflow graph: docs/dataflow.md */
} hlo_executor;

/* A module made ready to run on as many devices as its header has replicas times partitions, which
 * are threads, with its inputs and, after a run, its results. Inputs and results are
 * counted as flat leaves: the arrays of parameter 0 first, tuples depth first, without tokens. Uses
 * the module, which must outlive it and must not change. */
typedef struct hlo_run hlo_run;

/* A function of the program for a target of custom calls, called as docs/running.md specifies for
 * functions in libraries: by the convention of the instruction's api_version. Runs that were shared
 * call it from several threads. */
typedef struct {
    const char *target;
    void (*function)(void);
} hlo_custom_call;

typedef struct {
    size_t size;
    uint64_t seed;          /* of the operation rng */
    bool stub_custom_calls; /* calls of unknown targets give zeros instead of an error */
    FILE *trace;            /* NULL, or where every instruction's least, greatest and mean go */
    bool break_on_nan;      /* the first instruction that makes a NaN is an error */
    /* Where infeeds take their leaves from, in order of execution: files and pipes, each with any
     * number of concatenated .npy arrays ("-": standard input), or one directory with infeed0.npy,
     * infeed1.npy ... Where outfeeds write: a directory for outfeed0.npy ..., one file for all that
     * ends in .npy, a pipe, "-"; or NULL. Files appear when a run succeeds. The strings here and
     * below must outlive the run. */
    const char *const *infeed;
    size_t infeed_count;
    const char *outfeed;
    uint32_t threads; /* at most so many; 0: the processors that the process may use */
    /* "CHANNEL=FILE", the channel by its number or the name of its rendezvous: where the recvs of a
     * channel with is_host_transfer take their arrays from, and where the sends of one leave them.
     */
    const char *const *recv, *const *send;
    size_t recv_count, send_count;
    /* Shared libraries whose functions custom calls reach by name, before the built-in targets. */
    const char *const *libraries;
    size_t library_count;
    uint64_t memory_limit; /* bytes that a run may need; 0: what the machine has available */
    /* An instruction of the entry computation that is run with what it needs, without effects of
     * others, and is the result; or CALLER/NAME, LOOP/ITERATION/NAME, or NAME where it runs first,
     * an instruction of a called computation: its callers run until they come to it. NULL: all. */
    const char *only;
    const char *dump; /* a directory for the values of all instructions (NAME.npy; NAME{0}.npy for
                       * the elements of a tuple; those of a called computation below the caller's
                       * name, and the iteration number for loops); NULL: none */
    hlo_engine engine;
    bool break_on_inf; /* the first instruction that makes an infinity is an error */
    /* Patterns (`*`, `?`, `[...]`): only instructions whose name, whose name after those of its
     * callers (`loop/1/add.3`) or whose op_name matches one of them are traced and dumped. None:
     * all. */
    const char *const *watched;
    size_t watched_count;
    /* The fast engine runs the module as it is; otherwise a copy after the pipeline `run`, which
     * changes no bit of the results, unless instructions are watched or picked out. */
    bool as_written;
    /* The instruction set of the run's kernels: sse2, avx2, avx512, as far as the machine has them.
     * NULL: the widest. Only the rounding of products and convolutions depends on it. */
    const char *isa;
    /* Counts the time of every instruction, see hlo_run_visit_profile, and keeps the first
     * `profile_events` events for HLO_PROFILE_TRACE. What runs, and on which threads, stays as it
     * is. */
    bool profile;
    uint64_t profile_events;
    /* Each thread is pinned to a separate processor while there are as many as threads. */
    bool pin;
    bool no_jit; /* loops are interpreted, none becomes machine code; no result depends on it */
    /* Functions of the program that custom calls reach, before those of `libraries`. */
    const hlo_custom_call *functions;
    size_t function_count;
    /* Of several devices: a recv blocks, too, until the matching send is there. Otherwise a send
     * blocks until its recv has run, and a recv never. */
    bool handshake;
    /* The processes of the job share the devices, see hlo_world; NULL: all are here. It outlives
     * the run. */
    hlo_world *world;
    /* The number of the device for replica r and partition p, at r * partitions + p, each number
     * once; NULL: its place. Devices are called by these numbers, in files, too, and processes have
     * them in order. */
    const uint32_t *device_assignment;
    size_t device_assignment_count;
    /* Of dataflow graphs: how many iterations of a frame may be alive at once (0: as in its
     * enters), over how many devices the graph is cut (0: as it is), and a file for what each node
     * did (NULL: none), JSON lines or a Chrome trace, written when a run has ended, well or not. */
    hlo_executor executor;
    uint64_t parallel_iterations;
    uint32_t graph_devices;
    const char *events;
    bool chrome_events;
    /* Arrays on stacks beyond so many bytes go to a file in the directory (NULL: none do), which is
     * gone when the run is. */
    uint64_t swap_threshold;
    const char *swap_directory;
    /* A loop over scalars is one compiled step of a graph that is made of a module to run on one
     * device; true: its iterations are tokens, too, as they are wherever events are written. */
    bool lower_scalar_loops;
    /* A module whose text leaves out elements of constants, `{...}`, does not run on inputs that
     * were set or read; true: it runs with elements that are made up. On made-up inputs it always
     * does. */
    bool fill_elided;
    bool exact_literals; /* of results and planned modules: as hlo_text_options has it */
} hlo_run_options;

#define HLO_RUN_OPTIONS_INIT                                                                      \
    {                                                                                             \
        sizeof(hlo_run_options), 0, false, NULL, false, NULL, 0, NULL, 0, NULL, NULL, 0, 0, NULL, \
            0, 0, NULL, NULL, HLO_ENGINE_FAST, false, NULL, 0, false, NULL, false, 0, false,      \
            false, NULL, 0, false, NULL, NULL, 0, HLO_EXECUTOR_STRUCTURED, 0, 0, NULL, false, 0,  \
            NULL, false, false, false                                                             \
    }

/* The most bytes of arrays on stacks that were in memory at once, in the last run. */
HLO_API uint64_t hlo_run_stack_peak(const hlo_run *run);

/* How a custom call of API_VERSION_STATUS_RETURNING or ..._UNIFIED reports failure: names and
 * meaning are XLA's, so that a library that was written for it finds them. The message is copied up
 * to its end or the first zero byte. */
typedef struct XlaCustomCallStatus_ XlaCustomCallStatus;
HLO_API void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus *status);
HLO_API void XlaCustomCallStatusSetFailure(XlaCustomCallStatus *status, const char *message,
                                           size_t message_len);

/* What the calling thread runs of a custom call's function, or another thread does, as messages
 * name it: for a handler of signals or of exit, when a function crashes or ends the program. NULL:
 * no such function runs. Async-signal-safe. */
HLO_API const char *hlo_foreign_call(void);

/* How to fill inputs that were not set. */
typedef enum {
    HLO_FILL_HASH,          /* reproducible numbers around 0 made from seed and position */
    HLO_FILL_HASH_POSITIVE, /* the same, not negative */
    HLO_FILL_ZEROS,
    HLO_FILL_ONES,
    HLO_FILL_IOTA,   /* 0, 1, 2... in row-major order */
    HLO_FILL_RANDOM, /* uniform in [-1, 1); small integers */
    HLO_FILL_NORMAL, /* normally distributed with mean 0 and variance 1; integers as uniform */
    HLO_FILL_UNIFORM /* as random; indices within the array that they are for, as far as dataflow
                      * shows it */
} hlo_input_fill;

/* HLO_BAD_MODULE when an operation cannot be executed: each is named. HLO_BAD_SYSTEM when the run
 * would need more memory than its limit. float-normalization{mixed} runs first where it has to. */
HLO_API hlo_status hlo_run_prepare(hlo_module *module, const hlo_run_options *options,
                                   hlo_diags *diags, hlo_run **out);
HLO_API void hlo_run_free(hlo_run *run);

/* Another run of what was prepared, with separate inputs, results and `threads` (0: the
 * processors), for a separate thread: those that share one program may set inputs, execute and read
 * results at the same time. What writes text (hlo_run_write_..., hlo_run_compare) is for one of
 * them at a time. Once shared, `run` itself is no longer executed (HLO_BAD_USE). It may be freed
 * before the others, the module not. Runs are shared and freed by one thread at a time.
 * HLO_BAD_USE for a run that has infeeds or other files, is watched, profiled or picked out of, or
 * is one of several processes'. */
HLO_API hlo_status hlo_run_share(hlo_run *run, uint32_t threads, hlo_diags *diags, hlo_run **out);

/* Devices that the run computes for, numbered from 0. */
HLO_API uint32_t hlo_run_device_count(const hlo_run *run);
/* Of a dataflow graph: the devices that it is cut over; else 0. */
HLO_API uint32_t hlo_run_graph_devices(const hlo_run *run);
/* What has the parameters and the result of the run: the module that was prepared; for a graph in
 * parts one that stands for all of them. It is the run's, or the caller's own. */
HLO_API hlo_module *hlo_run_module(const hlo_run *run);
HLO_API uint32_t hlo_run_input_count(const hlo_run *run);
/* What an input is, and its data if it was set. */
HLO_API hlo_status hlo_run_input(const hlo_run *run, uint32_t device, uint32_t leaf,
                                 hlo_diags *diags, hlo_array *out);
/* Sets an input of one device. Type and dims must be those of hlo_run_input. A dense array whose
 * elements are aligned, and are valid values (0 and 1 of pred), is borrowed: its data must stay as
 * it is until the input is set again or the run is freed. Others, and all of types of less than a
 * byte, are copied. */
HLO_API hlo_status hlo_run_set_input(hlo_run *run, uint32_t device, uint32_t leaf,
                                     const hlo_array *array, hlo_diags *diags);
/* A file with the leaf's value, by its ending: NumPy's .npy; .npz and .json (an object) with one
 * array; .json, nested lists; a literal as text. Without such an ending its first bytes decide; for
 * pipes and standard input, "-", always. */
HLO_API hlo_status hlo_run_read_input(hlo_run *run, uint32_t leaf, const char *path,
                                      hlo_diags *diags);
/* The same for a whole parameter, of any shape, by its NAME in the module (`params__w__.1`), the
 * op_name of its metadata (`params['w']`), or its NAME without the number at the end, as long as
 * one parameter is called that; or for NAME{I,J...}, an element of a tuple. A .npz archive or an
 * object holds its leaves as in0 or out0 or arr_0 and so on, and a single one as NAME or alone.
 * Each leaf is set once. */
HLO_API hlo_status hlo_run_read_parameter(hlo_run *run, const char *name, const char *path,
                                          hlo_diags *diags);
/* inK.npy (or inK.r0.npy, or NAME.npy) of a directory, or inK (or arr_K, or NAME) of a .npz archive
 * or a .json object, for every leaf K that has not been set; NAME as for hlo_run_read_parameter. A
 * missing one is an error unless `may_miss`, and even then when there is an array that is no input:
 * HLO_BAD_USE. */
HLO_API hlo_status hlo_run_read_inputs(hlo_run *run, const char *path, bool may_miss,
                                       hlo_diags *diags);
/* Fills every input that has not been set. */
HLO_API hlo_status hlo_run_fill_inputs(hlo_run *run, hlo_input_fill fill, uint64_t seed,
                                       hlo_diags *diags);

/* Fills every input that has not been set from what was recorded with the module, if it came from
 * an HloSnapshot. *replays: all of them, and a result was recorded too. */
HLO_API hlo_status hlo_run_use_recording(hlo_run *run, hlo_diags *diags, bool *replays);

/* Runs the entry computation on all devices; may be called again. Every input must have been set.
 * Random operations start from the seed each time. */
HLO_API hlo_status hlo_run_execute(hlo_run *run, hlo_diags *diags);

/* Runs `count` times; a result that is not, bit for bit, that of the first run is an error. */
HLO_API hlo_status hlo_run_repeat(hlo_run *run, uint64_t count, hlo_diags *diags);

/* From a signal handler or another thread: makes the run in progress, and later ones, fail within a
 * tenth of a second or so; but large factorisations, which are single calls of LAPACK, and kernels
 * of the reference engine are finished first: a program that cannot wait for them calls
 * hlo_remove_unfinished and ends. */
HLO_API void hlo_run_interrupt(hlo_run *run);

/* How far the run in progress is, for other threads. */
typedef struct {
    uint32_t done, count; /* instructions of the entry computation */
    const char *name;     /* of the one that runs; NULL: it has not begun */
    size_t name_len;
} hlo_run_state;
HLO_API hlo_run_state hlo_run_progress(const hlo_run *run);

/* What a run needs at once, in bytes: inputs, results and values in between. */
HLO_API uint64_t hlo_run_memory(const hlo_run *run);

/* How it runs, as text: steps, kernels, and which memory serves for what and for how long. */
HLO_API hlo_status hlo_run_write_plan(const hlo_run *run, hlo_output *output, hlo_diags *diags);
/* The module that runs, after the passes of hlo-opt --pipeline=run, as HLO text; instructions that
 * are steps have the frontend attributes plan_step, plan_kernel, plan_memory and, where the result
 * takes the memory of an operand, plan_over. HLO_COLOUR_PLAN draws them. */
HLO_API hlo_status hlo_run_write_planned_module(const hlo_run *run, hlo_output *output,
                                                hlo_diags *diags);

/* What an instruction took in all executions since hlo_run_prepare or hlo_run_clear_profile. */
typedef struct {
    size_t size;
    /* In what runs: the module, or a copy of it that was prepared for the run. */
    const char *name, *opcode, *computation;
    const char *kernel; /* "cluster": the instructions of a fusion run tile by tile */
    /* The module's own instructions that it stands for: itself, or what a fusion of the copy holds
     */
    const char *const *origins;
    size_t origin_count;
    uint64_t calls;
    double seconds;       /* without what ran inside of it on the same thread */
    double total_seconds; /* with it */
    /* Of one call, as hlo_module_estimate counts; NaN where that is not known, and where the work
     * is that of called computations, whose instructions are separate rows. */
    double flops, transcendentals, bytes;
} hlo_profile_row;

/* `row` and its strings live until it returns; false ends the visit. */
typedef bool hlo_profile_visitor(void *context, const hlo_profile_row *row);

/* Every instruction that ran, those first whose own time is longest. Parameters, constants and
 * elements of tuples that the run finds without a kernel are no rows. HLO_BAD_USE without
 * hlo_run_options.profile. */
HLO_API hlo_status hlo_run_visit_profile(const hlo_run *run, hlo_profile_visitor *visit,
                                         void *context, hlo_diags *diags);
HLO_API void hlo_run_clear_profile(hlo_run *run);

typedef enum {
    HLO_PROFILE_TABLE, /* for readers */
    HLO_PROFILE_JSON,
    HLO_PROFILE_TRACE,   /* the events, for chrome://tracing and Perfetto */
    HLO_PROFILE_ROOFLINE /* a picture, SVG */
} hlo_profile_form;

/* Writes the profile. All but the trace compare with what this machine can do on as many threads,
 * which the first call for a run measures in about a tenth of a second: bytes per second of arrays
 * in caches and in memory, and additions and multiplications per second of the run's instruction
 * set. */
HLO_API hlo_status hlo_run_write_profile(hlo_run *run, hlo_profile_form form, hlo_output *output,
                                         hlo_diags *diags);

/* Of the last run; 0 when there was none, or it failed. */
HLO_API uint32_t hlo_run_output_count(const hlo_run *run);
/* The dense array of a result, with run-time sizes as its dims. Valid until the next run; a result
 * that is an input unchanged is that input's data. HLO_BAD_USE before a run that went well. */
HLO_API hlo_status hlo_run_output(const hlo_run *run, uint32_t device, uint32_t leaf,
                                  hlo_diags *diags, hlo_array *out);
/* Writes it to the caller's memory: `strides` as in hlo_array (NULL: dense), none of them negative;
 * `bytes` from `to` on may be written. */
HLO_API hlo_status hlo_run_copy_output(const hlo_run *run, uint32_t device, uint32_t leaf, void *to,
                                       const int64_t *strides, size_t bytes, hlo_diags *diags);
/* Writes every leaf K to outK.npy in a directory, which is made when it is missing, or as outK into
 * an archive or an object when the path ends in .npz or .json; the only leaf when it ends in .npy.
 * All files appear, or none. */
HLO_API bool hlo_names_arrays(const char *path); /* whether it has one of these endings */
HLO_API hlo_status hlo_run_write_outputs(const hlo_run *run, const char *path, hlo_diags *diags);

/* What still counts as equal: an error of at most atol + rtol * |expected|, or a distance of at
 * most max_ulp representable values. Integers must be equal. */
typedef struct {
    size_t size;
    double rtol, atol;
    uint64_t max_ulp;
    /* Instead of rtol, what the element type suggests: three quarters of its mantissa's bits must
     * agree (f32: 2^-17, f64: 2^-39, f16: 2^-7, bf16: 2^-5). When atol is 0, also so much of the
     * mean magnitude of the array's expected elements. */
    bool auto_rtol;
} hlo_compare_options;

#define HLO_COMPARE_OPTIONS_INIT \
    { sizeof(hlo_compare_options), 0, 0, 0, false }

/* Compares every result K with outK.npy of a directory or outK (or arr_K) of a .npz archive or a
 * .json object, and writes a report. HLO_BAD_MODULE when elements differ, and when a result or a
 * stored array has no counterpart or another shape: an error names it, and the others are
 * compared. */
HLO_API hlo_status hlo_run_compare(const hlo_run *run, const char *path,
                                   const hlo_compare_options *options, hlo_output *report,
                                   hlo_diags *diags);

/* The same with the recorded result. */
HLO_API hlo_status hlo_run_compare_recording(const hlo_run *run, const hlo_compare_options *options,
                                             hlo_output *report, hlo_diags *diags);

/* The whole result as an HLO literal with its shape and a newline. Arrays of more than `limit`
 * elements are shown as {...}; 0 means no limit. */
HLO_API hlo_status hlo_run_write_literal(const hlo_run *run, size_t limit, hlo_output *output,
                                         hlo_diags *diags);

/* ---- tables ---- */

/* One row of a table; what a table has no use for is NULL, zero or false. */
typedef struct {
    const char *name, *group, *description;
    int min_operands, max_operands; /* operations; -1: any number */
    bool elementwise, commutative, side_effect, executable;
    bool on;              /* options of the verifier: the default */
    const char *old;      /* old forms: an example; the description is what is written now */
    const char *dialects; /* old forms: "all" but xla, or those that read it, between bars */
} hlo_table_row;

/* Operations, passes, options of a pass, rewrites (group: their pass), pipelines with a name
 * (group: their passes), rules that diagnostics name, options of the verifier, ways to fill inputs
 * (numbered like hlo_input_fill), topics of hints with the library's text, and old forms of the
 * text (group: the year until which XLA read them, or ""). Rows are numbered from 0; false after
 * the last one. */
HLO_API bool hlo_operation_row(size_t number, hlo_table_row *row);
HLO_API bool hlo_pass_row(size_t number, hlo_table_row *row);
/* What hlo_pass_row calls the pass that a pipeline may spell like that (with `_` for `-`, or by
 * another name of it); NULL when there is none. */
HLO_API const char *hlo_pass_name(const char *text, size_t length);
HLO_API bool hlo_pass_option_row(size_t pass, size_t number, hlo_table_row *row);
HLO_API bool hlo_rewrite_row(size_t number, hlo_table_row *row);
HLO_API bool hlo_pipeline_row(size_t number, hlo_table_row *row);
HLO_API bool hlo_rule_row(size_t number, hlo_table_row *row);
HLO_API bool hlo_verify_option_row(size_t number, hlo_table_row *row);
HLO_API bool hlo_fill_row(size_t number, hlo_table_row *row);
HLO_API bool hlo_advice_row(size_t number, hlo_table_row *row);
HLO_API bool hlo_old_form_row(size_t number, hlo_table_row *row);
/* Tables of statistics, and the columns of one (group: text, number, count, times, flops, bytes,
 * size, seconds, ratio or percent; sums of times, sizes and ratios mean nothing). */
HLO_API bool hlo_stats_table_row(size_t number, hlo_table_row *row);
HLO_API bool hlo_stats_column_row(size_t table, size_t number, hlo_table_row *row);

/* Writes what a rule demands, where it comes from, a bad and a good example; of an operation what
 * it computes, its attributes and an example; both of a name that both have. HLO_BAD_USE when there
 * is neither. */
HLO_API hlo_status hlo_explain_rule(const char *rule, hlo_output *output, hlo_diags *diags);
/* The same for a pass: what it does, its options and its rewrites. */
HLO_API hlo_status hlo_explain_pass(const char *pass, hlo_output *output, hlo_diags *diags);

#ifdef __cplusplus
}
#endif
#endif
