/* Tables of what the library knows, row by row. Part of hlo.h. */
#ifndef HLO_PUBLIC_TABLES_H
#define HLO_PUBLIC_TABLES_H

#include "output.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One row of a table; what a table has no use for is NULL, zero or false. */
typedef struct {
    const char *name, *group, *description;
    int min_operands, max_operands; /* operations; -1: any number */
    bool elementwise, commutative, side_effect, executable;
    bool on;              /* options of the verifier: the default; rules of lint: recommended */
    const char *old;      /* old forms: an example; the description is what is written now */
    const char *dialects; /* old forms: "all" but xla, or those that read it, between bars */
} hlo_table_row;

/* Operations, passes, options of a pass, rewrites (group: their pass), pipelines with a name
 * (group: their passes), rules that diagnostics name, options of the verifier, ways to fill inputs
 * (numbered like hlo_input_fill), topics of hints with the library's text (group: that of its
 * programs, which names options), and old forms of the text (group: the year until which XLA read
 * them, or ""). Rows are numbered from 0; false after the last one. */
HLO_API bool hlo_operation_row(size_t number, hlo_table_row *row);
HLO_API bool hlo_pass_row(size_t number, hlo_table_row *row);
/* What hlo_pass_row calls the pass that a pipeline may spell like that (with `_` for `-`, or by
 * another name of it); NULL when there is none. */
HLO_API const char *hlo_pass_name(const char *text, size_t length);
HLO_API bool hlo_pass_option_row(size_t pass, size_t number, hlo_table_row *row);
HLO_API bool hlo_rewrite_row(size_t number, hlo_table_row *row);
HLO_API bool hlo_pipeline_row(size_t number, hlo_table_row *row);
/* The passes of the pipeline with that name; NULL when there is none. */
HLO_API const char *hlo_pipeline_passes(const char *name);
HLO_API bool hlo_rule_row(size_t number, hlo_table_row *row);
HLO_API bool hlo_verify_option_row(size_t number, hlo_table_row *row);
HLO_API bool hlo_fill_row(size_t number, hlo_table_row *row);
HLO_API bool hlo_advice_row(size_t number, hlo_table_row *row);
HLO_API bool hlo_old_form_row(size_t number, hlo_table_row *row);
/* Tables of statistics, and the columns of one (group: text, number, count, times, flops, bytes,
 * size, seconds, ratio or percent; sums of times, sizes and ratios mean nothing). */
HLO_API bool hlo_stats_table_row(size_t number, hlo_table_row *row);
HLO_API bool hlo_stats_column_row(size_t table, size_t number, hlo_table_row *row);

/* Writes what a rule demands, where it comes from, a bad and a good example; of an operation what
 * it computes, its attributes and an example; both of a name that both have. HLO_BAD_USE when there
 * is neither. */
HLO_API hlo_status hlo_explain_rule(const char *rule, hlo_output *output, hlo_diags *diags);
/* The same for a pass: what it does, its options and its rewrites. */
HLO_API hlo_status hlo_explain_pass(const char *pass, hlo_output *output, hlo_diags *diags);

#ifdef __cplusplus
}
#endif
#endif
