# shardy-xla: shardings and manual regions that JAX states for Shardy (frontend attributes and custom calls xla.sdy.*) become
# those of HLO. Values and bytes of whole programs: spmd_jax.bats.

load ../lib
load ../cases

teardown_file() {
    sum_cases
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# module MESHES ATTRIBUTE: a parameter that has the Shardy sharding, in a module with those meshes.
module() {
    cat <<END
HloModule m, num_partitions=8, frontend_attributes={xla.sdy.meshes={$1}}
ENTRY e {
  ROOT p = f32[8,16,8] parameter(0), frontend_attributes={xla.sdy.sharding="$2"}
}
END
}

# sharding_of MESHES SHARDING: what HLO has for it.
sharding_of() {
    module "$1" "#sdy.sharding<$2>" >m.hlo
    hlo-opt --passes=shardy-xla m.hlo 2>said | sed -n 's/.* sharding=\({.*}\)$/\1/p'
}

# The right column is what JAX and XLA give the same PartitionSpec in terms of HLO.
@test "shardings of values: axes, parts of axes, replicas, other orders, meshes by name and in place" {
    begin_cases
    mesh='mesh = #sdy.mesh<[\"x\"=2, \"y\"=4]>, one = #sdy.mesh<[], device_ids=[3]>, none = #sdy.mesh<[]>, other = #sdy.mesh<[\"a\"=2, \"b\"=2, \"c\"=2]>, swapped = #sdy.mesh<[\"x\"=2, \"y\"=4], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>'
    mesh=${mesh//\\/}
    while IFS='|' read -r sharding wanted; do
        found=$(sharding_of "$mesh" "${sharding//\"/\\\"}")
        if [ "$found" = "$wanted" ]; then ok; else bad "$sharding" "$found instead of $wanted: $(head -n 1 said)"; fi
    done <<'END'
@mesh, [{"x"}, {"y"}, {}]|{devices=[2,4,1]<=[8]}
@mesh, [{"y"}, {"x"}, {}]|{devices=[4,2,1]<=[2,4]T(1,0)}
@mesh, [{"x", "y"}, {}, {}]|{devices=[8,1,1]<=[8]}
@mesh, [{"y", "x"}, {}, {}]|{devices=[8,1,1]<=[2,4]T(1,0)}
@mesh, [{"x"}, {}, {}]|{devices=[2,1,1,4]<=[8] last_tile_dim_replicate}
@mesh, [{}, {}, {"y"}]|{devices=[1,1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}
@mesh, [{}, {}, {}]|{replicated}
@mesh, [{}, {}, {}], replicated={"x"}|{replicated}
@mesh, [{"y":(1)2}, {"x"}, {}]|{devices=[2,2,1,2]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}
@mesh, [{"y":(2)2}, {}, {"y":(1)2}]|{devices=[2,1,2,2]<=[2,2,2]T(2,1,0) last_tile_dim_replicate}
@mesh, [{"x"}p1, {?}p2, {"y", ?}p0]|{devices=[2,1,4]<=[8]}
@one, [{}, {}, {}]|{maximal device=3}
@none, [{}, {}, {}]|{replicated}
@other, [{"c"}, {"a"}, {}]|{devices=[2,2,1,2]<=[4,2]T(1,0) last_tile_dim_replicate}
@swapped, [{"x"}, {"y"}, {}]|{devices=[2,4,1]0,2,4,6,1,3,5,7}
mesh<["v"=8]>, [{}, {"v"}, {}]|{devices=[1,8,1]<=[8]}
END
    end_cases
}

@test "an open sharding of a parameter leaves it to the propagation" {
    module 'mesh = #sdy.mesh<["x"=8]>' '#sdy.sharding<@mesh, [{?}, {?}, {?}]>' >m.hlo
    expect_status 0 hlo-opt --passes=shardy-xla m.hlo
    if grep -q sdy "$out" || grep -q 'sharding=' "$out"; then fail "$(<"$out")"; fi
}

# In dumps JAX states the same sharding in both forms.
@test "real dumps: what Shardy and HLO state of a value is the same" {
    [ -d "${HLO_CORPUS:-}" ] || skip "HLO_CORPUS is not set"
    begin_cases
    grep -rlE 'xla\.sdy\.sharding=' "$HLO_CORPUS" >dumps || true
    while read -r dump; do
        hlo-opt "$dump" >before 2>said || { bad "$dump" "$(head -n 2 said)"; continue; }
        hlo-opt --passes=shardy-xla "$dump" >after 2>said || { bad "$dump" "$(head -n 2 said)"; continue; }
        # Parameters of the entry and their shardings.
        for side in before after; do
            sed -n '/^ENTRY/,$p' $side | grep ' parameter(' | grep -oE '^ *(ROOT )?%?[^ ]+|parameter\([0-9]+\)|[ ]sharding=\{[^{}]*(\{[^{}]*\}[^{}]*)*\}' >$side.shardings
        done
        if cmp -s before.shardings after.shardings; then ok; else bad "$dump" "$(diff before.shardings after.shardings | head -n 4)"; fi
    done <dumps
    end_cases
}

@test "what cannot be read names the instruction, the attribute and what was expected" {
    begin_cases
    mesh='mesh = #sdy.mesh<["x"=2, "y"=4]>'
    while IFS='|' read -r sharding wanted; do
        module "$mesh" "${sharding//\"/\\\"}" >m.hlo
        hlo-opt --passes=shardy-xla m.hlo >said 2>err && bad "$sharding" "it is accepted" && continue
        err=err
        if grep -qF "m.hlo:3:8: error: shardy-xla: 'p': $wanted" "$err"; then ok; else bad "$sharding" "$(head -n 1 "$err")"; fi
    done <<'END'
#sdy.sharding<@gone, [{}, {}, {}]>|xla.sdy.sharding: the module has no mesh 'gone'
#sdy.sharding<@mesh, [{"z"}, {}, {}]>|its sharding: the mesh has no axis 'z'
#sdy.sharding<@mesh, [{"x"}, {"x"}, {}]>|its sharding: 
#sdy.sharding<@mesh, [{"x"}, {}]>|its sharding: there must be one part for each dimension
#sdy.sharding<@mesh, [{"x"}, {}, {}]|xla.sdy.sharding: > is expected at the end
#sdy.sharding<@mesh, [{"x" "y"}, {}, {}]>|xla.sdy.sharding: , is expected before '"y"}, {}, {}]>'
#sdy.sharding<@mesh, [{?, "x"}, {}, {}]>|xla.sdy.sharding: } is expected before ', "x"}, {}, {}]>'
#sdy.sharding<@mesh, [{}, {}, {}], unreduced=prod{"x"}>|xla.sdy.sharding: max, min or { is expected before
#sdy.sharding<@mesh, [{}, {}, {}], other={"x"}>|xla.sdy.sharding: replicated= or unreduced= is expected
#sdy.other<@mesh>|xla.sdy.sharding: #sdy.sharding is expected before '#sdy.other<@mesh>'
#sdy.sharding_per_value<[<@mesh, [{}, {}, {}]>, <@mesh, [{}, {}, {}]>]>|xla.sdy.sharding: there must be one for each array
END
    module 'mesh = #sdy.mesh<["x"=2, "x"=4]>' '#sdy.sharding<@mesh, [{}, {}, {}]>' >m.hlo
    expect_status 1 hlo-opt --passes=shardy-xla m.hlo
    if grep -qF "error: shardy-xla: xla.sdy.meshes: two axes of the mesh are called 'x'" "$err"; then ok; else bad meshes "$(<"$err")"; fi
    end_cases
}

map() {
    cat <<'END'
HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2, "y"=2]>}}
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
xla.sdy.manual_computation_body {
  a = f32[4,3] parameter(0)
  b = f32[3,2] parameter(1)
  d = f32[4,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  r = f32[4,2] all-reduce(d), channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=add
  ROOT t = (f32[4,2], f32[3,2]) tuple(r, b)
}
ENTRY e {
  a = f32[8,6] parameter(0)
  b = f32[6,2] parameter(1)
  in = (f32[4,3], f32[3,2]) custom-call(a, b), custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {\"y\"}]>, <@mesh, [{\"y\"}, {}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"x\", \"y\"}>"}
  ia = f32[4,3] get-tuple-element(in), index=0
  ib = f32[3,2] get-tuple-element(in), index=1
  c = (f32[4,2], f32[3,2]) call(ia, ib), to_apply=xla.sdy.manual_computation_body, frontend_attributes={inlineable="false"}
  c0 = f32[4,2] get-tuple-element(c), index=0
  c1 = f32[3,2] get-tuple-element(c), index=1
  ROOT out = (f32[8,2], f32[6,2]) custom-call(c0, c1), custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"x\", \"y\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>, <@mesh, [{\"y\"}, {}]>]>"}
}
END
}

@test "a map of several values: edges are conversions of each, all inside is manual, values are those of the product" {
    map >map.hlo
    expect_status 0 hlo-opt --passes=shardy-xla --verify-each map.hlo
    if grep -q 'xla\.sdy\.[^m]' "$out"; then fail "$(<"$out")"; fi
    [ "$(grep -c 'custom_call_target="SPMDFullToShardShape", sharding={manual}' "$out")" = 2 ]
    [ "$(grep -c 'custom_call_target="SPMDShardToFullShape", sharding={devices=' "$out")" = 2 ]
    sed -n '/manual_computation_body.*{$/,/^}/p' "$out" | grep ' = ' | grep -v 'sharding={*manual\|sharding={{manual' >plain || true
    [ ! -s plain ] || fail "$(<plain)"
    hlo-opt --pipeline=spmd --verify-each map.hlo >parts.hlo
    # The header lets no sharding go to the results: all four devices have the whole product, of 8 rows.
    hlo-run --inputs=ones parts.hlo >have
    [ "$(grep -o '{ 6, 6 }' have | wc -l)" = 32 ] || fail "$(<have)"
}

@test "an unpartitioned module that is run: an error for each edge, not for each device, with the command that partitions it" {
    map >map.hlo
    expect_status 1 hlo-run --inputs=ones map.hlo
    [ "$(grep -c error: "$err")" = 2 ] || fail "$(<"$err")"
    expect_text "$err" "map.hlo:17:3: error: 'in' (custom-call) is between a whole array and its parts: the module is not partitioned [unsupported]"
    expect_text "$err" "hlo-opt --pipeline=spmd"
}

@test "a region's edges that do not fit are named" {
    begin_cases
    map >map.hlo
    while IFS='|' read -r edit wanted; do
        sed "$edit" map.hlo >bad.hlo
        hlo-opt --passes=shardy-xla bad.hlo >said 2>err && bad "$edit" "it is accepted" && continue
        err=err
        if grep -qF "error: shardy-xla: $wanted" "$err"; then ok; else bad "$edit" "$(head -n 1 "$err")"; fi
    done <<'END'
s/, <@mesh, \[{\\"y\\"}, {}\]>\]>",xla.sdy.manual/]>",xla.sdy.manual/|'in': xla.sdy.in_shardings: there must be one for each operand and each result
s/xla.sdy.manual_axes="#sdy<manual_axes{\\"x\\", \\"y\\"}>"}$/other="1"}/|'in': xla.sdy.manual_axes: is missing
s/manual_axes{\\"x\\", \\"y\\"}/manual_axes{\\"x\\", \\"z\\"}/|'in': xla.sdy.manual_axes: the mesh has no such axis
s/manual_axes{\\"x\\", \\"y\\"}/manual_axes{\\"x\\", \\"x\\"}/|'in': xla.sdy.manual_axes: an axis is manual twice
s/xla.sdy.out_shardings=/other=/|'out': xla.sdy.out_shardings: is missing
END
    end_cases
}

@test "groups and barriers" {
    cat >m.hlo <<'END'
HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=4]>}}
ENTRY e {
  a = f32[8] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"x\"}]>"}
  b = f32[8] parameter(1)
  n = f32[8] negate(b)
  g1 = () custom-call(a), custom_call_target="xla.sdy.ShardingGroup", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.sharding_group_id="5 : i64"}
  g2 = () custom-call(n), custom_call_target="xla.sdy.ShardingGroup", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.sharding_group_id="5 : i64"}
  k = f32[8] custom-call(a), custom_call_target="xla.sdy.PropagationBarrier", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.allowed_direction="2 : i32"}
  s = f32[8] sine(k)
  ROOT t = (f32[8], f32[8]) tuple(n, s)
}
END
    expect_status 0 hlo-opt --passes=shardy-xla --verify-each m.hlo
    [ "$(grep -c 'custom_call_target="Sharding", sharding={unknown shard_as 5}' "$out")" = 2 ]
    [ "$(grep -c 'custom_call_target="ShardBarrierFrom"' "$out")" = 1 ]
    if grep -q 'ShardBarrierTo' "$out"; then fail "$(<"$out")"; fi
    expect_status 0 hlo-opt --passes=shardy-xla,sharding-propagation m.hlo
    grep -q '%n = .*sharding={devices=\[4\]<=\[4\]}' "$out" || fail "$(<"$out")"
    if grep '%s = ' "$out" | grep -q 'devices='; then fail "$(<"$out")"; fi
}

# JAX writes no num_partitions in the text of a function that it has lowered.
@test "without a number of partitions in the header the shardings decide" {
    map | sed 's/, num_partitions=4//' >map.hlo
    hlo-opt --pipeline=spmd --verify-each map.hlo >parts.hlo
    expect_text parts.hlo "num_partitions=4"
}

@test "the result of a region at the end of a function keeps its sharding, whatever the call has" {
    cat >m.hlo <<'END'
HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["i"=2, "j"=2]>}}
xla.sdy.manual_computation_body {
  p = f32[2] parameter(0)
  ROOT n = f32[2] negate(p)
}
region {
  x = f32[4] parameter(0)
  l = f32[2] custom-call(x), custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"i\"}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"i\", \"j\"}>"}
  c = f32[2] call(l), to_apply=xla.sdy.manual_computation_body
  ROOT g = f32[4] custom-call(c), custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"i\", \"j\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"i\"}]>]>"}
}
ENTRY main {
  x = f32[4] constant({1, 2, 3, 4})
  r = f32[4] call(x), to_apply=region
  ROOT o = f32[4] custom-call(r), custom_call_target="xla.sdy.FuncResultSharding", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{\"j\"}]>]>"}
}
END
    hlo-opt --pipeline=spmd --verify-each --large-constants m.hlo | hlo-run - >have
    [ "$(grep -v '^//' have | paste -sd ' ')" = "f32[2] {-1, -2} f32[2] {-3, -4} f32[2] {-1, -2} f32[2] {-3, -4}" ] || fail "$(<have)"
}

# helper FIRST: a computation that a region with one manual axis calls, and the entry before the region or after it.
helper() {
    local outside='h = f32[4,2] call(x), to_apply=helper'
    cat <<END
HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["i"=2, "j"=2]>}}
helper {
  p = f32[4,2] parameter(0)
  q = f32[4,2] custom-call(p), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{}, {\"j\"}]>]>"}
  ROOT n = f32[4,2] negate(q)
}
xla.sdy.manual_computation_body {
  p = f32[4,2] parameter(0)
  ROOT c = f32[4,2] call(p), to_apply=helper
}
ENTRY main {
  x = f32[4,2] constant({{1, 2}, {3, 4}, {5, 6}, {7, 8}})
  y = f32[8,2] constant({{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}, {13, 14}, {15, 16}})
  $([ "$1" = outside ] && echo "$outside")
  l = f32[4,2] custom-call(y), custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"i\"}, {}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"i\"}>"}
  c = f32[4,2] call(l), to_apply=xla.sdy.manual_computation_body
  g = f32[8,2] custom-call(c), custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"i\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"i\"}, {}]>]>"}
  $([ "$1" = outside ] || echo "$outside")
  ROOT t = (f32[4,2], f32[8,2]) tuple(h, g)
}
END
}

@test "a computation called inside a region and outside is converted once for each" {
    for first in outside inside; do
        helper "$first" >m.hlo
        hlo-opt --passes=shardy-xla --verify-each m.hlo >have.hlo
        [ "$(grep -cF '"Sharding", sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}' have.hlo)" = 1 ] || fail "$first: $(<have.hlo)"
        [ "$(grep -cF '"Sharding", sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}' have.hlo)" = 1 ] || fail "$first: $(<have.hlo)"
        hlo-opt --pipeline=spmd --verify-each --large-constants m.hlo | hlo-run - >have
        [ "$(grep -v '^//' have | sort -u)" = "(f32[4,2], f32[8,2]) ( { { -1, -2 }, { -3, -4 }, { -5, -6 }, { -7, -8 } }, { { -1, -2 }, { -3, -4 }, { -5, -6 }, { -7, -8 }, { -9, -10 }, { -11, -12 }, { -13, -14 }, { -15, -16 } } )" ] || fail "$first: $(<have)"
    done
}

@test "a region of no axes and no operands is like a call" {
    cat >m.hlo <<'END'
HloModule m, num_partitions=2
xla.sdy.manual_computation_body {
  ROOT n = f32[2] constant({1, 2})
}
ENTRY main {
  c = f32[2] call(), to_apply=xla.sdy.manual_computation_body
  ROOT g = f32[2] custom-call(c), custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<mesh<[]>, [{}]>]>"}
}
END
    hlo-opt --pipeline=spmd --verify-each --large-constants m.hlo | hlo-run - >have
    [ "$(grep -v '^//' have | paste -sd ' ')" = "f32[2] {1, 2} f32[2] {1, 2}" ] || fail "$(<have)"
}

# empties BODY OPERAND IN OUT: m.hlo with a region that is manual along one of two axes, between conversions of these shardings.
empties() {
    local axes='xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>"' values='#sdy.sharding_per_value<'
    cat >m.hlo <<END
HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2, "y"=2]>}}
xla.sdy.manual_computation_body {
  $1
}
ENTRY main {
  a = f32[4] constant({1, 2, 3, 4})
  e = () tuple()
  l = $2, custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings="$values$3>",$axes}
  $4, custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, frontend_attributes={$axes,xla.sdy.out_shardings="$values$5>"}
  ROOT t = (f32[4], ()) tuple(r, e)
}
END
}

# gives VALUES: what devices have as the first result of m.hlo, partitioned.
gives() {
    expect_status 0 hlo-opt --passes=shardy-xla --verify-each m.hlo
    if grep -q 'custom_call_target="xla.sdy' "$out"; then fail "$(<"$out")"; fi
    expect_status 0 hlo-opt --pipeline=spmd --verify-each --large-constants m.hlo
    hlo-run - <"$out" >have
    [ "$(grep -v '^//' have | sort -u)" = "(f32[4], ()) ( {$1}, (  ) )" ] || fail "$(<have)"
}

@test "empty tuples at the edges of a region have no sharding" {
    local x='[<@mesh, [{\"x\"}]>]'
    # Nothing comes out, in a tuple or without an operand.
    for given in c ''; do
        empties 'p = f32[2] parameter(0)
  ROOT n = () tuple()' 'f32[2] custom-call(a)' "$x" "c = () call(l), to_apply=xla.sdy.manual_computation_body
  r = f32[4] negate(a)
  o = () custom-call($given)" '[]'
        gives '-1, -2, -3, -4'
    done
    # Nothing goes in: the other edge has the mesh.
    empties 'p = () parameter(0)
  ROOT n = f32[2] constant({5, 6})' '() custom-call(e)' '[]' 'c = f32[2] call(l), to_apply=xla.sdy.manual_computation_body
  r = f32[4] custom-call(c)' "$x"
    gives '5, 6, 5, 6'
    # Neither.
    empties 'ROOT p = () parameter(0)' '() custom-call(e)' '[]' 'c = () call(l), to_apply=xla.sdy.manual_computation_body
  r = f32[4] negate(a)
  o = () custom-call(c)' '[]'
    gives '-1, -2, -3, -4'
    # Among others.
    empties 'p = f32[2] parameter(0)
  q = () parameter(1)
  n = f32[2] negate(p)
  ROOT t = ((), f32[2]) tuple(q, n)' '((), f32[2]) custom-call(a, e)' "$x" 'l0 = () get-tuple-element(l), index=0
  l1 = f32[2] get-tuple-element(l), index=1
  c = ((), f32[2]) call(l1, l0), to_apply=xla.sdy.manual_computation_body
  c0 = () get-tuple-element(c), index=0
  c1 = f32[2] get-tuple-element(c), index=1
  o = ((), f32[4]) custom-call(c0, c1)' "$x"
    sed -i 's/ROOT t = (f32\[4\]/r = f32[4] get-tuple-element(o), index=1\n  &/' m.hlo
    gives '-1, -2, -3, -4'
}

@test "an empty tuple is no value for a sharding" {
    empties 'p = () parameter(0)
  ROOT n = () tuple()' '() custom-call(e)' '[<@mesh, [{}]>]' 'c = () call(l), to_apply=xla.sdy.manual_computation_body
  r = f32[4] negate(a)
  o = () custom-call(c)' '[]'
    expect_status 1 hlo-opt --passes=shardy-xla m.hlo
    expect_text "$err" "'l': xla.sdy.in_shardings: there must be one for each operand and each result"
}
