/* The texts of labels of edges, and the search for their spots: see edge_labels.h. */
#include "graph/layout/edge_labels.h"

#include "graph/layout/text_width.h"
#include "graph/model/label.h"

enum {
    FONT = 8,  /* points */
    LINE = 8,  /* height of a line of labels */
    LINES = 3, /* of them, between rows of nodes */
    ABOVE = 5, /* the end of the edge, where its arrow is */
    GAP = 3,   /* left of a label */
};

/* Numbers where several operands must be distinguished, with shapes where they are wanted. */
static void make_texts(hlo_dot_edge_labels *labels, const hlo_dot_graph *graph,
                       const hlo_dot_edge *edge) {
    const hlo_dot_node *node = &graph->nodes.v[edge->to];
    bool numbered =
        node->drawn_operands > 1 && !(hlo_info(node->instr)->flags & HLO_OP_IS_COMMUTATIVE);
    bool shaped = graph->options->edges == HLO_EDGE_SHAPE && hlo_shape_is_array(edge->def->shape);
    if (numbered) hlo_buf_printf(&labels->head, "%u", edge->number);
    if (numbered && shaped) hlo_buf_char(&labels->head, ' ');
    if (shaped) hlo_dot_shape(&labels->head, edge->def);
    hlo_dot_element(&labels->element, graph->selection, edge->def);
}

static double width_of(hlo_buf *text) {
    hlo_buf_char(text, 0);
    text->len--;
    return hlo_dot_text_extent(text->data).width * FONT / 1000.0;
}

/* In the first of a few lines that has space. */
static bool find_spot(hlo_dot_edge_labels *labels, const hlo_dot_graph *graph,
                      const hlo_dot_edge *edge, hlo_dot_spots *spots) {
    const hlo_dot_node *to = &graph->nodes.v[edge->to];
    double head = width_of(&labels->head), element = width_of(&labels->element);
    double between = head > 0 && element > 0 ? GAP : 0;
    double x = to->x + hlo_dot_end_of(graph, edge) + GAP, bottom = to->y - to->h / 2 - ABOVE;
    labels->head_x = x + head / 2;
    labels->element_x = x + head + between + element / 2;
    for (int line = 0; line < LINES; line++, bottom -= LINE) {
        hlo_dot_spot spot = {x, bottom - LINE, x + head + between + element, bottom};
        labels->y = bottom - LINE / 2.0;
        if (hlo_dot_take_spot(spots, &spot)) return true;
    }
    return false;
}

void hlo_dot_label_edge(hlo_dot_edge_labels *labels, const hlo_dot_graph *graph,
                        const hlo_dot_edge *edge, hlo_dot_spots *spots) {
    HLO_ASSERT(edge->kind == HLO_DOT_OPERAND);
    *labels = (hlo_dot_edge_labels){.head = HLO_BUF_INIT, .element = HLO_BUF_INIT};
    make_texts(labels, graph, edge);
    if (!graph->placed || (!labels->head.len && !labels->element.len)) return;
    if (!find_spot(labels, graph, edge, spots)) labels->head.len = labels->element.len = 0;
}

void hlo_dot_edge_labels_free(hlo_dot_edge_labels *labels) {
    hlo_buf_free(&labels->head);
    hlo_buf_free(&labels->element);
}
