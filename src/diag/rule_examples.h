/* What --explain adds to a rule's row: where the rule comes from, a bad and a good example.
 * Made from docs/rules/RULE.hlo and docs/evidence/operation-semantics.tsv by tools/rule-examples.
 */
#ifndef HLO_DIAG_RULE_EXAMPLES_H
#define HLO_DIAG_RULE_EXAMPLES_H

#include <stddef.h>

typedef struct {
    const char *rule;
    const char *remark;     /* whole lines, maybe none */
    const char *bad, *good; /* modules, or command lines after `$ ` */
} hlo_rule_example;

/* One operation of XLA Operation Semantics that demands a rule. */
typedef struct {
    const char *rule, *operation, *editions;
} hlo_rule_source;

/* Both end with a row whose rule is NULL; sources stand in the order of that table. */
extern const hlo_rule_example hlo_rule_examples[];
extern const hlo_rule_source hlo_rule_sources[];

#endif
