/* What computes a module, and functions of custom calls. Part of hlo.h. */
#ifndef HLO_PUBLIC_ENGINE_H
#define HLO_PUBLIC_ENGINE_H

#include "diags.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which kernels compute operations. */
typedef enum {
    HLO_ENGINE_FAST,     /* tuned ones */
    HLO_ENGINE_REFERENCE /* plain ones, which follow the semantics element by element: the judge */
} hlo_engine;

/* What runs conditionals and loops. */
typedef enum {
    HLO_EXECUTOR_STRUCTURED, /* as they are; dataflow graphs always run as such */
    HLO_EXECUTOR_DATAFLOW    /* lowered to a dataflow graph: docs/dataflow.md */
} hlo_executor;

/* A function of the program for a target of custom calls, called as docs/running.md specifies for
 * functions in libraries: by the convention of the instruction's api_version. Runs that were shared
 * call it from several threads. */
typedef struct {
    const char *target;
    void (*function)(void);
} hlo_custom_call;

/* How a custom call of API_VERSION_STATUS_RETURNING or ..._UNIFIED reports failure: names and
 * meaning are XLA's, so that a library that was written for it finds them. The message is copied up
 * to its end or the first zero byte. */
typedef struct XlaCustomCallStatus_ XlaCustomCallStatus;
HLO_API void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus *status);
HLO_API void XlaCustomCallStatusSetFailure(XlaCustomCallStatus *status, const char *message,
                                           size_t message_len);

/* What the calling thread runs of a custom call's function, or another thread does, as messages
 * name it: for a handler of signals or of exit, when a function crashes or ends the program. NULL:
 * no such function runs. Async-signal-safe. */
HLO_API const char *hlo_foreign_call(void);

#ifdef __cplusplus
}
#endif
#endif
