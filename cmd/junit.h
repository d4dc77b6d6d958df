/* Outcomes of runs as the XML file of JUnit, which CI services read. */
#ifndef HLO_CMD_JUNIT_H
#define HLO_CMD_JUNIT_H

#include "regression.h"

/* One test suite with a test case per module: what differs is a failure, what could not be run or
 * compared an error. */
void junit_write(hlo_output *to, const char *suite, const regression_case *cases, size_t count);

#endif
