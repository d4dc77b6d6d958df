/* Formulas: expressions as text that become operations of StableHLO from left to right, operands
 * before their operation, so that a formula fixes the order of what it makes. Private to
 * src/stablehlo.
 *
 *     formula  = statement { ";" statement } ;      statement = [ NAME "=" ] or ;
 *     or       = and { "|" and } ;                  and       = relation { "&" relation } ;
 *     relation = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ] ;
 *     sum      = product { ( "+" | "-" ) product } ;
 *     product  = unary { ( "*" | "/" | "%" ) unary } ;
 *     unary    = ( "-" | "!" ) unary | primary ;
 *     primary  = NUMBER | NAME | NAME "(" or { "," or } ")" | "(" or ")" ;
 *
 * A number is a constant wherever it stands, of the sizes of `like` (in a formula of parts, of the
 * first part; in a polynomial, of its t) and of the type `element`; so
 * is one with a sign before it, one of hlo_formula_number, and inf, nan, pi, largest (finite),
 * smallest_normal and smallest. NAME(...) is the operation of that name in StableHLO, else in CHLO;
 * poly(t, C) and chebyshev(t, C) are polynomials with coefficients C (coefficients.def). */
#ifndef HLO_STABLEHLO_FORMULA_H
#define HLO_STABLEHLO_FORMULA_H

#include "stablehlo/emit.h"

enum { HLO_EXPANSION_NAMES = 128 };

typedef struct {
    hlo_mlir_emitter *e;
    hlo_mlir_value *like;
    hlo_type element;
    const char *at;
    uint32_t count;
    struct {
        hlo_str text;
        hlo_mlir_value *value; /* NULL: a number */
        hlo_mlir_emit_number number;
    } names[HLO_EXPANSION_NAMES];
} hlo_expansion;

/* Numbers are like the value, with elements of its type. */
void hlo_expansion_begin(hlo_expansion *, hlo_mlir_emitter *, hlo_mlir_value *like);
void hlo_expansion_set(hlo_expansion *, const char *name, hlo_mlir_value *value);
void hlo_expansion_number(hlo_expansion *, const char *name, double value);
void hlo_expansion_bits(hlo_expansion *, const char *name, uint64_t bits);
/* The value of the last statement. */
hlo_mlir_value *hlo_expansion_run(hlo_expansion *, const char *text);

#endif
