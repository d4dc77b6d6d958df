/* libzip, which the first archive loads: with it comes a library of cryptography that takes longer
 * to load than a small program to run. */
#ifndef HLO_HOST_ZIP_LIBRARY_H
#define HLO_HOST_ZIP_LIBRARY_H

#include <zip.h>

#include "base/library.h"

extern hlo_library hlo_zip_library;

/* zip_NAME, once hlo_library_missing(&hlo_zip_library) has confirmed that it is there. */
#define ZIP(name) ((__typeof__(&zip_##name))hlo_library_symbol(&hlo_zip_library, "zip_" #name))

#endif
