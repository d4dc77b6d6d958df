/* The values of options that completion knows, by the word in capitals that the table of an option
 * has as its argument. Programs whose values need more of the library have a separate table
 * (program_info). */
#ifndef HLO_CMD_VALUE_WORDS_H
#define HLO_CMD_VALUE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* A question, and as much of the answer as there is. */
typedef struct {
    char *const *arguments; /* of the command line, before the last */
    int argument_count;
    const char *last; /* the argument that is being typed */
    const char *at;   /* where in it the candidates begin */
    const char *kind; /* completion.h */
    bool has_begun;
} completion;

typedef struct value_words {
    const char *word;             /* "PASSES"; NULL ends a table */
    void (*offer)(completion *c); /* offers what begins like the text at c->at */
} value_words;

/* FILE, DIR, RULE and others that every program knows. */
extern const value_words shared_value_words[];
/* Lists and names of passes, and pipelines: for programs that have them. */
extern const value_words pass_value_words[];

/* One candidate, when it begins like the text at c->at; `about` may be NULL. */
void completion_offer(completion *c, const char *name, const char *about);
/* c->at moves past the last comma: candidates are members of a list. */
void completion_member(completion *c);

#endif
