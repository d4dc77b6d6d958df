/* See descriptions.h. */
#include "descriptions.h"

#include "xla_flags.h"

const char description_of_verify[] =
    "A file may hold HLO text, or HloModuleProto, HloProto, HloSnapshot and "
    "HloUnoptimizedSnapshot as binary, JSON or text messages, optionally compressed with gzip or "
    "zstd; the format is detected from the content. "
    "hlo(7) describes the "
    "language.\n\n"
    "Diagnostics have the form FILE:LINE:COLUMN: error: MESSAGE [RULE], followed by the line "
    "and notes. The verdict is that of XLA's verifier; options of the group Strictness add the "
    "checks of its back ends, and --warn and --error enable lint rules, which report valid but "
    "probably unintended code: the set recommended has those that find little in what JAX itself "
    "writes, all every one. --explain describes a rule.";

const char description_of_opt[] =
    "Without passes the module is printed as XLA prints it: reading and printing is lossless. "
    "A pass is named in --passes, with options in braces; fix(A,B) repeats passes until none "
    "of them changes the module. --pipeline runs a named list of passes. hlo(7) lists passes and "
    "pipelines; --explain describes a pass with its rewrites.\n\n"
    "The module is verified before the first pass, and with --verify-each after every pass, by the "
    "options of the group Strictness. Instructions that mix floating-point types are not "
    "rewritten. --bisect finds the first rewrite after which a command fails; --print-changed "
    "prints the changes of each pass.";

const char description_of_run[] =
    "Arrays are read from files of NumPy (.npy, .npz), from JSON and from files with a "
    "literal; --inputs generates the others. Results are compared with --expect, and "
    "an HloSnapshot is run on its inputs and compared with its result. Of a directory every module "
    "is run on its recorded inputs and compared with its recorded results.\n\n"
    "Results do not depend on the number of threads. A module for several replicas or "
    "partitions runs as that many devices in one process, or in the processes that mpirun(1) "
    "started. Custom calls are found in the libraries of --custom-call-library.\n\n"
    "With --allow-mixed-precision operands of small floating-point types become f32 where types "
    "are mixed, and results are rounded to the types that are written, as by the pass "
    "float-normalization{mixed}.";

const char description_of_dot[] =
    "Graphviz text is written by the program itself; images are rendered by Graphviz. A built-in "
    "layered layout (barycenter heuristic) replaces that of Graphviz for large graphs. Options of "
    "the group Selection draw parts of a module.";

const char description_of_diff[] =
    "Instructions are matched when they compute the same from matched operands, or else by their "
    "position; names are ignored. Unmatched instructions are added or removed; matched ones that "
    "differ in attributes, shapes or operands are changed.\n\n"
    "Of two directories every module is compared with its counterpart: the file of that name, "
    "without the number that XLA gives to modules (module_0014.), or one of equal content, or one "
    "whose module has that name; of several candidates, the one nearest in size. A summary comes "
    "first, then each pair that differs. A module that cannot be read and its counterpart are not "
    "compared: the exit status is not 0 then.";

const char description_of_reduce[] =
    "The command is run on many candidates: valid modules in which parts are removed or replaced "
    "by simpler ones. It must exit with 0 when a candidate is interesting: when it contains a "
    "certain instruction, or makes a compiler fail in the same way. The result is 1-minimal: every "
    "further single edit makes the command fail.";

const char description_of_stat[] =
    "Numbers are static estimates from shapes and attributes, counted as XLA does. Several files, "
    "or "
    "a directory, have a line per module with its figures (the table modules), unless --show names "
    "other tables. With the peak throughput of a machine (--peak-flops, "
    "--peak-bandwidth), each row has a lower bound of its time.\n\n"
    "--compare reports the differences between two modules.";

/* ---- files ---- */

const term_row files_of_verify[] = {
    {"FILE of --baseline", "known findings, as --write-baseline writes them: a line with a "
                           "fingerprint and a count per kind"},
    {0},
};

const term_row files_of_opt[] = {
    {"module_0000.NAME.before_optimizations.txt",
     "in the folder of --xla_dump_to: the first module as it was read; with after_optimizations in "
     "its place, after all passes; with 0001.after_PASS, after the first pass that ran; messages "
     "end in .hlo.pb"},
    {"$TMPDIR/hlo-reduce-XXXXXX/module0.hlo",
     "argument of the --bisect command; the folder is removed at the end"},
    {0},
};

const term_row files_of_run[] = {
    {"in0.npy, in1.npy, ...",
     "in the folder of --input-dir: the arrays of the parameters in order, tuples depth first; or "
     "NAME.npy, by the name of the parameter; in0.r1.npy is that of device 1"},
    {"out0.npy, out1.npy, ...",
     "in the folder of --output-dir, and of --expect: the arrays of the result; those of several "
     "devices are out0.r0.npy, out0.r1.npy and so on"},
    {"NAME.npz, NAME.json, NAME/out0.npy, out0.npy",
     "beside the file NAME.hlo in a directory of modules: its recorded inputs and results, in0, "
     "out0 and so on; the first of these is read"},
    {"infeed0.npy, recv0.npy, ...",
     "in folders of --infeed and --recv: the received arrays, in order"},
    {"outfeed0.npy, send0.npy, ...",
     "in folders of --outfeed and --send: the sent arrays, in order"},
    {"NAME.npy, LOOP/ITERATION/NAME.npy", "in the folder of --dump-values: the values of "
                                          "instructions; NAME{1}.npy is an element of a tuple"},
    {"liblapacke.so.3", "LAPACK, used by custom calls to it"},
    {"libhlo-mpi.so",
     "in lib/, installed with the programs: the MPI transport of processes that mpirun(1) starts"},
    {0},
};

const term_row files_of_dot[] = {
    {"FILE of --profile", "the profile of hlo-run --profile=FILE.json for the same module"},
    {"libgvc.so.6", "Graphviz, for images only"},
    {0},
};

const term_row files_of_reduce[] = {
    {"$TMPDIR/hlo-reduce-XXXXXX/module0.hlo",
     "a candidate, argument of the command; each of --jobs has its number; the folder is removed "
     "at the end"},
    {0},
};

/* ---- variables of the environment ---- */

const term_row variables_of_opt[] = {
    XLA_FLAGS_VARIABLE,
    {"TMPDIR", "directory of the files of --bisect (/tmp)"},
    {0},
};
