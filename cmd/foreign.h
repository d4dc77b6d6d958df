/* Library functions that custom calls reach and that do not return: the program reports which one
 * it was. */
#ifndef HLO_CMD_FOREIGN_H
#define HLO_CMD_FOREIGN_H

/* From now on a function that crashes is named before the program ends by its signal, and one that
 * calls exit ends it with HLO_BAD_SYSTEM, without results. Unfinished files are removed. */
void foreign_watch(void);

/* For handlers of signals: names the function that runs, if any. */
void foreign_report_crash(int number);

#endif
