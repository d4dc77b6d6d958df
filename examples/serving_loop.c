/* A serving loop: one program is prepared once; four threads run it many times, each with separate
 * buffers, which the library reads where they are. */
#include <pthread.h>

#include "parse_text.h"

enum { WORKERS = 4, REQUESTS = 100, SIZE = 8 };

static const char text[] = "HloModule model\n"
                           "ENTRY main {\n"
                           "  x = f32[8] parameter(0)\n"
                           "  w = f32[8] iota(), iota_dimension=0\n"
                           "  ROOT y = f32[] dot(x, w), lhs_contracting_dims={0}, "
                           "rhs_contracting_dims={0}\n"
                           "}\n";

typedef struct {
    pthread_t thread;
    hlo_run *run; /* shares the program */
    hlo_diags *diags;
    int served;
    bool is_started;
} worker;

static void *serve(void *context) {
    worker *w = context;
    float request[SIZE], answer;
    const int64_t dims[] = {SIZE};
    const hlo_array array = {HLO_TYPE_F32, 1, dims, NULL, request};
    if (hlo_run_set_input(w->run, 0, 0, &array, w->diags) != HLO_OK) return NULL;
    for (int n = 0; n < REQUESTS; n++) {
        for (int i = 0; i < SIZE; i++) request[i] = (float)n;
        if (hlo_run_execute(w->run, w->diags) != HLO_OK ||
            hlo_run_copy_output(w->run, 0, 0, &answer, NULL, sizeof answer, w->diags) != HLO_OK)
            break;
        w->served += answer == 28 * (float)n;
    }
    return NULL;
}

static void start(worker *w, hlo_run *program) {
    w->diags = hlo_diags_create(0);
    hlo_run_share(program, 1, w->diags, &w->run);
    w->is_started = pthread_create(&w->thread, NULL, serve, w) == 0;
}

/* How many requests it has answered. */
static int finish(worker *w) {
    if (w->is_started) pthread_join(w->thread, NULL);
    hlo_run_free(w->run);
    hlo_diags_render(w->diags, stderr, false);
    hlo_diags_free(w->diags);
    return w->served;
}

int main(void) {
    static worker workers[WORKERS];
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = parse_text(text, diags);
    hlo_run *program = NULL;
    int served = 0;
    if (module && hlo_run_prepare(module, NULL, diags, &program) == HLO_OK) {
        for (int i = 0; i < WORKERS; i++) start(&workers[i], program);
        for (int i = 0; i < WORKERS; i++) served += finish(&workers[i]);
        printf("%d requests answered\n", served);
    }
    hlo_run_free(program);
    hlo_module_free(module);
    return report(diags);
}
