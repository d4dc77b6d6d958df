/* What manual pages say of each program beyond its purpose: paragraphs with blank lines between.
 * Called by the programs. */
#ifndef HLO_CMD_DESCRIPTIONS_H
#define HLO_CMD_DESCRIPTIONS_H

extern const char description_of_verify[];
extern const char description_of_opt[];
extern const char description_of_run[];
extern const char description_of_dot[];
extern const char description_of_diff[];
extern const char description_of_reduce[];
extern const char description_of_stat[];

#endif
