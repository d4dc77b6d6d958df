/* The tables of coefficients.def, then those of src/build/lib. */
#include "stablehlo/coefficients.h"

#include "base/assert.h"

#define HLO_COEFFICIENTS(name, ...) static const double name##_values[] = {__VA_ARGS__};
#include "stablehlo/coefficients.def"

static const hlo_coefficients tables[] = {
#define HLO_COEFFICIENTS(name, ...) \
    {#name, sizeof name##_values / sizeof *name##_values, name##_values},
#include "stablehlo/coefficients.def"
};

const hlo_coefficients *hlo_expansion_coefficients(hlo_str name) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (hlo_str_is(name, tables[i].name)) return &tables[i];
    const hlo_coefficients *found = hlo_coefficients_find(name.ptr, name.len);
    HLO_ASSERT(found);
    return found;
}
