/* Names made unique in the whole module by XLA's rule (docs/text-format.md, 8.1): a name is a root
 * and a number; a number that is taken becomes the next free one of its root. */
#include "base/list.h"
#include "base/text.h"
#include "ir/ir.h"

/* ---- root and number ---- */

typedef struct {
    hlo_str root;
    int64_t number;
    bool has_suffix;
} split_name;

/* Splits at the last '.' when it is followed by a decimal int64 and not at the start. */
static split_name split(const hlo_name *name) {
    split_name whole = {{name->ptr, name->len, 0}, 0, false};
    uint32_t at = hlo_final_digits((hlo_str){name->ptr, name->len, 0});
    uint32_t digits = at;
    bool negative = at && name->ptr[at - 1] == '-';
    if (negative) at--;
    if (digits == name->len || at < 2 || name->ptr[at - 1] != '.') return whole;
    int64_t number;
    if (!hlo_int_from_text((hlo_str){name->ptr + at, name->len - at, 0}, &number)) return whole;
    return (split_name){{name->ptr, at - 1, 0}, number, true};
}

hlo_name_form hlo_name_form_of(const hlo_name *name) {
    uint32_t at = hlo_final_digits((hlo_str){name->ptr, name->len, 0});
    if (at == name->len || at < 2) return HLO_NAME_PLAIN;
    if (name->ptr[at - 1] == '-')
        return name->ptr[at - 2] == '.' ? HLO_NAME_RESPELT : HLO_NAME_PLAIN;
    if (name->ptr[at - 1] != '.') return HLO_NAME_PLAIN;
    if (name->ptr[at] == '0') return name->len - at == 1 ? HLO_NAME_DOT_ZERO : HLO_NAME_RESPELT;
    return name->len - at < 19 ? HLO_NAME_PLAIN : HLO_NAME_RESPELT;
}

const char *hlo_name_quoted(hlo_arena *arena, const hlo_name *name) {
    char *text = hlo_arena_alloc(arena, (size_t)name->len + 3);
    memcpy(text + 1, name->ptr, name->len);
    text[0] = text[name->len + 1] = '\'';
    text[name->len + 2] = '\0';
    return text;
}

/* ---- the uniquifier ---- */

typedef struct {
    const hlo_name *root;
    int64_t number;
} taken_number;

/* Numbers from 0 on are taken one after the other most often: those below `next` of their root are
 * taken, and `taken` has the others. */
typedef struct hlo_uniquifier {
    hlo_module *module;
    HLO_LIST(taken_number) taken;
    hlo_hash by_hash;       /* numbers of those, from 1 */
    HLO_LIST(int64_t) next; /* per root, indexed by hlo_name.scope - 1 */
} uniquifier;

static int64_t *next_of(uniquifier *u, hlo_name *root) {
    /* `bound` and `scope` are this walk's scratch: bound == u marks scope as a root number. */
    if (root->bound != u) {
        hlo_list_push(&u->next, 0);
        root->bound = u;
        root->scope = u->next.n;
    }
    return &u->next.v[root->scope - 1];
}

/* False when the number was taken already. */
static bool take_number(uniquifier *u, hlo_name *root, int64_t number) {
    int64_t *next = next_of(u, root);
    if (number >= 0 && number < *next) return false;
    uint64_t hash = hlo_hash_pointer(root, (uint64_t)number);
    hlo_hash_each (row, &u->by_hash, hash)
        if (u->taken.v[row - 1].root == root && u->taken.v[row - 1].number == number) return false;
    if (number == *next) {
        ++*next;
        return true;
    }
    hlo_list_push(&u->taken, (taken_number){root, number});
    hlo_hash_add(&u->by_hash, hash, u->taken.n);
    return true;
}

static int64_t take_next_number(uniquifier *u, hlo_name *root) {
    int64_t *next = next_of(u, root), number = *next;
    while (!take_number(u, root, number)) number = ++*next;
    return number;
}

static hlo_name *join(hlo_module *module, hlo_name *root, int64_t number) {
    enum { SHORT = 100, MOST_DIGITS = 20 };
    if (root->len <= SHORT && number >= 0) {
        char name[SHORT + 1 + MOST_DIGITS], *end = name + sizeof name, *at = end;
        do *--at = (char)('0' + number % 10);
        while (number /= 10);
        *--at = '.';
        at -= root->len;
        memcpy(at, root->ptr, root->len);
        return hlo_module_intern_copy(module, (hlo_str){at, (uint32_t)(end - at), 0});
    }
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_bytes(&text, root->ptr, root->len);
    hlo_buf_char(&text, '.');
    hlo_buf_int(&text, number);
    hlo_name *name = hlo_module_intern_copy(module, (hlo_str){text.data, (uint32_t)text.len, 0});
    hlo_buf_free(&text);
    return name;
}

static hlo_name *unique(uniquifier *u, hlo_name *wanted) {
    split_name parts = split(wanted);
    hlo_name *root = parts.has_suffix ? hlo_module_intern(u->module, parts.root) : wanted;
    int64_t number = parts.number;
    if (!take_number(u, root, number)) number = take_next_number(u, root);
    if (number == 0 && !parts.has_suffix) return root;
    return join(u->module, root, number);
}

static void free_uniquifier(uniquifier *u) {
    hlo_list_free(&u->taken);
    hlo_hash_free(&u->by_hash);
    hlo_list_free(&u->next);
}

hlo_uniquifier *hlo_uniquifier_new(hlo_module *module) {
    hlo_uniquifier *u = hlo_calloc(1, sizeof *u);
    u->module = module;
    return u;
}

hlo_name *hlo_unique_name(hlo_uniquifier *u, hlo_name *wanted) {
    return unique(u, wanted);
}

hlo_name *hlo_take_name(hlo_uniquifier *u, hlo_name *wanted) {
    split_name parts = split(wanted);
    hlo_name *root = parts.has_suffix ? hlo_module_intern(u->module, parts.root) : wanted;
    if (!take_number(u, root, parts.number)) (void)take_next_number(u, root);
    return root;
}

hlo_name *hlo_next_name(hlo_uniquifier *u, hlo_name *root) {
    return join(u->module, root, take_next_number(u, root));
}

void hlo_uniquifier_free(hlo_uniquifier *u) {
    if (!u) return;
    free_uniquifier(u);
    hlo_free(u);
}

/* ---- the two name spaces ---- */

static bool computations_need_it(hlo_module *module) {
    bool needed = false;
    for (hlo_computation *c = module->first; c; c = c->next) {
        hlo_name *name = c->name;
        needed |= name->bound == module || hlo_name_form_of(name) != HLO_NAME_PLAIN;
        name->bound = module;
    }
    for (hlo_computation *c = module->first; c; c = c->next) c->name->bound = NULL;
    return needed;
}

static void count(hlo_name *name, uint32_t more) {
    name->uses += more;
}

void hlo_count_names(hlo_module *module) {
    for (hlo_computation *c = module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) i->name->uses = 0;
    for (hlo_computation *c = module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) count(i->name, 1);
}

void hlo_instr_take_name(hlo_instr *instr, hlo_name *name) {
    HLO_ASSERT(instr->name->uses > 0);
    count(instr->name, UINT32_MAX); /* one less */
    count(name, 1);
    instr->name = name;
}

void hlo_uniquify_names(hlo_module *module) {
    if (computations_need_it(module)) {
        uniquifier u = {.module = module};
        hlo_module_forget_scratch(module);
        for (hlo_computation *c = module->first; c; c = c->next) c->name = unique(&u, c->name);
        free_uniquifier(&u);
    }
    if (!module->names_are_unique) {
        uniquifier u = {.module = module};
        hlo_module_forget_scratch(module);
        for (hlo_computation *c = module->first; c; c = c->next)
            for (hlo_instr *i = c->first; i; i = i->next) i->name = unique(&u, i->name);
        free_uniquifier(&u);
        hlo_module_forget_scratch(module);
        hlo_count_names(module);
    }
}

/* `base`, or `base.N`. Copies of a name are numbered one after the other, so that halving finds the
 * end of the taken numbers; a gap among them may be found instead, which is as free. */
hlo_name *hlo_fresh_name(hlo_module *module, const char *base) {
    hlo_name *name = hlo_module_intern_copy(module, hlo_str_from(base));
    if (!name->uses) return name;
    split_name parts = split(name);
    hlo_name *root = parts.has_suffix ? hlo_module_intern(module, parts.root) : name;
    int64_t taken = 0, free_one = 1;
    while (join(module, root, free_one)->uses) {
        taken = free_one;
        free_one *= 2;
    }
    while (free_one - taken > 1) {
        int64_t middle = taken + (free_one - taken) / 2;
        *(join(module, root, middle)->uses ? &taken : &free_one) = middle;
    }
    return join(module, root, free_one);
}

hlo_name *hlo_take_fresh_name(hlo_module *module, const char *base) {
    hlo_name *name = hlo_fresh_name(module, base);
    count(name, 1);
    return name;
}

hlo_instr *hlo_parameter_new(hlo_computation *computation, const hlo_shape *shape, const char *base,
                             int64_t number) {
    hlo_attr attr = {.id = HLO_ATTR_PARAMETER_NUMBER, .u.i = number};
    return hlo_instr_new(computation, HLO_OP_PARAMETER, shape,
                         hlo_take_fresh_name(computation->module, base), NULL, 0, &attr, 1);
}
