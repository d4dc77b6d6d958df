/* Functions made of operations, for programs that build modules: hlo/builder_lib.h. */
#ifndef HLO_BUILDER_LIB_H
#define HLO_BUILDER_LIB_H

#include "hlo/builder_lib.h"
#include "hlo_builder.h"

#endif
