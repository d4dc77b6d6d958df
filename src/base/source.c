/* Reading a text whole (by mapping where possible) and finding lines in it. */
#include "base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hlo/source.h>

#include "base/arena.h"
#include "base/list.h"

size_t hlo_byte_order_mark(const char *start, size_t n) {
    return n >= 3 && memcmp(start, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static void release_made(void *source) {
    hlo_source_release(source);
}

static hlo_source *new_source(const char *name) {
    hlo_source *source = hlo_keep(hlo_calloc(1, sizeof *source));
    source->references = 1;
    hlo_cleanup_add(&source->maker, release_made, source);
    source->name = strcpy(hlo_keep(hlo_malloc(strlen(name) + 1)), name);
    source->first_line = 1;
    return source;
}

/* Maps the file over the first pages of an anonymous map that is a page longer, so that the
 * padding after the text is readable even when the file ends on a page border. */
static int map_file(hlo_source *source, int fd, size_t len) {
    HLO_ASSERT(len > 0);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t total = ((len + page - 1) / page + 1) * page;
    char *base = mmap(NULL, total, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return -1;
    if (mmap(base, len, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_POPULATE, fd, 0) == MAP_FAILED) {
        munmap(base, total);
        return -1;
    }
    madvise(base, len, MADV_SEQUENTIAL);
    source->text = base;
    source->len = len;
    source->map = base;
    source->map_len = total;
    return 0;
}

static int read_all(hlo_source *source, int fd) {
    size_t cap = 1 << 16, len = 0;
    char *text = source->map = hlo_keep(hlo_malloc(cap + HLO_SOURCE_PADDING));
    for (;;) {
        if (len == cap) text = source->map = hlo_realloc(text, (cap *= 2) + HLO_SOURCE_PADDING);
        ssize_t n = read(fd, text + len, cap - len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 || len > UINT32_MAX - HLO_SOURCE_PADDING) {
            if (n >= 0) errno = EFBIG;
            return -1;
        }
        if (n == 0) break;
        len += (size_t)n;
    }
    memset(text + len, 0, HLO_SOURCE_PADDING);
    source->text = text;
    source->len = len;
    return 0;
}

static void skip_mark(hlo_source *source) {
    HLO_ASSERT(source->text && source->text[source->len] == '\0');
    size_t mark = hlo_byte_order_mark(source->text, source->len);
    source->text += mark;
    source->len -= mark;
}

static void close_file(void *fd) {
    if (fd) close(*(int *)fd);
}

hlo_source *hlo_source_open(const char *path) {
    int standard_input = strcmp(path, "-") == 0;
    int fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    hlo_cleanup closing;
    hlo_cleanup_add(&closing, close_file, standard_input ? NULL : &fd);
    hlo_source *source = new_source(standard_input ? "<stdin>" : path);
    struct stat st;
    int bad = fstat(fd, &st);
    if (!bad && S_ISREG(st.st_mode) && st.st_size > (off_t)(UINT32_MAX - HLO_SOURCE_PADDING)) {
        errno = EFBIG;
        bad = -1;
    } else if (!bad && S_ISREG(st.st_mode) && st.st_size > 0 && !standard_input) {
        bad = map_file(source, fd, (size_t)st.st_size);
        if (bad) bad = read_all(source, fd);
    } else if (!bad) {
        bad = read_all(source, fd);
    }
    int saved = errno;
    if (!bad) skip_mark(source);
    hlo_cleanup_remove(&closing);
    if (!standard_input) close(fd);
    if (bad) {
        hlo_source_close(source);
        errno = saved;
        return NULL;
    }
    return source;
}

hlo_source *hlo_source_from_text(const char *name, const char *text, size_t len) {
    if (!text && len) return NULL;
    HLO_UNWIND_HERE(NULL, NULL) return NULL;
    if (len > UINT32_MAX - HLO_SOURCE_PADDING) {
        errno = EFBIG;
        return NULL;
    }
    hlo_source *source = new_source(name ? name : "text");
    char *copy = source->map = hlo_keep(hlo_malloc(len + HLO_SOURCE_PADDING));
    if (len) memcpy(copy, text, len);
    memset(copy + len, 0, HLO_SOURCE_PADDING);
    source->text = copy;
    source->len = len;
    skip_mark(source);
    return source;
}

hlo_source *hlo_source_retain(hlo_source *source) {
    HLO_ASSERT(!source || source->references > 0);
    if (source) __atomic_fetch_add(&source->references, 1, __ATOMIC_RELAXED);
    return source;
}

void hlo_source_release(hlo_source *source) {
    HLO_ASSERT(!source || source->references > 0);
    if (!source || __atomic_sub_fetch(&source->references, 1, __ATOMIC_ACQ_REL)) return;
    if (source->map_len) munmap(source->map, source->map_len);
    else hlo_free(source->map);
    hlo_free(source->line_starts);
    hlo_free(source->moves);
    hlo_free(source->input_shapes);
    hlo_source_release(source->from);
    hlo_free(source->name);
    hlo_cleanup_remove(&source->maker);
    hlo_free(source);
}

void hlo_source_close(hlo_source *source) {
    if (source) hlo_cleanup_remove(&source->maker);
    hlo_source_release(source);
}

static void find_lines(hlo_source *source) {
    HLO_ASSERT(!source->line_starts);
    HLO_LIST(uint32_t) starts = {0};
    hlo_list_push(&starts, 0);
    const char *at = source->text, *end = source->text + source->len;
    while ((at = memchr(at, '\n', (size_t)(end - at)))) {
        at++;
        hlo_list_push(&starts, (uint32_t)(at - source->text));
    }
    source->line_starts = hlo_keep(starts.v);
    source->line_count = starts.n;
}

static size_t line_index(hlo_source *source, uint32_t offset) {
    HLO_ASSERT(offset <= source->len);
    if (!source->line_starts) find_lines(source);
    size_t low = 0, high = source->line_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (source->line_starts[middle] <= offset) low = middle;
        else high = middle;
    }
    HLO_ASSERT(source->line_starts[low] <= offset);
    return low;
}

hlo_position hlo_source_position(hlo_source *source, uint32_t offset) {
    size_t line = line_index(source, offset);
    return (hlo_position){source->first_line + (uint32_t)line,
                          offset - source->line_starts[line] + 1};
}

hlo_str hlo_source_line(hlo_source *source, uint32_t offset) {
    size_t line = line_index(source, offset);
    const char *start = source->text + source->line_starts[line];
    const char *end = memchr(start, '\n', source->len - (size_t)(start - source->text));
    if (!end) end = source->text + source->len;
    if (end > start && end[-1] == '\r') end--;
    return (hlo_str){start, (uint32_t)(end - start), 0};
}

void hlo_source_moved(hlo_source *source, hlo_source *from, hlo_source_move *moves,
                      uint32_t count) {
    HLO_ASSERT(!source->from && !source->moves && from != source);
    source->from = hlo_source_retain(from);
    source->moves = hlo_keep(moves);
    source->move_count = count;
    source->first_line = from->first_line;
}

/* The last move that begins at `offset` or before it, or NULL. */
static const hlo_source_move *find_move(const hlo_source *source, uint32_t offset) {
    uint32_t low = 0, high = source->move_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (source->moves[middle].to.lo <= offset) low = middle + 1;
        else high = middle;
    }
    return low ? &source->moves[low - 1] : NULL;
}

static uint32_t moved_back(const hlo_source *source, uint32_t offset, bool is_end) {
    const hlo_source_move *move = find_move(source, is_end && offset ? offset - 1 : offset);
    if (!move) return offset;
    if (offset < move->to.hi) return is_end ? move->from.hi : move->from.lo;
    HLO_ASSERT(offset >= move->to.hi);
    return move->from.hi + (offset - move->to.hi);
}

hlo_source *hlo_source_written(hlo_source *source, hlo_span *span) {
    for (; source && source->from; source = source->from) {
        uint32_t lo = moved_back(source, span->lo, false), hi = moved_back(source, span->hi, true);
        *span = (hlo_span){lo, hi > lo ? hi : lo};
    }
    return source;
}

void hlo_source_set_shapes(hlo_source *source, const char *shapes) {
    size_t n = shapes ? strlen(shapes) + 1 : 0;
    char *copy = n ? hlo_keep(hlo_malloc(n)) : NULL;
    if (n) memcpy(copy, shapes, n);
    hlo_free(source->input_shapes);
    source->input_shapes = copy;
}
