/* The option --literals of the programs that print literals. */
#ifndef HLO_CMD_LITERALS_H
#define HLO_CMD_LITERALS_H

#define LITERAL_CHOICES "xla|exact"
enum { LITERALS_XLA, LITERALS_EXACT };

/* Values and meaning, as a row of options has them. */
#define LITERALS_VALUE                                                                            \
    LITERAL_CHOICES, "negative zeros: -0 as in XLA, which is read as +0; or -0.0, which XLA too " \
                     "reads back to the same bits"

#endif
