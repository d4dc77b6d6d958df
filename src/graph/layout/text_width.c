/* Widths of characters in the usual fonts, as the metrics of the fonts give them. */
#include "graph/layout/text_width.h"

#include <string.h>

/* From the blank to the tilde, in thousandths of the font's size: the wider of Helvetica, whose
 * widths Arial and Liberation Sans have, and DejaVu Sans, which systems without them show. */
static const uint16_t widths[] = {
    318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, /*   to /  */
    636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 556, /* 0 to ? */
    1015, 684, 686, 722, 770, 667, 611, 778, 752, 295, 500, 667, 557, 863, 748, 787, /* @ to O */
    667,  787, 722, 667, 611, 732, 684, 989, 685, 667, 685, 390, 337, 390, 838, 556, /* P to _ */
    500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, /* ` to o */
    635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,      /* p to ~ */
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
