/* Texts of modules of given sizes and shapes: chains, trees, tuples, loops, calls. For scaling.c.
 */
#ifndef BENCH_MODULE_SHAPES_H
#define BENCH_MODULE_SHAPES_H

#include "base/buf.h"

static void begin(hlo_buf *text) {
    hlo_buf_cstr(text, "HloModule m\n\n");
}

static void begin_entry(hlo_buf *text) {
    hlo_buf_cstr(text, "ENTRY main {\n  x0 = f32[8] parameter(0)\n  q = f32[8] parameter(1)\n"
                       "  s = f32[] constant(1.5)\n  c = f32[8] broadcast(s), dimensions={}\n");
}

/* x1 to xn, each from the previous one, written `#` in the steps. */
static void write_steps(hlo_buf *text, const char *const *steps, int kinds, int n) {
    for (int i = 0; i < n; i++) {
        hlo_buf_printf(text, "  x%d = ", i + 1);
        for (const char *at = steps[i % kinds]; *at; at++) {
            if (*at == '#') hlo_buf_printf(text, "x%d", i);
            else hlo_buf_char(text, *at);
        }
        hlo_buf_char(text, '\n');
    }
}

static const char *const arithmetic[] = {
    "f32[8] add(#, q)",      "f32[8] tanh(#)",       "f32[8] multiply(q, #)", "f32[8] abs(#)",
    "f32[8] subtract(#, q)", "f32[8] maximum(#, q)", "f32[8] negate(#)"};
static const char *const constants[] = {"f32[8] add(#, c)", "f32[8] add(#, c)",
                                        "f32[8] multiply(#, c)"};
static const char *const sums[] = {"f32[8] add(#, c)"};
static const char *const moves[] = {"f32[2,4] reshape(#)",
                                    "f32[4,2] transpose(#), dimensions={1,0}",
                                    "f32[8] reshape(#)",
                                    "f32[16] concatenate(#, q), dimensions={0}",
                                    "f32[8] slice(#), slice={[4:12]}",
                                    "f32[10] pad(#, s), padding=1_1",
                                    "f32[8] slice(#), slice={[0:8]}",
                                    "f32[8] reverse(#), dimensions={0}"};
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static void write_chain(hlo_buf *text, const char *const *steps, int kinds, int n) {
    begin(text);
    begin_entry(text);
    n -= n % kinds;
    write_steps(text, steps, kinds, n);
    hlo_buf_printf(text, "  ROOT r = f32[8] negate(x%d)\n}\n", n);
}

static void arithmetic_chain(hlo_buf *text, int n) {
    write_chain(text, arithmetic, COUNT(arithmetic), n);
}

static void constant_chain(hlo_buf *text, int n) {
    write_chain(text, constants, COUNT(constants), n);
}

static void sum_chain(hlo_buf *text, int n) {
    write_chain(text, sums, COUNT(sums), n);
}

static void move_chain(hlo_buf *text, int n) {
    write_chain(text, moves, COUNT(moves), n);
}

/* Leaves in equal pairs, summed up two by two. */
static void tree(hlo_buf *text, int n) {
    static const char *const leaves[] = {"add(x0, q)", "negate(q)", "multiply(x0, c)", "negate(q)"};
    int leaf_count = n / 2;
    begin(text);
    begin_entry(text);
    for (int i = 0; i < leaf_count; i++)
        hlo_buf_printf(text, "  n%d = f32[8] %s\n", i, leaves[i % COUNT(leaves)]);
    int last = leaf_count - 1;
    for (int i = 0; last + 1 < 2 * leaf_count - 1; i += 2)
        hlo_buf_printf(text, "  n%d = f32[8] add(n%d, n%d)\n", ++last, i, i + 1);
    hlo_buf_printf(text, "  ROOT r = f32[8] negate(n%d)\n}\n", last);
}

static void write_list(hlo_buf *text, const char *format, int n) {
    for (int i = 0; i < n; i++) {
        if (i) hlo_buf_cstr(text, ", ");
        hlo_buf_printf(text, format, i);
    }
}

static void write_tuple_shape(hlo_buf *text, int n) {
    hlo_buf_char(text, '(');
    for (int i = 0; i < n; i++) hlo_buf_cstr(text, i ? ", f32[8]" : "f32[8]");
    hlo_buf_char(text, ')');
}

/* Made, taken apart and made again. */
static void wide_tuple(hlo_buf *text, int n) {
    int width = n / 3;
    begin(text);
    begin_entry(text);
    for (int i = 0; i < width; i++)
        hlo_buf_printf(text, "  a%d = f32[8] %s(q)\n", i, i % 2 ? "tanh" : "sine");
    hlo_buf_cstr(text, "  t = ");
    write_tuple_shape(text, width);
    hlo_buf_cstr(text, " tuple(");
    write_list(text, "a%d", width);
    hlo_buf_cstr(text, ")\n");
    for (int i = 0; i < width; i++)
        hlo_buf_printf(text,
                       "  e%d = f32[8] get-tuple-element(t), index=%d\n"
                       "  g%d = f32[8] add(e%d, x0)\n",
                       i, i, i, i);
    hlo_buf_cstr(text, "  ROOT r = ");
    write_tuple_shape(text, width);
    hlo_buf_cstr(text, " tuple(");
    write_list(text, "g%d", width);
    hlo_buf_cstr(text, ")\n}\n");
}

/* A loop of ten iterations over a counter and two arrays, with a long body. */
static void long_body(hlo_buf *text, int n) {
    begin(text);
    hlo_buf_cstr(text, "body {\n  st = (s32[], f32[8], f32[8]) parameter(0)\n"
                       "  i = s32[] get-tuple-element(st), index=0\n"
                       "  x0 = f32[8] get-tuple-element(st), index=1\n"
                       "  q = f32[8] get-tuple-element(st), index=2\n"
                       "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n");
    n -= n % COUNT(arithmetic);
    write_steps(text, arithmetic, COUNT(arithmetic), n);
    hlo_buf_printf(text, "  ROOT t = (s32[], f32[8], f32[8]) tuple(j, x%d, q)\n}\n\n", n);
    hlo_buf_cstr(text, "condition {\n  st = (s32[], f32[8], f32[8]) parameter(0)\n"
                       "  i = s32[] get-tuple-element(st), index=0\n"
                       "  end = s32[] constant(10)\n"
                       "  ROOT less = pred[] compare(i, end), direction=LT\n}\n\n");
    begin_entry(text);
    hlo_buf_cstr(text, "  zero = s32[] constant(0)\n"
                       "  t = (s32[], f32[8], f32[8]) tuple(zero, x0, q)\n"
                       "  w = (s32[], f32[8], f32[8]) while(t), condition=condition, body=body\n"
                       "  ROOT r = f32[8] get-tuple-element(w), index=1\n}\n");
}

static void write_state_shape(hlo_buf *text, int width) {
    hlo_buf_cstr(text, "(s32[]");
    for (int i = 0; i < width; i++) hlo_buf_cstr(text, ", f32[8]");
    hlo_buf_char(text, ')');
}

/* A loop whose state has many elements: most change, some are invariant, some are dead. */
static void wide_state(hlo_buf *text, int n) {
    int width = n / 5;
    begin(text);
    for (int part = 0; part < 2; part++) {
        hlo_buf_cstr(text, part ? "condition {\n  st = " : "body {\n  st = ");
        write_state_shape(text, width);
        hlo_buf_cstr(text, " parameter(0)\n  i = s32[] get-tuple-element(st), index=0\n");
        if (part) break;
        for (int i = 0; i < width; i++)
            hlo_buf_printf(text, "  e%d = f32[8] get-tuple-element(st), index=%d\n", i, i + 1);
        for (int i = 0; i < width; i++)
            hlo_buf_printf(
                text, i % 4 ? "  n%d = f32[8] tanh(e%d)\n" : "  n%d = f32[8] copy(e%d)\n", i, i);
        hlo_buf_cstr(text, "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n"
                           "  ROOT t = ");
        write_state_shape(text, width);
        hlo_buf_cstr(text, " tuple(j, ");
        write_list(text, "n%d", width);
        hlo_buf_cstr(text, ")\n}\n\n");
    }
    hlo_buf_cstr(text, "  end = s32[] constant(10)\n"
                       "  ROOT less = pred[] compare(i, end), direction=LT\n}\n\n");
    begin_entry(text);
    hlo_buf_cstr(text, "  zero = s32[] constant(0)\n  t = ");
    write_state_shape(text, width);
    hlo_buf_cstr(text, " tuple(zero, ");
    for (int i = 0; i < width; i++) hlo_buf_cstr(text, i ? ", x0" : "x0");
    hlo_buf_cstr(text, ")\n  w = ");
    write_state_shape(text, width);
    hlo_buf_cstr(text, " while(t), condition=condition, body=body\n");
    for (int i = 0; i < width - width / 4; i++)
        hlo_buf_printf(text, "  r%d = f32[8] get-tuple-element(w), index=%d\n", i, i + 1);
    hlo_buf_cstr(text, "  ROOT r = ");
    write_tuple_shape(text, width - width / 4);
    hlo_buf_cstr(text, " tuple(");
    write_list(text, "r%d", width - width / 4);
    hlo_buf_cstr(text, ")\n}\n");
}

/* Small computations, a third of them equal, each called once. */
static void many_calls(hlo_buf *text, int n) {
    int calls = n / 4;
    begin(text);
    for (int i = 0; i < calls; i++)
        hlo_buf_printf(text,
                       "called%d {\n  a = f32[8] parameter(0)\n  b = f32[8] %s(a)\n"
                       "  ROOT c = f32[8] add(a, b)\n}\n\n",
                       i, i % 3 ? "tanh" : "sine");
    begin_entry(text);
    for (int i = 0; i < calls; i++)
        hlo_buf_printf(text, "  x%d = f32[8] call(x%d), to_apply=called%d\n", i + 1, i, i);
    hlo_buf_printf(text, "  ROOT r = f32[8] negate(x%d)\n}\n", calls);
}

/* Each writes a module of about n instructions. */
static const struct {
    const char *name;
    void (*write)(hlo_buf *text, int n);
} shapes[] = {{"chain", arithmetic_chain},
              {"constants", constant_chain},
              {"sums", sum_chain},
              {"moves", move_chain},
              {"tree", tree},
              {"tuple", wide_tuple},
              {"body", long_body},
              {"state", wide_state},
              {"calls", many_calls}};

#endif
