/* Names as text can have them: a letter or _, then letters, digits, _, - and dots; not the name of
 * an element type, not with two _ at the start. Other text becomes such a name as in XLA. */
#ifndef HLO_IR_VALID_NAME_H
#define HLO_IR_VALID_NAME_H

#include "base/arena.h"
#include "base/str.h"

bool hlo_is_valid_name(hlo_str text);
/* The text itself, or, with a zero byte at its end, a name made of it in the arena: bytes that
 * names have not become _. */
hlo_str hlo_valid_name(hlo_arena *arena, hlo_str text);
/* The same for a module, whose name is none of the words of the header's grammar; may be empty. */
hlo_str hlo_valid_module_name(hlo_arena *arena, hlo_str text);
/* Whether text can have it before a =. Such keys are not changed. */
bool hlo_is_key(hlo_str text);

#endif
