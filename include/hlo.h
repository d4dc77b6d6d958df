/* The public interface of libhlo: read, check, rewrite, print, draw and run HLO modules.
 *
 * Rules that hold for every function here
 * - A function that can fail takes an hlo_diags, writes what went wrong there, and returns an
 *   hlo_status. The library itself prints nothing and never ends the process.
 * - When the system has no memory left, the call is undone: it returns HLO_BAD_SYSTEM with one more
 *   error, "out of memory" (a function without hlo_status: NULL, or as its comment states), and all
 *   that it allocated is freed. Objects that were there before can be used as before, but for the
 *   module that a pipeline was changing, which can only be freed: other functions then return
 *   HLO_BAD_USE. An output that a call was writing to is incomplete, which hlo_output_commit
 *   reports. A run keeps its inputs and has no result.
 * - Arguments may not be NULL unless a comment defines the meaning. NULL, a number that does not
 *   exist and a call before what it needs are HLO_BAD_USE with a diagnostic (NULL for the hlo_diags
 *   too, without one). Functions that return no status do nothing then, and return NULL, 0 or
 *   false.
 * - Out-pointers come last and are set to NULL (or zero) on failure.
 * - What a function ..._create, ..._open, ..._parse, ..._prepare or ..._read_... makes is the
 *   caller's, who frees it with the ..._free of its type, which takes NULL.
 * - Strings are NUL-terminated unless a length stands beside them. No function keeps a pointer to
 *   an argument unless its comment states that.
 * - Different modules may be used from different threads at the same time; one module, with what
 *   was made from it and the source that it was read from, by one thread at a time.
 * - Option structs begin with their size, so that later releases can add members: start from their
 *   HLO_..._INIT. Members that the library does not know are ignored, members that the caller does
 *   not know have their defaults. A NULL in their place means the defaults.
 *
 * C11; also compiles as C++17. */
#ifndef HLO_H
#define HLO_H

#include "hlo/cost.h"
#include "hlo/diags.h"
#include "hlo/diff.h"
#include "hlo/engine.h"
#include "hlo/fill.h"
#include "hlo/graph.h"
#include "hlo/lint.h"
#include "hlo/module.h"
#include "hlo/numbers.h"
#include "hlo/output.h"
#include "hlo/passes.h"
#include "hlo/reduce.h"
#include "hlo/run.h"
#include "hlo/source.h"
#include "hlo/stats.h"
#include "hlo/tables.h"
#include "hlo/text.h"
#include "hlo/types.h"
#include "hlo/verify.h"
#include "hlo/version.h"
#include "hlo/world.h"

#endif
