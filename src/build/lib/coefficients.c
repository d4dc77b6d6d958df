/* The table of coefficients: see coefficients.h. */
#include "build/lib/coefficients.h"

#include <string.h>

#define HLO_COEFFICIENTS(name, ...) static const double name##_values[] = {__VA_ARGS__};
#include "build/lib/coefficients.def"

static const hlo_coefficients rows[] = {
#define HLO_COEFFICIENTS(name, ...) \
    {#name, sizeof name##_values / sizeof *name##_values, name##_values},
#include "build/lib/coefficients.def"
};

const hlo_coefficients *hlo_coefficients_find(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].name) == length && memcmp(rows[i].name, name, length) == 0)
            return &rows[i];
    return NULL;
}

const hlo_coefficients *hlo_coefficients_of(const char *name) {
    return hlo_coefficients_find(name, strlen(name));
}
