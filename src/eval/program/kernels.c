/* The tables of kernels: kernels.def, ref.def and the kernel column of ops.def. */
#include <assert.h>

#include "eval/program/plan.h"

#define HLO_KERNEL(name) extern const hlo_kernel hlo_kernel_##name;
#include "eval/program/kernels.def"
#undef HLO_KERNEL

/* kernels.def numbers the names of kernels, so that the table of opcodes finds them. */
enum {
#define HLO_KERNEL(name) KERNEL_##name,
#include "eval/program/kernels.def"
#undef HLO_KERNEL
    KERNEL_COUNT
};

static const hlo_kernel *const kernels[KERNEL_COUNT] = {
#define HLO_KERNEL(name) [KERNEL_##name] = &hlo_kernel_##name,
#include "eval/program/kernels.def"
#undef HLO_KERNEL
};

#define HLO_PLAIN(name) extern const hlo_kernel hlo_plain_##name;
#include "eval/program/ref.def"
#undef HLO_PLAIN

/* Of the reference engine; NULL: it runs the other engine's, which is plain already. */
static const hlo_kernel *const plain_kernels[KERNEL_COUNT] = {
#define HLO_PLAIN(name) [KERNEL_##name] = &hlo_plain_##name,
#include "eval/program/ref.def"
#undef HLO_PLAIN
};

static const uint8_t kernel_numbers[HLO_OP_COUNT] = {
#define HLO_OP(id, text, rule, kernel, ...) [HLO_OP_##id] = KERNEL_##kernel,
#include "ir/ops.def"
#undef HLO_OP
};
static_assert(KERNEL_COUNT <= 256, "a kernel's number fits a byte");

typedef hlo_instr *given_operand(const hlo_instr *instr, uint32_t operand);
#define HLO_KERNEL(name)
#define HLO_GIVEN(name) given_operand hlo_given_to_##name;
#include "eval/program/kernels.def"
#undef HLO_KERNEL

static given_operand *const given_operands[KERNEL_COUNT] = {
#define HLO_KERNEL(name)
#define HLO_GIVEN(name) [KERNEL_##name] = hlo_given_to_##name,
#include "eval/program/kernels.def"
#undef HLO_KERNEL
};

hlo_instr *hlo_operand_given(const hlo_instr *instr, hlo_engine engine, uint32_t i) {
    uint8_t number = kernel_numbers[instr->opcode];
    bool is_plain = engine == HLO_ENGINE_REFERENCE && plain_kernels[number];
    given_operand *given = is_plain ? NULL : given_operands[number];
    return given ? given(instr, i) : hlo_operand(instr, i);
}

const hlo_kernel *hlo_kernel_of(hlo_opcode opcode, hlo_engine engine) {
    HLO_ASSERT(opcode < sizeof kernel_numbers / sizeof *kernel_numbers);
    uint8_t number = kernel_numbers[opcode];
    const hlo_kernel *plain = engine == HLO_ENGINE_REFERENCE ? plain_kernels[number] : NULL;
    return plain ? plain : kernels[number];
}

const char *hlo_kernel_name(hlo_opcode opcode) {
    HLO_ASSERT(opcode < sizeof kernel_numbers / sizeof *kernel_numbers);
    static const char *const names[KERNEL_COUNT] = {
#define HLO_KERNEL(name) [KERNEL_##name] = #name,
#include "eval/program/kernels.def"
#undef HLO_KERNEL
    };
    return names[kernel_numbers[opcode]];
}
