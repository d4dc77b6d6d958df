/* Assertions of what only a mistake in this program can break: an index of a table, an owner, a
 * lock that a caller holds. What an input can break is an error with a diagnostic instead.
 *
 * They are part of the builds in build/debug, build/asan, build/tsan and build/fuzz (HLO_DEBUG). A
 * failing one writes file, line, function and condition to standard error and aborts. Elsewhere a
 * condition is compiled, so that it stays correct, but neither evaluated nor part of the program:
 * it must have no side effects. */
#ifndef HLO_BASE_ASSERT_H
#define HLO_BASE_ASSERT_H

#ifdef HLO_DEBUG
#undef NDEBUG
#include <assert.h>
#define HLO_ASSERT(condition) assert(condition)
#else
#define HLO_ASSERT(condition) ((void)(0 && (condition)))
#endif

/* Where control does not get to. The statement after it is for builds without assertions, which
 * must not lose what a function promises to return. */
#define HLO_UNREACHABLE() HLO_ASSERT(0)

/* For functions whose caller holds the mutex, which is not recursive: a thread holds it. */
#define HLO_ASSERT_LOCKED(mutex) HLO_ASSERT(pthread_mutex_trylock(mutex) != 0)

#endif
