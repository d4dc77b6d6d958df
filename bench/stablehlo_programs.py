"""Programs in StableHLO for bench/stablehlo.py: made up ones of one kind each, and those that JAX and jaxlib make."""
import os, random

from outside import BENCH, CORPUS

# What chains consist of; # stands for the value before.
STEPS = ["stablehlo.add #, %q : tensor<8x64xf32>", "stablehlo.tanh # : tensor<8x64xf32>",
         "stablehlo.multiply %q, # : tensor<8x64xf32>",
         "stablehlo.dot_general #, %w, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : "
         "(tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>",
         "stablehlo.subtract #, %q : tensor<8x64xf32>", "stablehlo.maximum #, %q : tensor<8x64xf32>",
         "stablehlo.reshape # : (tensor<8x64xf32>) -> tensor<512xf32>", "stablehlo.negate # : tensor<512xf32>",
         "stablehlo.reshape # : (tensor<512xf32>) -> tensor<8x64xf32>",
         "stablehlo.transpose #, dims = [1, 0] : (tensor<8x64xf32>) -> tensor<64x8xf32>",
         "stablehlo.transpose #, dims = [1, 0] : (tensor<64x8xf32>) -> tensor<8x64xf32>",
         "stablehlo.broadcast_in_dim %r, dims = [1] : (tensor<64xf32>) -> tensor<8x64xf32>"]
# XLA folds a transpose of a transpose; what stands between keeps both.
STEPS.insert(10, "stablehlo.exponential # : tensor<64x8xf32>")
# What a step begins with that does not use the value before is added to it.
JOIN = "stablehlo.add #, %{last} : tensor<8x64xf32>"


def chain(n):
    lines = ["module @chain {", "  func.func public @main(%x0: tensor<8x64xf32>, %q: tensor<8x64xf32>, %w: tensor<64x64xf32>, "
             "%r: tensor<64xf32>) -> tensor<8x64xf32> {"]
    at = 0
    while at < n:
        for step in STEPS:
            lines.append(f"    %x{at + 1} = {step.replace('#', f'%x{at}')}")
            at += 1
        lines.append(f"    %x{at + 1} = stablehlo.add %x{at - 1}, %x{at} : tensor<8x64xf32>")
        at += 1
    return "\n".join(lines + [f"    return %x{at} : tensor<8x64xf32>", "  }", "}", ""])


def functions(n):
    """So many private functions of three operations, each called once."""
    lines = ["module @functions {", "  func.func public @main(%x0: tensor<8xf32>, %q: tensor<8xf32>) -> tensor<8xf32> {"]
    lines += [f"    %x{i + 1} = call @f{i}(%x{i}, %q) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>" for i in range(n)]
    lines += [f"    return %x{n} : tensor<8xf32>", "  }"]
    for i in range(n):
        lines += [f"  func.func private @f{i}(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {{",
                  "    %0 = stablehlo.add %a, %b : tensor<8xf32>", "    %1 = stablehlo.tanh %0 : tensor<8xf32>",
                  "    %2 = stablehlo.multiply %1, %b : tensor<8xf32>", "    return %2 : tensor<8xf32>", "  }"]
    return "\n".join(lines + ["}", ""])


def constants(megabytes, is_decimal):
    """Matrices of 2^18 elements, in all of so many megabytes of text."""
    rows, columns, draw = 512, 512, random.Random(7)
    each = rows * columns * (14 if is_decimal else 8)
    count = max(1, int(megabytes * 1e6 / each))
    lines = ["module @constants {", "  func.func public @main(%x0: tensor<512x512xf32>) -> tensor<512x512xf32> {"]
    for i in range(count):
        if is_decimal:
            row = lambda: "[" + ", ".join(f"{draw.uniform(-9, 9):.6e}" for _ in range(columns)) + "]"
            elements = "[" + ", ".join(row() for _ in range(rows)) + "]"
        else:
            elements = '"0x' + draw.randbytes(4 * rows * columns).hex().upper().replace("7F", "3F").replace("FF", "3F") + '"'
        lines += [f"    %c{i} = stablehlo.constant dense<{elements}> : tensor<512x512xf32>",
                  f"    %x{i + 1} = stablehlo.add %x{i}, %c{i} : tensor<512x512xf32>"]
    return "\n".join(lines + [f"    return %x{count} : tensor<512x512xf32>", "  }", "}", ""])


def layers(n):
    """What JAX makes of a transformer of so many layers, with debug information; needs JAX."""
    import jax
    import jax.numpy as jnp

    def normed(x, scale):
        mean = jnp.mean(x, axis=-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(jnp.var(x, axis=-1, keepdims=True) + 1e-5) * scale

    def layer(x, p):
        h = normed(x, p["n1"])
        q, k, v = (jnp.einsum("td,dhk->htk", h, p[name]) for name in ("q", "k", "v"))
        mask = jnp.tril(jnp.ones((x.shape[0], x.shape[0]), bool))
        scores = jnp.where(mask, jnp.einsum("htk,hsk->hts", q, k) / 8, -1e9)
        x = x + jnp.einsum("hts,hsk,hkd->td", jax.nn.softmax(scores), v, p["o"])
        return x + jax.nn.gelu(normed(x, p["n2"]) @ p["up"]) @ p["down"]

    def loss(parameters, x):
        for p in parameters:
            x = layer(x, p)
        return jnp.mean(x ** 2)

    shapes = {"n1": (64,), "n2": (64,), "q": (64, 4, 16), "k": (64, 4, 16), "v": (64, 4, 16), "o": (4, 16, 64),
              "up": (64, 256), "down": (256, 64)}
    one = {name: jax.ShapeDtypeStruct(shape, jnp.float32) for name, shape in shapes.items()}
    step = jax.jit(lambda ps, x: jax.tree.map(lambda p, g: p - 0.1 * g, ps, jax.grad(loss)(ps, x)))
    return step.lower([one] * n, jax.ShapeDtypeStruct((32, 64), jnp.float32)).as_text(debug_info=True)


def of_hlo(path):
    """HLO text as XLA translates it to StableHLO; needs jaxlib."""
    from jaxlib import _jax, xla_client
    with open(path, errors="surrogateescape") as file:
        module = xla_client.hlo.hlo_module_from_text(file.read())
    return _jax.mlir.xla_computation_to_mlir_module(xla_client.hlo.XlaComputation(module.as_serialized_hlo_module_proto()))


def hlo_files(folder, least):
    if not folder or not os.path.isdir(folder):
        return []
    paths = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".hlo"))
    return [path for path in paths if os.path.getsize(path) >= least]


# kind: (forms, {program: what makes its text}); the forms beside text need jaxlib.
ALL = ("text", "generic", "bytecode")


def kinds():
    modules = {os.path.basename(p)[:-4]: (of_hlo, p) for p in hlo_files(os.path.join(BENCH, "modules"), 0)}
    dumps = {os.path.basename(p)[:-4]: (of_hlo, p) for p in hlo_files(CORPUS, 1_000_000)}
    return {"chain of 10^5 operations": (ALL, {"chain": (chain, 100_000)}),
            "10^4 functions": (ALL, {"functions": (functions, 10_000)}),
            "constants, hexadecimal": (ALL, {"hexadecimal": (constants, 20, False)}),
            "constants, decimal": (("text",), {"decimal": (constants, 20, True)}),
            "JAX with debug information": (ALL, {"layers": (layers, 60)}),
            "bench modules": (ALL, modules), "dumps": (ALL, dumps)}
