/* The grammar of MLIR text, as far as programs for XLA are written in it. Actions only call src/mlir.
 * Operations whose form is a row of words in src/mlir/ops.def share one production, op_plain: their
 * items are read as they stand and compared with the row afterwards. */
%require "3.8"
%define api.pure full
%define api.prefix {hlo_mlir_yy}
%define api.token.prefix {T_}
%define api.location.type {hlo_span}
%define parse.error custom
%define lr.type ielr
%define lr.default-reduction consistent
%locations
%expect 0
%param {hlo_mlir_parser *p}

%code requires {
#include "mlir/parser.h"
#define YYLLOC_DEFAULT(current, rhs, n)                        \
    do {                                                       \
        if (n) {                                               \
            (current).lo = YYRHSLOC(rhs, 1).lo;                \
            (current).hi = YYRHSLOC(rhs, n).hi;                \
        } else {                                               \
            (current).lo = (current).hi = YYRHSLOC(rhs, 0).hi; \
        }                                                      \
    } while (0)
}

%code {
#include "mlir/line.h"
#include "mlir/syntax_error.h"

static int hlo_mlir_yylex(HLO_MLIR_YYSTYPE *value, hlo_span *at, hlo_mlir_parser *p) {
    int token = hlo_mlir_scan(value, at, p);
    p->token_at = *at;
    return token;
}

#define YYMAXDEPTH 200000

/* Only when the parser's stack is full: syntax errors have their own report. */
static void hlo_mlir_yyerror(hlo_span *at, hlo_mlir_parser *p, const char *message) {
    (void)message;
    hlo_mlir_error(p, HLO_RULE_NESTING, *at, "the text nests too deep");
}

/* After an action that reports errors. */
#define STOP_IF_FAILED \
    if (p->failed) YYABORT
}

%union {
    hlo_str text;
    int64_t i;
    double f;
    uint32_t base;
    const hlo_mlir_type *type;
    const hlo_mlir_attr *attr;
    const hlo_mlir_location *location;
    hlo_mlir_result_name result;
    hlo_mlir_signature types;
}

%token END 0 "the end of the text"
%token <result> DEF "a result with '='"
%token <result> RESULT "a result"
%token LINE "a statement"
%token <text> VALUE "a value" LABEL "a block label" SYMBOL "a symbol" STRING "a string"
%token <text> OP_STRING "an operation in quotes" HASH "an attribute that begins with '#'" HASH_OPEN "an attribute with '<'" RULE "a sharding rule" ALIAS_DEF "an alias with '='" TYPE_ALIAS_DEF "a type alias with '='"
%token <text> LOC_ALIAS "a location" FILE_METADATA "metadata of the file"
%token <text> DENSE "'dense<...>'" RESOURCE "'dense_resource<...>'" MAP "an affine map"
%token <attr> ARRAY "'array<...>'"
%token <type> TYPE "a type"
%token <i> INT "a number" HEX "a hexadecimal number"
%token <f> DECIMAL "a decimal number"
%token ARROW "'->'" COLONS "'::'"
%token <text> WORD "a word" DOTTED "a name with a dot" X "'x'" TRUE "'true'" FALSE "'false'" UNIT "'unit'"
%token <text> ATTRIBUTES "'attributes'" COND "'cond'" DO "'do'" INIT "'init'" APPLIES "'applies'" ACROSS "'across'" REDUCER "'reducer'"
%token <text> UNKNOWN "'unknown'" CALLSITE "'callsite'" FUSED "'fused'" AT "'at'" TO "'to'" LOC "'loc'"
%token <text> OP_PLAIN "an operation" OP_CONSTANT "a constant" OP_FUNCTION "'func.func'" OP_MANUAL "'sdy.manual_computation'"
%token <text> OP_MODULE "'module'" OP_REDUCE "'stablehlo.reduce'" OP_SCAN "'mhlo.scan' or 'chlo.scan'" OP_WHILE "'stablehlo.while'"

%type <text> word plain_word key symbol op_name
%type <attr> value attribute plain_attribute list braces constant_value number dict dict_opt attributes_opt
%type <attr> keyed_value plain_keyed_value list_value
%type <location> location location_body location_opt parenthesised
%type <types> signature signature_opt types_after_colon function_type
%type <base> items locations function_results type_list types_in_parens results result_of_attribute mark

%%

file:
  file_items END { hlo_mlir_end_file(p); STOP_IF_FAILED; }
;

file_items:
  %empty
| file_items statement
| file_items alias
| file_items FILE_METADATA
    { if (!hlo_mlir_file_metadata(p, $2.ptr, $2.ptr + $2.len)) YYABORT; }
;

alias:
  ALIAS_DEF attribute      { hlo_mlir_define_alias(p, $1, @1, NULL, $2); STOP_IF_FAILED; }
| TYPE_ALIAS_DEF TYPE      { hlo_mlir_define_alias(p, $1, @1, $2, NULL); STOP_IF_FAILED; }
;

/* ---- statements ---- */

statement:
  LINE { hlo_mlir_take_lines(p); STOP_IF_FAILED; }
| operation
| results_of_statement operation
;

results_of_statement:
  DEF { hlo_list_push(&p->names, $1); }
| RESULT { hlo_list_push(&p->names, $1); } ',' results_of_statement
;

operation:
  op_generic | op_plain | op_constant | op_while | op_reduce | op_scan | op_function | op_module | op_manual
| DOTTED { hlo_mlir_unknown_operation(p, $1, @1); YYABORT; }
;

/* ---- the form of all operations ---- */

op_generic:
  OP_STRING { hlo_mlir_begin_op(p, $1, @1); } '(' operands_opt ')' properties_opt regions_opt dict_opt signature location_opt
    { hlo_mlir_add_attrs(p, $dict_opt); hlo_mlir_end_op(p, $signature, $location_opt); STOP_IF_FAILED; }
;

operands_opt: %empty | operands;
operands:
  operand
| operands ',' operand
;
operand: VALUE { hlo_mlir_push_operand(p, $1, @1); STOP_IF_FAILED; };

properties_opt:
  %empty
| '<' braces '>' { hlo_mlir_add_attrs(p, $2); STOP_IF_FAILED; }
;

regions_opt: %empty | '(' regions ')';
regions: region | regions ',' region;

region:
  '{' { hlo_mlir_begin_region(p); STOP_IF_FAILED; } region_body '}' { hlo_mlir_end_region(p); STOP_IF_FAILED; }
;
region_body:
  { hlo_mlir_begin_block(p); } statements
| blocks
;
statements: %empty | statements statement;
blocks: block | blocks block;
block: LABEL block_arguments_opt ':' { hlo_mlir_begin_block(p); } statements;
block_arguments_opt: %empty | '(' block_arguments ')';
block_arguments:
  block_argument
| block_arguments ',' block_argument
;
block_argument: VALUE ':' TYPE location_opt { hlo_mlir_push_argument(p, $1, @1, $3, $4); STOP_IF_FAILED; };

/* ---- forms of the table ---- */

op_plain:
  OP_PLAIN { hlo_mlir_begin_op(p, $1, @1); } plain_body signature_opt location_opt
    { hlo_mlir_match_form(p); STOP_IF_FAILED; hlo_mlir_end_op(p, $signature_opt, $location_opt); STOP_IF_FAILED; }
;
plain_body: plain_items;
plain_items: %empty | plain_items plain_item { STOP_IF_FAILED; };
plain_item:
  VALUE { hlo_mlir_push_item(p, (hlo_mlir_item){.kind = HLO_MLIR_ITEM_VALUE, .at = @1, .key = $1}); }
| mark { hlo_mlir_push_item(p, (hlo_mlir_item){.kind = HLO_MLIR_ITEM_MARK, .at = @1, .mark = (char)$1}); }
| plain_word '=' plain_keyed_value { hlo_mlir_push_item(p, (hlo_mlir_item){.kind = HLO_MLIR_ITEM_KEYED, .at = @1, .key = $1, .attr = $3}); }
| plain_word { hlo_mlir_push_attr_item(p, hlo_mlir_text_attr(p, HLO_MLIR_WORD, @1, $1)); }
| symbol '=' plain_attribute
    { hlo_mlir_push_attr_item(p, hlo_mlir_text_attr(p, HLO_MLIR_SYMBOL, @1, $1));
      hlo_mlir_push_item(p, (hlo_mlir_item){.kind = HLO_MLIR_ITEM_MARK, .at = @2, .mark = '='});
      hlo_mlir_push_attr_item(p, $3); }
| symbol { hlo_mlir_push_attr_item(p, hlo_mlir_text_attr(p, HLO_MLIR_SYMBOL, @1, $1)); }
| STRING { hlo_mlir_push_attr_item(p, hlo_mlir_text_attr(p, HLO_MLIR_STRING, @1, $1)); }
| list { hlo_mlir_push_attr_item(p, $1); }
| braces { hlo_mlir_push_braces(p, $1); }
| '<' items elements '>' { hlo_mlir_push_attr_item(p, hlo_mlir_list_attr(p, HLO_MLIR_LIST, @$, '<', (hlo_str){0}, $items)); }
;
mark: ',' { $$ = ','; } | '(' { $$ = '('; } | ')' { $$ = ')'; };

plain_keyed_value:
  plain_attribute
| list_value
| plain_word { $$ = hlo_mlir_text_attr(p, HLO_MLIR_WORD, @1, $1); }
;
/* Lists of two, and of three for a convolution's dimensions. */
list_value:
  list X list
    { uint32_t base = p->named.n;
      hlo_mlir_push_named(p, (hlo_str){0}, $1, @1); hlo_mlir_push_named(p, (hlo_str){0}, $3, @3);
      $$ = hlo_mlir_list_attr(p, HLO_MLIR_LIST, @$, 'x', (hlo_str){0}, base); }
| list X list ARROW list
    { uint32_t base = p->named.n;
      hlo_mlir_push_named(p, (hlo_str){0}, $1, @1); hlo_mlir_push_named(p, (hlo_str){0}, $3, @3);
      hlo_mlir_push_named(p, (hlo_str){0}, $5, @5);
      $$ = hlo_mlir_list_attr(p, HLO_MLIR_LIST, @$, 'x', (hlo_str){0}, base); }
;

/* ---- forms of single operations ---- */

op_constant:
  OP_CONSTANT { hlo_mlir_begin_op(p, $1, @1); } constant_body
;
constant_body:
  constant_value[v] location_opt[at] { hlo_mlir_end_constant(p, $v, $at); STOP_IF_FAILED; }
| dict constant_value[v] location_opt[at] { hlo_mlir_add_attrs(p, $dict); hlo_mlir_end_constant(p, $v, $at); STOP_IF_FAILED; }
| '(' ')' properties_opt dict_opt signature location_opt
    { hlo_mlir_add_attrs(p, $dict_opt); hlo_mlir_end_op(p, $signature, $location_opt); STOP_IF_FAILED; }
;

op_while:
  OP_WHILE { hlo_mlir_begin_op(p, $1, @1); } '(' while_values_opt ')' while_types attributes_opt
    COND { hlo_mlir_loop_arguments(p); } region DO { hlo_mlir_loop_arguments(p); } region location_opt
    { hlo_mlir_add_attrs(p, $attributes_opt); hlo_mlir_end_loop(p, $location_opt); STOP_IF_FAILED; }
;
while_values_opt: %empty | while_values;
while_values: while_value | while_values ',' while_value;
while_value: DEF VALUE { hlo_mlir_push_loop_value(p, $1, $2, @2); STOP_IF_FAILED; };
while_types: %empty { hlo_mlir_loop_types(p, p->types.n); } | ':' type_list { hlo_mlir_loop_types(p, $2); STOP_IF_FAILED; };

op_reduce:
  OP_REDUCE { hlo_mlir_begin_op(p, $1, @1); p->first_pair = 0; } reduce_pairs reduce_body
;
reduce_pairs: reduce_pair | reduce_pairs ',' reduce_pair;
reduce_pair: '(' VALUE INIT ':' VALUE ')' { if (!p->first_pair) p->first_pair = @1.lo; hlo_mlir_push_reduce_pair(p, $2, @2, $5, @5); STOP_IF_FAILED; };
reduce_body:
  APPLIES op_name ACROSS dimensions dict_opt signature location_opt
    { const hlo_mlir_location *place = $location_opt ? $location_opt : hlo_mlir_implicit_location(p, p->first_pair);
      hlo_mlir_add_attrs(p, $dict_opt);
      hlo_mlir_add_reducer(p, $op_name, @op_name, $signature, place); STOP_IF_FAILED;
      hlo_mlir_end_op(p, $signature, place); STOP_IF_FAILED; }
| ACROSS dimensions dict_opt signature REDUCER reducer_arguments { hlo_mlir_order_reducer_arguments(p); $<i>$ = p->first_pair; }[at] region location_opt
    { hlo_mlir_add_attrs(p, $dict_opt);
      hlo_mlir_end_op(p, $signature, $location_opt ? $location_opt : hlo_mlir_implicit_location(p, (uint32_t)$<i>at)); STOP_IF_FAILED; }
;
op_name: OP_PLAIN | OP_CONSTANT | WORD;
dimensions: WORD '=' list { hlo_mlir_add_dimensions(p, $1, @1, $3); STOP_IF_FAILED; };
reducer_arguments: '(' block_arguments ')' | reducer_arguments '(' block_arguments ')';

op_scan:
  OP_SCAN { hlo_mlir_begin_op(p, $1, @1); } '(' operands_opt ')' WORD[inits]
    { $<base>$ = p->operands.n; hlo_mlir_expect_word(p, $inits, @inits, "inits"); STOP_IF_FAILED; }[inputs]
    '(' operands_opt ')' WORD[key] '=' INT[dimension]
    { hlo_mlir_expect_word(p, $key, @key, "dimension"); STOP_IF_FAILED;
      hlo_mlir_add_attr(p, $key, hlo_mlir_int_attr(p, @dimension, $dimension, NULL), @key); STOP_IF_FAILED; }
    attributes_opt region signature location_opt
    { hlo_mlir_add_attrs(p, $attributes_opt);
      hlo_mlir_end_scan(p, $<base>inputs, $signature, $location_opt); STOP_IF_FAILED; }
;

op_function:
  OP_FUNCTION { hlo_mlir_begin_op(p, $1, @1); } visibility_opt symbol '(' arguments_opt ')' function_results attributes_opt body_opt location_opt
    { hlo_mlir_add_attrs(p, $attributes_opt);
      hlo_mlir_end_function(p, $symbol, @symbol, $function_results, $location_opt); STOP_IF_FAILED; }
;
visibility_opt: %empty | WORD { hlo_mlir_add_attr(p, HLO_STR("sym_visibility"), hlo_mlir_text_attr(p, HLO_MLIR_STRING, @1, $1), @1); };
arguments_opt: %empty | arguments;
arguments: argument | arguments ',' argument;
argument:
  VALUE ':' TYPE dict_opt location_opt { hlo_mlir_push_function_argument(p, $1, @1, $3, $4, $5); STOP_IF_FAILED; }
| TYPE dict_opt location_opt { hlo_mlir_push_function_argument(p, (hlo_str){0}, @1, $1, $2, $3); STOP_IF_FAILED; }
;
function_results:
  %empty { $$ = p->types.n; }
| ARROW { $<base>$ = p->types.n; } function_result_types { $$ = $<base>2; }
;
function_result_types:
  TYPE { hlo_mlir_push_function_result(p, $1, NULL); }
| '(' ')'
| '(' function_result_list ')'
;
function_result_list: function_result | function_result_list ',' function_result;
function_result: TYPE dict_opt { hlo_mlir_push_function_result(p, $1, $2); STOP_IF_FAILED; };
body_opt: %empty | region;

op_module:
  OP_MODULE { hlo_mlir_begin_op(p, HLO_STR("builtin.module"), @1); } module_name_opt attributes_opt module_region location_opt
    { hlo_mlir_add_attrs(p, $attributes_opt); hlo_mlir_end_op(p, (hlo_mlir_signature){.is_given = false}, $location_opt); STOP_IF_FAILED; }
;
module_name_opt: %empty | symbol { hlo_mlir_add_attr(p, HLO_STR("sym_name"), hlo_mlir_text_attr(p, HLO_MLIR_STRING, @1, $1), @1); };
module_region: region;

op_manual:
  OP_MANUAL { hlo_mlir_begin_op(p, $1, @1); } computation_name_opt '(' operands_opt ')' manual_keys '(' arguments_opt ')' region dict_opt signature location_opt
    { hlo_mlir_add_attrs(p, $dict_opt); hlo_mlir_end_op(p, $signature, $location_opt); STOP_IF_FAILED; }
;
/* Of sdy.named_computation. */
computation_name_opt:
  %empty
| '<' STRING '>' { hlo_mlir_add_attr(p, HLO_STR("name"), hlo_mlir_text_attr(p, HLO_MLIR_STRING, @2, $2), @2); }
;
manual_keys: %empty | manual_keys WORD '=' plain_attribute { hlo_mlir_add_attr(p, $2, $4, @2); STOP_IF_FAILED; };

/* ---- types after a colon ---- */

signature_opt: %empty { $$ = (hlo_mlir_signature){.base = p->types.n, .results = -1}; } | signature;
signature: ':' types_after_colon { $$ = $2; };
types_after_colon:
  type_list { $$ = (hlo_mlir_signature){$1, -1, true}; }
| type_list ARROW results { $$ = (hlo_mlir_signature){$1, p->types.n - $3, true}; }
| type_list TO TYPE { $$ = (hlo_mlir_signature){$1, 1, true}; hlo_list_push(&p->types, $3); }
| function_type
;
function_type: types_in_parens ARROW results { $$ = (hlo_mlir_signature){$1, p->types.n - $3, true}; };
type_list:
  TYPE { $$ = p->types.n; hlo_list_push(&p->types, $1); }
| type_list ',' TYPE { $$ = $1; hlo_list_push(&p->types, $3); }
;
types_in_parens: '(' ')' { $$ = p->types.n; } | '(' type_list ')' { $$ = $2; };
results: type_list | types_in_parens;

/* ---- attributes ---- */

dict_opt: %empty { $$ = NULL; } | dict;
dict: braces;
attributes_opt: %empty { $$ = NULL; } | ATTRIBUTES dict { $$ = $2; };

/* As attributes by name, or as a set where values stand alone. */
braces:
  '{' items elements '}' { $$ = hlo_mlir_braces_attr(p, @$, $items); STOP_IF_FAILED; }
;
/* Where the elements that follow begin. */
items: %empty { $$ = p->named.n; };
elements:
  %empty
| elements ','
| elements value { hlo_mlir_push_named(p, (hlo_str){0}, $2, @2); }
| elements key '=' keyed_value { hlo_mlir_push_named(p, $2, $4, @2); }
;
key: word | STRING;
keyed_value: attribute | list_value | plain_word { $$ = hlo_mlir_text_attr(p, HLO_MLIR_WORD, @1, $1); };

list:
  '[' items elements ']' { $$ = hlo_mlir_list_attr(p, HLO_MLIR_LIST, @$, '[', (hlo_str){0}, $items); STOP_IF_FAILED; }
;

/* What stands between the marks of a list: also a name alone. */
value:
  attribute
| list_value
| word { $$ = hlo_mlir_text_attr(p, HLO_MLIR_WORD, @1, $1); }
| '?' { $$ = hlo_mlir_text_attr(p, HLO_MLIR_WORD, @1, HLO_STR("?")); }
| braces ':' INT ARROW INT { $$ = hlo_mlir_move_attr(p, @$, $1, $3, $5); }
| INT ':' INT { $$ = hlo_mlir_range_attr(p, @$, $1, $3, 1); }
| INT ':' INT ':' INT { $$ = hlo_mlir_range_attr(p, @$, $1, $3, $5); }
| STRING ':' '(' INT ')' INT { $$ = hlo_mlir_sub_axis_attr(p, @$, $1, $4, $6); }
;

/* Any attribute. */
attribute:
  plain_attribute
| INT ':' TYPE { $$ = hlo_mlir_int_attr(p, @$, $1, $3); }
| DECIMAL ':' TYPE { $$ = hlo_mlir_float_attr(p, @$, $1, $3); }
| HEX ':' TYPE { $$ = hlo_mlir_bits_attr(p, @$, $1, $3); STOP_IF_FAILED; }
| DENSE ':' TYPE { $$ = hlo_mlir_dense(p, hlo_mlir_span(p, $1.ptr, $1.ptr + $1.len), $3); STOP_IF_FAILED; }
| RESOURCE ':' TYPE { $$ = hlo_mlir_resource(p, $1, @1, $3); STOP_IF_FAILED; }
| types_in_parens ARROW result_of_attribute { $$ = hlo_mlir_function_type_attr(p, @$, $1, $3); }
| location { $$ = hlo_mlir_location_attr(p, @1, $1); }
;
result_of_attribute: TYPE { $$ = p->types.n; hlo_list_push(&p->types, $1); } | types_in_parens;

/* An attribute without a type after a colon: in forms of the table a colon ends the items. */
plain_attribute:
  number
| STRING { $$ = hlo_mlir_text_attr(p, HLO_MLIR_STRING, @1, $1); }
| symbol { $$ = hlo_mlir_text_attr(p, HLO_MLIR_SYMBOL, @1, $1); }
| UNIT { $$ = hlo_mlir_text_attr(p, HLO_MLIR_UNIT, @1, (hlo_str){0}); }
| MAP { $$ = hlo_mlir_text_attr(p, HLO_MLIR_MAP, @1, $1); }
| ARRAY
| TYPE { $$ = hlo_mlir_type_attr(p, @1, $1); }
| list
| braces
| HASH { $$ = hlo_mlir_attr_alias(p, $1, @1); STOP_IF_FAILED; }
| RULE { $$ = hlo_mlir_text_attr(p, HLO_MLIR_WORD, @$, $1); }
| HASH_OPEN items elements '>' { $$ = hlo_mlir_struct_attr(p, @$, $1, $items); STOP_IF_FAILED; }
| '<' items elements '>' { $$ = hlo_mlir_list_attr(p, HLO_MLIR_LIST, @$, '<', (hlo_str){0}, $items); STOP_IF_FAILED; }
;
number:
  INT { $$ = hlo_mlir_int_attr(p, @1, $1, NULL); }
| DECIMAL { $$ = hlo_mlir_float_attr(p, @1, $1, NULL); }
| TRUE { $$ = hlo_mlir_bool_attr(p, @1, true); }
| FALSE { $$ = hlo_mlir_bool_attr(p, @1, false); }
;

/* What stands after a constant's name. */
constant_value:
  number
| INT ':' TYPE { $$ = hlo_mlir_int_attr(p, @$, $1, $3); }
| DECIMAL ':' TYPE { $$ = hlo_mlir_float_attr(p, @$, $1, $3); }
| HEX ':' TYPE { $$ = hlo_mlir_bits_attr(p, @$, $1, $3); STOP_IF_FAILED; }
| DENSE ':' TYPE { $$ = hlo_mlir_dense(p, hlo_mlir_span(p, $1.ptr, $1.ptr + $1.len), $3); STOP_IF_FAILED; }
| RESOURCE ':' TYPE { $$ = hlo_mlir_resource(p, $1, @1, $3); STOP_IF_FAILED; }
;

symbol:
  SYMBOL
| symbol COLONS SYMBOL { $$ = hlo_mlir_join_symbols(p, $1, $3); }
;

/* A name in an attribute may be that of an operation; in forms of the table the next statement begins with one. */
word:
  plain_word | DOTTED
| OP_PLAIN | OP_CONSTANT | OP_FUNCTION | OP_MANUAL | OP_MODULE | OP_REDUCE | OP_SCAN | OP_WHILE
;
plain_word:
  WORD | ATTRIBUTES | COND | DO | INIT | APPLIES | ACROSS | REDUCER | UNKNOWN | CALLSITE | FUSED | AT | TO
;

/* ---- locations ---- */

location_opt: %empty { $$ = NULL; } | location;
location:
  LOC_ALIAS { $$ = hlo_mlir_location_alias(p, $1, @1); STOP_IF_FAILED; }
| LOC parenthesised { $$ = $2; }
;
parenthesised: '(' location_body ')' { $$ = $2; };
location_body:
  UNKNOWN { $$ = hlo_mlir_location_new(p, HLO_MLIR_UNKNOWN_PLACE); }
| HASH { $$ = hlo_mlir_location_alias(p, $1, @1); STOP_IF_FAILED; }
| STRING { $$ = hlo_mlir_named_location(p, $1, NULL); }
| OP_STRING parenthesised { $$ = hlo_mlir_named_location(p, $1, $2); }
| STRING ':' INT ':' INT { $$ = hlo_mlir_file_location(p, $1, $3, $5, $3, $5); }
| STRING ':' INT ':' INT TO ':' INT { $$ = hlo_mlir_file_location(p, $1, $3, $5, $3, $8); }
| STRING ':' INT ':' INT TO INT ':' INT { $$ = hlo_mlir_file_location(p, $1, $3, $5, $7, $9); }
| CALLSITE '(' location_body AT location_body ')' { $$ = hlo_mlir_call_location(p, $3, $5); }
| FUSED '[' locations location_list ']' { $$ = hlo_mlir_fused_location(p, $locations); }
| FUSED '<' value '>' '[' locations location_list ']' { $$ = hlo_mlir_fused_location(p, $locations); }
;
locations: %empty { $$ = p->locations.n; };
location_list:
  %empty
| location_body { hlo_list_push(&p->locations, $1); }
| location_list ',' location_body { hlo_list_push(&p->locations, $3); }
;

%%

/* What stands there, and what may stand there. */
static int yyreport_syntax_error(const yypcontext_t *context, hlo_mlir_parser *p) {
    enum { MOST = 6 };
    yysymbol_kind_t expected[MOST];
    yysymbol_kind_t found = yypcontext_token(context);
    if (found == YYSYMBOL_LINE) found = YYSYMBOL_DEF; /* as the line begins */
    int n = yypcontext_expected_tokens(context, expected, MOST);
    const char *names[MOST];
    size_t named = 0;
    for (int i = 0; i < n; i++)
        if (expected[i] != YYSYMBOL_LINE) names[named++] = yysymbol_name(expected[i]);
    hlo_mlir_syntax_error(p, *yypcontext_location(context), yysymbol_name(found), names, named);
    return 0;
}
