/* Places of parts of instructions: see places.h. */
#include "ir/places.h"

static const hlo_locator *locator_of(const hlo_module *module) {
    return module->source ? module->locator : NULL;
}

hlo_span hlo_place_of_operand(const hlo_module *module, hlo_span name, uint32_t operand) {
    const hlo_locator *locator = locator_of(module);
    return locator ? locator->operand(module->source, name, operand) : name;
}

hlo_span hlo_place_of_shape(const hlo_module *module, hlo_span name) {
    const hlo_locator *locator = locator_of(module);
    return locator ? locator->shape(module->source, name) : name;
}

hlo_span hlo_place_of_attr(const hlo_module *module, hlo_span name, const hlo_attr *attr) {
    const hlo_locator *locator = locator_of(module);
    return locator && attr && attr->at ? locator->attr(module->source, name, attr) : name;
}

hlo_span hlo_place_of_header(const hlo_module *module, const hlo_attr *attr) {
    const hlo_locator *locator = locator_of(module);
    if (!locator || !attr || attr->at == 0) return (hlo_span){0, 0};
    return locator->header(module->source, attr);
}

static hlo_str text_of(const hlo_name *name) {
    return name ? (hlo_str){name->ptr, name->len, 0} : (hlo_str){0};
}

void hlo_place_finding(hlo_diags *diags, const hlo_computation *computation,
                       const hlo_name *instruction) {
    if (!diags->last) return;
    hlo_diags_place(diags, diags->last, text_of(computation ? computation->name : NULL),
                    text_of(instruction));
}
