/* Without libzip an archive is an error, with the file and the reason. The loader here is this
 * file. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "diag/diag.h"
#include "host/npz.h"

static char last_error[] = "no such file";
static int passed, failed;

void *dlopen(const char *file, int mode) {
    (void)file, (void)mode;
    return NULL;
}

char *dlerror(void) {
    return last_error;
}

static void check(bool holds, const char *what) {
    if (holds) passed++;
    else failed++;
    if (!holds) printf("%s\n", what);
}

static bool has_text(const hlo_diags *diags, const char *text) {
    return diags->errors == 1 && strcmp(diags->first->message, text) == 0;
}

int main(void) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    check(!hlo_npz_open("a.npz", &diags), "an archive is read");
    check(has_text(&diags,
                   "cannot read a.npz: archives need libzip, which was not loaded: no such file"),
          "reading reports why not");
    hlo_diags_drop(&diags);
    hlo_diags_init(&diags);
    check(!hlo_npz_create("b.npz", &diags), "an archive is written");
    check(has_text(&diags,
                   "cannot write b.npz: archives need libzip, which was not loaded: no such file"),
          "writing reports why not");
    hlo_diags_drop(&diags);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
