/* A loop: parses a module, goes through its instructions, optimises it, prints it, and runs it. */
#include "parse_text.h"

static const char text[] =
    "HloModule fibonacci\n"
    "body {\n"
    "  s = (s32[], s64[], s64[]) parameter(0)\n"
    "  i = s32[] get-tuple-element(s), index=0\n"
    "  one = s32[] constant(1)\n"
    "  next = s32[] add(i, one)\n"
    "  a = s64[] get-tuple-element(s), index=1\n"
    "  b = s64[] get-tuple-element(s), index=2\n"
    "  c = s64[] add(a, b)\n"
    "  ROOT r = (s32[], s64[], s64[]) tuple(next, b, c)\n"
    "}\n"
    "cond {\n"
    "  s = (s32[], s64[], s64[]) parameter(0)\n"
    "  i = s32[] get-tuple-element(s), index=0\n"
    "  n = s32[] constant(50)\n"
    "  ROOT less = pred[] compare(i, n), direction=LT\n"
    "}\n"
    "ENTRY main {\n"
    "  zero = s32[] constant(0)\n"
    "  a = s64[] constant(0)\n"
    "  b = s64[] constant(1)\n"
    "  unused = s64[] negate(b)\n"
    "  start = (s32[], s64[], s64[]) tuple(zero, a, b)\n"
    "  loop = (s32[], s64[], s64[]) while(start), condition=cond, body=body\n"
    "  ROOT result = s64[] get-tuple-element(loop), index=1\n"
    "}\n";

static void list(const hlo_module *module) {
    const hlo_computation *c = hlo_module_first(module);
    for (; c; c = hlo_computation_next(c)) {
        hlo_text name = hlo_computation_name(c);
        printf("%.*s:", (int)name.len, name.text);
        const hlo_instr *i = hlo_computation_first(c);
        for (; i; i = hlo_instr_next(i)) printf(" %s", hlo_instr_opcode(i));
        printf("\n");
    }
}

static hlo_status optimise(hlo_module *module, hlo_diags *diags) {
    hlo_pipeline *passes;
    hlo_status status = hlo_pipeline_parse("passes", "fix(algsimp,cse,dce)", diags, &passes);
    if (status == HLO_OK) status = hlo_pipeline_execute(passes, module, diags, NULL);
    hlo_pipeline_free(passes);
    return status;
}

static void run(hlo_module *module, hlo_diags *diags) {
    hlo_run *run;
    hlo_array result;
    if (hlo_run_prepare(module, NULL, diags, &run) == HLO_OK &&
        hlo_run_execute(run, diags) == HLO_OK &&
        hlo_run_output(run, 0, 0, diags, &result) == HLO_OK)
        printf("the 50th number: %lld\n", (long long)*(const int64_t *)result.data);
    hlo_run_free(run);
}

int main(void) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = parse_text(text, diags);
    if (!hlo_diags_error_count(diags) && optimise(module, diags) == HLO_OK) {
        list(module);
        run(module, diags);
    }
    hlo_module_free(module);
    return report(diags);
}
