/* The host's ends of infeed, outfeed, send and recv: arrays that come from files or pipes one after
 * the other, and arrays that go to them. Private to src/host. */
#ifndef HLO_HOST_FEEDS_H
#define HLO_HOST_FEEDS_H

#include "eval/value/value_memory.h"
#include "host/npy_stream.h"
#include "host/staged.h"

/* Arrays that come in: the files of a list, each with any number of arrays, or the numbered files
 * of the only entry, a directory. */
typedef struct {
    const char *kind;   /* "infeed" or "recv": messages, and names in a directory */
    const char *device; /* ".r1" for that of device 1 of several, or "" */
    const char *const *files;
    size_t count;
    size_t next_file, taken;
    hlo_npy_stream stream;
    bool is_open;
} hlo_feed_in;

/* Arrays that go out: numbered files of a directory, renamed into place when the run succeeds, or
 * one file, pipe or device for all. */
typedef struct {
    const char *kind, *device; /* "outfeed" or "send"; as above */
    const char *path;
    size_t given;
    bool is_open, is_directory;
    hlo_staged staged;
    hlo_atomic_file file;
} hlo_feed_out;

/* The path when all arrays go to or come from one file, or from one pipe, that several devices
 * cannot share; else NULL. NULL is fine. */
const char *hlo_feed_one_file(const char *path);
const char *hlo_feed_one_pipe(const char *path);

/* From the start; what the feed had staged is forgotten. */
void hlo_feed_in_begin(hlo_feed_in *feed);
hlo_status hlo_feed_out_begin(hlo_feed_out *feed, hlo_diags *diags);
/* The next array, with a reference. NULL after an error; false in *more and no error: that was all.
 */
hlo_value *hlo_feed_take(hlo_feed_in *feed, const hlo_shape *shape, hlo_diags *diags, bool *more);
bool hlo_feed_give(hlo_feed_out *feed, const hlo_value *array, hlo_diags *diags);
/* After a run that went well. */
hlo_status hlo_feed_out_commit(hlo_feed_out *feed, hlo_diags *diags);
/* After another, or none. */
void hlo_feed_out_discard(hlo_feed_out *feed);

#endif
