/* The few calls of Graphviz' library that make a picture of a text. It is not linked: its cairo,
 * pango and glib would come with every program. */
#include "graph/dot/graphviz.h"

#include <dlfcn.h>

/* The part of <graphviz/gvc.h> that is used, by the names there. */
typedef struct {
    void *(*gvContext)(void);
    void *(*agread)(void *file, void *discipline);
    int (*gvLayout)(void *context, void *graph, const char *engine);
    int (*gvRender)(void *context, void *graph, const char *format, FILE *to);
} functions;

/* dlerror forgets a reason that was asked for. */
static void say_why(void) {
    const char *reason = dlerror();
    fprintf(stderr, "%s\n", reason ? reason : "unknown error of the loader");
}

static void *open_library(void) {
    static const char *const names[] = {"libgvc.so.6", "libgvc.so.7", "libgvc.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library) return library;
        if (i == 0) say_why();
    }
    return NULL;
}

/* The library's own dependencies are searched too: agread is libcgraph's. */
static int find_functions(void *library, functions *out) {
    struct {
        const char *name;
        void *to;
    } wanted[] = {{"gvContext", &out->gvContext},
                  {"agread", &out->agread},
                  {"gvLayout", &out->gvLayout},
                  {"gvRender", &out->gvRender}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *found = dlsym(library, wanted[i].name);
        if (!found) return say_why(), 0;
        *(void **)wanted[i].to = found; /* as POSIX has it for dlsym */
    }
    return 1;
}

hlo_graphviz_result hlo_graphviz_draw(const char *text, size_t len, const char *format, FILE *to) {
    functions graphviz;
    void *library = open_library();
    if (!library || !find_functions(library, &graphviz)) return HLO_GRAPHVIZ_MISSING;
    FILE *from = fmemopen((char *)text, len, "r");
    void *context = graphviz.gvContext();
    void *graph = from && context ? graphviz.agread(from, NULL) : NULL;
    /* A text that names an engine, as those with places do, is laid out by that one instead. */
    if (!graph || graphviz.gvLayout(context, graph, "dot") != 0 ||
        graphviz.gvRender(context, graph, format, to) != 0)
        return HLO_GRAPHVIZ_FAILED;
    return fflush(to) == 0 && !ferror(to) ? HLO_GRAPHVIZ_DREW : HLO_GRAPHVIZ_CANNOT_WRITE;
}
