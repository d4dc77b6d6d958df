/* Command lines from tables: one row per option drives parsing, --help, manual pages, completion
 * and the messages about wrong use. The options that all programs share are added here. */
#ifndef HLO_CMD_OPTIONS_H
#define HLO_CMD_OPTIONS_H

#include <hlo.h>

typedef enum {
    OPTION_FLAG,   /* --name                      bool *             */
    OPTION_SWITCH, /* --name and --no-name        hlo_switch *       */
    OPTION_TEXT,   /* --name=TEXT                 const char **      */
    OPTION_TEXTS,  /* the same any number of times  option_texts *   */
    OPTION_MAYBE,  /* --name or --name=TEXT       const char **: "" without */
    OPTION_NUMBER, /* --name=NUMBER               uint64_t *         */
    OPTION_SIZE,   /* --name=500M, in bytes       uint64_t *         */
    OPTION_CHOICE, /* --name=one of `choices`     int *: its place   */
} option_kind;

/* Added to the kind of what --help shows; --help-all shows everything. */
enum { OPTION_OFTEN = 0x100 };

/* The program frees v. */
typedef struct {
    const char **v;
    size_t count;
} option_texts;

typedef struct {
    const char *group; /* the heading in --help; rows of a group stand together */
    const char *name;  /* without dashes; NULL ends a table */
    char letter;       /* the short spelling, or 0 */
    int kind;          /* option_kind, and OPTION_OFTEN */
    void *value;
    /* What --help shows for the value; choices: "first|second|third". Words in capitals select
     * what completion offers: value_words.h has the table. */
    const char *argument;
    const char *help;
    uint64_t least, most; /* of a NUMBER or SIZE; most 0: no bound */
} option_row;

static inline option_kind option_kind_of(const option_row *o) {
    return (option_kind)(o->kind & ~OPTION_OFTEN);
}

/* What manual pages explain beside options: a variable of the environment that is not the default
 * of one, or a file; NULL ends a table. */
typedef struct {
    const char *name, *help;
} term_row;

struct value_words;

typedef struct {
    const char *name;
    const char *usage;   /* after the name: "[OPTION...] [MODULE]" */
    const char *purpose; /* a few sentences, with or without line breaks */
    const option_row *options;
    const char *examples;   /* lines; the first ones are in --help */
    bool takes_whole_files; /* has no --split-input-file */
    /* The following may be NULL. */
    const char *description;           /* paragraphs of the manual page, with blank lines between */
    const term_row *variables, *files; /* beside those of all programs */
    const struct value_words *words;   /* of values that only this program knows */
    const char *build;                 /* how it was built: lines of --version */
} program_info;

/* The options of every program, and the arguments. */
typedef struct {
    const char *output;  /* NULL: standard output */
    uint64_t max_errors; /* 20 unless it is given */
    bool limits_errors;  /* it is given */
    bool colour;         /* resolved: whether standard error gets colours */
    bool colours_output; /* and `output`, which a file never does */
    bool split_input;
    hlo_dialect dialect;      /* of the text */
    uint64_t unpack_bytes;    /* that a packed module may have; 0: the default */
    const char *input_shapes; /* of a program in StableHLO; NULL: not given */
    char **shape_files;       /* else the inputs that have them; NULL: none; NULL ends them */
    char **arguments;         /* what is not an option, in order; ends with NULL */
    int argument_count;
} common_options;

enum { OPTIONS_GO_ON = -1 };

/* Reads the command line into the values of the table and *common. Returns OPTIONS_GO_ON, or the
 * exit status with which the program ends now (after --help, --version or a message about wrong
 * use). */
int options_read(const program_info *program, int argc, char **argv, common_options *common);

/* Writes `PROGRAM: MESSAGE` and how to get help to standard error; returns exit status 2. */
int options_wrong_use(const program_info *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for a word that names none of `names`: with the nearest of them, if one is near. */
int options_unknown(const program_info *program, const char *what, const char *word,
                    const char *const *names, size_t count);
/* The same for the names of a table of the library. */
int options_unknown_row(const program_info *program, const char *what, const char *word,
                        bool row_at(size_t number, hlo_table_row *row));

/* The same for what is none of the choices "a|b|c" of the option --NAME. */
int options_unknown_choice(const program_info *program, const char *name, const char *choices,
                           const char *text);

/* Whether a shell asks for completions: options_read answers then, whatever else there is. */
bool options_completes(char *const *argv);

/* The variable of the environment that has the default of an option; false: none has. */
bool options_variable(const option_row *o, char *name, size_t capacity);
/* After a message about the value of the option --NAME, a TEXT: names the variable of the
 * environment that it is from, if it is from one. */
void options_note_variable(const program_info *program, const char *name, const char *value);

#endif
