/* The seconds of a profile, as columns of a page. */
#ifndef HLO_GRAPH_HTML_TIMES_H
#define HLO_GRAPH_HTML_TIMES_H

#include "graph/html/model.h"

/* Where there is a profile, appends the members "seconds" with an entry for each instruction of the
 * module, with what it calls, and "own_seconds" without (-1: not measured); "total_seconds" by
 * computation; "all_seconds": of the whole run. */
void hlo_page_put_times(hlo_buf *out, const hlo_page_model *model);

#endif
