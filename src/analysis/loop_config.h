/* The iteration count in the backend_config of a loop, as XLA writes it: JSON whose numbers
 * are strings. */
#ifndef HLO_ANALYSIS_LOOP_CONFIG_H
#define HLO_ANALYSIS_LOOP_CONFIG_H

#include "ir/ir.h"

/* The digits under the first key of that name, in the text; there may be none. */
hlo_str hlo_loop_config_digits(const hlo_str *config, const char *key);
/* As a number; false when there are none, or too many. */
bool hlo_loop_config_number(const hlo_str *config, const char *key, int64_t *number);

/* known_trip_count. */
bool hlo_known_trip_count(const hlo_instr *loop, int64_t *count);

#endif
