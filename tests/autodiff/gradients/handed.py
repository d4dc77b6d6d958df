"""Cases of operations that hand values on, and of called computations, loops and conditionals."""
import jax.numpy as jnp

from gradients import case, given, integers, some

case("add-dependency", "", {"x": some(3)}, ["k = token[] after-all()", "y = multiply(x, x)", "ROOT r = add-dependency(y, k)"], lambda x: x * x)
case("copy", "", {"x": some(2, 3)}, "ROOT r = T[2,3]{0,1} copy(x)", lambda x: x + 0)
case("domain", "", {"x": some(3)}, 'ROOT r = T[3] domain(x), domain={kind="sharding", entry={maximal device=0}, exit={}}', lambda x: x + 0)
case("opt-barrier", "", {"x": some(2), "y": some(3)}, ["t = tuple(x, y)", "b = (T[2], T[3]) opt-barrier(t)", "u = get-tuple-element(b), index=0",
                                                     "v = get-tuple-element(b), index=1", "w = multiply(v, v)", "ROOT r = tuple(u, w)"],
     lambda x, y: (x + 0, y * y))
case("tuple", "inside another", {"x": some(2), "y": some(2, seed=1)},
     ["t = tuple(x, y)", "u = tuple(t, x)", "v = get-tuple-element(u), index=0", "w = get-tuple-element(v), index=1", "z = multiply(w, x)",
      "ROOT r = tuple(z, w, z)"], lambda x, y: (x * y, y + 0, x * y))
case("get-tuple-element", "", {"x": some(2)}, ["t = tuple(x, x)", "u = get-tuple-element(t), index=0", "v = get-tuple-element(t), index=1",
                                              "ROOT r = multiply(u, v)"], lambda x: x * x)

# ---- called computations ----

SQUARE = "square { a = T[3] parameter(0)\n  ROOT b = T[3] multiply(a, a) }\n"
case("call", "", {"x": given([0.5, -1, 1.25])}, ["y = call(x), to_apply=square", "ROOT r = call(y), to_apply=square"], lambda x: (x * x) * (x * x), more=SQUARE)
case("fusion", "", {"x": some(3)}, "ROOT r = T[3] fusion(x), kind=kLoop, calls=square", lambda x: x * x, more=SQUARE)
case("map", "", {"x": some(3), "y": some(3, seed=1)}, "ROOT r = map(x, y), dimensions={0}, to_apply=combine", lambda x, y: x * y + x,
     more="combine { a = T[] parameter(0)\n  b = T[] parameter(1)\n  c = multiply(a, b)\n  ROOT d = add(c, a) }\n")

BRANCHES = """double { a = T[3] parameter(0)
  ROOT b = T[3] add(a, a) }
""" + SQUARE
for taken in (0, 1):
    case("conditional", f"by a predicate, {taken}", {"p": integers(taken, "pred"), "x": some(3), "y": some(3, seed=1)},
         "ROOT r = conditional(p, x, y), true_computation=double, false_computation=square",
         lambda p, x, y, taken=taken: (x + x) + 0 * y if taken else y * y + 0 * x, more=BRANCHES)
for index in (0, 1, -3):
    case("conditional", f"by an index, {index}".replace("-", "less than "), {"i": integers(index), "x": some(3)},
         "ROOT r = conditional(i, x, x), branch_computations={square, double}",
         lambda i, x, index=index: x * x if index == 0 else x + x, ["f32"], BRANCHES)

# x <- x w + x, three times, or n times.
LOOP = """more { s = (s32[], s32[], T[3], T[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  ROOT p = pred[] compare(i, n), direction=LT }
step { s = (s32[], s32[], T[3], T[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  x = T[3] get-tuple-element(s), index=2
  w = T[3] get-tuple-element(s), index=3
  one = s32[] constant(1)
  j = s32[] add(i, one)
  a = T[3] multiply(x, w)
  b = T[3] multiply(a, x)
  ROOT t = tuple(j, n, b, w) }
"""


def looped(x, w, n=2):
    for _ in range(n):
        x = x * w * x
    return x


TAIL = ["t = tuple(zero, n, x, w)", "u = while(t), condition=more, body=step", "ROOT r = get-tuple-element(u), index=2"]
FEW = [0.5, 1, 1.5, -0.75, -1]
case("while", "twice", {"x": some(3, among=FEW), "w": some(3, seed=1, among=FEW)},
     ["zero = s32[] constant(0)", "n = s32[] constant(2)"] + TAIL, looped, more=LOOP)
case("while", "as often as an input says", {"n": integers(2), "x": some(3, among=FEW), "w": some(3, seed=1, among=FEW)},
     ["zero = s32[] constant(0)"] + TAIL, lambda n, x, w: looped(x, w), more=LOOP)
