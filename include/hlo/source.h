/* Texts to read, and the files that they are in. Part of hlo.h. */
#ifndef HLO_PUBLIC_SOURCE_H
#define HLO_PUBLIC_SOURCE_H

#include "diags.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hlo_source hlo_source;

/* A file, or standard input for "-" and NULL. Files of up to 4 GiB; regular files are mapped, gzip
 * and zstd files decompressed: HLO_BAD_MODULE for one that is damaged or cut off. */
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
/* The shapes of the arguments of a program in StableHLO, whose sizes may be unknown there ('?', as
 * jax.export has them for symbolic dimensions), one for each, as HLO writes them: "f32[4,8],s32[]";
 * without a type, "[4,8]", it is that of the argument.
 * hlo_read_module refuses shapes that are not those of the program, with HLO_BAD_USE a text of
 * another form, and a source that is no such program. Sources that it is split into take them over.
 * `shapes` is copied; NULL: none. */
HLO_API hlo_status hlo_source_give_shapes(hlo_source *source, const char *shapes, hlo_diags *diags);
/* The same by the inputs themselves, .npy files; a program without unknown sizes, and a source of
 * another kind, is read as without them. Nothing is given where a file is no .npy file. */
HLO_API hlo_status hlo_source_give_shapes_of(hlo_source *source, char *const *paths, size_t count,
                                             hlo_diags *diags);
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

/* The same, and in between the files below directories that are passed over although it is known
 * what they are, or their names end in .txt, .pb, .pbtxt, .textproto or .json: they do not start
 * like modules. A name that ends like those of modules
 * (.hlo, before_optimizations.txt and the like) makes a file one, whatever it starts with: reading
 * it reports the error. Freed by hlo_found_files_free. */
typedef struct {
    char *path;
    bool is_skipped;
    const char *kind; /* what a skipped file is: "LLVM IR" and the like; NULL: not known. Of modules
                         below directories "StableHLO"; NULL: HLO */
} hlo_found_file;

HLO_API hlo_status hlo_find_files(char *const *arguments, size_t argument_count, hlo_diags *diags,
                                  hlo_found_file **files, size_t *count);
HLO_API void hlo_found_files_free(hlo_found_file *files, size_t count);

#ifdef __cplusplus
}
#endif
#endif
