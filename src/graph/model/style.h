/* How a class of ops is drawn (style.def). */
#ifndef HLO_GRAPH_MODEL_STYLE_H
#define HLO_GRAPH_MODEL_STYLE_H

#include "ir/ops.h"

enum { HLO_STYLE_COUNT = HLO_CLASS_LEAF + 1 };

typedef struct {
    const char *shape, *style, *fill, *border; /* Graphviz node attributes */
    const char *legend;                        /* what the colour stands for */
} hlo_style;

/* Indexed by hlo_op_class. */
extern const hlo_style hlo_styles[HLO_STYLE_COUNT];

/* Of what differs from another module, indexed by hlo_dot_change. */
enum { HLO_CHANGE_STYLES = 4 };
extern const hlo_style hlo_change_styles[HLO_CHANGE_STYLES];

/* Fills for different shardings; one more for all shardings beyond, one for what all devices have,
 * and one for none. From HLO_DOT_STRIPES on several of them: see devices.c. */
enum { HLO_DOT_PALETTE = 16, HLO_DOT_PALETTE_ALL, HLO_DOT_STRIPES };
const char *hlo_dot_palette(uint32_t number);

#endif
