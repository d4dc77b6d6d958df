/* Infeeds, outfeeds, sends and receives of a time before tokens. The infeeds of a computation get
 * one chain of tokens, in their order, and so do its outfeeds. */
#include "legacy/old_text.h"

/* Whose token comes next in a computation: the pair that an infeed is now, or an outfeed; NULL:
 * none yet. */
typedef struct {
    const char *infeed, *outfeed;
    uint32_t computation;
} chains;

static bool is_root(const hlo_old_statement *s) {
    return s->root.hi > s->root.lo;
}

static hlo_span name_span(const hlo_old_statement *s) {
    return (hlo_span){s->root.lo, s->name.hi};
}

/* Before the statement: a token of no side effect. Its name. */
static const char *add_token(hlo_old_text *t, const hlo_old_statement *s, const char *name) {
    hlo_old_insert(t, s->root.lo, "%%%s = token[] after-all()\n  ", name);
    return name;
}

/* The name of the statement, with space for `more` bytes after it. */
static char *copied_name(hlo_old_text *t, const hlo_old_statement *s, size_t more) {
    hlo_str name = hlo_old_name(t, s->name);
    char *copy = hlo_arena_alloc(&t->arena, name.len + more + 1);
    memcpy(copy, name.ptr, name.len);
    copy[name.len] = 0;
    return copy;
}

/* A name like that of the statement with `.what` after it. */
static const char *derived_name(hlo_old_text *t, const hlo_old_statement *s, const char *what) {
    char *base = copied_name(t, s, strlen(what) + 1);
    strcat(strcat(base, "."), what);
    return hlo_old_new_name(t, base);
}

/* `SHAPE` becomes an element of a pair with a token, which is called `pair`; the old name is that
 * of the element. */
static void make_pair(hlo_old_text *t, const hlo_old_statement *s, const char *pair) {
    hlo_old_edit(t, name_span(s), "%%%s", pair);
    hlo_old_edit(t, s->shape, "(%.*s, token[])", HLO_OLD(t, s->shape));
    hlo_old_insert(t, s->end, "\n  %s%.*s = %.*s get-tuple-element(%%%s), index=0",
                   is_root(s) ? "ROOT " : "", HLO_OLD(t, s->name), HLO_OLD(t, s->shape), pair);
}

/* ---- infeed ---- */

static void translate_infeed(hlo_old_text *t, const hlo_old_statement *s, chains *chain) {
    const char *pair = derived_name(t, s, "pair"), *token = derived_name(t, s, "token");
    hlo_old_found(t, s->opcode);
    if (chain->infeed)
        hlo_old_insert(t, s->root.lo, "%%%s = token[] get-tuple-element(%%%s), index=1\n  ", token,
                       chain->infeed);
    else add_token(t, s, token);
    make_pair(t, s, pair);
    hlo_old_edit(t, s->parens, "(%%%s)", token);
    chain->infeed = pair;
}

void hlo_old_empty_infeed(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        bool is_empty = s->shape.hi > s->shape.lo && t->text[s->shape.lo] == '(' &&
                        hlo_old_skip_blanks(t, s->shape.lo + 1) == s->shape.hi - 1;
        if (!is_empty || !hlo_old_is(t, s->opcode, "infeed") || s->operand_count) continue;
        const hlo_old_attr *config = hlo_old_attribute(t, s, "infeed_config");
        hlo_old_found(t, s->opcode);
        hlo_old_edit(t, s->opcode, "tuple");
        if (config) hlo_old_remove_attr(t, config);
    }
}

/* ---- outfeed ---- */

/* The name of the token: what was an empty tuple, or the shape of the data, is an empty tuple
 * beside it. */
static const char *return_token(hlo_old_text *t, const hlo_old_statement *s) {
    if (hlo_old_is(t, s->shape, "token[]")) return copied_name(t, s, 0);
    const char *token = derived_name(t, s, "sent");
    hlo_old_edit(t, name_span(s), "%%%s", token);
    hlo_old_edit(t, s->shape, "token[]");
    hlo_old_insert(t, s->end, "\n  %s%.*s = () tuple()", is_root(s) ? "ROOT " : "",
                   HLO_OLD(t, s->name));
    return token;
}

static void add_operand(hlo_old_text *t, const hlo_old_statement *s, const char *token) {
    hlo_old_insert(t, s->parens.hi - 1, s->operand_count ? ", %%%s" : "%%%s", token);
}

static void translate_outfeed(hlo_old_text *t, const hlo_old_statement *s, chains *chain) {
    hlo_old_found(t, s->opcode);
    if (!chain->outfeed) chain->outfeed = add_token(t, s, derived_name(t, s, "token"));
    add_operand(t, s, chain->outfeed);
    chain->outfeed = return_token(t, s);
}

/* ---- both ---- */

void hlo_old_transfer_tokens(hlo_old_text *t) {
    chains chain = {0};
    HLO_OLD_EACH(t, s) {
        if (chain.computation != s->computation) chain = (chains){.computation = s->computation};
        if (s->shape.hi == s->shape.lo) continue;
        bool infeed = hlo_old_is(t, s->opcode, "infeed") && s->operand_count == 0;
        bool outfeed = hlo_old_is(t, s->opcode, "outfeed") && s->operand_count == 1;
        if (infeed) translate_infeed(t, s, &chain);
        else if (outfeed) translate_outfeed(t, s, &chain);
    }
}

/* ---- send, recv ---- */

/* `(data, u32[])`: a context gets a token as its third part. */
static void translate_transfer(hlo_old_text *t, const hlo_old_statement *s) {
    hlo_old_found(t, s->opcode);
    add_operand(t, s, add_token(t, s, derived_name(t, s, "token")));
    hlo_old_insert(t, s->shape.hi - 1, ", token[]");
}

static bool is_transfer(const hlo_old_text *t, const hlo_old_statement *s) {
    if (t->text[s->shape.lo] != '(') return false;
    return (hlo_old_is(t, s->opcode, "send") && s->operand_count == 1) ||
           (hlo_old_is(t, s->opcode, "recv") && s->operand_count == 0);
}

static void translate_done(hlo_old_text *t, const hlo_old_statement *s) {
    hlo_span shape = s->operands[0].shape;
    if (shape.hi > shape.lo) hlo_old_remove(t, (hlo_span){shape.lo, s->operands[0].name.lo});
    if (hlo_old_is(t, s->opcode, "recv-done")) make_pair(t, s, derived_name(t, s, "pair"));
    else return_token(t, s);
}

static bool is_transfer_done(const hlo_old_text *t, const hlo_old_statement *s) {
    bool done = hlo_old_is(t, s->opcode, "recv-done") || hlo_old_is(t, s->opcode, "send-done");
    if (!done || s->operand_count != 1) return false;
    const hlo_old_statement *start = hlo_old_definition(t, s, 0);
    return start && is_transfer(t, start);
}

void hlo_old_channel_tokens(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        if (s->shape.hi == s->shape.lo) continue;
        if (is_transfer(t, s)) translate_transfer(t, s);
        else if (is_transfer_done(t, s)) translate_done(t, s);
    }
}
