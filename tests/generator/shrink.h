/* Making a module smaller that makes a command fail. */
#ifndef GENERATOR_SHRINK_H
#define GENERATOR_SHRINK_H

/* Prints the smallest module found for which `command FILE` still ends with another status than 0.
 * Exit status: 0; 1 when the command does not fail on the module itself. */
int shrink(const char *path, char *const *command);

#endif
