/* What was probably meant by a name that is not found. */
#ifndef HLO_PARSE_SUGGEST_H
#define HLO_PARSE_SUGGEST_H

#include "parse/parser.h"

/* Add a hint to the newest error when a name of the kind differs from `text` in a letter or two. */
void hlo_suggest_opcode(hlo_parser *p, const char *text, size_t n);
void hlo_suggest_attribute(hlo_parser *p, const char *text, size_t n, bool header);
/* The same for a name of a table that the caller has; of a type, also by its name in NumPy or C. */
void hlo_suggest_word(hlo_parser *p, const char *text, size_t n, const char *const *names,
                      size_t count);
/* For one of the names in a text, which has ", " between them, or of a set of words. */
void hlo_suggest_listed(hlo_parser *p, const hlo_name *name, const char *names);
void hlo_suggest_of_set(hlo_parser *p, const hlo_name *word, hlo_word_set set);
void hlo_suggest_type(hlo_parser *p, const char *text, size_t n);
/* Where nothing but an element type can stand: the nearest one, unless the word is one of others.
 */
void hlo_suggest_near_type(hlo_parser *p, const char *text, size_t n);
/* The same for an operand; or a note where that very name is defined, too late or elsewhere. */
void hlo_suggest_instruction(hlo_parser *p, const hlo_name *name, hlo_span at);
void hlo_suggest_computation(hlo_parser *p, const hlo_name *name);

#endif
