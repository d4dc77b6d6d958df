/* Drawing, for the public interface. */
#include "api/drawing.h"

#include <hlo.h>

#include "graph/html/page.h"
#include "host/output.h"

uint32_t *hlo_graph_number(hlo_module *module, uint32_t *total) {
    uint32_t *base = hlo_calloc(module->next_id + 1u, sizeof *base);
    *total = 0;
    for (hlo_computation *c = module->first; c; c = c->next) {
        uint32_t place = 0;
        base[c->id] = *total;
        for (hlo_instr *i = c->first; i; i = i->next) i->index = place++;
        *total += place;
    }
    return base;
}

static bool is_page(const hlo_graph_options *how) {
    return how->format && strcmp(how->format, "html") == 0;
}

/* ---- what is drawn besides the module ---- */

static hlo_status prepare(hlo_dot_extras *extras, hlo_module *module, const hlo_graph_options *how,
                          hlo_diags *diags) {
    bool timed = how->colour == HLO_COLOUR_TIME, compared = how->colour == HLO_COLOUR_DIFF;
    bool any = is_page(how); /* its reader chooses the colours */
    if (any ? timed && !how->profile : timed != !!how->profile)
        return hlo_misuse(diags, "colours by time require a profile, and a profile requires them");
    if (any ? compared && !how->other : compared != !!how->other)
        return hlo_misuse(
            diags,
            "colours by difference require another module, and another module requires them");
    if (how->other && !hlo_module_is_usable(how->other, diags)) return HLO_BAD_USE;
    hlo_status status = HLO_OK;
    if (how->other) status = hlo_graph_compare(extras, module, how->other, diags);
    if (status == HLO_OK && how->profile)
        status = hlo_graph_read_profile(extras, module, how->profile, diags);
    return status;
}

static void forget(hlo_dot_extras *extras) {
    for (uint32_t i = 0; i < extras->compared; i++) hlo_free(extras->differences[i]);
    hlo_free(extras->differences);
    hlo_free(extras->header_differences);
    hlo_free(extras->before);
    hlo_free(extras->counterparts);
    for (uint32_t i = 0; extras->seconds && extras->seconds[i]; i++) hlo_free(extras->seconds[i]);
    hlo_free(extras->seconds);
    hlo_free(extras->changes);
    hlo_free(extras->lone);
    hlo_free(extras->lone_edges);
}

static hlo_status draw(hlo_module *module, const hlo_graph_options *how, hlo_diags *diags,
                       hlo_buf *out) {
    hlo_dot_extras extras = {0};
    hlo_status status = prepare(&extras, module, how, diags);
    if (status == HLO_OK && is_page(how)) status = hlo_page(module, how, &extras, diags, out);
    else if (status == HLO_OK) status = hlo_dot(module, how, &extras, diags, out);
    forget(&extras);
    return status;
}

hlo_status hlo_write_graph(hlo_module *module, const hlo_graph_options *options, hlo_output *output,
                           hlo_diags *diags) {
    HLO_API_CALL(diags) return hlo_output_lost(output);
    HLO_REQUIRE(diags, module);
    HLO_REQUIRE(diags, output);
    if (!hlo_module_is_usable(module, diags)) return HLO_BAD_USE;
    hlo_graph_options how = HLO_GRAPH_OPTIONS_INIT;
    if (hlo_take_options(options, &how, sizeof how, diags) != HLO_OK) return HLO_BAD_USE;
    if (!how.format || strcmp(how.format, "dot") == 0 || is_page(&how))
        return draw(module, &how, diags, &output->buf);
    hlo_buf text = HLO_BUF_INIT;
    hlo_status status = draw(module, &how, diags, &text);
    if (status == HLO_OK)
        status = hlo_dot_render(text.data, text.len, how.format, &output->buf, diags);
    hlo_buf_free(&text);
    return status;
}
