/* Addresses made of what a module or a command line holds: paths become URI references, and what is
 * no address of a file or of the web is none. */
#ifndef HLO_BASE_URI_H
#define HLO_BASE_URI_H

#include "base/buf.h"

/* Whether it is an address with a scheme, and no path. */
bool hlo_uri_has_scheme(hlo_str text);
/* Whether a reader may follow it: an http, https or file address, or a path. All else before a
 * colon, such as `javascript:`, names what a browser would do, not a place. */
bool hlo_uri_is_place(hlo_str text);
/* Appends the text, with what no address can hold percent-encoded: in a path all but letters,
 * digits and -._~/, in an address also not what divides it. */
void hlo_uri_put_path(hlo_buf *to, hlo_str path);
void hlo_uri_put_address(hlo_buf *to, hlo_str address);

#endif
