/* Allocations of the whole process, libraries included, counted and made to fail. */
#ifndef TESTS_FAULTS_ALLOCATOR_H
#define TESTS_FAULTS_ALLOCATOR_H

#include <stdbool.h>

/* The allocation of that number from now on fails, and no other; numbers are from 1.
 */
void faults_arm(long number);
/* How many there were since faults_arm; whether one of them failed goes to *failed. */
long faults_disarm(bool *failed);
/* Blocks that were allocated and not yet freed; freed ones are overwritten. */
long faults_live(void);

#endif
