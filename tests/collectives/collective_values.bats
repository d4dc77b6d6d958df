# Passes over collectives on several devices: the modules of tests/passes/rewrites before and after their rewrites compute the same on
# every device, with inputs that differ between devices.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# numbers SHAPE NUMBER DEVICE: a module whose result, an array of small integers, is another for each DEVICE (a
# computation of `r` and `q`, replica and partition).
numbers() {
    local type=${1%%\[*} dims=${1#*[}
    dims=${dims%%]*}
    cat <<H
$header
ENTRY e {
  r = u32[] replica-id()
  q = u32[] partition-id()
  c = u32[] constant(16)
  d = $3
  w = u64[] convert(d)
  v = u64[1] reshape(w)
  k = u64[1] constant({$2})
  s = u64[2] concatenate(v, k), dimensions={0}
  g = (u64[2], u32[$dims]) rng-bit-generator(s), algorithm=rng_three_fry
  b = u32[$dims] get-tuple-element(g), index=1
  n = u32[] constant(7)
  ns = u32[$dims] broadcast(n), dimensions={}
  m = u32[$dims] remainder(b, ns)
  i = s32[$dims] convert(m)
  h = s32[] constant(3)
  hs = s32[$dims] broadcast(h), dimensions={}
  x = s32[$dims] subtract(i, hs)
  ROOT y = ${type}[$dims] convert(x)
}
H
}

# make_inputs FILE: in/in0.r0.npy ... for the parameters of the entry; those that all replicas shall have are the same.
make_inputs() {
    local line shape number device
    rm -rf in
    mkdir in
    sed -n '/^ENTRY/,/^}/s/^ *[a-z_0-9]* = \([^ ]*\) parameter(\([0-9]*\))\(.*\)/\1 \2 \3/p' "$1" >parameters
    while read -r shape number line; do
        device='u32[] add(m0, q)'
        [[ $line != *parameter_replication=\{true* ]] || device='u32[] copy(q)'
        numbers "$shape" "$number" "$device" | sed 's/^  d = /  m0 = u32[] multiply(r, c)\n  d = /' >input.hlo
        hlo-run input.hlo --output-dir made >/dev/null || return
        for file in made/out0.*; do mv "$file" "in/in$number.${file#made/out0.}"; done
    done <parameters
}

# same_values NAME...: the module before and the one after compute the same.
same_values() {
    local name module
    for name; do
        module=$HLO_ROOT/tests/passes/rewrites/$name.hlo
        sed '/^\/\/ -----/,$d' "$module" >before.hlo
        sed '1,/^\/\/ -----/d' "$module" >after.hlo
        header=$(grep '^HloModule' before.hlo)
        make_inputs before.hlo || fail "$name: there are no inputs"
        rm -rf wanted
        hlo-run before.hlo --input-dir in --outfeed sent --output-dir wanted >/dev/null || fail "$name: the module before does not run"
        hlo-run after.hlo --input-dir in --outfeed sent --expect wanted --rtol=1e-6 --atol=1e-6 >out 2>&1 || fail "$name:" "$(head -20 out)"
    done
}

@test "collectives that become others" {
    same_values expand_all_gather expand_all_to_all expand_reduce_scatter
}

@test "all-reduces of all-reduces; parts of devices" {
    same_values all_reduce_of_all_reduce own_part_of_all_gather own_part_of_all_reduce all_gather_of_one
}

@test "collectives that are combined" {
    same_values combine_all_gathers combine_all_reduces combine_collective_permutes combine_reduce_scatters
}

@test "collectives of one device, and of what all replicas have" {
    same_values gather_of_one reduce_scatter_of_one all_reduce_of_one asynchronous_of_one all_reduce_of_replicated
}

@test "what is reduced together" {
    same_values reduce_together reduce_parts_together reduce_converted_together
}

@test "collectives with a start and a done, and in another order" {
    same_values start_and_done start_all_reduce start_all_gather start_collective_permute start_collective_call scheduled_to_overlap
}

@test "all-gathers of broadcasts, exchanges of a device with itself" {
    same_values all_gather_of_broadcast all_to_all_of_one permute_to_self
}
