/* What collectives move between devices and how long that takes, on links of given bandwidth and
 * latency, by the algorithms and formulas of docs/communication.md.
 *
 * With latency A of a link, time B of a byte on it, p devices in a rows by b columns (a ring is one
 * row), n bytes:
 *
 *   all-reduce                    2 (a-1 + b-1) A + 2 n (p-1)/p B    n: what each device has
 *   all-gather, reduce-scatter      (a-1 + b-1) A +   n (p-1)/p B    n: the whole
 *   all-to-all                    D(a) A + L(a) n B + D(b) A + L(b) n B
 *   collective-broadcast          (D(a) + D(b)) A + n B
 *   collective-permute            (hops of the longest way) A + n B
 *
 * D(k) is the largest distance in a row of k devices: k-1, in a ring k/2; L(k) n what the busiest
 * link of it carries when each device has n/k for each: k^2/4 / k, in a ring half of that (k^2/4
 * and k/2 rounded down). Rings: Patarasuk and Yuan 2009; rows and columns one after the other, and
 * lines as rings: Chan, Heimlich, Purkayastha and van de Geijn 2007; pipelined broadcasts: Watts
 * and van de Geijn 1995; loads of links: Dally and Towles 2004, chapter 3. */
#ifndef HLO_ANALYSIS_COMMUNICATION_H
#define HLO_ANALYSIS_COMMUNICATION_H

#include <hlo/cost.h>

#include "analysis/run_counts.h"

/* Seconds of a link: until a message begins to arrive, and for each byte. */
typedef struct {
    hlo_topology topology;
    double latency, byte;
} hlo_links;

hlo_links hlo_links_of(const hlo_link_options *options);

/* The opcode without "-start" when the instruction makes devices exchange data; else HLO_OP_COUNT.
 */
hlo_opcode hlo_transfer_kind(const hlo_instr *instr);
/* What one run of it exchanges; `instr` has a kind. Fills devices, bytes and seconds. */
void hlo_transfer_cost(const hlo_instr *instr, const hlo_links *links, hlo_transfer *out);
/* What all its runs in one run of the module exchange. Texts are the module's. */
hlo_transfer hlo_transfer_of(const hlo_instr *instr, const hlo_links *links, const hlo_runs *runs);

#endif
