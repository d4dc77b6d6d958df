/* Widths of Helvetica's characters, as its font metrics give them. */
#include "graph/layout/text_width.h"

#include <string.h>

/* From the blank to the tilde, in thousandths of the font's size. */
static const uint16_t widths[] = {
    278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, /*   to / */
    556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, /* 0 to ? */
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, /* @ to O */
    667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, /* P to _ */
    333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, /* ` to o */
    556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,      /* p to ~ */
};

enum { WIDE = 1000 };

/* Width of the character at `*at`, which moves after it. */
static uint32_t character(const char **at) {
    unsigned char c = (unsigned char)**at;
    if (strncmp(*at, "&amp;", 5) == 0) {
        *at += 5;
        return widths['&' - ' '];
    }
    if (c == '\\' && (*at)[1]) c = (unsigned char)*++*at;
    ++*at;
    if (c < 0x80) return c >= ' ' && c <= '~' ? widths[c - ' '] : WIDE;
    while (((unsigned char)**at & 0xc0) == 0x80) ++*at;
    return WIDE;
}

hlo_text_extent hlo_dot_text_extent(const char *label) {
    hlo_text_extent extent = {0, 1};
    uint32_t width = 0;
    while (*label) {
        if (label[0] == '\\' && (label[1] == 'n' || label[1] == 'l')) {
            extent.lines += label[2] != 0;
            width = 0;
            label += 2;
            continue;
        }
        width += character(&label);
        if (width > extent.width) extent.width = width;
    }
    return extent;
}
