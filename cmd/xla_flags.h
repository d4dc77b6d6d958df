/* XLA's own flags, in scripts written for XLA's hlo-opt and in XLA_FLAGS. */
#ifndef HLO_CMD_XLA_FLAGS_H
#define HLO_CMD_XLA_FLAGS_H

#include "pass_dump.h"

/* Drops flags that have no meaning here from argv, with a note on standard error for each, and
 * spells out those that have one (`--print-ir-after` alone means all passes, `--print-after=dce` is
 * `--print-ir-after=dce`). Returns the number of remaining arguments. */
int xla_flags_drop(int argc, char **argv);

/* Sets what the command line left open from XLA_FLAGS: --xla_disable_hlo_passes and the flags of
 * `dump`. The texts stay until the program ends. */
void xla_flags_use(const char **disabled, pass_dump *dump);

/* Notes on standard error about names in the list A,B of disabled passes that are no pass here. XLA
 * takes any name there, and has passes that are not here: of a list that was not `typed`, for this
 * program alone, only a name that is near to one here is worth a word. */
void xla_flags_note_passes(const char *disabled, bool typed);

/* Its row among the variables of hlo-opt. */
#define XLA_FLAGS_VARIABLE                                                                         \
    {                                                                                              \
        "XLA_FLAGS", "for passes: --xla_disable_hlo_passes=A,B, --xla_dump_to=DIR, and for dumps " \
                     "--xla_dump_hlo_pass_re, --xla_dump_hlo_module_re, --xla_dump_hlo_as_text, "  \
                     "--xla_dump_hlo_as_proto; other flags are ignored"                            \
    }

#endif
