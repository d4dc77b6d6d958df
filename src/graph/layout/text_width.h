/* How wide text may be: drawings are lettered in Helvetica, or what a system has in its place. */
#ifndef HLO_GRAPH_LAYOUT_TEXT_WIDTH_H
#define HLO_GRAPH_LAYOUT_TEXT_WIDTH_H

#include <stdint.h>

/* The width of the widest line, in thousandths of the font's size, and the number of lines of an
 * escaped label (label.h). */
typedef struct {
    uint32_t width, lines;
} hlo_text_extent;

hlo_text_extent hlo_dot_text_extent(const char *label);

#endif
