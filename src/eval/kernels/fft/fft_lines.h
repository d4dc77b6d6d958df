/* Stages of Fourier transforms: lines of one length, wherever they are in an array, are read,
 * transformed and written. */
#ifndef HLO_EVAL_KERNELS_FFT_FFT_LINES_H
#define HLO_EVAL_KERNELS_FFT_FFT_LINES_H

#include "eval/kernel/work_memory.h"
#include "eval/kernels/fft/fft_plan.h"

/* What lines are in memory. Those of an even number of real numbers are half as many complex ones,
 * and their spectra one more than these. */
typedef enum {
    HLO_FFT_COMPLEX,
    HLO_FFT_FROM_HALVES,
    HLO_FFT_TO_HALVES,
    HLO_FFT_FROM_REAL,
    HLO_FFT_TO_REAL
} hlo_fft_form;

/* Line i of batch b begins at b * batch + i * line. In numbers; of real lines in elements. */
typedef struct {
    hlo_type type; /* C64 or C128; F32 or F64 */
    int64_t batch, line, number;
} hlo_fft_place;

typedef struct {
    const hlo_fft_arithmetic *arithmetic; /* of all stages */
    const hlo_fft_plan *plan;
    int64_t n, lanes; /* numbers that are transformed of a line, lines at a time */
    int64_t batches, lines;
    hlo_fft_form form;
    hlo_fft_place from, to;
    hlo_fft_numbers turns;      /* of halves */
    const hlo_fft_twist *twist; /* NULL: none */
    bool inverse;
} hlo_fft_stage;

/* Fills in what follows from the stage's other members: plan, lanes, turns. */
void hlo_fft_prepare_stage(hlo_arena *arena, hlo_fft_stage *stage);
/* For lines that are columns of an array with n rows, each column a line of `stage`, when all rows
 * together are one line of n * lines numbers. */
const hlo_fft_twist *hlo_fft_twist_new(hlo_arena *arena, const hlo_fft_arithmetic *arithmetic,
                                       int64_t n, int64_t lines);
/* Memory for a piece, and whether there is only one. */
size_t hlo_fft_work_bytes(const hlo_fft_stage *stage);
bool hlo_fft_is_one_piece(const hlo_fft_stage *stage);
void hlo_fft_run_stage(const hlo_call *call, const hlo_fft_stage *stage,
                       const hlo_work_memory *work, const void *from, void *to);

#endif
