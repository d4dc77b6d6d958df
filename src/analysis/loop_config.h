/* The iteration count in the backend_config of a loop, as XLA writes it: JSON whose numbers
 * are strings. */
#ifndef HLO_ANALYSIS_LOOP_CONFIG_H
#define HLO_ANALYSIS_LOOP_CONFIG_H

#include "ir/ir.h"

/* Digits in the text, of which there may be none. */
typedef struct {
    const char *begin, *end;
} hlo_digits;

/* Those under the first key of that name. */
hlo_digits hlo_loop_config_digits(const hlo_str *config, const char *key);
/* False when there are none, or too many. */
bool hlo_digits_number(hlo_digits digits, int64_t *number);
/* Both in one. */
bool hlo_loop_config_number(const hlo_str *config, const char *key, int64_t *number);

/* known_trip_count. */
bool hlo_told_iterations(const hlo_instr *loop, int64_t *count);

#endif
