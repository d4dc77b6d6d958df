/* Reading HLO text into a module. */
#ifndef HLO_PARSE_PARSE_H
#define HLO_PARSE_PARSE_H

#include "ir/ir.h"

/* Parses the whole source. On success *out is the module (free with hlo_module_free) and HLO_OK is
 * returned; else every error found (up to diags->max_errors) is in diags and *out is NULL.
 * The module keeps a reference to the source, because names and strings point into it. */
hlo_status hlo_parse(hlo_source *source, hlo_diags *diags, hlo_module **out);

/* The same without the fast path (fast.h), which makes no difference but in time: tests compare
 * both. */
hlo_status hlo_parse_by_rules(hlo_source *source, hlo_diags *diags, hlo_module **out);

/* Reads a source that holds one literal of this shape, which may stand in front of it, and nothing
 * else. The literal lies in `arena`. HLO_BAD_USE after reporting an error. */
hlo_status hlo_parse_literal(hlo_source *source, const hlo_shape *shape, hlo_arena *arena,
                             hlo_diags *diags, hlo_literal **out);

/* Reads the attribute `name=text` of an instruction of this opcode, or of a module (HLO_OP_COUNT),
 * as HLO text has it; values that name computations or instructions are not read. *out is for the
 * module `to`. False after reporting an error. */
bool hlo_parse_attribute(hlo_opcode opcode, const char *name, const char *text, hlo_module *to,
                         hlo_diags *diags, hlo_attr *out);

/* The deepest nesting of shapes, literals, operands and bodies that the parser follows. */
enum { HLO_MAX_NESTING = 1000 };

#endif
