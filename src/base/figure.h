/* Figures as text for readers. For numbers from 0; the unit stands after a space. */
#ifndef HLO_BASE_FIGURE_H
#define HLO_BASE_FIGURE_H

#include "base/buf.h"

/* Three digits: 1.50, 15.0, 150. */
void hlo_put_digits(hlo_buf *to, double value);
/* 3.20 G */
void hlo_put_flops(hlo_buf *to, double value);
/* 1.50 MiB; 12 B */
void hlo_put_bytes(hlo_buf *to, double value);
/* 20.7 us */
void hlo_put_seconds(hlo_buf *to, double value);
/* 1,234,567 */
void hlo_put_count(hlo_buf *to, double value);

#endif
