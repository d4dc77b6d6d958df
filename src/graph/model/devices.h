/* Colours by the devices that a sharding names. */
#ifndef HLO_GRAPH_MODEL_DEVICES_H
#define HLO_GRAPH_MODEL_DEVICES_H

#include "graph/model/drawing.h"

/* The number in the palette, or of a list of stripes; what it needs counts as drawn. */
uint32_t hlo_dot_colour_of_devices(hlo_dot_colours *colours, const hlo_instr *instr);
/* `device 3`, `devices 3 and 19`: those drawn in a colour, some of them named. */
void hlo_dot_name_devices(const hlo_dot_colours *colours, uint32_t colour, hlo_buf *out);

#endif
