/* What instructions cost, as colours of nodes and figures in labels: by flops, bytes or seconds. */
#ifndef HLO_GRAPH_MODEL_HEAT_H
#define HLO_GRAPH_MODEL_HEAT_H

#include "graph/model/select.h"

/* Steps, each four times the one before; the last is that of the most expensive instruction. */
enum { HLO_DOT_HEAT_NONE, HLO_DOT_HEAT_MOST = 5, HLO_DOT_HEAT_UNKNOWN, HLO_DOT_HEAT_STEPS };

typedef struct {
    hlo_graph_colour colour;
    /* By part, by number of the instruction: with what it calls, unless that is drawn elsewhere;
     * -1 where not known. */
    double **values;
    uint32_t part_count;
    double most, all; /* of drawn instructions; of time: of the whole run */
} hlo_dot_heat;

/* Whether nodes are coloured so. */
bool hlo_dot_is_heat(const hlo_graph_options *options);
/* Measures what the selections show. HLO_BAD_MODULE, with errors, when costs are asked for and the
 * module is not well formed. To be freed in every case. */
hlo_status hlo_dot_heat_init(hlo_dot_heat *heat, const hlo_dot_selection *selections,
                             uint32_t count, const hlo_graph_options *options,
                             const hlo_dot_extras *extras, hlo_diags *diags);
void hlo_dot_heat_free(hlo_dot_heat *heat);

uint32_t hlo_dot_heat_step(const hlo_dot_heat *heat, const hlo_dot_selection *selection,
                           const hlo_instr *instr);
const char *hlo_dot_heat_fill(uint32_t step);
/* `12.3 Mflop` between the texts; nothing where there is no cost. */
void hlo_dot_put_heat(hlo_buf *out, const hlo_dot_heat *heat, const hlo_dot_selection *selection,
                      const hlo_instr *instr, const char *before, const char *after);
/* The legend's text for a step. */
void hlo_dot_heat_explain(const hlo_dot_heat *heat, uint32_t step, hlo_buf *to);

#endif
