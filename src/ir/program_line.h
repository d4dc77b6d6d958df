/* Where in the program of a framework, such as a Python file, an instruction comes from. */
#ifndef HLO_IR_PROGRAM_LINE_H
#define HLO_IR_PROGRAM_LINE_H

#include "ir/ir.h"

/* Texts without bytes and zeros where nothing is known. */
typedef struct {
    hlo_str file, function;
    int32_t line, end_line, column, end_column;
} hlo_program_line;

/* By the metadata's own source file, else by its stack frame: the innermost call. */
hlo_program_line hlo_instr_program_line(const hlo_instr *instr);

#endif
