/* The table of drawing styles made from style.def. */
#include "graph/model/style.h"

const hlo_style hlo_styles[HLO_STYLE_COUNT] = {
#define HLO_STYLE(class, shape, style, fill, border, legend) \
    [HLO_CLASS_##class] = {shape, style, fill, border, legend},
#include "graph/model/style.def"
#undef HLO_STYLE
};

/* A class without a row would be drawn with null pointers: the rows are counted. */
enum {
#define HLO_STYLE(class, ...) ROW_OF_##class,
#include "graph/model/style.def"
#undef HLO_STYLE
    ROWS
};
_Static_assert(ROWS == (int)HLO_STYLE_COUNT, "every class of ops.def has a style");

const hlo_style hlo_change_styles[HLO_CHANGE_STYLES] = {
    {"box", "filled", "#ececec", "#8a8a8a", "unchanged"},
    {"box", "filled", "#ffe08a", "#b58a00", "changed"},
    {"box", "filled", "#b5e0a8", "#3f8a2f", "only in this module"},
    {"box", "filled", "#f6b9b0", "#b03a26", "only in the other module"},
};

/* Light enough for black text, and adjacent entries differ in hue. */
static const char *const palette[HLO_DOT_PALETTE] = {
    "#bcd6f2", "#ffe1b3", "#d4eac8", "#f6c5bd", "#d9c8ec", "#fff2a8", "#c7ebe8", "#f3d3e4",
    "#9fc3e8", "#ffcf8a", "#b9dba6", "#efa79b", "#c3a9e0", "#f5e27a", "#a3dcd7", "#e8b3cf",
};

const char *hlo_dot_palette(uint32_t number) {
    if (number < HLO_DOT_PALETTE) return palette[number];
    if (number == HLO_DOT_PALETTE_ALL) return "#ebebeb";
    return number == HLO_DOT_PALETTE ? "#c8c8c8" : "#ffffff";
}
