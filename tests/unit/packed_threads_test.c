/* Threads that run one program at once, whose product has a constant: the first thread packs it,
 * the others find it or do without. Each run's rows of the left operand choose rows of the
 * constant, so that a number that was packed wrongly, or too late, is seen. Only hlo.h is
 * included. */
#include <hlo.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "unit/check.h"

enum { THREADS = 8, TIMES = 4, ROWS = 16, DEPTH = 64, COLUMNS = 64, MOST_TEXT = 1 << 16 };

static hlo_run *prepared;
static pthread_mutex_t sharing = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_started;

static int element(int row, int column) {
    return (row * 7 + column * 3) % 101;
}

/* Returns where the text ends. */
static char *put_constant(char *to) {
    for (int i = 0; i < DEPTH; i++)
        for (int j = 0; j < COLUMNS; j++)
            to += sprintf(to, "%s%d", j ? ", " : i ? "}, {" : "{{", element(i, j));
    return to + sprintf(to, "}}");
}

static hlo_module *make_module(hlo_diags *diags) {
    static char text[MOST_TEXT];
    char *to = text + sprintf(text, "HloModule packed\n"
                                    "ENTRY e {\n"
                                    "  x = f32[16,64] parameter(0)\n"
                                    "  w = f32[64,64] constant(");
    to = put_constant(to);
    sprintf(to, ")\n"
                "  ROOT y = f32[16,64] dot(x, w), lhs_contracting_dims={1}, "
                "rhs_contracting_dims={0}\n}\n");
    hlo_source *source = hlo_source_from_text("text", text, strlen(text));
    hlo_module *module;
    hlo_read_module(source, diags, &module);
    hlo_source_free(source);
    return module;
}

static bool has_rows(hlo_run *run, hlo_diags *diags, int first) {
    hlo_array y;
    if (hlo_run_output(run, 0, 0, diags, &y) != HLO_OK) return false;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            if (((const float *)y.data)[i * COLUMNS + j] != (float)element(first + i, j))
                return false;
    return true;
}

/* The result is rows `first` and so on of the constant. */
static bool run_once(hlo_run *run, hlo_diags *diags, int first) {
    const int64_t dims[] = {ROWS, DEPTH};
    float x[ROWS][DEPTH] = {{0}};
    for (int i = 0; i < ROWS; i++) x[i][first + i] = 1;
    const hlo_array input = {HLO_TYPE_F32, 2, dims, NULL, x};
    return hlo_run_set_input(run, 0, 0, &input, diags) == HLO_OK &&
           hlo_run_execute(run, diags) == HLO_OK && has_rows(run, diags, first);
}

static bool serve(int number, hlo_diags *diags) {
    hlo_run *run;
    pthread_mutex_lock(&sharing);
    bool good = hlo_run_share(prepared, 1 + (uint32_t)number % 2, diags, &run) == HLO_OK;
    pthread_mutex_unlock(&sharing);
    pthread_barrier_wait(&all_started);
    for (int k = 0; k < TIMES && good; k++) good = run_once(run, diags, number + k);
    pthread_mutex_lock(&sharing);
    hlo_run_free(run);
    pthread_mutex_unlock(&sharing);
    return good;
}

static void *work(void *number) {
    hlo_diags *diags = hlo_diags_create(0);
    bool good = serve((int)(intptr_t)number, diags);
    if (!good) hlo_diags_render(diags, stderr, false);
    hlo_diags_free(diags);
    return (void *)(intptr_t)good;
}

static int count_good(void) {
    pthread_t threads[THREADS];
    void *good;
    int count = 0;
    pthread_barrier_init(&all_started, NULL, THREADS);
    for (intptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &good);
        count += good != NULL;
    }
    pthread_barrier_destroy(&all_started);
    return count;
}

int main(void) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = make_module(diags);
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    check(module && hlo_verify(module, diags) == HLO_OK, "the module");
    check(hlo_run_prepare(module, &options, diags, &prepared) == HLO_OK, "prepared");
    check(count_good() == THREADS, "all threads get the rows of the constant");
    check(run_once(prepared, diags, DEPTH - ROWS), "the run itself, when its shares are gone");
    hlo_run_free(prepared);
    if (hlo_diags_error_count(diags)) hlo_diags_render(diags, stderr, false);
    hlo_module_free(module);
    hlo_diags_free(diags);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
