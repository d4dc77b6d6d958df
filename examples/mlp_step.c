/* A training step: a linear layer with tanh, its squared error and one step down the gradient, run
 * again and again with the weights that it gave. */
#include "parse_text.h"

enum { SAMPLES = 4, INPUTS = 2, STEPS = 200 };

static const char text[] =
    "HloModule mlp_step\n"
    "add {\n"
    "  a = f32[] parameter(0)\n"
    "  b = f32[] parameter(1)\n"
    "  ROOT sum = f32[] add(a, b)\n"
    "}\n"
    "ENTRY step {\n"
    "  w = f32[2] parameter(0)\n"
    "  x = f32[4,2] parameter(1)\n"
    "  y = f32[4] parameter(2)\n"
    "  xw = f32[4] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  h = f32[4] tanh(xw)\n"
    "  e = f32[4] subtract(h, y)\n"
    "  ee = f32[4] multiply(e, e)\n"
    "  zero = f32[] constant(0)\n"
    "  loss = f32[] reduce(ee, zero), dimensions={0}, to_apply=add\n"
    "  hh = f32[4] multiply(h, h)\n"
    "  one = f32[] constant(1)\n"
    "  ones = f32[4] broadcast(one), dimensions={}\n"
    "  slope = f32[4] subtract(ones, hh)\n"
    "  g = f32[4] multiply(e, slope)\n"
    "  grad = f32[2] dot(g, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
    "  rate = f32[] constant(0.2)\n"
    "  rates = f32[2] broadcast(rate), dimensions={}\n"
    "  down = f32[2] multiply(grad, rates)\n"
    "  new = f32[2] subtract(w, down)\n"
    "  ROOT r = (f32[2], f32[]) tuple(new, loss)\n"
    "}\n";

static float w[INPUTS];
static const float x[SAMPLES][INPUTS] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
static const float y[SAMPLES] = {0.462117f, -0.761594f, -0.462117f, -0.905148f};

static hlo_status set_inputs(hlo_run *run, hlo_diags *diags) {
    const int64_t of_w[] = {INPUTS}, of_x[] = {SAMPLES, INPUTS}, of_y[] = {SAMPLES};
    const hlo_array arrays[] = {{HLO_TYPE_F32, 1, of_w, NULL, w},
                                {HLO_TYPE_F32, 2, of_x, NULL, x},
                                {HLO_TYPE_F32, 1, of_y, NULL, y}};
    hlo_status status = HLO_OK;
    for (uint32_t i = 0; i < 3 && status == HLO_OK; i++)
        status = hlo_run_set_input(run, 0, i, &arrays[i], diags);
    return status;
}

/* The weights are read where they stand: what is copied there is the next step's input. */
static hlo_status step(hlo_run *run, float *loss, hlo_diags *diags) {
    hlo_status status = hlo_run_execute(run, diags);
    if (status == HLO_OK) status = hlo_run_copy_output(run, 0, 0, w, NULL, sizeof w, diags);
    if (status == HLO_OK) status = hlo_run_copy_output(run, 0, 1, loss, NULL, sizeof *loss, diags);
    return status;
}

static void train(hlo_run *run, hlo_diags *diags) {
    float first = 0, loss = 0;
    hlo_status status = set_inputs(run, diags);
    for (int i = 0; i < STEPS && status == HLO_OK; i++) {
        status = step(run, &loss, diags);
        if (i == 0) first = loss;
    }
    if (status == HLO_OK) printf("loss %.3f -> %.3f, w = %.2f %.2f\n", first, loss, w[0], w[1]);
}

int main(void) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = parse_text(text, diags);
    hlo_run *run = NULL;
    if (module && hlo_run_prepare(module, NULL, diags, &run) == HLO_OK) train(run, diags);
    hlo_run_free(run);
    hlo_module_free(module);
    return report(diags);
}
