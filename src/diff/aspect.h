/* How both reports describe what differs in a pair. */
#ifndef HLO_DIFF_ASPECT_H
#define HLO_DIFF_ASPECT_H

#include "diff/diff.h"

/* The instruction as a line of a report shows it. */
void hlo_diff_put_instr(const hlo_diff *diff, const hlo_instr *instr, hlo_buf *out);
/* The name after a '%'. */
void hlo_diff_put_name(hlo_buf *out, const hlo_name *name);
/* What an aspect is called. Arguments are those of hlo_diff_visit. */
void hlo_diff_put_what(hlo_buf *out, hlo_diff_aspect aspect, uint32_t number, const hlo_attr *a,
                       const hlo_attr *b);
/* The aspect of `instr`, one of the pair; NULL: of a header. */
void hlo_diff_put_side(hlo_buf *out, const hlo_instr *instr, hlo_diff_aspect aspect,
                       uint32_t number, const hlo_attr *attr, bool is_root);

#endif
