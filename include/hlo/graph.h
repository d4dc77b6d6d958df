/* Drawing a module. Part of hlo.h. */
#ifndef HLO_PUBLIC_GRAPH_H
#define HLO_PUBLIC_GRAPH_H

#include "module.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Who places the nodes of a drawing: Graphviz, or the library in time that hardly grows faster than
 * the graph; AUTO means the library from some hundred nodes on. */
typedef enum { HLO_LAYOUT_AUTO, HLO_LAYOUT_DOT, HLO_LAYOUT_FAST } hlo_graph_layout;
/* PLAN: by memory, as in hlo_run_write_planned_module; nodes show what computes them. DEVICE: by
 * the device that a sharding names. FLOPS, BYTES: by the cost of an instruction, which its label
 * shows, too; it needs a well-formed module. TIME: the same by the seconds of `profile`. DIFF: by
 * what `other` has and has not. */
typedef enum {
    HLO_COLOUR_CLASS,
    HLO_COLOUR_SHARDING,
    HLO_COLOUR_PLAN,
    HLO_COLOUR_DEVICE,
    HLO_COLOUR_FLOPS,
    HLO_COLOUR_BYTES,
    HLO_COLOUR_TIME,
    HLO_COLOUR_DIFF
} hlo_graph_colour;
/* Labels of edge heads; AUTO: operand numbers, where an instruction has several drawn operands;
 * SHAPE: the operands' shapes, too. */
typedef enum { HLO_EDGE_AUTO, HLO_EDGE_SHAPE, HLO_EDGE_NUMBER } hlo_graph_edges;

typedef struct {
    size_t size;
    /* What is drawn: everything, or one of the next four. Fusions come with what calls them. */
    bool entry_only;
    const char *computation; /* NULL: not asked; the same below */
    /* An instruction with what it needs, up to `up` edges above it, and with what needs it, up to
     * `down` edges below; UINT64_MAX: `radius`. */
    const char *around;
    const char *from, *to; /* all paths from one instruction to another, through calls too */
    uint64_t radius;
    uint64_t depth;      /* levels of called computations that are followed; UINT64_MAX: any */
    uint64_t max_nodes;  /* draw the most important, count the others; 0: no limit */
    bool collapse_while; /* a loop is one node */
    bool expand_tuples;  /* get-tuple-elements are nodes, not labels of edges */
    bool legend;         /* a box that explains the colours */
    hlo_graph_layout layout;
    hlo_graph_colour colour;
    hlo_graph_edges edges;
    const char *url; /* hyperlink of a node, with {file} and {line} filled in; NULL: the file */
    /* "dot" (or NULL); "svg", "png", "pdf" by Graphviz; "html", a page for a browser, in which
     * parts are opened: then `around` and `computation` choose what is shown first; options that
     * leave something out are refused. Its reader chooses the colours: `colour` are those that come
     * first, and `profile` and `other` may be given with any of them. */
    const char *format;
    uint64_t up, down;   /* of `around` */
    const char *profile; /* for TIME: the file that hlo_run_write_profile wrote as JSON */
    /* For DIFF: the module before. What only it has is drawn, too, with dashed borders. Layouts
     * count, metadata do not. */
    hlo_module *other;
    size_t *node_count; /* not NULL: set to the nodes of the drawing, unless it is a page */
} hlo_graph_options;

#define HLO_GRAPH_OPTIONS_INIT                                                                    \
    {                                                                                             \
        sizeof(hlo_graph_options), false, NULL, NULL, NULL, NULL, 3, UINT64_MAX, 0, false, false, \
            false, HLO_LAYOUT_AUTO, HLO_COLOUR_CLASS, HLO_EDGE_AUTO, NULL, NULL, UINT64_MAX,      \
            UINT64_MAX, NULL, NULL, NULL                                                          \
    }

HLO_API hlo_status hlo_write_graph(hlo_module *module, const hlo_graph_options *options,
                                   hlo_output *output, hlo_diags *diags);

#ifdef __cplusplus
}
#endif
#endif
