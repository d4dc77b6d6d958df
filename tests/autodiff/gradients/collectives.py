"""Cases of collectives. Functions get arrays with the device as their first dimension; gradients are those of what the
results of all devices weigh together."""
import jax.numpy as jnp

from gradients import ALL, case, some

REPLICAS, PARTITIONS, BOTH = ", replica_count=4", ", num_partitions=4", ", replica_count=2, num_partitions=2"
PAIRS = "replica_groups={{0,2},{1,3}}"
GROUPS = ((0, 2), (1, 3))
# How groups can be named: attributes, header, and the devices that talk to each other, in order.
MODES = [
    ("between replicas", PAIRS, REPLICAS, GROUPS),
    ("between all replicas", "replica_groups={}", REPLICAS, ((0, 1, 2, 3),)),
    ("between devices", "channel_id=3, replica_groups={{3,0},{1,2}}, use_global_device_ids=true", BOTH, ((3, 0), (1, 2))),
    ("between replicas and partitions", "channel_id=1, replica_groups={{0},{1}}", BOTH, ((0, 1), (2, 3))),
]
PARTITION_MODES = MODES[:2] + [
    ("between partitions", "channel_id=7, replica_groups={{3,0},{1,2}}", PARTITIONS, ((3, 0), (1, 2))),
    ("between partitions of two replicas", "channel_id=7, replica_groups={{1,0}}", BOTH, ((1, 0), (3, 2))),
]


def grouped(groups, function):
    """function(values of the members) -> their results."""
    def f(x):
        results = [jnp.zeros_like(x[0])] * x.shape[0]
        for group in groups:
            for member, result in zip(group, function([x[d] for d in group])):
                results[member] = result
        return jnp.stack(results)
    return f


def combiner(op):
    return f"combine {{ a = T[] parameter(0)\n  b = T[] parameter(1)\n  ROOT c = T[] {op}(a, b) }}\n"


FOLDS = {"add": jnp.add, "multiply": jnp.multiply, "maximum": jnp.maximum, "minimum": jnp.minimum}


def folded(op):
    def f(values):
        result = values[0]
        for v in values[1:]:
            result = FOLDS[op](result, v)
        return result
    return f


def reduced(op):
    return lambda values: [folded(op)(values)] * len(values)


def scattered(op):
    return lambda values: jnp.split(folded(op)(values), len(values), axis=-1)


def gathered(values):
    return [jnp.concatenate(values, axis=-1)] * len(values)


def exchanged(values):
    parts = [jnp.split(v, len(values), axis=-1) for v in values]
    return [jnp.concatenate([p[k] for p in parts], axis=-1) for k in range(len(values))]


def first(values):
    return [values[0]] * len(values)


def per_device(*shape, **more):
    return some(4, *shape, **more)


for i, (about, mode, header, groups) in enumerate(MODES):
    types = ALL if i == 0 else ["f32"]
    parts = len(groups[0])
    case("all-reduce", "add " + about, {"x": per_device(3)}, f"ROOT r = T[3] all-reduce(x), {mode}, to_apply=combine",
         grouped(groups, reduced("add")), types, combiner("add"), header=header, devices=4)
    case("all-gather", about, {"x": per_device(2, 3)}, f"ROOT r = T[2,{3 * parts}] all-gather(x), {mode}, dimensions={{1}}",
         grouped(groups, gathered), types, header=header, devices=4)
    case("reduce-scatter", "add " + about, {"x": per_device(2, 4)},
         f"ROOT r = T[2,{4 // parts}] reduce-scatter(x), {mode}, dimensions={{1}}, to_apply=combine",
         grouped(groups, scattered("add")), types, combiner("add"), header=header, devices=4)
for i, (about, mode, header, groups) in enumerate(PARTITION_MODES):
    types = ALL if i == 0 else ["f32"]
    case("all-to-all", about, {"x": per_device(2, 4)}, f"ROOT r = T[2,4] all-to-all(x), {mode}, dimensions={{1}}",
         grouped(groups, exchanged), types, header=header, devices=4)
    if i != 1:
        case("collective-broadcast", about, {"x": per_device(3)}, f"ROOT r = T[3] collective-broadcast(x), {mode}",
             grouped(groups, first), types, header=header, devices=4)
for op in ("multiply", "maximum", "minimum"):
    for about, mode, header, groups in MODES[:3]:
        case("all-reduce", f"{op} {about}", {"x": per_device(3, distinct=True) if op != "multiply" else per_device(3, among=[0, 1, 2, -1])},
             f"ROOT r = T[3] all-reduce(x), {mode}, to_apply=combine", grouped(groups, reduced(op)), ["f32"], combiner(op), header=header, devices=4)
        if op != "multiply":
            case("reduce-scatter", f"{op} {about}", {"x": some(4, 4, distinct=True)},
                 f"ROOT r = T[{4 // len(groups[0])}] reduce-scatter(x), {mode}, dimensions={{0}}, to_apply=combine", grouped(groups, scattered(op)),
                 ["f32"], combiner(op), header=header, devices=4)
case("all-reduce", "multiply complex numbers", {"x": per_device(2)}, f"ROOT r = T[2] all-reduce(x), {PAIRS}, to_apply=combine",
     grouped(GROUPS, reduced("multiply")), ["c64"], combiner("multiply"), header=REPLICAS, devices=4)
case("all-reduce", "of two operands", {"x": per_device(3), "y": per_device(2)},
     f"ROOT r = (T[3], T[2]) all-reduce(x, y), {PAIRS}, to_apply=combine",
     lambda x, y: (grouped(GROUPS, reduced("add"))(x), grouped(GROUPS, reduced("add"))(y)), ["f32"], combiner("add"), header=REPLICAS, devices=4)
case("all-reduce", "of two operands, one of which is used", {"x": per_device(3), "y": per_device(2)},
     [f"b = (T[3], T[2]) all-reduce(x, y), {PAIRS}, to_apply=combine", "u = get-tuple-element(b), index=1", "ROOT r = multiply(u, y)"],
     lambda x, y: grouped(GROUPS, reduced("maximum"))(y) * y, ["f32"], combiner("maximum"), header=REPLICAS, devices=4)
case("all-to-all", "of an operand for each member", {"x": per_device(3), "y": per_device(3, seed=1)},
     [f"t = (T[3], T[3]) all-to-all(x, y), {PAIRS}", "u = get-tuple-element(t), index=0", "ROOT r = multiply(u, y)"],
     lambda x, y: jnp.stack([x[0], x[1], y[0], y[1]]) * y, ["f32"], header=REPLICAS, devices=4)
case("collective-broadcast", "to some", {"x": per_device(3)}, "ROOT r = T[3] collective-broadcast(x), replica_groups={{2,1}}",
     grouped(((2, 1),), first), ["f32"], header=REPLICAS, devices=4)

PERMUTE = "source_target_pairs={{0,1},{1,3},{3,2}}"


def permuted(x):
    return jnp.stack([jnp.zeros_like(x[0]), x[0], x[3], x[1]])


case("collective-permute", "between replicas", {"x": per_device(3)}, f"ROOT r = T[3] collective-permute(x), {PERMUTE}", permuted, ALL,
     header=REPLICAS, devices=4)
case("collective-permute", "between partitions", {"x": per_device(3)}, f"ROOT r = T[3] collective-permute(x), channel_id=2, {PERMUTE}", permuted,
     ["f32"], header=PARTITIONS, devices=4)
case("collective-permute", "of two operands", {"x": per_device(3), "y": per_device(2)},
     f"ROOT r = (T[3], T[2]) collective-permute(x, y), {PERMUTE}", lambda x, y: (permuted(x), permuted(y)), ["f32"], header=REPLICAS, devices=4)

# ---- starts and dones ----

case("all-reduce", "begun and done", {"x": per_device(3)},
     [f"s = T[3] all-reduce-start(x), {PAIRS}, to_apply=combine", "y = T[3] multiply(x, x)", "d = T[3] all-reduce-done(s)", "ROOT r = multiply(y, d)"],
     lambda x: x * x * grouped(GROUPS, reduced("add"))(x), ["f32"], combiner("add"), header=REPLICAS, devices=4)
case("all-gather", "begun and done", {"x": per_device(3)},
     [f"s = (T[3], T[6]) all-gather-start(x), {PAIRS}, dimensions={{0}}", "ROOT d = T[6] all-gather-done(s)"],
     grouped(GROUPS, gathered), ["f32"], header=REPLICAS, devices=4)
case("collective-permute", "begun and done", {"x": per_device(3)},
     [f"s = (T[3], T[3]) collective-permute-start(x), {PERMUTE}", "ROOT d = T[3] collective-permute-done(s)"], permuted, ["f32"],
     header=REPLICAS, devices=4)
case("reduce-scatter", "called at another time", {"x": per_device(4)},
     ["s = ((T[4]), T[2], u32[]) async-start(x), calls=work", "u = ((T[4]), T[2], u32[]) async-update(s)", "ROOT d = T[2] async-done(u)"],
     grouped(GROUPS, scattered("add")), ["f32"],
     combiner("add") + f"work {{ a = T[4] parameter(0)\n  ROOT b = T[2] reduce-scatter(a), {PAIRS}, dimensions={{0}}, to_apply=combine }}\n",
     header=REPLICAS, devices=4)
case("copy", "begun and done", {"x": some(3)}, ["s = (T[3], T[3], u32[]) copy-start(x)", "y = T[3] copy-done(s)", "ROOT r = multiply(x, y)"],
     lambda x: x * x, ["f32"])
