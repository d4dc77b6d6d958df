#!/usr/bin/env python3
"""Writes the cases of tests/dynamic/dynamic.bats: NAME.hlo, and NAME.npz with what XLA's CPU backend computes.

    tests/dynamic/make-dynamic.py [NAME...]          needs jaxlib, as tests/oracle does

A case is a computation over run-time sizes n and m and some arrays. XLA runs it once for every pair of PAIRS, with the sizes
as parameters; NAME.hlo calls it once for every pair, with the sizes as constants, and its results stand one after another.
Padded elements are not compared: every case reduces over them.
"""
import os
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "oracle"))

PAIRS = [(0, 0), (1, 1), (2, 2), (3, 3), (5, 4), (4, 4), (2, 3), (3, 1), (1, 4), (4, 2)]

BODIES = """
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
maximum { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] maximum(a, b) }
ge { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=GE }
lt { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=LT }
gt_of_first { a = f32[] parameter(0)
  b = f32[] parameter(1)
  p = s32[] parameter(2)
  q = s32[] parameter(3)
  ROOT c = pred[] compare(a, b), direction=GT }
"""

# What every case begins with: d has n of 5 rows, v has m of 5 rows, w has m of 4 columns.
BEGIN = """  zero = f32[] constant(0)
  low = f32[] constant(-9)
  n = s32[] parameter(0)
  m = s32[] parameter(1)
  x = f32[5,4] parameter(2)
  y = f32[5,4] parameter(3)
  d = f32[<=5,4] set-dimension-size(x, n), dimensions={0}
  v = f32[<=5,4] set-dimension-size(y, m), dimensions={0}
  w = f32[5,<=4] set-dimension-size(y, m), dimensions={1}
"""

# name: (body, other computations)
CASES = {
    "elementwise": ("""
  r = f32[<=5,4] add(d, v)
  o = f32[] reduce(r, zero), dimensions={0,1}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[], s32[]) tuple(o,s)""", """"""),
    "select": ("""
  p = pred[] parameter(4)
  r = f32[<=5,4] select(p, d, v)
  o = f32[4] reduce(r, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[4], s32[]) tuple(o,s)""", """"""),
    "topk-last": ("""
  r = (f32[5,2], s32[5,2]) topk(w), k=2, largest=true
  top = f32[5,2] get-tuple-element(r), index=0
  ROOT o = f32[2] reduce(top, zero), dimensions={0}, to_apply=add""", """"""),
    "elementwise-static": ("""
  r = f32[<=5,4] add(d, y)
  o = f32[4] reduce(r, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[4], s32[]) tuple(o,s)""", """"""),
    "sort": ("""
  so = f32[<=5,4] sort(d), dimensions={0}, to_apply=lt
  i = f32[5,4] iota(), iota_dimension=0
  r = f32[<=5,4] multiply(so, i)
  o = f32[4] reduce(r, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(so), dimensions={0}
  ROOT t = (f32[4], s32[]) tuple(o,s)""", """"""),
    "sort-other": ("""
  so = f32[<=5,4] sort(d), dimensions={1}, to_apply=lt
  i = f32[5,4] iota(), iota_dimension=1
  r = f32[<=5,4] multiply(so, i)
  o = f32[4] reduce(r, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(so), dimensions={0}
  ROOT t = (f32[4], s32[]) tuple(o,s)""", """"""),
    "sort-pair": ("""
  j = s32[5,4] iota(), iota_dimension=0
  k = s32[<=5,4] set-dimension-size(j, n), dimensions={0}
  st = (f32[<=5,4], s32[<=5,4]) sort(d, k), dimensions={0}, is_stable=true, to_apply=gt_of_first
  so = f32[<=5,4] get-tuple-element(st), index=0
  kk = s32[<=5,4] get-tuple-element(st), index=1
  kf = f32[<=5,4] convert(kk)
  i = f32[5,4] iota(), iota_dimension=0
  r = f32[<=5,4] multiply(kf, i)
  o = f32[4] reduce(r, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(so), dimensions={0}
  ROOT t = (f32[4], s32[]) tuple(o,s)""", """"""),
    "reduce-window-valid": ("""
  r = f32[<=4,4] reduce-window(d, low), window={size=2x1}, to_apply=maximum
  o = f32[4] reduce(r, zero), dimensions={0}, to_apply=add
  ROOT t = (f32[4]) tuple(o)""", """"""),
    "reduce-window-stride": ("""
  r = f32[<=2,4] reduce-window(d, low), window={size=2x1 stride=2x1}, to_apply=maximum
  o = f32[4] reduce(r, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[4], s32[]) tuple(o,s)""", """"""),
    "select-and-scatter": ("""
  src = f32[4,4] parameter(4)
  sd = f32[<=4,4] set-dimension-size(src, m), dimensions={0}
  r = f32[<=5,4] select-and-scatter(d, sd, zero), window={size=2x1}, select=ge, scatter=add
  o = f32[4] reduce(r, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[4], s32[]) tuple(o,s)""", """"""),
    "conv-batch": ("""
  a = f32[<=5,4,1] reshape(d)
  k = f32[1,4,2] parameter(4)
  r = f32[<=5,1,2] convolution(a, k), window={size=1}, dim_labels=bf0_0io->b0f
  o = f32[2] reduce(r, zero), dimensions={0,1}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[2], s32[]) tuple(o,s)""", """"""),
    "conv-feature": ("""
  k = f32[4,2] parameter(4)
  kd = f32[<=4,2] set-dimension-size(k, m), dimensions={0}
  r = f32[5,2] convolution(w, kd), dim_labels=bf_io->bf
  ROOT o = f32[2] reduce(r, zero), dimensions={0}, to_apply=add""", """"""),
    "dot-k": ("""
  z = f32[4,2] parameter(4)
  zd = f32[<=4,2] set-dimension-size(z, m), dimensions={0}
  r = f32[5,2] dot(w, zd), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT o = f32[2] reduce(r, zero), dimensions={0}, to_apply=add""", """"""),
    "dot-free": ("""
  z = f32[4,2] parameter(4)
  r = f32[<=5,2] dot(d, z), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  o = f32[2] reduce(r, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[2], s32[]) tuple(o,s)""", """"""),
    "concat": ("""
  r = f32[<=10,4] concatenate(d, v), dimensions={0}
  i = f32[10,4] iota(), iota_dimension=0
  rr = f32[<=10,4] multiply(r, i)
  o = f32[4] reduce(rr, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[4], s32[]) tuple(o,s)""", """"""),
    "concat-static": ("""
  r = f32[<=10,4] concatenate(d, y), dimensions={0}
  i = f32[10,4] iota(), iota_dimension=0
  rr = f32[<=10,4] multiply(r, i)
  o = f32[4] reduce(rr, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[4], s32[]) tuple(o,s)""", """"""),
    "reshape": ("""
  r = f32[<=20] reshape(d)
  i = f32[20] iota(), iota_dimension=0
  rr = f32[<=20] multiply(r, i)
  o = f32[] reduce(rr, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[], s32[]) tuple(o,s)""", """"""),
    "reshape-inner": ("""
  r = f32[<=20] reshape(w)
  i = f32[20] iota(), iota_dimension=0
  rr = f32[<=20] multiply(r, i)
  o = f32[] reduce(rr, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[], s32[]) tuple(o,s)""", """"""),
    "reshape-split": ("""
  f = f32[<=20] reshape(d)
  r = f32[<=5,2,2] reshape(f)
  o = f32[2,2] reduce(r, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[2,2], s32[]) tuple(o,s)""", """"""),
    "dynamic-reshape": ("""
  four = s32[] constant(4)
  nm = s32[] multiply(n, four)
  r = f32[<=20] dynamic-reshape(d, nm)
  i = f32[20] iota(), iota_dimension=0
  rr = f32[<=20] multiply(r, i)
  o = f32[] reduce(rr, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[], s32[]) tuple(o,s)""", """"""),
    "slice": ("""
  r = f32[<=3,4] slice(d), slice={[1:4],[0:4]}
  o = f32[4] reduce(r, zero), dimensions={0}, to_apply=add
  ROOT t = (f32[4]) tuple(o)""", """"""),
    "slice-stride": ("""
  r = f32[<=3,4] slice(d), slice={[0:5:2],[0:4]}
  o = f32[4] reduce(r, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[4], s32[]) tuple(o,s)""", """"""),
    "dynamic-slice": ("""
  one = s32[] constant(1)
  r = f32[<=5,2] dynamic-slice(d, one, one), dynamic_slice_sizes={5,2}
  o = f32[2] reduce(r, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[2], s32[]) tuple(o,s)""", """"""),
    "dynamic-update-slice": ("""
  one = s32[] constant(1)
  u = f32[<=2,4] slice(v), slice={[0:2],[0:4]}
  zz = s32[] constant(0)
  r = f32[5,4] dynamic-update-slice(x, u, one, zz)
  ROOT o = f32[4] reduce(r, zero), dimensions={0}, to_apply=add""", """"""),
    "dynamic-update-slice-whole": ("""
  one = s32[] constant(1)
  zz = s32[] constant(0)
  r = f32[<=5,4] dynamic-update-slice(x, d, zz, zz)
  o = f32[4] reduce(r, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[4], s32[]) tuple(o,s)""", """"""),
    "gather-indices": ("""
  i = s32[5] parameter(4)
  id = s32[<=5] set-dimension-size(i, m), dimensions={0}
  r = f32[<=5,4] gather(x, id), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}
  o = f32[4] reduce(r, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[4], s32[]) tuple(o,s)""", """"""),
    "gather-operand": ("""
  i = s32[3] parameter(4)
  r = f32[3,<=5] gather(d, i), offset_dims={1}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1, slice_sizes={5,1}
  o = f32[3] reduce(r, zero), dimensions={1}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={1}
  ROOT t = (f32[3], s32[]) tuple(o,s)""", """"""),
    "scatter-indices": ("""
  i = s32[3] parameter(4)
  id = s32[<=3] set-dimension-size(i, m), dimensions={0}
  u = f32[3,4] parameter(5)
  r = f32[5,4] scatter(x, id, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
  ROOT o = f32[5,4] copy(r)""", """"""),
    "scatter-both": ("""
  i = s32[3] parameter(4)
  id = s32[<=3] set-dimension-size(i, m), dimensions={0}
  u = f32[3,4] parameter(5)
  ud = f32[<=3,4] set-dimension-size(u, m), dimensions={0}
  r = f32[<=5,4] scatter(d, id, ud), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
  o = f32[4] reduce(r, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[4], s32[]) tuple(o,s)""", """"""),
    "broadcast": ("""
  r = f32[3,<=5,4] broadcast(d), dimensions={1,2}
  o = f32[3,4] reduce(r, zero), dimensions={1}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={1}
  ROOT t = (f32[3,4], s32[]) tuple(o,s)""", """"""),
    "pad": ("""
  r = f32[<=12,4] pad(d, low), padding=1_2_1x0_0
  o = f32[4] reduce(r, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[4], s32[]) tuple(o,s)""", """"""),
    "transpose": ("""
  r = f32[4,<=5] transpose(d), dimensions={1,0}
  o = f32[4] reduce(r, zero), dimensions={1}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={1}
  ROOT t = (f32[4], s32[]) tuple(o,s)""", """"""),
    "reverse": ("""
  r = f32[<=5,4] reverse(d), dimensions={0}
  i = f32[5,4] iota(), iota_dimension=0
  rr = f32[<=5,4] multiply(r, i)
  o = f32[4] reduce(rr, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[4], s32[]) tuple(o,s)""", """"""),
    "map": ("""
  r = f32[<=5,4] map(d, v), dimensions={0,1}, to_apply=add
  o = f32[4] reduce(r, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[4], s32[]) tuple(o,s)""", """"""),
    "reduce-other": ("""
  r = f32[<=5] reduce(d, zero), dimensions={1}, to_apply=add
  o = f32[] reduce(r, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[], s32[]) tuple(o,s)""", """"""),
    "set-to-bound": ("""
  five = s32[] constant(5)
  r = f32[5,4] set-dimension-size(d, five), dimensions={0}
  s = s32[] get-dimension-size(r), dimensions={0}
  o = f32[4] reduce(r, zero), dimensions={0}, to_apply=add
  ROOT t = (f32[4], s32[]) tuple(o,s)""", """"""),
    "clamp": ("""
  lo = f32[] constant(-0.5)
  hi = f32[] constant(0.25)
  r = f32[<=5,4] clamp(lo, d, hi)
  o = f32[4] reduce(r, zero), dimensions={0}, to_apply=add
  ROOT t = (f32[4]) tuple(o)""", """"""),
    "topk": ("""
  r = (f32[<=5,2], s32[<=5,2]) topk(d), k=2, largest=true
  top = f32[<=5,2] get-tuple-element(r), index=0
  ROOT o = f32[2] reduce(top, zero), dimensions={0}, to_apply=add""", """"""),
    "conditional": ("""
  p = pred[] parameter(4)
  r = f32[<=5,4] conditional(p, d, v), true_computation=idn, false_computation=neg
  o = f32[4] reduce(r, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[4], s32[]) tuple(o,s)""", """idn { ROOT a = f32[<=5,4] parameter(0) }
neg { a = f32[<=5,4] parameter(0)
  ROOT b = f32[<=5,4] negate(a) }"""),
    "while": ("""
  z = s32[] constant(0)
  t0 = (s32[], f32[<=5,4]) tuple(z, d)
  wh = (s32[], f32[<=5,4]) while(t0), condition=cond, body=body
  r = f32[<=5,4] get-tuple-element(wh), index=1
  o = f32[4] reduce(r, zero), dimensions={0}, to_apply=add
  s = s32[] get-dimension-size(r), dimensions={0}
  ROOT t = (f32[4], s32[]) tuple(o,s)""", """cond { a = (s32[], f32[<=5,4]) parameter(0)
  i = s32[] get-tuple-element(a), index=0
  k = s32[] constant(3)
  ROOT b = pred[] compare(i,k), direction=LT }
body { a = (s32[], f32[<=5,4]) parameter(0)
  i = s32[] get-tuple-element(a), index=0
  v = f32[<=5,4] get-tuple-element(a), index=1
  k = s32[] constant(1)
  j = s32[] add(i,k)
  u = f32[<=5,4] add(v,v)
  ROOT b = (s32[], f32[<=5,4]) tuple(j,u) }"""),
}

# Where XLA continues with the memory after the size: select does not stretch a size of 1.
LEFT_OUT = {"select": [(1, 4)]}


def one(name):
    """The module of one pair, its sizes parameters."""
    body, more = CASES[name]
    return f"HloModule {name.replace('-', '_')}\n{BODIES}{more}\nENTRY case {{\n{BEGIN}{body.strip(chr(10))}\n}}\n"


def all_pairs(name, pairs, inputs, outputs):
    """The module that calls the case for every pair."""
    body, more = CASES[name]
    shape = lambda leaf: f"{leaf[0]}[{','.join(str(d) for d in leaf[1])}]"  # noqa: E731
    text = f"// Made by make-dynamic.py.\nHloModule {name.replace('-', '_')}\n{BODIES}{more}\n"
    text += f"case {{\n{BEGIN}{body.strip(chr(10))}\n}}\n\nENTRY all {{\n"
    others = [f"p{i}" for i in range(2, len(inputs))]
    for i, leaf in enumerate(inputs[2:]):
        text += f"  p{i + 2} = {shape(leaf)} parameter({i})\n"
    for k, (n, m) in enumerate(pairs):
        text += f"  n{k} = s32[] constant({n})\n  m{k} = s32[] constant({m})\n"
        is_tuple = "ROOT t = (" in body
        result = "(" + ", ".join(shape(leaf) for leaf in outputs) + ")" if is_tuple else shape(outputs[0])
        text += f"  c{k} = {result} call({', '.join([f'n{k}', f'm{k}'] + others)}), to_apply=case\n"
    results = ", ".join(f"c{k}" for k in range(len(pairs)))
    return text + f"  ROOT results = tuple({results})\n}}\n"


def main():
    import numpy as np
    import xla
    for name in sys.argv[1:] or CASES:
        executable, inputs, outputs = xla.compile_text(one(name))
        arrays = [xla.random_input(kind, dims, leaf) for leaf, (kind, dims) in enumerate(inputs[2:])]
        pairs = [p for p in PAIRS if p not in LEFT_OUT.get(name, [])]
        results = []
        for n, m in pairs:
            results += xla.execute(executable, [np.int32(n), np.int32(m)] + arrays)
        with open(os.path.join(here, name + ".hlo"), "w") as file:
            file.write(all_pairs(name, pairs, inputs, outputs))
        np.savez_compressed(os.path.join(here, name + ".npz"), **{f"out{i}": r for i, r in enumerate(results)})
        print(name, len(results), "results")


if __name__ == "__main__":
    main()
