/* The grammar of HLO text. Actions only call src/parse; what needs to know an opcode or a shape is
 * done there. The scanner (hlo.re) knows places, so one token of look-ahead is enough. */
%require "3.8"
%define api.pure full
%define api.prefix {hlo_yy}
%define api.token.prefix {T_}
%define api.location.type {hlo_span}
%define parse.error custom
%define lr.type ielr
%define lr.default-reduction consistent
%locations
%expect 0
%param {hlo_parser *p}

%code requires {
#include "parse/parser.h"
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
#include "parse/syntax_error.h"
#include "parse/fast.h"
#include "parse/recover.h"
#include "parse/attribute_values.h"

/* Is this a token of several pieces, of which the last was the one before the next token? */
static bool has_pieces(int token) {
    return token == T_LINE || token == T_HEAD || token == T_FRAME_ROWS || token == T_LOCATION_ROWS;
}

static int hlo_yylex(HLO_YYSTYPE *value, hlo_span *at, hlo_parser *p) {
    int token = hlo_scan(value, at, p);
    p->scan.token_before = p->scan.token_at;
    p->scan.token_at = has_pieces(token) ? p->scan.last_piece : *at;
    return token;
}

#define YYMAXDEPTH 100000

/* Only when the parser's stack is full: syntax errors have their own report. */
static void hlo_yyerror(hlo_span *at, hlo_parser *p, const char *message) {
    (void)message;
    hlo_parse_error(p, HLO_RULE_NESTING, *at, "the text nests too deep");
}
}

%union {
    hlo_name *name;
    const hlo_shape *shape;
    const hlo_str *str;
    hlo_literal *literal;
    const hlo_metadata *metadata;
    const hlo_metadata_list *metadata_list;
    hlo_computation *computation;
    const void *any;
    const hlo_ints *ints;
    const hlo_iota_list *iota;
    hlo_sharding *sharding;
    hlo_mesh *mesh;
    const hlo_origin *origin;
    int64_t i;
    double f;
    int id;
    uint32_t base;
}

%token END 0 "the end of the text"
%token START_MODULE START_HEADERLESS START_BODY START_SINGLE START_ATTRIBUTES
%token SYNC SYNC_TOP
%token STATEMENT LINE HEAD
%token HLOMODULE "'HloModule'" ENTRY "'ENTRY'" ROOT "'ROOT'"
%token FILENAMES "'FileNames'" FUNCTIONNAMES "'FunctionNames'" FILELOCATIONS "'FileLocations'" STACKFRAMES "'StackFrames'"
%token EXECUTION_THREAD "'execution_thread='"
%token <name> DEF "a name with '='" NAME "a name" KEY "a key with '='"
%token TYPE "an element type" GLUED "a name glued to '='"
%token <id> OPCODE "an opcode with '('"
%token <shape> SHAPE "a shape"
%token <literal> LITERAL "a literal"
%token <i> INT "a number"
%token <f> DECIMAL "a decimal number"
%token NEGINF "'-inf'" INF "'inf'" TRUE "'true'" FALSE "'false'"
%token <str> STRING "a string" JSON "a {...} region" LABELS "dimension labels" DXD "a size such as 3x3" PAD "a padding such as 0_1x0_1"
%token LOCATION_ROWS FRAME_ROWS /* whole rows of FileLocations and StackFrames */
%token <base> OPERANDS
%token <i> NUMBER_CLOSED
%token <ints> INTS
%token <metadata> METADATA "a metadata attribute"
%token <metadata_list> METADATA_LIST "metadata in a sharding"
%token BODY "the '{' of a body"
%token ARROW "'->'" LEQ "'<='" DOTS "'...'"
%token MAXIMAL "'maximal'" REPLICATED "'replicated'" MANUAL "'manual'" UNKNOWN "'unknown'" UNREDUCED "'unreduced'"
%token LAST_TILE_DIM_REPLICATE "'last_tile_dim_replicate'" SHARD_AS "'shard_as'" SHARD_LIKE "'shard_like'"
%token MESH "'mesh'" MAXIMAL_MESH "'maximal_mesh'" TRANSPOSED "'T'"

%token <id> A_BOOL "a bool attribute" A_INT "a number attribute" A_FLOAT "a float attribute" A_STRING "a string attribute"
%token <id> A_CONFIG "a config attribute" A_WORD "a word attribute" A_WORDS "a word list attribute" A_BOOLS "a bool list attribute"
%token <id> A_INTS "a number list attribute" A_COMPUTATION "a computation attribute" A_COMPUTATIONS "a computation list attribute"
%token <id> A_INSTRUCTIONS "an instruction list attribute" A_SHAPE "a shape attribute" A_SHAPES "a shape list attribute"
%token <id> A_PROGRAM_SHAPE "a program shape attribute" A_LITERAL "a literal attribute" A_SHARDING "a sharding attribute"
%token <id> A_FRONTEND "a frontend attribute list" A_STATISTICS "a statistics attribute" A_ACCURACY "an accuracy attribute"
%token <id> A_ORIGIN "an origin attribute" A_RECOVERY "a recovery table" A_DEBUG "a debug table" A_METADATA "a metadata name attribute" A_WINDOW "a window attribute"
%token <id> A_LABELS "a dimension label attribute" A_PADDING "a padding attribute" A_SLICE "a slice attribute" A_GROUPS "a replica group attribute"
%token <id> A_ALIASING "an aliasing attribute" A_DONORS "a donor attribute" A_DOMAIN "a domain attribute" A_SPARSITY "a sparsity attribute"

%type <computation> computation_value nested_body
%type <ints> ints index ints_of_bools
%type <any> int_lists config statistics accuracy slices groups aliasing recovery debug frontend computations instruction_names shapes
%type <i> bool
%type <f> number
%type <base> elements int_seq int_seq_opt list_seq bool_seq word_seq shape_seq shape_seq_opt computation_seq name_seq tree_seq kind_seq axis_seq axis_seq_opt device_seq
%type <sharding> sharding sharding_body tuple_elements
%type <mesh> placed_mesh mesh_head
%type <iota> iota
%type <origin> tree leaf
%type <base> axes
%type <id> kind word_kind

%%

file:
  START_MODULE module END
| START_HEADERLESS stack_frames computations_of_module END { hlo_finish_module(p, (hlo_str){0}); }
| START_BODY { hlo_begin_bare_body(p); } instructions close_opt END { hlo_end_computation(p, @5); hlo_finish_module(p, (hlo_str){0}); }
| START_SINGLE { hlo_begin_single(p); } single END { hlo_end_single(p, @4); }
| START_ATTRIBUTES { hlo_begin_attributes(p); } attributes END
;

single:
  instruction
| { hlo_begin_instruction(p, NULL, p->made.empty_at, NULL); } shaped_opcode closed_operands attributes { hlo_end_instruction(p, yylloc); }
;

module:
  HLOMODULE NAME[name] attributes stack_frames computations_of_module
    { hlo_finish_module(p, (hlo_str){$name->ptr, $name->len, 0}); }
| error SYNC_TOP { yyerrok; } stack_frames computations_of_module
;

/* ---- header ---- */

stack_frames:
  %empty
| FILENAMES file_names FUNCTIONNAMES function_names FILELOCATIONS file_locations STACKFRAMES frames
;
file_names:     %empty | file_names INT STRING { hlo_list_push(&p->frames.files, *$3); };
function_names: %empty | function_names INT STRING { hlo_list_push(&p->frames.functions, *$3); };
file_locations: %empty | file_locations LOCATION_ROWS | file_locations INT { hlo_begin_fields(p); } '{'[open] row_fields '}' { hlo_add_file_location(p, @open); };
frames:         %empty | frames FRAME_ROWS | frames INT { hlo_begin_fields(p); } '{'[open] row_fields '}' { hlo_add_stack_frame(p, @open); };

/* ---- computations ---- */

computations_of_module:
  computation
| computations_of_module computation
;

computation:
  closed_computation thread_opt
| error SYNC_TOP { p->recovery.lost_computations = true; yyerrok; }
;

/* A separate symbol: an error after the brace is no error of the body. */
closed_computation:
  HEAD { hlo_begin_fast_computation(p); } instructions '}'[close] { hlo_end_computation(p, @close); }
| computation_head BODY instructions '}'[close] { hlo_end_computation(p, @close); }
;

/* Of lines that were copied to the end of their computation. */
close_opt: %empty | '}';

computation_head:
  NAME { hlo_begin_computation(p, NULL, $1, @1); } signature_opt
| ENTRY NAME { hlo_begin_computation(p, &@1, $2, @2); } signature_opt
;

signature_opt:
  %empty
| '(' signature_parameters ')' ARROW SHAPE { hlo_set_result(p, $SHAPE, @SHAPE); }
;
signature_parameters: %empty | signature_list;
signature_list:       NAME SHAPE | signature_list ',' NAME SHAPE;

thread_opt:
  %empty
| ',' EXECUTION_THREAD STRING { hlo_set_execution_thread(p, $3); }
;

/* ---- instructions ---- */

instructions:
  instruction
| instructions instruction
| error SYNC { hlo_drop_instruction(p); yyerrok; }
| instructions error SYNC { hlo_drop_instruction(p); yyerrok; }
;

instruction:
  LINE { hlo_begin_lines(p, NULL); } attributes { hlo_end_instruction(p, yylloc); }
| ROOT LINE { hlo_begin_lines(p, &@1); } attributes { hlo_end_instruction(p, yylloc); }
| STATEMENT { hlo_begin_statement(p, NULL); } closed_operands attributes { hlo_end_instruction(p, yylloc); }
| ROOT STATEMENT { hlo_begin_statement(p, &@1); } closed_operands attributes { hlo_end_instruction(p, yylloc); }
| head opcode closed_operands attributes { hlo_end_instruction(p, yylloc); }
;

head:
  DEF           { hlo_begin_instruction(p, $1, @1, NULL); }
| ROOT DEF      { hlo_begin_instruction(p, $2, @2, &@1); }
| NAME '='      { hlo_begin_instruction(p, $1, @1, NULL); }
| ROOT NAME '=' { hlo_begin_instruction(p, $2, @2, &@1); }
;

opcode:
  OPCODE       { hlo_set_opcode(p, NULL, @1, $1, @1); }
| SHAPE OPCODE { hlo_set_opcode(p, $1, @1, $2, @2); }
;
shaped_opcode: SHAPE OPCODE { hlo_set_opcode(p, $1, @1, $2, @2); };

/* The usual forms are one token; its place is that of the closing parenthesis. */
closed_operands:
  OPERANDS      { hlo_current(p)->closed_at = @1; hlo_add_named_operands(p); }
| NUMBER_CLOSED { hlo_current(p)->closed_at = @1; hlo_set_parameter_number(p, $1, @1); }
| operands ')'  { hlo_current(p)->closed_at = @2; @$ = @2; }
;

operands:
  %empty
| operand_list
| INT { hlo_set_parameter_number(p, $1, @1); }
| LITERAL { hlo_set_literal(p, $1, @1); }
;

operand_list:
  operand
| operand_list ',' operand
;

operand:
  NAME { hlo_add_operand(p, NULL, @1, $1, @1); }
| SHAPE NAME { hlo_add_operand(p, $1, @1, $2, @2); }
| NAME elements { hlo_add_element_operand(p, NULL, @1, $1, @1, $2); }
| SHAPE NAME elements { hlo_add_element_operand(p, $1, @1, $2, @2, $3); }
| SHAPE { hlo_add_unnamed_operand(p, $1, @1); }
| OPCODE { if (!hlo_begin_nested_instruction(p, NULL, @1, $1, @1)) YYERROR; } closed_operands[close] { hlo_add_nested_operand(p, @close); }
| SHAPE OPCODE { if (!hlo_begin_nested_instruction(p, $1, @1, $2, @2)) YYERROR; } closed_operands[close] { hlo_add_nested_operand(p, @close); }
;

/* Of a tuple: `%name#0#1`. */
elements:
  '#' INT { $$ = p->stacks.ints.n; hlo_list_push(&p->stacks.ints, $2); }
| elements '#' INT { hlo_list_push(&p->stacks.ints, $3); }
;

/* ---- attributes ---- */

/* Of an instruction or of the header. The token of an attribute's name includes the comma before it. */
attributes:
  %empty
| attributes ',' GLUED
| attributes A_BOOL bool                 { hlo_give_int(p, $2, @2, $3, @3); }
| attributes A_INT INT                   { hlo_give_int(p, $2, @2, $3, @3); }
| attributes A_FLOAT number              { hlo_give_float(p, $2, @2, $3, @3); }
| attributes A_STRING STRING             { hlo_give(p, $2, @2, $3, @3); }
| attributes A_CONFIG config             { hlo_give(p, $2, @2, hlo_kept_config(p->arena, $3), @3); }
| attributes A_WORD NAME                 { hlo_give_word(p, $2, @2, $3, @3); }
| attributes A_WORDS '{' '}'             { hlo_give_words(p, $2, @2, p->stacks.pointers.n, @3); }
| attributes A_WORDS '{' word_seq '}'    { hlo_give_words(p, $2, @2, $4, @4); }
| attributes A_BOOLS ints_of_bools       { hlo_give(p, $2, @2, $3, @3); }
| attributes A_INTS INTS                 { hlo_give_ints(p, $2, @2, $3, @3); }
| attributes A_INTS ints                 { hlo_give_ints(p, $2, @2, $3, @3); }
| attributes A_INTS int_lists            { hlo_give_int_lists(p, $2, @2, $3, @3); }
| attributes A_COMPUTATION NAME           { hlo_give_computation(p, $2, @2, hlo_find_computation(p, $3, @3), @3); }
| attributes A_COMPUTATION nested_body { hlo_give_computation(p, $2, @2, $3, @3); }
| attributes A_COMPUTATIONS computations { hlo_give_computations(p, $2, @2, $3, @3); }
| attributes A_INSTRUCTIONS instruction_names { hlo_give(p, $2, @2, $3, @3); }
| attributes A_SHAPE SHAPE               { hlo_give(p, $2, @2, $3, @3); }
| attributes A_SHAPES shapes             { hlo_give(p, $2, @2, $3, @3); }
| attributes A_PROGRAM_SHAPE '{' '(' shape_seq_opt ')' ARROW SHAPE '}' { hlo_give_program_shape(p, $2, @2, $5, $8); }
| attributes A_LITERAL LITERAL           { hlo_give(p, $2, @2, $3, @3); }
| attributes A_SHARDING sharding         { hlo_give_sharding(p, $2, @2, $3, @3); }
| attributes A_FRONTEND frontend         { hlo_give_lasting(p, $2, @2, $3, @3); }
| attributes A_STATISTICS statistics     { hlo_give(p, $2, @2, $3, @3); }
| attributes A_ACCURACY accuracy         { hlo_give(p, $2, @2, $3, @3); }
| attributes A_ORIGIN '{' '}'            { hlo_give(p, $2, @2, hlo_origin_tuple(p, p->stacks.pointers.n), @3); }
| attributes A_ORIGIN '{' tree '}'       { hlo_give(p, $2, @2, $4, @4); }
| attributes A_ORIGIN '{' '[' NAME ']' '}' { hlo_give_synthetic_origin(p, $2, @2, $5, @5); }
| attributes A_RECOVERY recovery         { hlo_give(p, $2, @2, $3, @3); }
| attributes A_DEBUG debug               { hlo_give(p, $2, @2, $3, @3); }
| attributes METADATA                    { hlo_give(p, HLO_ATTR_METADATA, @2, $2, @2); }
| attributes A_WINDOW '{' { hlo_begin_fields(p); } size_fields '}' { hlo_give_window(p, $2, @2, @3); }
| attributes A_LABELS LABELS             { hlo_give_labels(p, $2, @2, $3, @3); }
| attributes A_PADDING PAD               { hlo_give_padding(p, $2, @2, $3, @3); }
| attributes A_SLICE slices              { hlo_give(p, $2, @2, $3, @3); }
| attributes A_GROUPS groups             { hlo_give(p, $2, @2, $3, @3); }
| attributes A_ALIASING aliasing         { hlo_give(p, $2, @2, $3, @3); }
| attributes A_DONORS '{' { hlo_begin_fields(p); } donors '}' { hlo_give(p, $2, @2, hlo_take_aliasing(p), @3); }
| attributes A_DOMAIN '{' { hlo_begin_fields(p); } domain_fields '}' { hlo_give_domain(p, $2, @2, @3); }
| attributes A_SPARSITY '{' { hlo_begin_fields(p); } sparsity_fields '}' { hlo_give_sparsity(p, $2, @2, @3); };

/* ---- values: numbers and words ---- */

bool:   TRUE { $$ = 1; } | FALSE { $$ = 0; };
number: INT { $$ = (double)$1; } | DECIMAL | INF { $$ = __builtin_inf(); } | NEGINF { $$ = -__builtin_inf(); };
config: STRING { $$ = $1; } | JSON { $$ = $1; };

int_seq:
  INT { $$ = p->stacks.ints.n; hlo_list_push(&p->stacks.ints, $1); }
| int_seq ',' INT { hlo_list_push(&p->stacks.ints, $3); }
;
int_seq_opt: %empty { $$ = p->stacks.ints.n; } | int_seq;
ints:        '{' int_seq_opt '}' { $$ = hlo_take_ints(p, $2); };
index:       '{' int_seq_opt '}' { $$ = hlo_take_ints(p, $2); } | '{' int_seq ',' '}' { $$ = hlo_take_ints(p, $2); };

list_seq:
  ints { $$ = p->stacks.pointers.n; hlo_list_push(&p->stacks.pointers, $1); }
| list_seq ',' ints { hlo_list_push(&p->stacks.pointers, $3); }
;
int_lists: '{' list_seq '}' { $$ = hlo_take_int_lists(p, $2); };

bool_seq:
  bool { $$ = p->stacks.ints.n; hlo_list_push(&p->stacks.ints, $1); }
| bool_seq ',' bool { hlo_list_push(&p->stacks.ints, $3); }
;
ints_of_bools:
  bool { int64_t one = $1; $$ = hlo_ints_from(p->arena, &one, 1); }
| '{' '}' { $$ = hlo_ints_new(p->arena, 0); }
| '{' bool_seq '}' { $$ = hlo_take_ints(p, $2); }
;

word_seq:
  NAME { $$ = p->stacks.pointers.n; hlo_list_push(&p->stacks.pointers, $1); }
| word_seq ',' NAME { hlo_list_push(&p->stacks.pointers, $3); }
;

/* ---- values: computations, instructions, shapes ---- */

computation_value: NAME { $$ = hlo_find_computation(p, $1, @1); } | nested_body;
nested_body:
  BODY { hlo_begin_nested_body(p, @1); } instructions '}'[close] { $$ = hlo_end_computation(p, @close); }
;
computation_seq:
  computation_value { $$ = p->stacks.pointers.n; hlo_push_computation(p, $1); }
| computation_seq ',' computation_value { hlo_push_computation(p, $3); }
;
computations:
  '{' '}' { $$ = hlo_take_list(p, p->stacks.pointers.n); }
| '{' computation_seq '}' { $$ = hlo_take_list(p, $2); }
;

name_seq:
  NAME { $$ = p->stacks.pointers.n; hlo_push_predecessor(p, $1, @1); }
| name_seq ',' NAME { hlo_push_predecessor(p, $3, @3); }
;
instruction_names: '{' name_seq '}' { $$ = hlo_take_predecessors(p, $2); };

shape_seq:
  SHAPE { $$ = p->stacks.pointers.n; hlo_list_push(&p->stacks.pointers, $1); }
| shape_seq ',' SHAPE { hlo_list_push(&p->stacks.pointers, $3); }
;
shape_seq_opt: %empty { $$ = p->stacks.pointers.n; } | shape_seq | shape_seq ',';
shapes:
  '{' '}' { $$ = hlo_take_list(p, p->stacks.pointers.n); }
| '{' shape_seq '}' { $$ = hlo_take_list(p, $2); }
;

/* ---- values: keyed parts ---- */

/* Parts of a window, of a sparsity: key and sizes. */
size_fields:
  %empty
| size_fields KEY INT { hlo_add_field(p, $2, @2, $3, NULL, @3); }
| size_fields KEY DXD { hlo_add_field(p, $2, @2, 0, $3, @3); }
| size_fields KEY PAD { hlo_add_field(p, $2, @2, 0, $3, @3); }
;

/* Rows of the stack-frame tables: key and number. */
row_fields: %empty | row_fields comma_opt KEY INT { hlo_add_field(p, $3, @3, $4, NULL, @4); };
comma_opt:  %empty | ',';

sparsity_fields:
  %empty
| sparsity_fields KEY '{' size_fields '}' { hlo_add_sparsity_side(p, $2, @2); }
;

domain_fields:
  %empty
| domain_fields comma_opt KEY STRING { hlo_set_domain_kind(p, $3, @3, $4, @4); }
| domain_fields comma_opt KEY sharding { hlo_set_domain_side(p, $3, @3, $4, @4); }
;

frontend:
  '{' '}' { hlo_begin_fields(p); $$ = hlo_take_frontend(p); }
| '{' { hlo_begin_fields(p); } frontend_seq '}' { $$ = hlo_take_frontend(p); }
;
frontend_seq:   frontend_entry | frontend_seq ',' frontend_entry;
frontend_entry: KEY config { hlo_add_field(p, $1, @1, 0, $2, @2); };

statistics:
  '{' '}' { hlo_begin_fields(p); $$ = hlo_take_statistics(p, @1); }
| '{' { hlo_begin_fields(p); } number_seq '}' { $$ = hlo_take_statistics(p, @3); }
;
number_seq:   number_entry | number_seq ',' number_entry;
number_entry:
  KEY INT { hlo_add_number_field(p, $1, @1, (double)$2, $2, true, @2); }
| KEY DECIMAL { hlo_add_number_field(p, $1, @1, $2, 0, false, @2); }
| KEY INF { hlo_add_number_field(p, $1, @1, __builtin_inf(), 0, false, @2); }
| KEY NEGINF { hlo_add_number_field(p, $1, @1, -__builtin_inf(), 0, false, @2); }
;

accuracy:
  '{' KEY NAME '}' { $$ = hlo_accuracy_mode(p, $2, @2, $3, @3); }
| '{' KEY '{' '}' '}' { hlo_begin_fields(p); $$ = hlo_accuracy_tolerance(p, $2, @2); }
| '{' KEY '{' { hlo_begin_fields(p); } number_seq '}' '}' { $$ = hlo_accuracy_tolerance(p, $2, @2); }
;

/* ---- values: aliasing, slices, origins ---- */

aliasing:
  '{' '}' { hlo_begin_fields(p); $$ = hlo_take_aliasing(p); }
| '{' { hlo_begin_fields(p); } alias_seq comma_opt '}' { $$ = hlo_take_aliasing(p); }
;
alias_seq: alias | alias_seq ',' alias;
alias:
  index ':' '(' INT ',' index ')' { hlo_add_alias(p, $1, $4, $6, NULL, @4); }
| index ':' '(' INT ',' index ',' NAME ')' { hlo_add_alias(p, $1, $4, $6, $8, @8); }
;

donors:    %empty | donor_seq comma_opt;
donor_seq: donor | donor_seq ',' donor;
donor:     '(' INT ',' index ')' { hlo_add_alias(p, NULL, $2, $4, NULL, @2); };

slices:
  '{' '}' { $$ = hlo_take_slices(p, p->stacks.ints.n); }
| '{' { p->value.slice_base = p->stacks.ints.n; } slice_seq '}' { $$ = hlo_take_slices(p, p->value.slice_base); }
;
slice_seq: slice | slice_seq ',' slice;
slice:
  '[' INT ':' INT ']' { hlo_push_slice(p, $2, $4, 1); }
| '[' INT ':' INT ':' INT ']' { hlo_push_slice(p, $2, $4, $6); }
;

tree: leaf | '(' ')' { $$ = hlo_origin_tuple(p, p->stacks.pointers.n); } | '(' tree_seq ')' { $$ = hlo_origin_tuple(p, $2); };
tree_seq:
  tree { $$ = p->stacks.pointers.n; hlo_list_push(&p->stacks.pointers, $1); }
| tree_seq ',' tree { hlo_list_push(&p->stacks.pointers, $3); }
;
leaf:
  '{' '}' { $$ = hlo_origin_leaf(p, NULL, NULL); }
| '{' STRING '}' { $$ = hlo_origin_leaf(p, $2, NULL); }
| '{' STRING index '}' { $$ = hlo_origin_leaf(p, $2, $3); }
;

recovery:
  '{' { $<base>$ = p->stacks.pointers.n; }[base] recovery_seq '}' { $$ = hlo_take_recovery(p, $<base>base); }
;
recovery_seq:
  %empty
| recovery_seq leaf ':' leaf { hlo_push_recovery(p, $2, $4, NULL, @4); }
| recovery_seq leaf ':' leaf ',' STRING { hlo_push_recovery(p, $2, $4, $6, @6); }
;

debug:
  '{' '}' { $$ = hlo_take_debug(p, p->stacks.pointers.n); }
| '{' { $<base>$ = p->stacks.pointers.n; }[base] debug_seq '}' { $$ = hlo_take_debug(p, $<base>base); }
;
debug_seq: debug_entry | debug_seq ',' debug_entry;
debug_entry: debug_head debug_log | debug_head '(' ')' { hlo_no_debug_log(p); } | debug_head '(' debug_logs ')';
debug_head:  leaf ':' { hlo_begin_debug_entry(p, $1); };
debug_logs:  debug_log | debug_logs ',' debug_log;
debug_log:   '{' { hlo_begin_debug_log(p); } debug_parts_opt '}' { hlo_end_debug_log(p); };
debug_parts_opt: %empty | debug_parts;
debug_parts:     debug_part | debug_parts ',' debug_part;
debug_part:
  KEY NAME { hlo_debug_word(p, $1, @1, $2, @2); }
| KEY INT { hlo_debug_number(p, $1, @1, $2, @2); }
| KEY bool { hlo_debug_flag(p, $1, @1, $2, @2); }
;

/* ---- values: shardings, meshes, groups ---- */

sharding:
  '{' '}' { $$ = hlo_tuple_sharding(p, p->stacks.pointers.n); }
| '{' sharding_body '}' { $$ = hlo_canonical_sharding(p, $2, @2); }
| '{' { $<base>$ = p->stacks.pointers.n; }[base] tuple_elements '}' { $$ = hlo_tuple_sharding(p, $<base>base); }
;
tuple_elements: tuple_element { $$ = NULL; } | tuple_elements ',' tuple_element;
tuple_element:
  '{' sharding_body '}' { hlo_list_push(&p->stacks.pointers, hlo_canonical_sharding(p, $2, @2)); }
| '{' '}' { hlo_list_push(&p->stacks.pointers, hlo_canonical_sharding(p, hlo_new_sharding(p), @2)); }
;

sharding_body: parts { $$ = p->value.sharding; } | named { $$ = p->value.sharding; };

parts: { hlo_start_sharding(p); } part | parts part;
part:
  kind { hlo_sharding_kind_part(p, $1, @1); }
| KEY INT { hlo_sharding_device(p, $1, @1, $2, @2); }
| KEY '[' int_seq ']' device_seq { hlo_sharding_devices(p, $1, @1, $3, $5, NULL, @$); }
| KEY '[' int_seq ']' LEQ iota { hlo_sharding_devices(p, $1, @1, $3, 0, $6, @$); }
| KEY '{' '}' { hlo_sharding_last_dims(p, $1, @1, p->stacks.ints.n); }
| KEY '{' kind_seq '}' { hlo_sharding_last_dims(p, $1, @1, $3); }
| LAST_TILE_DIM_REPLICATE { p->value.sharding->replicate_last = true; }
| SHARD_AS INT { hlo_sharding_group(p, HLO_SHARD_AS, $2); }
| SHARD_LIKE INT { hlo_sharding_group(p, HLO_SHARD_LIKE, $2); }
| METADATA_LIST { hlo_sharding_metadata(p, $1); }
;
device_seq: INT { $$ = p->stacks.ints.n; hlo_list_push(&p->stacks.ints, $1); } | device_seq ',' INT { hlo_list_push(&p->stacks.ints, $3); };

kind:
  REPLICATED { $$ = HLO_SHARDING_REPLICATED; }
| MANUAL { $$ = HLO_SHARDING_MANUAL; }
| MAXIMAL { $$ = HLO_SHARDING_MAXIMAL; }
| UNKNOWN { $$ = HLO_SHARDING_UNKNOWN; }
| UNREDUCED { $$ = HLO_SHARDING_UNREDUCED; }
;
kind_seq: kind { $$ = p->stacks.ints.n; hlo_list_push(&p->stacks.ints, $1); } | kind_seq ',' kind { hlo_list_push(&p->stacks.ints, $3); };

iota:
  '[' int_seq ']' { $$ = hlo_iota(p, $2, UINT32_MAX, @$, @$); }
| '[' int_seq ']' TRANSPOSED '(' int_seq ')' { $$ = hlo_iota(p, $2, $6, @$, @6); }
;

named:
  mesh_head { hlo_start_named(p, $1, @1); } named_core
| mesh_head ',' { hlo_start_named(p, $1, @1); } named_core
| placed_mesh { hlo_start_named(p, $1, @1); } named_core
| placed_mesh ',' { hlo_start_named(p, $1, @1); } named_core
| MAXIMAL_MESH '[' KEY INT ']' { hlo_start_maximal_mesh(p, $3, @3, $4); } maximal_rest
| unreduced_head word_axes maximal_rest
;
unreduced_head:
  mesh_head KEY NAME { hlo_start_unreduced(p, $1, @1, $2, @2, $3, @3); }
| mesh_head ',' KEY NAME { hlo_start_unreduced(p, $1, @1, $3, @3, $4, @4); }
| placed_mesh KEY NAME { hlo_start_unreduced(p, $1, @1, $2, @2, $3, @3); }
| placed_mesh ',' KEY NAME { hlo_start_unreduced(p, $1, @1, $3, @3, $4, @4); }
;
word_axes: %empty | axes { hlo_unreduced_axes(p, hlo_take_axes(p, $1), @1); };
maximal_rest: %empty | ',' METADATA_LIST { hlo_sharding_metadata(p, $2); };
named_core:
  word_kind { p->value.sharding->named_word = true; p->value.sharding->word = (hlo_sharding_kind)$1; } word_axes maximal_rest
| '[' ']' { hlo_named_dims(p, p->stacks.pointers.n, @1); } named_rest
| '[' { $<base>$ = p->stacks.pointers.n; }[base] dim_seq ']' { hlo_named_dims(p, $<base>base, @1); } named_rest
;
word_kind: REPLICATED { $$ = HLO_SHARDING_REPLICATED; } | MANUAL { $$ = HLO_SHARDING_MANUAL; } | UNREDUCED { $$ = HLO_SHARDING_UNREDUCED; };
dim_seq:   dim_sharding | dim_seq ',' dim_sharding;
dim_sharding:
  axes { hlo_push_dim(p, hlo_take_axes(p, $1), false); }
| '{' '?' '}' { hlo_push_dim(p, (hlo_axis_list){0}, true); }
| '{' axis_seq ',' '?' '}' { hlo_push_dim(p, hlo_take_axes(p, $2), true); }
;
named_rest:
  %empty
| named_rest ',' KEY axes { hlo_named_axes(p, $3, @3, hlo_take_axes(p, $4)); }
| named_rest ',' KEY NAME axes { hlo_unreduced_by(p, $3, @3, $4, @4); hlo_named_axes(p, $3, @3, hlo_take_axes(p, $5)); }
| named_rest ',' METADATA_LIST { hlo_sharding_metadata(p, $3); }
;

placed_mesh:
  mesh_head ',' KEY '(' int_seq_opt ')' { $$ = hlo_mesh_devices(p, $1, $3, @3, $5, NULL); }
| mesh_head ',' KEY '(' iota ')' { $$ = hlo_mesh_devices(p, $1, $3, @3, 0, $5); }
;
mesh_head:
  MESH '[' ']' { $$ = hlo_new_mesh(p); }
| MESH '[' { p->value.mesh = hlo_new_mesh(p); } mesh_axes ']' { $$ = p->value.mesh; }
;
mesh_axes: mesh_axis | mesh_axes ',' mesh_axis;
mesh_axis: STRING '=' INT { hlo_add_mesh_axis(p, $1, $3); };

axes:
  '{' axis_seq_opt '}' { $$ = $2; }
;
axis_seq_opt: %empty { $$ = p->stacks.pointers.n; } | axis_seq;
axis_seq:
  { $<base>$ = p->stacks.pointers.n; }[base] axis { $$ = $<base>base; }
| axis_seq ',' axis
;
axis:
  STRING { hlo_push_axis(p, (hlo_axis_ref){.name = *$1}); }
| STRING ':' '(' INT ')' INT { hlo_push_axis(p, (hlo_axis_ref){*$1, true, $4, $6}); }
;

groups:
  '{' '}' { $$ = hlo_list_groups(p, hlo_take_int_lists(p, p->stacks.pointers.n)); }
| int_lists { $$ = hlo_list_groups(p, $1); }
| '[' INT ',' INT ']' LEQ iota { $$ = hlo_iota_groups(p, $2, $4, $7, @$); }
| mesh_head axes { $$ = hlo_mesh_groups(p, $1, hlo_take_axes(p, $2), @$); }
| placed_mesh axes { $$ = hlo_mesh_groups(p, $1, hlo_take_axes(p, $2), @$); }
;

%%

static int token_of(yysymbol_kind_t kind) {
    int token = T_END;
    while (token < YYMAXUTOK && YYTRANSLATE(token) != kind) token++;
    return token;
}

static int yyreport_syntax_error(const yypcontext_t *context, hlo_parser *p) {
    enum { MOST = 128 };
    yysymbol_kind_t expected[MOST];
    const char *names[MOST];
    int n = yypcontext_expected_tokens(context, expected, MOST);
    for (int i = 0; i < n; i++) names[i] = yysymbol_name(expected[i]);
    hlo_syntax_error(p, *yypcontext_location(context), token_of(yypcontext_token(context)), names, n);
    return 0;
}
