/* XLA's own flags, which scripts written for XLA's hlo-opt pass on. Called by hlo-opt. */
#ifndef HLO_CMD_XLA_FLAGS_H
#define HLO_CMD_XLA_FLAGS_H

/* Drops flags that have no meaning here from argv, with a note on standard error for each, and
 * spells out those that have one (`--print-ir-after` alone means all passes). Returns the number of
 * arguments that are left. */
int xla_flags_drop(int argc, char **argv);

#endif
