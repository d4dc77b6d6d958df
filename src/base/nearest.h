/* The name that was probably meant by a misspelt one. */
#ifndef HLO_BASE_NEAREST_H
#define HLO_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* A search among names that are tried one by one. */
typedef struct {
    const char *text;
    size_t length;
    int most; /* more differences than this make another name */
    const char *name;
    size_t name_length; /* of the nearest so far; NULL, 0 before there is one */
} hlo_nearest;

/* Looks for what `text` misspells. It stays where it is as long as the search. */
hlo_nearest hlo_nearest_to(const char *text, size_t length);
/* Of equally near names one that begins with the same letter counts, then the first, or with `last`
 * the newest. */
void hlo_nearest_try(hlo_nearest *search, const char *name, size_t length, bool last);

#endif
