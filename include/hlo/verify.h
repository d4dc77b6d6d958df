/* Checking a module as XLA does. Part of hlo.h. */
#ifndef HLO_PUBLIC_VERIFY_H
#define HLO_PUBLIC_VERIFY_H

#include "module.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Infers every shape and checks every constraint of the operations and of the module. */
HLO_API hlo_status hlo_verify(hlo_module *module, hlo_diags *diags);

/* What XLA's back ends demand beyond its plain verifier, or allow: options by the names of
 * hlo_verify_option_row. */
typedef struct hlo_verify_options hlo_verify_options;

HLO_API hlo_verify_options *hlo_verify_options_create(void); /* the plain verifier */
HLO_API void hlo_verify_options_free(hlo_verify_options *options);
/* The value is "on" or "off"; where the row's group is OPERATIONS, names with commas or white space
 * between them, or "all", which are added; what follows # in a line is a comment. HLO_BAD_USE when
 * there is no such option or value. */
HLO_API hlo_status hlo_verify_options_set(hlo_verify_options *options, const char *name,
                                          const char *value, hlo_diags *diags);
/* The same with the names that a file has, for a row of the group OPERATIONS. */
HLO_API hlo_status hlo_verify_options_read(hlo_verify_options *options, const char *name,
                                           const char *path, hlo_diags *diags);
/* hlo_verify is the same with NULL. */
HLO_API hlo_status hlo_verify_with(hlo_module *module, const hlo_verify_options *options,
                                   hlo_diags *diags);

#ifdef __cplusplus
}
#endif
#endif
