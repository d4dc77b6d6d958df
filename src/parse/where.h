/* In which computation and instruction errors of HLO text are: found by reading the text again, up
 * to them. */
#ifndef HLO_PARSE_WHERE_H
#define HLO_PARSE_WHERE_H

#include "diag/diag.h"

/* Names the places of those findings in the source that have no names yet. */
void hlo_name_places(hlo_source *source, hlo_diags *diags);

#endif
