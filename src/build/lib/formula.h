/* Formulas: expressions as text, made into instructions by a builder, from left to right, so that
 * a function of the library reads like the paper that it is from. Private to src/build/lib.
 *
 *     formula  = statement { ";" statement } ;   statement = [ NAME "=" ] or ;
 *     or       = and { "||" and } ;              and      = relation { "&&" relation } ;
 *     relation = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ] ;
 *     sum      = product { ( "+" | "-" ) product } ; product = unary { ( "*" | "/" | "%" ) unary }
 * ; unary    = ( "-" | "!" ) unary | primary ; primary  = NUMBER | NAME | NAME "(" arguments ")" |
 * "(" or ")" ;
 *
 * A number (also a negative one, and one of hlo_formula_set_number) is a new scalar of the type of
 * `like`. Functions are the rows of formula.def; like(t, NUMBER) is a scalar of the type of a term,
 * full(t, NUMBER) an array of its sizes, part(t, NUMBER)
 * a scalar of the type of a complex number's parts; poly(t, NAME) and chebyshev(t, NAME) are
 * polynomials with the coefficients of coefficients.def. */
#ifndef HLO_BUILD_LIB_FORMULA_H
#define HLO_BUILD_LIB_FORMULA_H

#include "build/lib/scalars.h"

enum { HLO_FORMULA_NAMES = 96 };

typedef struct {
    hlo_builder *b;
    hlo_term like; /* whose type numbers have */
    const char *at;
    size_t count;
    struct {
        const char *text; /* not ended by a zero byte */
        size_t length;
        hlo_term term; /* NULL: a number */
        double number;
    } names[HLO_FORMULA_NAMES];
} hlo_formula;

/* A formula's names: `names` are words with a space between them, for terms[0], terms[1] ...; the
 * first of them is `like`. */
hlo_formula hlo_formula_of(hlo_builder *b, const char *names, const hlo_term *terms);
void hlo_formula_set(hlo_formula *f, const char *name, hlo_term term);
void hlo_formula_set_number(hlo_formula *f, const char *name, double number);
hlo_term hlo_formula_get(const hlo_formula *f, const char *name);
/* The value of the last statement; NULL after an error. */
hlo_term hlo_formula_run(hlo_formula *f, const char *text);

/* One formula of these terms. */
hlo_term hlo_formula_once(hlo_builder *b, const char *text, const char *names,
                          const hlo_term *terms);
#define HLO_FORMULA(b, text, names, ...) \
    hlo_formula_once((b), (text), (names), (const hlo_term[]){__VA_ARGS__})

#endif
