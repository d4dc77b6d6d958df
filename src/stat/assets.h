/* The parts of a page that are the same for all modules: made from page.html, page.css and sort.js
 * by tools/page-assets. */
#ifndef HLO_STAT_ASSETS_H
#define HLO_STAT_ASSETS_H

/* The text up to the tables, and what comes after them. */
extern const char *const hlo_stat_before_data, *const hlo_stat_after_data;

#endif
