/* The version of the library. Part of hlo.h. */
#ifndef HLO_PUBLIC_VERSION_H
#define HLO_PUBLIC_VERSION_H

#include "diags.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HLO_VERSION "0.3.0"

/* The version of the library that runs (HLO_VERSION is that of the header). */
HLO_API const char *hlo_version(void);

#ifdef __cplusplus
}
#endif
#endif
