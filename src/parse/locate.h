/* Where the parts of an instruction stand in HLO text: found by reading its line again. */
#ifndef HLO_PARSE_LOCATE_H
#define HLO_PARSE_LOCATE_H

#include "ir/places.h"

extern const hlo_locator hlo_text_locator;

#endif
