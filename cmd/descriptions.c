/* See descriptions.h. */
#include "descriptions.h"

#include "xla_flags.h"

const char description_of_verify[] =
    "A file may hold HLO text, or HloModuleProto, HloProto and HloSnapshot as binary or JSON "
    "messages, packed by gzip or zstd or not; the content tells. hlo(7) describes the "
    "language.\n\n"
    "Diagnostics have the form FILE:LINE:COLUMN: error: MESSAGE [RULE], followed by the line "
    "and notes. The verdict is that of XLA's verifier; options of the group Strictness ask "
    "for what its back ends demand beyond, and lint rules, which --warn and --error turn on, "
    "for what is no error but hardly meant. --explain shows for each rule what it demands.";

const char description_of_opt[] =
    "Without passes the module is printed as XLA prints it: reading and printing is lossless. "
    "A pass is named in --passes, with options in braces; fix(A,B) repeats passes until none "
    "of them changes the module. Named lists of passes are pipelines, for --pipeline. hlo(7) "
    "lists both; --explain describes a pass with its rewrites.\n\n"
    "The module is verified before the first pass, and with --verify-each after every one, as "
    "options of the group Strictness ask. Rewrites leave alone what mixes floating-point types. "
    "When a pass is under suspicion, --bisect finds the first rewrite after which a command "
    "fails, and --print-changed shows what each pass does.";

const char description_of_run[] =
    "Arrays are read from files of NumPy (.npy, .npz), from JSON and from files with a "
    "literal; --inputs makes up what no file gives. Results are compared with --expect, and "
    "an HloSnapshot is run on the inputs that it holds and compared with its result.\n\n"
    "Results do not depend on the number of threads. A module for several replicas or "
    "partitions runs as that many devices in one process, or in the processes that mpirun(1) "
    "started. Custom calls are found in the libraries of --custom-call-library.\n\n"
    "With --allow-mixed-precision operands of small floating-point types become f32 where types "
    "are mixed, and results are rounded to the types that are written, as by the pass "
    "float-normalization{mixed}.";

const char description_of_dot[] =
    "Text for Graphviz is made by the program itself; images are rendered by Graphviz, and of "
    "large graphs the places of nodes are computed by the program, which takes no minutes. "
    "Options of the group Selection choose what is drawn of a large module.";

const char description_of_diff[] =
    "Instructions correspond when they compute the same from what corresponds, or else play "
    "the same part; names do not matter. What cannot be matched was added or removed; what "
    "differs in attributes, shapes or operands was changed.";

const char description_of_reduce[] =
    "The command is run on many candidates: modules of which something was left out or "
    "replaced by something simpler. It is to exit with 0 when the module is still "
    "interesting: when it has the instruction that is looked for, or makes a compiler fail in "
    "the same way. All candidates are valid modules. The module left is minimal in that no "
    "single edit can be made any more.";

const char description_of_stat[] =
    "Numbers are estimates from shapes and attributes, as XLA counts: nothing runs. Several "
    "modules are counted one by one. With the figures of a machine, --peak-flops and "
    "--peak-bandwidth, each row has the time that it takes at least.\n\n"
    "--compare shows what changed from the module to another one.";

/* ---- files ---- */

const term_row files_of_verify[] = {
    {"FILE of --baseline", "for each kind of finding that is known a line with its fingerprint and "
                           "how many there are, as --write-baseline writes it"},
    {0},
};

const term_row files_of_opt[] = {
    {"module_0000.NAME.before_optimizations.txt",
     "in the folder of --xla_dump_to: the first module as it was read; with after_optimizations in "
     "its place, after all passes; with 0001.after_PASS, after the first pass that ran; messages "
     "end in .hlo.pb"},
    {"$TMPDIR/hlo-reduce-XXXXXX/module0.hlo",
     "what the command of --bisect gets; the folder is removed at the end"},
    {0},
};

const term_row files_of_run[] = {
    {"in0.npy, in1.npy, ...",
     "in the folder of --input-dir: the arrays of the parameters in order, tuples depth first; or "
     "NAME.npy, by the name of the parameter; in0.r1.npy is that of device 1"},
    {"out0.npy, out1.npy, ...",
     "in the folder of --output-dir, and of --expect: the arrays of the result; those of several "
     "devices are out0.r0.npy, out0.r1.npy and so on"},
    {"infeed0.npy, recv0.npy, ...", "in folders of --infeed and --recv: what arrives, in order"},
    {"outfeed0.npy, send0.npy, ...", "in folders of --outfeed and --send: what was sent"},
    {"NAME.npy, LOOP/ITERATION/NAME.npy",
     "in the folder of --dump-values: what instructions computed; NAME{1}.npy is an element of a "
     "tuple"},
    {"liblapacke.so.3", "LAPACK, which custom calls to it need"},
    {"libhlo-mpi.so", "in lib/ beside the programs: what processes that mpirun(1) started exchange "
                      "data by"},
    {0},
};

const term_row files_of_dot[] = {
    {"FILE of --profile", "what hlo-run --profile=FILE.json wrote for the same module"},
    {"libgvc.so.6", "Graphviz, which makes the images; text for it and pages are made without"},
    {0},
};

const term_row files_of_reduce[] = {
    {"$TMPDIR/hlo-reduce-XXXXXX/module0.hlo",
     "a candidate, which the command gets; each of --jobs has a number of its own; the folder is "
     "removed at the end"},
    {0},
};

/* ---- variables of the environment ---- */

const term_row variables_of_opt[] = {
    XLA_FLAGS_VARIABLE,
    {"TMPDIR", "where --bisect puts the files of its commands (/tmp)"},
    {0},
};
