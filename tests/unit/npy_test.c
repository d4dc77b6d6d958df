/* Arrays in files: .npy and .npz, output files that appear whole or not at all, and inputs made by
 * rule. Expected bytes were made by NumPy with ml_dtypes. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "host/npz.h"
#include "ir/fill.h"

static int passed, failed;
static hlo_arena arena;
static hlo_shapes_table shapes;
static char directory[] = "/tmp/hlo-npy-test-XXXXXX";

static void check(bool holds, const char *what, const char *detail) {
    if (holds) {
        passed++;
    } else {
        failed++;
        printf("failed: %s: %s\n", what, detail);
    }
}

static char *in_directory(const char *name) {
    size_t n = sizeof directory + strlen(name) + 1;
    char *path = hlo_arena_alloc(&arena, n);
    snprintf(path, n, "%s/%s", directory, name);
    return path;
}

static const hlo_shape *array(hlo_type type, uint32_t rank, int64_t first, int64_t second) {
    int64_t dims[] = {first, second};
    return hlo_shape_array(&shapes, type, dims, rank, NULL, NULL, NULL);
}

static void put_file(const char *path, const void *bytes, size_t n) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    check(fd >= 0 && hlo_write_all(fd, bytes, n) == 0, "write", path);
    close(fd);
}

static char *get_file(const char *path, size_t *n) {
    static char text[1 << 16];
    int fd = open(path, O_RDONLY);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    *n = got < 0 ? 0 : (size_t)got;
    text[*n] = 0;
    return got < 0 ? NULL : text;
}

/* ---- reading bytes ---- */

/* A file of version 1, 2 or 3: description, then data. */
static size_t make_file(char *to, int version, const char *description, const void *data,
                        size_t n) {
    size_t length = strlen(description), front = version == 1 ? 10 : 12;
    memcpy(to, "\x93NUMPY", 6);
    to[6] = (char)version;
    to[7] = 0;
    for (size_t i = 8; i < front; i++) to[i] = (char)(length >> 8 * (i - 8));
    memcpy(to + front, description, length);
    if (n) memcpy(to + front + length, data, n);
    return front + length + n;
}

static bool decodes(int version, const char *description, const void *data, size_t n,
                    const hlo_shape *shape, const void *wanted, const char *message) {
    static char bytes[1 << 14];
    size_t length = make_file(bytes, version, description, data, n);
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_array_file file;
    hlo_status status = hlo_npy_decode("x.npy", bytes, length, shape, &diags, &file);
    bool good;
    if (status == HLO_OK) {
        size_t size = (size_t)hlo_shape_bytes(shape);
        good = wanted && (size == 0 || memcmp(file.literal.data, wanted, size) == 0);
        hlo_array_file_free(&file);
    } else {
        good = message && diags.first && strstr(diags.first->message, message);
        if (!good && diags.first) printf("  %s\n", diags.first->message);
    }
    hlo_diags_drop(&diags);
    return good;
}

static void accept(int version, const char *description, const void *data, size_t n,
                   const hlo_shape *shape, const void *wanted) {
    check(decodes(version, description, data, n, shape, wanted, NULL), "read", description);
}

static void reject(const char *description, size_t n, const hlo_shape *shape, const char *message) {
    static const char zeros[4096];
    check(decodes(1, description, zeros, n, shape, NULL, message), message, description);
}

static void test_descriptions(void) {
    const hlo_shape *s = array(HLO_S32, 2, 2, 3);
    static const int32_t rows[] = {1, 2, 3, 4, 5, 6}, columns[] = {1, 4, 2, 5, 3, 6};
    static const unsigned char big[] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3,
                                        0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 6};
    accept(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }", rows, 24, s, rows);
    accept(2, "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }   \n", rows, 24, s,
           rows);
    accept(3, "{'shape':(2L,3L),'fortran_order':False,'descr':\"<i4\"}", rows, 24, s, rows);
    accept(1, "{'descr': '=i4', 'fortran_order': False, 'shape': (2, 3)}", rows, 24, s, rows);
    accept(1, "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }", columns, 24, s, rows);
    accept(1, "{'descr': '>i4', 'fortran_order': False, 'shape': (2, 3), }", big, 24, s, rows);
    accept(1, "{'descr': '<i4', 'fortran_order': True, 'shape': (6,), }", rows, 24,
           array(HLO_S32, 1, 6, 0), rows);
    accept(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (), }", rows, 4,
           array(HLO_S32, 0, 0, 0), rows);
    accept(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (0, 3), }", rows, 0,
           array(HLO_S32, 2, 0, 3), rows);
    reject("{'descr': '<i4', 'fortran_order': False, 'shape': (3, 2), }", 24, s,
           "holds <i4[3,2], expected <i4 for s32[2,3]");
    reject("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24, s, "holds <f4[2,3]");
    reject("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }", 48, s, "holds <i8[2,3]");
    reject("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }", 23, s,
           "ends before its data");
    reject("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (2, 3), }", 24, s, "header");
    reject("{'descr': '<i4', 'fortran_order': False, }", 24, s, "header");
    reject("{'descr': '<i4', 'fortran_order': 0, 'shape': (2, 3), }", 24, s, "header");
    reject("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 99999999999999999999), }", 24, s,
           "header");
    reject("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), ", 24, s, "header");
    reject("", 24, s, "header");
}

static void test_types(void) {
    static const unsigned char raw[] = {0x01, 0x82, 0xf7, 0x3f}, s4[] = {0x01, 0x02, 0x07, 0xff};
    static const unsigned char u4[] = {1, 2, 7, 15}, f4[] = {1, 2, 7, 15}, pred[] = {1, 1, 1, 1};
    static const unsigned char swapped[] = {0x82, 0x01, 0x3f, 0xf7};
    const char *one = "{'descr': '|V1', 'fortran_order': False, 'shape': (4,), }";
    accept(1, one, raw, 4, array(HLO_F8E4M3FN, 1, 4, 0), raw);
    accept(1, one, raw, 4, array(HLO_S4, 1, 4, 0), s4);
    accept(1, one, raw, 4, array(HLO_U4, 1, 4, 0), u4);
    accept(1, one, raw, 4, array(HLO_F4E2M1FN, 1, 4, 0), f4);
    accept(1, "{'descr': '<V1', 'fortran_order': False, 'shape': (4,), }", raw, 4,
           array(HLO_F8E5M2, 1, 4, 0), raw);
    accept(1, "{'descr': '<f1', 'fortran_order': False, 'shape': (4,), }", raw, 4,
           array(HLO_F8E5M2, 1, 4, 0), raw);
    accept(1, "{'descr': '|i1', 'fortran_order': False, 'shape': (4,), }", raw, 4,
           array(HLO_S4, 1, 4, 0), s4);
    accept(1, "{'descr': '|V2', 'fortran_order': False, 'shape': (2,), }", raw, 4,
           array(HLO_BF16, 1, 2, 0), raw);
    accept(1, "{'descr': '>V2', 'fortran_order': False, 'shape': (2,), }", raw, 4,
           array(HLO_BF16, 1, 2, 0), swapped);
    accept(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (4,), }", raw, 4,
           array(HLO_PRED, 1, 4, 0), pred);
    accept(1, "{'descr': '>c8', 'fortran_order': False, 'shape': (), }", "\0\0\0\1\0\0\0\2", 8,
           array(HLO_C64, 0, 0, 0), "\1\0\0\0\2\0\0\0");
    reject("{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }", 4, array(HLO_BF16, 1, 2, 0),
           "expected |V2");
    reject("{'descr': '|V2', 'fortran_order': False, 'shape': (2,), }", 4, array(HLO_F16, 1, 2, 0),
           "expected <f2");
    reject("{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }", 4, array(HLO_PRED, 1, 4, 0),
           "expected |b1");
    reject("{'descr': '|V1', 'fortran_order': False, 'shape': (4,), }", 4, array(HLO_S8, 1, 4, 0),
           "expected |i1");
}

static void test_no_npy_files(void) {
    const hlo_shape *s = array(HLO_S32, 1, 1, 0);
    static const char *const texts[] = {"", "\x93NUMPY", "\x93NUMPY\1\0\xff\xff{",
                                        "\x93NUMPY\4\0\1\0 ", "hello, world"};
    static const size_t lengths[] = {0, 6, 11, 11, 12};
    for (int i = 0; i < 5; i++) {
        hlo_diags diags;
        hlo_diags_init(&diags);
        hlo_array_file file;
        check(hlo_npy_decode("x", texts[i], lengths[i], s, &diags, &file) == HLO_BAD_USE &&
                  diags.errors == 1,
              "refused", texts[i]);
        hlo_diags_drop(&diags);
    }
}

/* ---- files ---- */

static hlo_literal *filled(const hlo_shape *shape) {
    hlo_literal *literal = hlo_literal_new(&arena, shape);
    hlo_fill_literal(literal, HLO_FILL_HASH, 1, 0, -1);
    return literal;
}

static bool same_again(const char *path, const hlo_literal *literal) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_array_file file;
    bool good = hlo_npy_write(path, literal, &diags) == HLO_OK &&
                hlo_npy_read(path, literal->shape, &diags, &file) == HLO_OK;
    if (good) {
        good = hlo_literal_equal(literal, &file.literal);
        hlo_array_file_free(&file);
    }
    hlo_diags_drop(&diags);
    return good;
}

static void test_files(void) {
    for (int t = 0; t < HLO_TOKEN; t++) {
        const hlo_shape *small = array((hlo_type)t, 2, 3, 5),
                        *large = array((hlo_type)t, 2, 300, 500);
        check(same_again(in_directory("small.npy"), filled(small)), "write and read",
              hlo_types[t].text);
        check(same_again(in_directory("large.npy"), filled(large)), "write and map",
              hlo_types[t].text);
    }
    check(same_again(in_directory("scalar.npy"), filled(array(HLO_F32, 0, 0, 0))), "write and read",
          "scalar");
    check(same_again(in_directory("empty.npy"), filled(array(HLO_F32, 2, 0, 4))), "write and read",
          "empty");
    size_t n;
    const char *text = get_file(in_directory("small.npy"), &n);
    check(text && n == 128 + 15 * 16 &&
              memcmp(text,
                     "\x93NUMPY\1\0v\0{'descr': '<c16', 'fortran_order': False, "
                     "'shape': (3, 5), }  ",
                     72) == 0,
          "the header NumPy writes", "c128");
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_array_file file;
    check(hlo_npy_read(in_directory("missing.npy"), array(HLO_F32, 0, 0, 0), &diags, &file) ==
              HLO_BAD_SYSTEM,
          "missing", "system error");
    check(hlo_npy_read(directory, array(HLO_F32, 0, 0, 0), &diags, &file) == HLO_BAD_SYSTEM,
          "folder", "system error");
    check(hlo_npy_write(in_directory("no/such/folder.npy"), filled(array(HLO_F32, 0, 0, 0)),
                        &diags) == HLO_BAD_SYSTEM,
          "no folder", "system error");
    check(hlo_npy_write("/dev/full", filled(array(HLO_F32, 0, 0, 0)), &diags) == HLO_BAD_SYSTEM,
          "full", "system error");
    hlo_diags_drop(&diags);
}

/* A pipe cannot be mapped or sought in. */
static void test_pipe(void) {
    const hlo_literal *literal = filled(array(HLO_BF16, 2, 100, 100));
    hlo_buf bytes = HLO_BUF_INIT;
    hlo_npy_header(&bytes, literal->shape);
    hlo_buf_bytes(&bytes, literal->data, 20000);
    int ends[2];
    check(pipe(ends) == 0 && hlo_write_all(ends[1], bytes.data, bytes.len) == 0, "pipe", "write");
    close(ends[1]);
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_array_file file;
    bool good = hlo_npy_read(path, literal->shape, &diags, &file) == HLO_OK;
    check(good && hlo_literal_equal(literal, &file.literal), "pipe", "read");
    if (good) hlo_array_file_free(&file);
    close(ends[0]);
    hlo_buf_free(&bytes);
    hlo_diags_drop(&diags);
}

static void write_archive(const char *path, const hlo_literal *const members[3]) {
    static const char *const names[] = {"in0", "in1", "in10"};
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_npz_writer *writer = hlo_npz_create(path, &diags);
    for (int i = 0; i < 3; i++)
        check(writer && hlo_npz_add(writer, names[i], members[i], &diags) == HLO_OK, "add",
              names[i]);
    check(writer && hlo_npz_finish(writer, &diags) == HLO_OK, "write", "npz");
    hlo_diags_drop(&diags);
}

static void read_members(hlo_npz *npz, const hlo_literal *const members[3]) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    for (int i = 0; i < 3; i++) {
        hlo_array_file file;
        check(hlo_npz_read(npz, i, members[i]->shape, &diags, &file) == HLO_OK &&
                  hlo_literal_equal(members[i], &file.literal),
              "read", hlo_npz_name(npz, i));
        hlo_array_file_free(&file);
    }
    hlo_diags_drop(&diags);
}

static void test_archives(void) {
    const char *path = in_directory("x.npz");
    const hlo_literal *const members[] = {filled(array(HLO_F32, 2, 30, 50)),
                                          filled(array(HLO_S4, 1, 7, 0)),
                                          filled(array(HLO_F32, 1, 0, 0))};
    const hlo_shape *s4 = members[1]->shape;
    hlo_diags diags;
    hlo_array_file file;
    hlo_diags_init(&diags);
    write_archive(path, members);
    hlo_npz *npz = hlo_npz_open(path, &diags);
    check(npz && hlo_npz_count(npz) == 3 && strcmp(hlo_npz_name(npz, 1), "in1.npy") == 0, "members",
          "npz");
    if (npz) {
        check(hlo_npz_find(npz, "in1") == 1 && hlo_npz_find(npz, "in10.npy") == 2 &&
                  hlo_npz_find(npz, "in") == -1,
              "find", "npz");
        read_members(npz, members);
        check(hlo_npz_read(npz, 0, s4, &diags, &file) == HLO_BAD_USE &&
                  strstr(diags.last->message, "x.npz(in0.npy)"),
              "another shape", "npz");
        check(hlo_npz_read(npz, 9, s4, &diags, &file) == HLO_BAD_SYSTEM, "no such member", "npz");
    }
    hlo_npz_close(npz);
    hlo_diags_drop(&diags);
}

static void test_no_archives(void) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    put_file(in_directory("bad.npz"), "PK nonsense", 11);
    check(hlo_npz_open(in_directory("bad.npz"), &diags) == NULL, "no archive", "npz");
    check(hlo_npz_open(in_directory("missing.npz"), &diags) == NULL, "missing", "npz");
    hlo_npz_writer *writer = hlo_npz_create(in_directory("discarded.npz"), &diags);
    if (writer) hlo_npz_discard(writer);
    check(access(in_directory("discarded.npz"), F_OK) != 0, "discarded", "npz");
    hlo_diags_drop(&diags);
}

/* ---- whole or not at all ---- */

static bool holds(const char *path, const char *text) {
    size_t n;
    const char *got = get_file(path, &n);
    return got && strcmp(got, text) == 0;
}

static void test_atomic(void) {
    const char *path = in_directory("out"), *link = in_directory("link");
    hlo_atomic_file file;
    check(hlo_atomic_open(&file, path) == 0 && hlo_write_all(file.fd, "one", 3) == 0, "open",
          "new");
    check(access(path, F_OK) != 0, "not there", "before commit");
    check(hlo_atomic_commit(&file) == 0 && holds(path, "one"), "commit", "new");
    chmod(path, 0640);
    check(symlink("out", link) == 0, "symlink", "out");
    check(hlo_atomic_open(&file, link) == 0 && hlo_write_all(file.fd, "two", 3) == 0, "open",
          "link");
    check(holds(path, "one"), "as it was", "before commit");
    check(hlo_atomic_commit(&file) == 0 && holds(path, "two"), "commit", "link");
    struct stat st;
    check(lstat(link, &st) == 0 && S_ISLNK(st.st_mode), "still a link", "link");
    check(stat(path, &st) == 0 && (st.st_mode & 0777) == 0640, "permissions kept", "out");
    check(hlo_atomic_open(&file, path) == 0 && hlo_write_all(file.fd, "bad", 3) == 0, "open",
          "again");
    hlo_atomic_discard(&file);
    check(holds(path, "two"), "discard", "again");
    check(hlo_atomic_open(&file, directory) != 0, "a folder", "open");
    check(hlo_atomic_open(&file, "/dev/null") == 0 && file.path == NULL &&
              hlo_atomic_commit(&file) == 0,
          "device", "open");
    check(hlo_atomic_open(&file, "-") == 0 && file.fd == STDOUT_FILENO &&
              hlo_atomic_commit(&file) == 0,
          "-", "open");
}

/* ---- inputs by rule ---- */

static void check_fill(const hlo_shape *shape, hlo_input_fill fill, uint64_t seed, uint32_t leaf,
                       const char *wanted) {
    hlo_literal *literal = hlo_literal_new(&arena, shape);
    hlo_fill_literal(literal, fill, seed, leaf, -1);
    hlo_buf got = HLO_BUF_INIT;
    for (int64_t i = 0; i < hlo_shape_bytes(shape); i++)
        hlo_buf_printf(&got, "%02x", ((uint8_t *)literal->data)[i]);
    hlo_buf_char(&got, 0);
    check(strcmp(got.data, wanted) == 0, hlo_fill_name(fill), wanted);
    hlo_buf_free(&got);
}

static void test_fills(void) {
    check_fill(array(HLO_F32, 1, 4, 0), HLO_FILL_HASH, 0, 0, "ede6b43d4810683dbb26723d80e0393c");
    check_fill(array(HLO_F32, 2, 2, 2), HLO_FILL_HASH, 7, 3, "7dee013d25abbd3dcd46883b06d1b83c");
    check_fill(array(HLO_F32, 2, 2, 2), HLO_FILL_HASH_POSITIVE, 7, 3,
               "06e2863df93bc53d3a51553d0e017b3d");
    check_fill(array(HLO_S32, 1, 4, 0), HLO_FILL_HASH, 1, 2, "03000000010000000000000003000000");
    check_fill(array(HLO_PRED, 1, 8, 0), HLO_FILL_HASH, 1, 2, "0001000000000001");
    check_fill(array(HLO_BF16, 2, 3, 2), HLO_FILL_HASH, 5, 1, "573c8d3d753da7bd723d19bd");
    check_fill(array(HLO_F64, 2, 3, 2), HLO_FILL_HASH, 5, 1,
               "000000a0a1e58a3f00000060f5a2b13f000000605aa6ae3f000000a034ddb4bf000000a00747ae3f000"
               "000406d15a3bf");
    check_fill(array(HLO_C64, 2, 2, 2), HLO_FILL_HASH, 5, 1,
               "0d2d573cab178d3dd332753da5e9a6bd3d38723d6aab18bda0e48d3de2d1c3bd");
    check_fill(array(HLO_F16, 2, 3, 2), HLO_FILL_HASH, 5, 1, "b922692caa2b37ad922bc5a8");
    check_fill(array(HLO_F8E4M3FN, 1, 8, 0), HLO_FILL_HASH, 5, 1, "161b1a051a101b01");
    check_fill(array(HLO_S4, 1, 8, 0), HLO_FILL_HASH, 2, 0, "0502040001030500");
    check_fill(array(HLO_S2, 1, 8, 0), HLO_FILL_HASH, 2, 0, "0100000001010100");
    check_fill(array(HLO_S64, 1, 3, 0), HLO_FILL_HASH, (UINT64_C(1) << 63) + 5, 70000,
               "000000000000000000000000000000000700000000000000");
    check_fill(array(HLO_S8, 1, 3, 0), HLO_FILL_ONES, 0, 0, "010101");
    check_fill(array(HLO_C64, 1, 2, 0), HLO_FILL_IOTA, 0, 0,
               "0000000000000000"
               "0000803f00000000");
    check_fill(array(HLO_S4, 1, 10, 0), HLO_FILL_IOTA, 0, 0, "0001020304050607f8f9");
    check_fill(array(HLO_U16, 1, 2, 0), HLO_FILL_ZEROS, 9, 9, "00000000");
    hlo_input_fill fill;
    check(hlo_fill_from_text("hash-positive", &fill) && fill == HLO_FILL_HASH_POSITIVE, "by name",
          "hash-positive");
    check(!hlo_fill_from_text("hashed", &fill), "by name", "hashed");
}

/* Leaves of tuples are numbered on; tokens are not counted. */
static void test_leaves(void) {
    const hlo_shape *f = array(HLO_F32, 1, 2, 0);
    const hlo_shape *elements[] = {f, hlo_shape_token(&shapes), f};
    hlo_literal *tuple = hlo_literal_new(&arena, hlo_shape_tuple(&shapes, elements, 3));
    hlo_literal *alone = hlo_literal_new(&arena, f);
    check(hlo_fill_literal(tuple, HLO_FILL_RANDOM, 3, 4, -1) == 6, "next leaf", "tuple");
    hlo_fill_literal(alone, HLO_FILL_RANDOM, 3, 5, -1);
    check(hlo_literal_equal(alone, tuple->elements[2]), "second leaf", "tuple");
    check(!hlo_literal_equal(alone, tuple->elements[0]), "first leaf", "tuple");
}

int main(void) {
    hlo_arena_init(&arena);
    hlo_shapes_init(&shapes, &arena);
    if (!mkdtemp(directory)) {
        perror(directory);
        return 3;
    }
    test_descriptions();
    test_types();
    test_no_npy_files();
    test_files();
    test_pipe();
    test_archives();
    test_no_archives();
    test_atomic();
    test_fills();
    test_leaves();
    static const char *const left[] = {"small.npy", "large.npy", "scalar.npy", "empty.npy",
                                       "x.npz",     "bad.npz",   "out",        "link"};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) unlink(in_directory(left[i]));
    check(rmdir(directory) == 0, "no file is left", directory);
    hlo_shapes_free(&shapes);
    hlo_arena_free(&arena);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
