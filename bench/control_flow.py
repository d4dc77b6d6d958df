#!/usr/bin/env python3
"""The dataflow executor beside TensorFlow's, in one run: loops of scalars, chains, nested loops, a recurrent network and
its gradient, a loop that is cut over two devices.

    bench/control_flow.py [--threads N] [CASE...]        python3 with tensorflow: else only our figures

Prints a table: microseconds for a trip (of the inner loop where loops nest), also where each iteration of a loop over scalars is
tokens, and TensorFlow's time divided by ours."""

import argparse
import array
import json
import os
import pathlib
import random
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = ROOT / "build" / "bin"


def loop(state, condition, body, entry, result, extra=""):
    """A module with one loop; state: shapes of its elements after the counter."""
    shape = "(s32[], " + ", ".join(state) + ")"
    elements = "\n".join(f"  v{k} = {s} get-tuple-element(p), index={k + 1}" for k, s in enumerate(state))
    return f"""HloModule bench
{extra}
condition {{
  p = {shape} parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant({condition})
  ROOT lt = pred[] compare(i, n), direction=LT
}}
body {{
  p = {shape} parameter(0)
  i = s32[] get-tuple-element(p), index=0
{elements}
  one = s32[] constant(1)
  next = s32[] add(i, one)
{body}
}}
ENTRY main {{
{entry}
  zero = s32[] constant(0)
  start = {shape} tuple(zero, {", ".join(f"x{k}" for k in range(len(state)))})
  loop = {shape} while(start), condition=condition, body=body
{result}
}}
"""


def scalar(n):
    return loop(["s32[]"], n, """  five = s32[] constant(5)
  a = s32[] multiply(v0, five)
  b = s32[] add(a, one)
  c = s32[] xor(b, i)
  ROOT t = (s32[], s32[]) tuple(next, c)""", "  x0 = s32[] parameter(0)", "  ROOT r = s32[] get-tuple-element(loop), index=1")


def chains(n):
    count = 32
    body = ["  f = f32[] constant(1.1)", "  g = f32[] constant(0.1)"]
    for k in range(count):
        body += [f"  sin.{k} = f32[] sine(v{k})", f"  m.{k} = f32[] multiply(sin.{k}, f)", f"  a.{k} = f32[] add(m.{k}, g)"]
    state = ["f32[]"] * count
    body.append(f"  ROOT t = (s32[], {', '.join(state)}) tuple(next, {', '.join(f'a.{k}' for k in range(count))})")
    entry = "\n".join(f"  x{k} = f32[] parameter({k})" for k in range(count))
    result = "\n".join([f"  r{k} = f32[] get-tuple-element(loop), index={k + 1}" for k in range(count)] +
                       [f"  ROOT r = ({', '.join(state)}) tuple({', '.join(f'r{k}' for k in range(count))})"])
    return loop(state, n, "\n".join(body), entry, result)


def nested(n):
    inner = """inner_condition {
  p = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(100)
  ROOT lt = pred[] compare(i, n), direction=LT
}
inner_body {
  p = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  y = f32[] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  f = f32[] constant(0.999)
  g = f32[] constant(0.5)
  m = f32[] multiply(y, f)
  a = f32[] add(m, g)
  ROOT t = (s32[], f32[]) tuple(next, a)
}"""
    return loop(["f32[]"], n, """  zero = s32[] constant(0)
  start = (s32[], f32[]) tuple(zero, v0)
  inner = (s32[], f32[]) while(start), condition=inner_condition, body=inner_body
  y = f32[] get-tuple-element(inner), index=1
  ROOT t = (s32[], f32[]) tuple(next, y)""", "  x0 = f32[] parameter(0)", "  ROOT r = f32[] get-tuple-element(loop), index=1", inner)


def rnn(n):
    return loop(["f32[128,128]", "f32[128,128]"], n, """  d = f32[128,128] dot(v0, v1), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  h = f32[128,128] tanh(d)
  ROOT t = (s32[], f32[128,128], f32[128,128]) tuple(next, h, v1)""",
                "  x0 = f32[128,128] parameter(0)\n  x1 = f32[128,128] parameter(1)", """  h = f32[128,128] get-tuple-element(loop), index=1
  none = f32[] constant(0)
  ROOT r = f32[] reduce(h, none), dimensions={0,1}, to_apply=add""",
                "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}")


def cut(n):
    return loop(["f32[3]"], n, """  s = f32[3] sine(v0), sharding={maximal device=1}
  half = f32[] constant(0.5)
  halves = f32[3] broadcast(half), dimensions={}
  a = f32[3] add(s, halves), sharding={maximal device=0}
  ROOT t = (s32[], f32[3]) tuple(next, a)""", "  x0 = f32[3] parameter(0), sharding={maximal device=0}",
                "  ROOT r = f32[3] get-tuple-element(loop), index=1")


def matrix(seed):
    """Elements for which the network neither dies away, into numbers that processors are slow with, nor saturates."""
    chance = random.Random(seed)
    return [[chance.gauss(0, 0.15) for _ in range(128)] for _ in range(128)]


def write_npy(path, rows):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (128, 128), }"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = array.array("f", (x for row in rows for x in row))
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data.tobytes())


# name: module, trips of ours, trips of TensorFlow's, how many loop trips a trip has, gradient
CASES = {
    "scalar": (scalar, 200000, 20000, 1, False),
    "chains of 32": (chains, 5000, 1000, 1, False),
    "nested": (nested, 2000, 100, 100, False),
    "rnn": (rnn, 200, 200, 1, False),
    "rnn gradient": (rnn, 200, 200, 1, True),
    "cut over two": (cut, 20000, 2000, 1, False),
}


def ours(name, threads, directory, *more):
    make, trips, _, inner, gradient = CASES[name]
    path = directory / "module.hlo"
    path.write_text(make(trips))
    if gradient:
        graph = directory / "gradient.hlo"
        subprocess.run([BIN / "hlo-opt", "--passes=autodiff", "-o", graph, path], check=True)
        path = graph
    inputs = [directory / f"in{k}.npy" for k in range(2)] if make is rnn else []
    for seed, file in enumerate(inputs):
        write_npy(file, matrix(seed))
    report = directory / "bench.json"
    devices = ["--devices=2"] if name == "cut over two" else []
    subprocess.run([BIN / "hlo-run", "--executor=dataflow", f"--threads={threads}", *devices, *more, "--inputs=hash", f"--bench={99 if make is rnn else 9}",
                    f"--bench-json={report}", path, *inputs], check=True, stdout=subprocess.DEVNULL)
    return json.loads(report.read_text())["run_median_s"] / trips / inner


def tensorflow():
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    try:
        import tensorflow
    except ImportError:
        return None
    v1 = tensorflow.compat.v1
    v1.disable_eager_execution()
    v1.disable_control_flow_v2()
    return tensorflow


def theirs(tf, name, threads):
    v1 = tf.compat.v1
    _, _, n, inner, gradient = CASES[name]
    with v1.Graph().as_default():
        zero = tf.constant(0)
        if name == "scalar":
            x = v1.placeholder(tf.int32, [])
            out, feed = v1.while_loop(lambda i, x: i < n, lambda i, x: (i + 1, tf.bitwise.bitwise_xor(x * 5 + 1, i)), [zero, x])[1], {x: 7}
        elif name == "chains of 32":
            x = v1.placeholder(tf.float32, [32])
            out = v1.while_loop(lambda i, *v: i < n, lambda i, *v: [i + 1] + [tf.sin(a) * 1.1 + 0.1 for a in v], [zero] + [x[k] for k in range(32)])
            feed = {x: [0.5] * 32}
        elif name == "nested":
            x = v1.placeholder(tf.float32, [])
            out = v1.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, v1.while_loop(
                lambda j, z: j < 100, lambda j, z: (j + 1, z * 0.999 + 0.5), [tf.constant(0), y])[1]), [zero, x])[1]
            feed = {x: 1.0}
        elif name.startswith("rnn"):
            w, x = v1.placeholder(tf.float32, [128, 128]), v1.placeholder(tf.float32, [128, 128])
            out = tf.reduce_sum(v1.while_loop(lambda i, h: i < n, lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w))), [zero, x])[1])
            if gradient:
                out = [out] + v1.gradients(out, [w, x])
            feed = {w: matrix(1), x: matrix(0)}
        else:
            def body(i, v):
                with v1.device("/cpu:1"):
                    s = tf.sin(v)
                return i + 1, s + 0.5
            with v1.device("/cpu:0"):
                x = v1.placeholder(tf.float32, [3])
                out = v1.while_loop(lambda i, v: i < n, body, [zero, x])[1]
            feed = {x: [1.0] * 3}
        config = v1.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads, device_count={"CPU": 2})
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        with v1.Session(config=config) as session:
            session.run(out, feed)
            times = []
            for _ in range(99 if name.startswith("rnn") else 9):
                start = time.perf_counter()
                session.run(out, feed)
                times.append(time.perf_counter() - start)
    return statistics.median(times) / n / inner


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("cases", nargs="*", default=list(CASES))
    options = parser.parse_args()
    tf = tensorflow()
    print(f"| loop, {options.threads} threads | ours, us a trip | as tokens | TensorFlow {tf.__version__ if tf else '(not installed)'} | ratio |")
    print("| --- | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as directory:
        for name in options.cases:
            own = ours(name, options.threads, pathlib.Path(directory)) * 1e6
            tokens = ours(name, options.threads, pathlib.Path(directory), "--lower-scalar-loops") * 1e6
            peer = theirs(tf, name, options.threads) * 1e6 if tf else float("nan")
            print(f"| {name} | {own:.4g} | {tokens:.4g} | {peer:.4g} | {peer / own:.4g} |", flush=True)


if __name__ == "__main__":
    main()
