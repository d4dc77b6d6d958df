/* Completion of passes, their options and pipelines: apart from value_words.c, since programs that
 * have no passes are linked without them. */
#include <stdio.h>
#include <string.h>

#include "value_words.h"

#include <hlo.h>

enum { NAME_BYTES = 128 };

static size_t place_of_pass(const char *text, size_t length, hlo_table_row *row) {
    const char *name = hlo_pass_name(text, length);
    size_t i = 0;
    while (name && hlo_pass_row(i, row) && strcmp(row->name, name) != 0) i++;
    return name ? i : SIZE_MAX;
}

/* With an opening brace once the name is there in full, where the pass has options. */
static void offer_passes(completion *c) {
    hlo_table_row row, option;
    char name[NAME_BYTES];
    for (size_t i = 0; hlo_pass_row(i, &row); i++) {
        completion_offer(c, row.name, row.description);
        if (strcmp(row.name, c->at) != 0 || !hlo_pass_option_row(i, 0, &option)) continue;
        snprintf(name, sizeof name, "%s{", row.name);
        completion_offer(c, name, "with options");
    }
}

static void offer_with_equals(completion *c, const hlo_table_row *row) {
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%s=", row->name);
    completion_offer(c, name, row->description);
}

/* Options of the pass, and its rewrites, which are switched by name. */
static void offer_pass_options(completion *c, const char *pass, size_t length) {
    hlo_table_row found, row;
    size_t place = place_of_pass(pass, length, &found);
    if (place == SIZE_MAX) return;
    for (size_t k = 0; hlo_pass_option_row(place, k, &row); k++) offer_with_equals(c, &row);
    for (size_t k = 0; hlo_rewrite_row(k, &row); k++)
        if (strcmp(row.group, found.name) == 0) offer_with_equals(c, &row);
}

/* Where the last word of a list begins, and what stands around it. */
typedef struct {
    const char *word, *pass; /* pass: whose options these are, or NULL */
    size_t pass_length;
    bool is_value;
} list_place;

static list_place place_in_list(const char *list) {
    list_place place = {.word = list};
    for (const char *at = list; *at; at++) {
        if (*at == '{') {
            place.pass = place.word;
            place.pass_length = (size_t)(at - place.word);
        } else if (*at == '}') {
            place.pass = NULL;
        }
        if (!strchr(",(){}=", *at)) continue;
        place.is_value = *at == '=';
        place.word = at + 1;
    }
    return place;
}

static void offer_list(completion *c) {
    list_place place = place_in_list(c->at);
    c->at = place.word;
    c->kind = "open";
    if (place.is_value) {
        completion_offer(c, "true", NULL);
        completion_offer(c, "false", NULL);
    } else if (place.pass) {
        offer_pass_options(c, place.pass, place.pass_length);
    } else {
        offer_passes(c);
        completion_offer(c, "fix(", "repeats passes until none changes the module");
    }
}

/* Of lists without options. */
static void offer_names(completion *c) {
    completion_member(c);
    completion_offer(c, "all", "every pass");
    offer_passes(c);
}

static void offer_pipelines(completion *c) {
    hlo_table_row row;
    for (size_t i = 0; hlo_pipeline_row(i, &row); i++)
        completion_offer(c, row.name, row.description);
}

static void offer_pass(completion *c) {
    hlo_table_row row;
    for (size_t i = 0; hlo_pass_row(i, &row); i++) completion_offer(c, row.name, row.description);
}

const value_words pass_value_words[] = {
    {"PASSES", offer_list},
    {"PASS,...", offer_names},
    {"PASS", offer_pass},
    {"PIPELINE", offer_pipelines},
    {0},
};
