/* The table of drawing styles made from style.def. */
#include "dot/style.h"

const hlo_style hlo_styles[HLO_STYLE_COUNT] = {
#define HLO_STYLE(class, shape, fill, border, legend) \
    [HLO_CLASS_##class] = {shape, fill, border, legend},
#include "dot/style.def"
#undef HLO_STYLE
};

/* A class without a row would be drawn with null pointers: the rows are counted. */
enum {
#define HLO_STYLE(class, ...) ROW_OF_##class,
#include "dot/style.def"
#undef HLO_STYLE
    ROWS
};
_Static_assert(ROWS == (int)HLO_STYLE_COUNT, "every class of ops.def has a style");
