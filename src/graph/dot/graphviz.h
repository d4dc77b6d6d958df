/* Graphviz' library, loaded when a picture is asked for. */
#ifndef HLO_GRAPH_DOT_GRAPHVIZ_H
#define HLO_GRAPH_DOT_GRAPHVIZ_H

#include <stddef.h>
#include <stdio.h>

typedef enum {
    HLO_GRAPHVIZ_DREW,
    HLO_GRAPHVIZ_FAILED,  /* it has reported why on standard error */
    HLO_GRAPHVIZ_MISSING, /* standard error has the loader's reason */
    HLO_GRAPHVIZ_CANNOT_WRITE
} hlo_graphviz_result;

/* Lays the graph out, unless its text has all positions, and draws it. What the library allocates
 * is not freed, and it may end the process: call it in a separate process. */
hlo_graphviz_result hlo_graphviz_draw(const char *text, size_t len, const char *format, FILE *to);

#endif
