/* What is no HLO: whole texts of another kind, and marks of other programs between HLO's lines. */
#ifndef HLO_PARSE_FOREIGN_H
#define HLO_PARSE_FOREIGN_H

#include "parse/parser.h"

/* Instead of an error at `at`: reports what the line there, or the whole text, is, and that nothing
 * more is read. False, without a report, for everything that looks like HLO. */
bool hlo_report_foreign(hlo_parser *p, hlo_span at);

#endif
