/* The parts of a page that are the same for all modules: made from page.html, page.css and the
 * scripts of this directory by tools/page-assets. */
#ifndef HLO_GRAPH_HTML_ASSETS_H
#define HLO_GRAPH_HTML_ASSETS_H

/* The text up to the data, and what comes after them. */
extern const char *const hlo_page_before_data, *const hlo_page_after_data;

#endif
