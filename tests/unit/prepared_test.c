/* Kernels look nothing up when they run: once a program has been made, the attributes and operands
 * of its module's instructions are put where reading them is a fault, and runs must give what those
 * of an untouched copy give. Over all modules of tests/golden, with both engines. */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "eval/run/frame.h"
#include "eval/value/value_memory.h"
#include "ir/fill.h"
#include "parse/parse.h"
#include "unit/value_bytes.h"

static int passed, failed, skipped;

static void check(bool good, const char *path, const char *what) {
    if (good) passed++;
    else failed++;
    if (!good) fprintf(stderr, "%s: %s\n", path, what);
}

/* ---- arrays and the host ---- */

static hlo_value *made_up(const hlo_shape *shape, uint64_t seed, uint32_t leaf) {
    hlo_value *value = hlo_value_new_tree(shape);
    if (!value) return NULL;
    for (uint32_t i = 0; value->elements && i < shape->rank; i++) {
        hlo_value_release(value->elements[i]);
        value->elements[i] = made_up(shape->elements[i], seed, leaf * 16 + i);
    }
    hlo_literal literal = {.shape = shape, .data = value->data};
    if (hlo_shape_is_array(shape)) hlo_fill_literal(&literal, HLO_FILL_HASH, seed, leaf, -1);
    return value;
}

static bool has_sizes(const hlo_value *value) {
    bool has = value->sizes;
    for (uint32_t i = 0; value->elements && i < value->shape->rank; i++)
        has = has || has_sizes(value->elements[i]);
    return has;
}

/* The bits; as text where elements beyond the run-time sizes mean nothing. */
static void put_value(hlo_buf *to, const hlo_value *value) {
    if (has_sizes(value)) hlo_value_print(to, value);
    else put_value_bytes(to, value);
}

/* A run, and what it leaves: what it gave to the host, its result, its errors. */
typedef struct {
    hlo_module *module;
    hlo_program *program;
    hlo_diags diags;
    hlo_device *device;
    hlo_thread *thread;
    uint64_t taken; /* from the host */
    hlo_buf left;
} execution;

static hlo_value *take(void *context, const hlo_instr *instr, const hlo_shape *shape) {
    (void)instr;
    return made_up(shape, 100 + ((execution *)context)->taken++, 0);
}

static bool give(void *context, const hlo_instr *instr, hlo_value *value) {
    (void)instr;
    put_value(&((execution *)context)->left, value);
    return true;
}

static bool has_host(void *context, const hlo_instr *instr) {
    (void)context;
    (void)instr;
    return true;
}

/* ---- programs ---- */

/* False when the module is not for this evaluator, which other suites count. */
static bool begin(execution *e, const char *path, hlo_engine engine) {
    *e = (execution){.left = HLO_BUF_INIT};
    hlo_diags_init(&e->diags);
    hlo_source *source = hlo_source_open(path);
    if (source && hlo_parse(source, &e->diags, &e->module) == HLO_OK) {
        hlo_program_options options = {
            .engine = engine, .stub_custom_calls = true, .has_host = has_host};
        e->program = hlo_program_new(e->module, &options, &e->diags);
    }
    if (source) hlo_source_release(source);
    return e->program;
}

static void put_errors(execution *e) {
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to) abort();
    hlo_diags_render(&e->diags, to, false);
    fclose(to);
    hlo_buf_bytes(&e->left, text, length);
    free(text);
}

static void run(execution *e) {
    hlo_device_options host = {.seed = 5, .take = take, .give = give, .host_context = e};
    e->device = hlo_device_new(e->program, &host);
    e->thread = hlo_thread_new(e->device, NULL, &e->diags);
    const hlo_computation *entry = e->module->entry;
    hlo_value **arguments = hlo_calloc(entry->parameter_count + 1, sizeof *arguments);
    for (uint32_t i = 0; i < entry->parameter_count; i++)
        arguments[i] = made_up(entry->parameters[i]->shape, 3, i);
    hlo_value *result = hlo_thread_run(e->thread, arguments, entry->parameter_count);
    if (result) put_value(&e->left, result);
    hlo_value_release(result);
    put_errors(e);
    for (uint32_t i = 0; i < entry->parameter_count; i++) hlo_value_release(arguments[i]);
    hlo_free(arguments);
}

static void end(execution *e) {
    hlo_thread_free(e->thread);
    hlo_device_free(e->device);
    hlo_program_free(e->program);
    if (e->module) hlo_module_free(e->module);
    hlo_diags_drop(&e->diags);
    hlo_buf_free(&e->left);
}

/* ---- what may not be read ---- */

static void *unreadable;
static sigjmp_buf after_fault;

static void on_fault(int number, siginfo_t *info, void *context) {
    (void)context;
    char *at = info->si_addr, *start = unreadable;
    if (at >= start && at < start + sysconf(_SC_PAGESIZE)) siglongjmp(after_fault, 1);
    signal(number, SIG_DFL); /* some other fault: it ends the process when it happens again */
}

static void catch_reads(void) {
    unreadable =
        mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (unreadable == MAP_FAILED) abort();
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
}

/* Every look-up of an attribute, of a called computation or of an operand faults from now on, even
 * one that would find nothing. The counts of operands are the plan's to read. */
static void strip(hlo_module *module) {
    for (hlo_computation *c = module->first; c; c = c->next)
        for (hlo_instr *instr = c->first; instr; instr = instr->next) {
            instr->attrs = unreadable;
            instr->attr_count = 1;
            instr->operands = unreadable;
        }
}

/* False after a read, with the run left in the middle. */
static bool run_stripped(execution *e) {
    strip(e->module);
    if (sigsetjmp(after_fault, 1) == 0) {
        run(e);
        return true;
    }
    const hlo_instr *instr = e->thread->frame->instr;
    fprintf(stderr, "'%.*s' (%s) looks something up in the module when it runs\n",
            (int)instr->name->len, instr->name->ptr, hlo_info(instr)->text);
    return false;
}

/* ---- modules ---- */

static bool same_bytes(const hlo_buf *a, const hlo_buf *b) {
    return a->len == b->len && (!a->len || memcmp(a->data, b->data, a->len) == 0);
}

static void test_module(const char *path, hlo_engine engine) {
    execution whole, stripped;
    if (begin(&whole, path, engine) && begin(&stripped, path, engine)) {
        run(&whole);
        bool ran = run_stripped(&stripped);
        check(ran && same_bytes(&whole.left, &stripped.left), path, "the run differs");
        if (ran) end(&stripped);
    } else {
        skipped++;
    }
    end(&whole);
}

static int visit(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status;
    if (kind != FTW_F || strcmp(path + place->base, "module.hlo") != 0) return 0;
    test_module(path, HLO_ENGINE_FAST);
    test_module(path, HLO_ENGINE_REFERENCE);
    return 0;
}

int main(void) {
    const char *root = getenv("HLO_ROOT");
    char operations[2048], models[2048];
    snprintf(models, sizeof models, "%s/tests/golden/models", root ? root : ".");
    snprintf(operations, sizeof operations, "%s/build/cases/golden", root ? root : ".");
    catch_reads();
    nftw(models, visit, 16, FTW_PHYS);
    check(passed > 100, models, "there are few modules");
    nftw(operations, visit, 16, FTW_PHYS);
    check(passed > 4000, operations, "there are few modules");
    if (skipped) printf("skipped: %d programs that cannot be made here\n", skipped);
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed != 0;
}
