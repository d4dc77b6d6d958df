/* Schemes and percent-encoding of addresses: see uri.h. */
#include "base/uri.h"

#include <strings.h>

/* Bytes before the colon of a scheme, at least one; 0: a path. */
static uint32_t scheme_of(hlo_str text) {
    for (uint32_t i = 0; i < text.len && text.ptr[i] != '/'; i++)
        if (text.ptr[i] == ':') return i ? i : 1;
    return 0;
}

bool hlo_uri_has_scheme(hlo_str text) {
    return scheme_of(text) != 0;
}

bool hlo_uri_is_place(hlo_str text) {
    static const char *const places[] = {"http", "https", "file"};
    uint32_t n = scheme_of(text);
    for (size_t i = 0; n && i < sizeof places / sizeof *places; i++)
        if (strlen(places[i]) == n && strncasecmp(text.ptr, places[i], n) == 0) return true;
    return n == 0;
}

static void put_encoded(hlo_buf *to, hlo_str text, const char *kept) {
    for (uint32_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c && strchr(kept, c)) hlo_buf_char(to, c);
        else hlo_buf_printf(to, "%%%02X", (unsigned char)c);
    }
}

#define UNRESERVED "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/"

void hlo_uri_put_path(hlo_buf *to, hlo_str path) {
    put_encoded(to, path, UNRESERVED);
}

void hlo_uri_put_address(hlo_buf *to, hlo_str address) {
    put_encoded(to, address, UNRESERVED ":?#[]@!$&()*+,;=%");
}
