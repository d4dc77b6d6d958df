/* Modules as the public interface describes and prints them. */
#include <hlo.h>

#include "analysis/module_hash.h"
#include "host/output.h"
#include "ir/losses.h"

const char *hlo_version(void) {
    return HLO_VERSION;
}

hlo_module_facts hlo_module_describe(const hlo_module *module) {
    if (!module) return (hlo_module_facts){"", 0, 0, 0, 0};
    hlo_module_facts facts = {module->name.ptr, module->name.len, module->computation_count, 0,
                              module->arena.bytes};
    for (const hlo_computation *c = module->first; c; c = c->next)
        facts.instructions += c->instr_count;
    return facts;
}

bool hlo_module_has_result(const hlo_module *module) {
    return module && module->recording && module->recording->result;
}

bool hlo_module_has_recording(const hlo_module *module) {
    return module && module->recording;
}

bool hlo_module_minus_zero(const hlo_module *module, uint32_t *line, uint32_t *column) {
    if (!module || !line || !column || !module->minus_zeros.count || !module->source) return false;
    hlo_span at = module->minus_zeros.first;
    hlo_source *written = hlo_source_written(module->source, &at);
    const hlo_position position = hlo_source_position(written, at.lo);
    *line = position.line;
    *column = position.column;
    return true;
}

hlo_status hlo_module_hash(hlo_module *module, char hash[HLO_HASH_SIZE], hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, module);
    HLO_REQUIRE(diags, hash);
    if (!hlo_module_is_usable(module, diags)) return HLO_BAD_USE;
    hlo_hash128 h = hlo_module_hash_of(module);
    snprintf(hash, HLO_HASH_SIZE, "%016llx%016llx", (unsigned long long)h.high,
             (unsigned long long)h.low);
    return HLO_OK;
}

void hlo_module_forget_extras(hlo_module *module, hlo_diags *diags) {
    if (!module || !diags) return;
    HLO_API_CALL(diags) return;
    for (const hlo_unkept *u = module->unkept; u; u = u->next)
        hlo_warning(diags, HLO_RULE_MESSAGE, module->source, u->at, "%.*s is dropped",
                    (int)u->what.len, u->what.ptr);
    module->unkept = NULL;
    if (!module->recording) return;
    hlo_warning(diags, HLO_RULE_MESSAGE, NULL, (hlo_span){0},
                "the recorded arguments and result of module %.*s are dropped",
                (int)(module->name.len < 80 ? module->name.len : 80), module->name.ptr);
    module->recording = NULL;
}

static void apply(hlo_switch from, bool *to) {
    if (from != HLO_BY_STYLE) *to = from == HLO_ON;
}

static const hlo_print_options *const styles[] = {
    [HLO_STYLE_DEFAULT] = &hlo_print_default,
    [HLO_STYLE_SHORT] = &hlo_print_short,
    [HLO_STYLE_CANONICAL] = &hlo_print_canonical,
    [HLO_STYLE_FINGERPRINT] = &hlo_print_fingerprint,
};

hlo_status hlo_write_text(hlo_module *module, const hlo_text_options *options, hlo_output *output,
                          hlo_diags *diags) {
    HLO_API_CALL(diags) return hlo_output_lost(output);
    HLO_REQUIRE(diags, module);
    HLO_REQUIRE(diags, output);
    if (!hlo_module_is_usable(module, diags)) return HLO_BAD_USE;
    hlo_text_options how = HLO_TEXT_OPTIONS_INIT;
    if (hlo_take_options(options, &how, sizeof how, diags) != HLO_OK) return HLO_BAD_USE;
    if (how.style > HLO_STYLE_FINGERPRINT)
        return hlo_misuse(diags, "unknown style of text %d", (int)how.style);
    hlo_print_options print = *styles[how.style];
    apply(how.metadata, &print.metadata);
    apply(how.backend_config, &print.backend_config);
    apply(how.large_constants, &print.large_constants);
    apply(how.operand_shapes, &print.operand_shapes);
    apply(how.percent, &print.percent);
    apply(how.layouts, &print.result_layouts);
    apply(how.control_predecessors, &print.control_predecessors);
    apply(how.compact_gte, &print.compact_gte);
    apply(how.exact_literals, &print.exact_literals);
    if (how.large_constants == HLO_OFF) print.made_constants = false;
    apply(how.made_constants, &print.made_constants);
    hlo_warn_of_losses(module, &print, diags);
    hlo_module_print(module, &print, &output->buf);
    return HLO_OK;
}
