/* Reports for other programs: a JSON object per line. */
#ifndef HLO_CMD_JSON_LINES_H
#define HLO_CMD_JSON_LINES_H

#include <hlo.h>

/* What all programs call the two forms of lists and reports. */
#define REPORT_FORMS "text|json"
enum { REPORT_TEXT, REPORT_JSON };

/* Zero but for `to` before the first line. */
typedef struct {
    hlo_output *to;
    bool has_member; /* the object or list that is open */
} json_lines;

/* `key` is NULL for what stands in a list, and for the object that is the line. */
void json_open(json_lines *json, const char *key, char bracket);
void json_close(json_lines *json, char bracket);
void json_end_line(json_lines *json);

void json_text(json_lines *json, const char *key, const char *text, size_t length);
void json_word(json_lines *json, const char *key, const char *word); /* ends with NUL */
void json_count(json_lines *json, const char *key, uint64_t count);
void json_double(json_lines *json, const char *key, double value); /* null when it is not finite */
void json_flag(json_lines *json, const char *key, bool flag);
/* A value that is JSON already. */
void json_raw(json_lines *json, const char *key, const char *value, size_t length);

#endif
