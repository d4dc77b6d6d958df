#!/usr/bin/env bash
# How long collectives take between two devices: threads of one process, and processes of a launcher.
#
#   bench/exchanges.sh BUILD [LAUNCHER...]      LAUNCHER: starts two processes of hlo-run (mpirun -n 2)
#
# Prints a table: median ms of a run, and GB/s of what both devices together read and write at least. Each module returns one
# element, so that no results travel. Called by `make bench-exchanges`, where nothing else should run.
set -eu
bin=$PWD/${1:?usage: bench/exchanges.sh BUILD [LAUNCHER...]}/bin
shift
launcher=("$@")
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
[ ${#launcher[@]} -gt 0 ] || launcher=(mpirun -n 2)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# module ELEMENTS RESULT INSTRUCTION: x is the parameter.
module() {
    cat <<END
HloModule exchange, replica_count=2
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[$1] parameter(0)
  y = f32[$2] $3
  ROOT r = f32[1] slice(y), slice={[0:1]}
}
END
}

# median COMMAND...: of the run's report, in ms.
median() {
    "$@" "$bin/hlo-run" --as-written --inputs=ones --bench=9 module.hlo 2>&1 |
        sed -n 's/.*"run_median_s": \([0-9.e+-]*\).*/\1/p' | awk '{ printf "%.3f", $1 * 1000 }'
}

# row NAME MIB: `module` has written module.hlo; so many MiB are read and written.
row() {
    local threads processes
    threads=$(median env HLO_MPI=0)
    processes=$(median "${launcher[@]}" || true)
    awk -v name="$1" -v mib="$2" -v a="$threads" -v b="${processes:-0}" 'BEGIN {
        printf "| %s | %s | %s | %s | %s |\n", name, a, mib ? sprintf("%.1f", mib * 1.048576 / a) : "",
               b ? b : "", mib && b ? sprintf("%.1f", mib * 1.048576 / b) : "" }'
}

n=$((16 << 20))
echo "| 64 MiB on each device | threads, ms | GB/s | processes, ms | GB/s |"
echo "| --- | ---: | ---: | ---: | ---: |"
module $n $n 'all-reduce(x), to_apply=add' >module.hlo && row all-reduce 192
module $n $((2 * n)) 'all-gather(x), dimensions={0}' >module.hlo && row all-gather 256
module $n $n 'all-to-all(x), dimensions={0}, replica_groups={{0,1}}' >module.hlo && row all-to-all 256
module $n $((n / 2)) 'reduce-scatter(x), dimensions={0}, to_apply=add' >module.hlo && row reduce-scatter 192
module $n $n 'collective-permute(x), source_target_pairs={{0,1},{1,0}}' >module.hlo && row 'collective-permute, a pair each way' 256
module 4 4 'all-reduce(x), to_apply=add' >module.hlo && row 'all-reduce of 4 elements' 0
