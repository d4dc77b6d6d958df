/* Running kernels of the old form: see eval.h. Called through the kernel table. */
#include "eval/eval.h"

/* Scalar programs of all called computations that can have one: the kernel asks when it runs. */
bool hlo_prepare_old_kernel(hlo_preparation *p) {
    hlo_computation *called;
    for (uint32_t k = 0; (called = hlo_called(p->instr, k)); k++)
        hlo_making_scalar(p->making, called);
    p->result = HLO_RESULT_CALL;
    return true;
}

bool hlo_run_old_kernel(hlo_call *call, hlo_old_kernel *kernel) {
    hlo_thread *thread = call->thread;
    hlo_call *before = thread->call;
    thread->call = call;
    call->out = kernel(thread, call->instr, call->in);
    thread->call = before;
    return call->out;
}

hlo_module *hlo_eval_module(hlo_eval *eval) {
    return eval->program->module;
}

void hlo_eval_lock_module(hlo_eval *eval) {
    pthread_mutex_lock(&eval->program->making->module_lock);
}

void hlo_eval_unlock_module(hlo_eval *eval) {
    pthread_mutex_unlock(&eval->program->making->module_lock);
}

const hlo_scalar_program *hlo_scalar_compile(hlo_eval *eval, const hlo_instr *user,
                                             hlo_computation *computation) {
    const hlo_making *making = eval->program->making;
    const hlo_scalar_program *program = making->scalars ? making->scalars[computation->id] : NULL;
    if (program) return program;
    hlo_eval_error(eval, user, "calls '%.*s', whose parameters and result have to be scalars",
                   (int)computation->name->len, computation->name->ptr);
    return NULL;
}
