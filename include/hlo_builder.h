/* Building modules from a program: hlo/builder.h, and what modules are checked and run with. */
#ifndef HLO_BUILDER_H
#define HLO_BUILDER_H

#include "hlo.h"
#include "hlo/builder.h"

#endif
