/* What a computation of one operation does, in a few words. */
#include "analysis/trivial.h"

enum { MOST_RESULTS = 4 }; /* of a tuple: more are no line to read */

/* ---- which are ---- */

static bool is_parameter(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_PARAMETER;
}

/* An operation that its name and its operands describe: a comparison, or one without attributes of
 * its own. */
static bool is_plain(const hlo_instr *instr) {
    hlo_op_class class = hlo_info(instr)->class;
    if (instr->opcode == HLO_OP_COMPARE) return true;
    if (class != HLO_CLASS_ELEMENTWISE && class != HLO_CLASS_TRANSCENDENTAL) return false;
    for (uint32_t i = 0; i < instr->attr_count; i++)
        if (hlo_attr_table[instr->attrs[i].id].place == HLO_PLACE_OWN) return false;
    return true;
}

static bool is_simple(const hlo_instr *instr) {
    if (is_parameter(instr)) return true;
    if (!is_plain(instr) || instr->operand_count > 2) return false;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (!is_parameter(hlo_operand(instr, i))) return false;
    return instr->operand_count > 0;
}

/* What the result needs, beside the parameters, is all that there is. */
bool hlo_is_trivial(const hlo_computation *c) {
    const hlo_instr *root = c->root;
    if (!root || c->parameter_count > 2 * MOST_RESULTS) return false;
    if (root->opcode != HLO_OP_TUPLE)
        return is_simple(root) && c->instr_count <= c->parameter_count + !is_parameter(root);
    if (!root->operand_count || root->operand_count > MOST_RESULTS) return false;
    for (uint32_t i = 0; i < root->operand_count; i++)
        if (!is_simple(hlo_operand(root, i))) return false;
    return c->instr_count <= c->parameter_count + root->operand_count + 1;
}

/* ---- words ---- */

typedef struct {
    hlo_buf *to;
    uint32_t values; /* on each side */
    bool in_turns;   /* a0, b0, a1, b1 */
} line;

static uint32_t number_of(const hlo_instr *parameter) {
    HLO_ASSERT(parameter->opcode == HLO_OP_PARAMETER);
    return (uint32_t)hlo_attr_int(parameter, HLO_ATTR_PARAMETER_NUMBER);
}

static void put_parameter(const line *l, const hlo_instr *parameter) {
    uint32_t number = number_of(parameter);
    bool second = l->in_turns ? number % 2 : number >= l->values;
    hlo_buf_char(l->to, second ? 'b' : 'a');
    if (l->values > 1)
        hlo_buf_printf(l->to, "%u", l->in_turns ? number / 2 : number - (second ? l->values : 0));
}

static void put_comparison(const line *l, const hlo_instr *compare) {
    HLO_ASSERT(compare->opcode == HLO_OP_COMPARE);
    static const struct {
        const char *direction, *sign;
    } signs[] = {{"EQ", "=="}, {"NE", "!="}, {"GE", ">="}, {"GT", ">"}, {"LE", "<="}, {"LT", "<"}};
    const hlo_attr *direction = hlo_instr_attr(compare, HLO_ATTR_DIRECTION);
    const char *word = direction ? hlo_word_text(HLO_WORDS_DIRECTION, direction->u.i) : NULL;
    put_parameter(l, hlo_operand(compare, 0));
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (word && strcmp(word, signs[i].direction) == 0)
            hlo_buf_printf(l->to, " %s ", signs[i].sign);
    put_parameter(l, hlo_operand(compare, 1));
    const hlo_attr *type = hlo_instr_attr(compare, HLO_ATTR_TYPE);
    word = type ? hlo_word_text(HLO_WORDS_COMPARE_TYPE, type->u.i) : NULL;
    if (word && strcmp(word, "TOTALORDER") == 0) hlo_buf_lit(l->to, " in total order");
}

/* Both sides in their order, or in any where it makes no difference: nothing to describe. */
static bool combines(const line *l, const hlo_instr *instr, uint32_t result) {
    if (instr->operand_count != 2 || l->in_turns) return false;
    uint32_t first = number_of(hlo_operand(instr, 0)), second = number_of(hlo_operand(instr, 1));
    if (first == result && second == l->values + result) return true;
    return (hlo_info(instr)->flags & HLO_OP_IS_COMMUTATIVE) && second == result &&
           first == l->values + result;
}

static void put_result(const line *l, const hlo_instr *instr, uint32_t result) {
    if (is_parameter(instr)) {
        put_parameter(l, instr);
        return;
    }
    if (instr->opcode == HLO_OP_COMPARE) {
        put_comparison(l, instr);
        return;
    }
    hlo_buf_cstr(l->to, hlo_info(instr)->text);
    if (combines(l, instr, result)) return;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        hlo_buf_cstr(l->to, i ? ", " : "(");
        put_parameter(l, hlo_operand(instr, i));
    }
    if (instr->operand_count) hlo_buf_char(l->to, ')');
}

void hlo_describe_trivial(hlo_buf *to, const hlo_instr *caller, const hlo_computation *c) {
    line l = {to, (c->parameter_count + 1) / 2, caller->opcode == HLO_OP_SORT};
    const hlo_instr *root = c->root;
    if (root->opcode != HLO_OP_TUPLE) {
        put_result(&l, root, 0);
        return;
    }
    for (uint32_t i = 0; i < root->operand_count; i++) {
        hlo_buf_cstr(to, i ? ", " : "(");
        put_result(&l, hlo_operand(root, i), i);
    }
    hlo_buf_char(to, ')');
}

const char *hlo_callee_role(const hlo_instr *caller, hlo_attr_id attr) {
    if (attr == HLO_ATTR_TO_APPLY) {
        if (caller->opcode == HLO_OP_SORT) return "comparator";
        if (caller->opcode == HLO_OP_SCATTER) return "update";
        if (caller->opcode == HLO_OP_MAP) return "function";
        if (caller->opcode != HLO_OP_CALL && caller->opcode != HLO_OP_CUSTOM_CALL) return "reducer";
    }
    return hlo_attr_table[attr].text;
}
