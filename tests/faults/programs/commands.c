/* The command lines, and the files that they read. See programs.h. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "faults/faults.h"
#include "programs.h"

const fault_command fault_commands[] = {
    {"hlo-reduce -q --max-tests=4 --test 'grep -q reduce-window' -o small.hlo ../in/m.hlo", NULL, 0,
     IS_SLOW | IS_REPORT},
    {"hlo-reduce -q --max-tests=4 -j2 --test 'grep -q reduce-window'", "m.hlo", 0, IS_SLOW},
    {"hlo-opt --pipeline=default --bisect 'grep -q maximum' -o found.txt ../in/m.hlo", NULL, 0,
     IS_SLOW},
    {"hlo-opt ../in/m.hlo", NULL, 0, 0},
    {"hlo-opt --pipeline=default --large-constants -o out.hlo ../in/m.hlo", NULL, 0, 0},
    {"hlo-opt --emit=json --pretty -o out.json ../in/m.pb", NULL, 0, 0},
    {"hlo-opt --emit=proto -o out.pb ../in/m.json", NULL, 0, 0},
    {"hlo-opt --passes=dce,cse,algsimp --print-changed --stats --xla_dump_to=dump -o out.hlo "
     "../in/m.hlo",
     NULL, 0, IS_PIECEMEAL},
    {"hlo-opt --passes=cse --time-passes -o out.hlo", "m.hlo.zst", 0, IS_TIMED},
    {"hlo-opt --split-input-file --emit=json -o all.json ../in/two.hlo", NULL, 0, 0},
    {"hlo-opt --help", NULL, 0, 0},
    {"hlo-opt --list-passes -o passes.txt", NULL, 0, 0},
    {"hlo-verify -v ../in/m.hlo", NULL, 0, IS_REPORT},
    {"hlo-verify ../in/broken.hlo", NULL, 1, 0},
    {"hlo-verify --format=sarif -o report.sarif ../in/broken.hlo ../in/m.hlo", NULL, 1, IS_REPORT},
    {"hlo-verify --format=json --jobs=2 -o report.json ../in", NULL, 1, IS_REPORT},
    {"hlo-verify --warn=all --error=identity-operation -v", "m.hlo.gz", 0, IS_REPORT},
    {"hlo-verify --warn=all --baseline=known.json --write-baseline ../in/m.hlo ../in/two.hlo", NULL,
     0, 0},
    {"hlo-verify --dedup -v ../in/m.hlo ../in/m.json ../in/second.hlo", NULL, 0, IS_REPORT},
    {"hlo-verify --explain=shape-required -o why.txt", NULL, 0, 0},
    {"hlo-run --inputs=hash-positive ../in/m.hlo", NULL, 0, 0},
    {"hlo-run --inputs=hash-positive --output-dir results ../in/m.hlo", NULL, 0, 0},
    {"hlo-run --inputs=hash-positive --threads=1 --output-dir results.npz ../in/m.hlo", NULL, 0, 0},
    {"hlo-run --input-dir ../in/inputs --inputs=hash --threads=1 -o results.json ../in/m.hlo", NULL,
     0, 0},
    {"hlo-run --input x=../in/x.npz --inputs=hash --threads=1 --expect "
     "../in/expected.npz -o report.txt ../in/m.hlo",
     NULL, 1, 0},
    {"hlo-run --inputs=hash-positive --seed=1 --threads=1 --expect ../in/expected.json ../in/m.hlo",
     NULL, 0, 0},
    {"hlo-run --inputs=hash --threads=1 --trace-values --dump-values values -o out.json "
     "../in/m.hlo",
     NULL, 0, IS_PIECEMEAL},
    {"hlo-run --inputs=hash --threads=1 --only=d ../in/m.json", NULL, 0, 0},
    {"hlo-run --infeed ../in/x.npy --outfeed fed -o out.npy ../in/feeds.hlo", NULL, 0,
     IS_PIECEMEAL},
    {"hlo-run --infeed - --outfeed fed.npy ../in/feeds.hlo", "x.npy", 0, 0},
    {"hlo-run --inputs=hash --threads=1 --bench=2 --bench-json times.json -o out.npz ../in/m.hlo",
     NULL, 0, IS_TIMED | IS_PIECEMEAL},
    {"hlo-run --inputs=hash --threads=2 -o out.npz ../in/threaded.hlo", NULL, 0, 0},
    {"hlo-run --engine=reference --threads=1 ../in/recorded.json", NULL, 0, 0},
    {"hlo-run --executor=dataflow --inputs=hash-positive --threads=1 -o out.npz ../in/m.hlo", NULL,
     0, 0},
    {"hlo-run --executor=dataflow --inputs=hash --threads=2 -o out.npz ../in/threaded.hlo", NULL, 0,
     0},
    {"hlo-run --executor=dataflow --threads=1 -o out.npz ../in/loop.hlo", NULL, 0, 0},
    {"hlo-run --executor=dataflow --profile ../in/loop.hlo", NULL, 2, 0},
    {"hlo-run --profile --inputs=hash-positive --threads=1 -o out.npz ../in/m.hlo", NULL, 0,
     IS_TIMED},
    {"hlo-run --profile=profile.json --inputs=hash --threads=1 -o out.npz ../in/loop.hlo", NULL, 0,
     IS_TIMED | IS_PIECEMEAL},
    {"hlo-dot ../in/m.hlo", NULL, 0, 0},
    {"hlo-dot -T svg --layout=fast --legend -o m.svg ../in/m.hlo", NULL, 0, 0},
    {"hlo-dot -T png --entry-only -o m.png", "m.hlo", 0, IS_SLOW},
    {"hlo-stat ../in/m.hlo ../in/two.hlo", NULL, 1, IS_REPORT},
    {"hlo-stat --split-input-file --emit=html --peak-flops=1T -o m.html ../in/two.hlo", NULL, 0,
     IS_REPORT},
    {"hlo-stat --compare=../in/second.hlo --emit=json", "m.hlo", 0, 0},
    {"hlo-diff ../in/m.hlo ../in/second.hlo -o report.txt", NULL, 1, 0},
    {"hlo-diff --emit=json --metadata ../in/m.hlo -", "m.pb", 0, 0},
};
const size_t fault_command_count = sizeof fault_commands / sizeof *fault_commands;

/* A loop around a branch: both are frames of a dataflow graph. */
static const char loop_text[] =
    "HloModule loop\n"
    "less { i = s32[] parameter(0) n = s32[] constant(3)\n"
    "  ROOT go = pred[] compare(i, n), direction=LT }\n"
    "one { i = s32[] parameter(0) ROOT r = s32[] negate(i) }\n"
    "two { i = s32[] parameter(0) k = s32[] constant(1) ROOT r = s32[] add(i, k) }\n"
    "step { i = s32[] parameter(0) k = s32[] constant(0)\n"
    "  low = pred[] compare(i, k), direction=LT\n"
    "  ROOT r = s32[] conditional(low, i, i), true_computation=one, false_computation=two }\n"
    "ENTRY main { p = s32[] constant(-2) ROOT w = s32[] while(p), condition=less, body=step }\n";

static void write_text(const char *folder, const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *to = fopen(path, "w");
    if (!to || fputs(text, to) < 0 || fclose(to) != 0) perror(path);
}

void fault_commands_write_files(const char *folder) {
    static char two[1 << 15];
    faults_write_files(folder);
    snprintf(two, sizeof two, "%s// -----\n%s", faults_text, faults_second_text);
    write_text(folder, "two.hlo", two);
    write_text(folder, "second.hlo", faults_second_text);
    write_text(folder, "broken.hlo", faults_broken_text);
    write_text(folder, "threaded.hlo", faults_threaded_text);
    write_text(folder, "loop.hlo", loop_text);
}
