/* Reading and writing .npy files. */
#include "host/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/text.h"

enum { MOST_DIMENSIONS = 256, MAP_FROM_BYTES = 1 << 16, DATA_ALIGNMENT = 64 };

static const char native_order = '<', other_order = '>';

static const char magic[] = "\x93NUMPY";
enum { MAGIC_LENGTH = sizeof magic - 1 };

/* The contents of a file's header. */
typedef struct {
    const char *descr;
    size_t descr_length;
    bool fortran_order, has_descr, has_order, has_dims;
    uint32_t rank;
    int64_t dims[MOST_DIMENSIONS];
    size_t data_offset;
} npy_header;

static hlo_status bad_file(hlo_diags *diags, const char *name, const char *problem) {
    hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0, 0}, "%s: %s", name, problem);
    return HLO_BAD_USE;
}

static hlo_status system_error(hlo_diags *diags, const char *action, const char *name, int error) {
    hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0, 0}, "cannot %s %s: %s", action, name,
              strerror(error));
    return HLO_BAD_SYSTEM;
}

/* ---- the header: a Python dictionary of three entries ---- */

static bool take_string(hlo_cursor *c, const char **text, size_t *n) {
    if (hlo_cursor_is_done(c) || (*c->at != '\'' && *c->at != '"')) return false;
    const char *start = c->at + 1, *stop = memchr(start, *c->at, (size_t)(c->end - start));
    if (!stop) return false;
    *text = start;
    *n = (size_t)(stop - start);
    c->at = stop + 1;
    return true;
}

static bool take_size(hlo_cursor *c, int64_t *out) {
    if (hlo_cursor_is_done(c)) return false;
    const char *start = c->at;
    uint64_t value;
    bool good = hlo_take_number(c, INT64_MAX, &value);
    bool is_octal = *start == '0' && c->at - start > 1;
    if (c->at < c->end && *c->at == 'L') c->at++; /* Python 2 */
    *out = (int64_t)value;
    return good && !is_octal;
}

static bool take_dims(hlo_cursor *c, npy_header *header) {
    if (!hlo_take(c, '(')) return false;
    while (!hlo_take(c, ')')) {
        if (header->rank == MOST_DIMENSIONS || !take_size(c, &header->dims[header->rank]))
            return false;
        header->rank++;
        /* Of one number, parentheses without a comma are no tuple. */
        if (!hlo_take(c, ',')) return header->rank > 1 && hlo_take(c, ')');
    }
    return true;
}

static bool take_entry(hlo_cursor *c, npy_header *header) {
    const char *key;
    size_t n;
    if (!take_string(c, &key, &n) || !hlo_take(c, ':')) return false;
    if (n == 5 && memcmp(key, "descr", 5) == 0 && !header->has_descr) {
        header->has_descr = true;
        return take_string(c, &header->descr, &header->descr_length);
    }
    if (n == 13 && memcmp(key, "fortran_order", 13) == 0 && !header->has_order) {
        header->has_order = true;
        header->fortran_order = hlo_take_text(c, "True");
        return header->fortran_order || hlo_take_text(c, "False");
    }
    if (n == 5 && memcmp(key, "shape", 5) == 0 && !header->has_dims) {
        header->has_dims = true;
        return take_dims(c, header);
    }
    return false;
}

static bool parse_description(hlo_cursor c, npy_header *header) {
    if (!hlo_take(&c, '{')) return false;
    while (!hlo_take(&c, '}')) {
        if (!take_entry(&c, header)) return false;
        if (hlo_take(&c, ',')) continue;
        if (!hlo_take(&c, '}')) return false;
        break;
    }
    /* Blanks align the data. */
    return hlo_cursor_is_done(&c) && header->has_descr && header->has_order && header->has_dims;
}

static hlo_status parse_header(const char *name, const uint8_t *bytes, size_t n, hlo_diags *diags,
                               npy_header *header) {
    *header = (npy_header){0};
    if (n < MAGIC_LENGTH + 4 || memcmp(bytes, magic, MAGIC_LENGTH) != 0)
        return bad_file(diags, name, "this is not a .npy file");
    unsigned version = bytes[MAGIC_LENGTH];
    if (version < 1 || version > 3 || bytes[MAGIC_LENGTH + 1] != 0)
        return bad_file(diags, name, "only versions 1.0, 2.0 and 3.0 of the .npy format are known");
    size_t start = MAGIC_LENGTH + (version == 1 ? 4 : 6);
    size_t length = bytes[MAGIC_LENGTH + 2] | (size_t)bytes[MAGIC_LENGTH + 3] << 8;
    if (version > 1 && n >= start)
        length |= (size_t)bytes[MAGIC_LENGTH + 4] << 16 | (size_t)bytes[MAGIC_LENGTH + 5] << 24;
    if (n < start || length > n - start)
        return bad_file(diags, name, "the file ends in its header");
    const char *text = (const char *)bytes + start;
    if (!parse_description((hlo_cursor){text, text + length}, header))
        return bad_file(diags, name,
                        "the .npy header is not {'descr': '...', 'fortran_order': ..., "
                        "'shape': (...)}");
    header->data_offset = start + length;
    return HLO_OK;
}

bool hlo_npy_append_sizes(const char *path, hlo_buf *to) {
    enum { FIRST_BYTES = 1 << 12 };
    uint8_t start[FIRST_BYTES];
    npy_header header;
    hlo_diags diags;
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return false; /* read once only */
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, start, sizeof start);
    if (fd >= 0) close(fd);
    if (n < 0) return false;
    hlo_diags_init(&diags); /* who reads the file later reports what is wrong */
    bool good = parse_header(path, start, (size_t)n, &diags, &header) == HLO_OK;
    hlo_diags_drop(&diags);
    if (!good) return false;
    hlo_buf_char(to, '[');
    for (uint32_t i = 0; i < header.rank; i++)
        hlo_buf_printf(to, "%s%lld", i ? "," : "", (long long)header.dims[i]);
    hlo_buf_char(to, ']');
    return true;
}

/* ---- element types ---- */

static char type_letter(hlo_type type) {
    if (type == HLO_PRED) return 'b';
    bool own =
        hlo_types[type].bits < 8 ||
        (type != HLO_F16 && hlo_types[type].class == HLO_CLASS_FLOAT && hlo_types[type].bytes < 4);
    if (own) return 'V';
    switch (hlo_types[type].class) {
    case HLO_CLASS_SIGNED: return 'i';
    case HLO_CLASS_UNSIGNED: return 'u';
    case HLO_CLASS_FLOAT: return 'f';
    default: return 'c';
    }
}

/* Besides the raw bytes of NumPy: what ml_dtypes calls f8e5m2, and 4-bit integers widened to a
 * byte. */
static bool letter_fits(hlo_type type, char letter) {
    if (letter == type_letter(type)) return true;
    if (type_letter(type) != 'V' || hlo_types[type].bytes != 1) return false;
    return hlo_types[type].class == HLO_CLASS_FLOAT ? letter == 'f'
                                                    : letter == 'i' || letter == 'u';
}

/* Whether the description, such as <f4, names the type's storage; *swapped: in the other byte
 * order. */
static bool descr_fits(const npy_header *header, hlo_type type, bool *swapped) {
    const char *at = header->descr, *end = at + header->descr_length;
    *swapped = false;
    if (at < end && (*at == '<' || *at == '>' || *at == '|' || *at == '='))
        *swapped = *at++ == other_order;
    if (at == end || !letter_fits(type, *at++)) return false;
    uint64_t bytes;
    return hlo_digits(&at, end, UINT32_MAX, &bytes) && at == end && bytes == hlo_types[type].bytes;
}

/* The description that files of the type get, the quoted string. */
static void put_descr(hlo_buf *to, hlo_type type) {
    char letter = type_letter(type);
    bool has_order = hlo_types[type].bytes > 1 && letter != 'V';
    if (has_order) hlo_buf_char(to, native_order);
    else hlo_buf_char(to, '|');
    hlo_buf_char(to, letter);
    hlo_buf_uint(to, hlo_types[type].bytes);
}

static hlo_status check_header(const char *name, const npy_header *header, const hlo_shape *shape,
                               hlo_diags *diags, bool *swapped) {
    bool same = descr_fits(header, (hlo_type)shape->type, swapped) && header->rank == shape->rank;
    for (uint32_t i = 0; same && i < shape->rank; i++) same = header->dims[i] == shape->dims[i];
    if (same) return HLO_OK;
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_bytes(&text, header->descr, header->descr_length < 40 ? header->descr_length : 40);
    hlo_buf_char(&text, '[');
    for (uint32_t i = 0; i < header->rank; i++) {
        if (i) hlo_buf_char(&text, ',');
        hlo_buf_int(&text, header->dims[i]);
    }
    hlo_buf_lit(&text, "], expected ");
    put_descr(&text, (hlo_type)shape->type);
    hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0, 0}, "%s: holds %.*s for %s", name,
              (int)text.len, text.data, hlo_shape_name(&diags->arena, shape));
    hlo_buf_free(&text);
    return HLO_BAD_USE;
}

/* ---- data ---- */

static void swap_bytes(uint8_t *data, size_t count, size_t bytes) {
    for (size_t i = 0; i < count; i++, data += bytes)
        for (size_t low = 0, high = bytes - 1; low < high; low++, high--) {
            uint8_t saved = data[low];
            data[low] = data[high];
            data[high] = saved;
        }
}

/* First dimension fastest to last dimension fastest. */
static void from_fortran(const hlo_shape *shape, const uint8_t *from, uint8_t *to, size_t bytes) {
    int64_t index[MOST_DIMENSIONS] = {0}, count = hlo_shape_elements(shape);
    size_t stride[MOST_DIMENSIONS] = {0}, all = bytes;
    for (uint32_t d = 0; d < shape->rank; d++) {
        stride[d] = all;
        all *= (size_t)shape->dims[d];
    }
    for (int64_t i = 0; i < count; i++, to += bytes) {
        memcpy(to, from, bytes);
        for (uint32_t d = shape->rank; d-- > 0;) {
            from += stride[d];
            if (++index[d] < shape->dims[d]) break;
            from -= stride[d] * (size_t)shape->dims[d];
            index[d] = 0;
        }
    }
}

/* More than one dimension that counts: the order of the elements matters. */
static bool order_matters(const hlo_shape *shape) {
    uint32_t n = 0;
    for (uint32_t d = 0; d < shape->rank; d++) n += shape->dims[d] > 1;
    return n > 1;
}

/* Whether the bytes of a file are valid elements: pred 0 or 1, types below a byte extended. */
static bool is_normal(hlo_type type, const uint8_t *data, size_t n) {
    if (type != HLO_PRED && hlo_types[type].bits >= 8) return true;
    for (size_t i = 0; i < n; i++) {
        uint8_t normal = data[i];
        hlo_elements_normalise(type, &normal, 1);
        if (normal != data[i]) return false;
    }
    return true;
}

/* Fills out->literal from a whole file in memory; with `borrow` its data may stay where it is. */
static hlo_status decode(const char *name, const uint8_t *bytes, size_t n, const hlo_shape *shape,
                         bool borrow, hlo_diags *diags, hlo_array_file *out) {
    npy_header header;
    bool swapped = false;
    hlo_status status = parse_header(name, bytes, n, diags, &header);
    if (status == HLO_OK) status = check_header(name, &header, shape, diags, &swapped);
    if (status != HLO_OK) return status;
    const uint8_t *data = bytes + header.data_offset;
    size_t available = n - header.data_offset;
    bool fortran = header.fortran_order && order_matters(shape);
    int64_t size = hlo_shape_bytes(shape);
    if (size < 0 || (uint64_t)size > available)
        return bad_file(diags, name, "the file ends before its data does");
    hlo_type type = (hlo_type)shape->type;
    size_t element = hlo_types[type].bytes, part = hlo_types[hlo_type_part(type)].bytes;
    out->literal = (hlo_literal){.shape = shape};
    if (size == 0) return HLO_OK;
    if (borrow && !swapped && !fortran && (uintptr_t)data % DATA_ALIGNMENT == 0 &&
        is_normal(type, data, (size_t)size / element)) {
        out->literal.data = (void *)(uintptr_t)data;
        return HLO_OK;
    }
    out->literal.data = hlo_arena_aligned(&out->arena, (size_t)size, DATA_ALIGNMENT);
    if (fortran) from_fortran(shape, data, out->literal.data, element);
    else memcpy(out->literal.data, data, (size_t)size);
    if (swapped) swap_bytes(out->literal.data, (size_t)size / part, part);
    hlo_elements_normalise(type, out->literal.data, size / (int64_t)element);
    return HLO_OK;
}

/* ---- files ---- */

/* The bytes of a descriptor that cannot be mapped, up to `most`; NULL with errno. */
static uint8_t *read_all(int fd, size_t expected, size_t most, size_t *n) {
    size_t capacity = expected + 1;
    uint8_t *bytes = hlo_malloc(capacity);
    *n = 0;
    while (*n < most) {
        if (*n == capacity) bytes = hlo_realloc(bytes, capacity *= 2);
        ssize_t got = read(fd, bytes + *n, capacity - *n);
        if (got == 0) break;
        if (got > 0) {
            *n += (size_t)got;
        } else if (errno != EINTR) {
            int saved = errno;
            hlo_free(bytes);
            errno = saved;
            return NULL;
        }
    }
    return bytes;
}

static hlo_status read_descriptor(int fd, const char *path, const hlo_shape *shape,
                                  hlo_diags *diags, hlo_array_file *out) {
    struct stat st;
    if (fstat(fd, &st) != 0) return system_error(diags, "read", path, errno);
    bool regular = S_ISREG(st.st_mode);
    if (regular && st.st_size >= MAP_FROM_BYTES) {
        void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map != MAP_FAILED) {
            out->map = map;
            out->map_len = (size_t)st.st_size;
            return decode(path, map, out->map_len, shape, true, diags, out);
        }
    }
    int64_t data = hlo_shape_bytes(shape);
    size_t n, most = HLO_NPY_LARGEST_HEADER + (data > 0 ? (size_t)data : 0);
    size_t expected = regular && st.st_size < MAP_FROM_BYTES ? (size_t)st.st_size : MAP_FROM_BYTES;
    uint8_t *bytes = read_all(fd, expected, most, &n);
    if (!bytes) return system_error(diags, "read", path, errno);
    hlo_status status = decode(path, bytes, n, shape, false, diags, out);
    hlo_free(bytes);
    return status;
}

static hlo_status finish(hlo_array_file *file, hlo_status status, hlo_array_file *out) {
    if (status != HLO_OK) {
        hlo_array_file_free(file);
        return status;
    }
    if (file->map && file->literal.data &&
        file->arena.blocks) { /* converted: the file is not needed */
        munmap(file->map, file->map_len);
        file->map = NULL;
    }
    *out = *file;
    return HLO_OK;
}

static void close_descriptor(void *fd) {
    close(*(int *)fd);
}

static void forget_file(void *file) {
    hlo_array_file_free(file);
}

hlo_status hlo_npy_read(const char *path, const hlo_shape *shape, hlo_diags *diags,
                        hlo_array_file *out) {
    hlo_array_file file = {.map = NULL};
    hlo_arena_init(&file.arena);
    if (!hlo_shape_is_array(shape)) return bad_file(diags, path, "only arrays are read from files");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return system_error(diags, "open", path, errno);
    hlo_cleanup closing, forgetting;
    hlo_cleanup_add(&closing, close_descriptor, &fd);
    hlo_cleanup_add(&forgetting, forget_file, &file);
    hlo_status status = read_descriptor(fd, path, shape, diags, &file);
    hlo_cleanup_remove(&forgetting);
    hlo_cleanup_remove(&closing);
    close(fd);
    return finish(&file, status, out);
}

hlo_status hlo_npy_decode(const char *name, const void *bytes, size_t n, const hlo_shape *shape,
                          hlo_diags *diags, hlo_array_file *out) {
    hlo_array_file file = {.map = NULL};
    hlo_arena_init(&file.arena);
    if (!hlo_shape_is_array(shape)) return bad_file(diags, name, "only arrays are read from files");
    return finish(&file, decode(name, bytes, n, shape, false, diags, &file), out);
}

void hlo_array_file_free(hlo_array_file *file) {
    if (file->map) munmap(file->map, file->map_len);
    hlo_arena_free(&file->arena);
    *file = (hlo_array_file){.map = NULL};
}

void hlo_npy_header(hlo_buf *to, const hlo_shape *shape) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_lit(&text, "{'descr': '");
    put_descr(&text, (hlo_type)shape->type);
    hlo_buf_lit(&text, "', 'fortran_order': False, 'shape': (");
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (i) hlo_buf_lit(&text, ", ");
        hlo_buf_int(&text, shape->dims[i]);
    }
    hlo_buf_cstr(&text, shape->rank == 1 ? ",), }" : "), }");
    bool is_long = text.len + DATA_ALIGNMENT > 0xffff;
    size_t front = MAGIC_LENGTH + (is_long ? 6 : 4);
    while ((front + text.len + 1) % DATA_ALIGNMENT) hlo_buf_char(&text, ' ');
    hlo_buf_char(&text, '\n');
    hlo_buf_bytes(to, magic, MAGIC_LENGTH);
    hlo_buf_char(to, is_long ? 2 : 1);
    hlo_buf_char(to, 0);
    for (int i = 0; i < (is_long ? 4 : 2); i++)
        hlo_buf_char(to, (char)(uint8_t)(text.len >> (8 * i)));
    hlo_buf_bytes(to, text.data, text.len);
    hlo_buf_free(&text);
}

int hlo_npy_write_to(int fd, const hlo_literal *literal) {
    hlo_buf header = HLO_BUF_INIT;
    hlo_npy_header(&header, literal->shape);
    int error = hlo_write_all(fd, header.data, header.len);
    hlo_buf_free(&header);
    int64_t bytes = hlo_shape_bytes(literal->shape);
    if (!error && bytes > 0) error = hlo_write_all(fd, literal->data, (size_t)bytes);
    return error;
}

static void discard(void *file) {
    hlo_atomic_discard(file);
}

hlo_status hlo_npy_write(const char *path, const hlo_literal *literal, hlo_diags *diags) {
    if (!hlo_shape_is_array(literal->shape))
        return bad_file(diags, path, "only arrays are written to .npy files");
    hlo_atomic_file file;
    int error = hlo_atomic_open(&file, path);
    if (error) return system_error(diags, "write", path, error);
    hlo_cleanup discarding;
    hlo_cleanup_add(&discarding, discard, &file);
    error = hlo_npy_write_to(file.fd, literal);
    hlo_cleanup_remove(&discarding);
    if (error) hlo_atomic_discard(&file);
    else error = hlo_atomic_commit(&file);
    return error ? system_error(diags, "write", path, error) : HLO_OK;
}
