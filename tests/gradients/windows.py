"""Cases of operations that have windows: convolutions."""
import jax.numpy as jnp
from jax import lax

from gradients import ALL, SMALL, TYPES, case, some

# ---- convolutions ----


def convolved(labels, wide=None, reversed_at=(), **more):
    """A convolution by JAX; types that its own has no code for are computed in f32. JAX has no reversal: kernels are reversed."""
    def f(x, y):
        kind = x.dtype
        small = jnp.finfo(kind).bits < 16 if not jnp.iscomplexobj(x) else False
        if small or wide:
            x, y = x.astype(wide or jnp.float32), y.astype(wide or jnp.float32)
        y = lax.rev(y, reversed_at)
        out = lax.conv_general_dilated(x, y, dimension_numbers=dimensions(labels), **more)
        return out.astype(kind) if small and not wide else out
    return f


def dimensions(labels):
    """JAX spells batch and feature dimensions with other letters."""
    parts = labels.replace("->", "_").split("_")
    letters = [{"b": "N", "f": "C"}, {"i": "I", "o": "O"}, {"b": "N", "f": "C"}]
    return tuple("".join(names.get(ch, ch) for ch in part) for names, part in zip(letters, parts))


def convolution(about, x, y, window, labels, types=("f32",), attrs="", out="", plan=None, wide=None, reversed_at=(), few=None):
    plan = {"window_strides": (1,) * (len(x) - 2), "padding": [(0, 0)] * (len(x) - 2)} | (plan or {})
    written = f"window={{{window}}}, " if window else ""
    case("convolution", about, {"x": some(*x, among=few), "y": some(*y, seed=1, among=few)},
         f"ROOT r = {out}convolution(x, y), {written}dim_labels={labels}{attrs}",
         convolved(labels, wide, reversed_at, **plan), list(types))


FEW = [-1, -0.5, 0.5, 1, 1.5]
NCW, NCHW = "bf0_oi0->bf0", "bf01_oi01->bf01"
convolution("", (2, 2, 4), (3, 2, 2), "size=2", NCW, ALL, few=FEW)
convolution("over two dimensions", (2, 3, 4, 5), (2, 3, 2, 3), "size=2x3", NCHW, ["f32", "c128"])
convolution("with other dimension numbers", (4, 2, 5, 3), (2, 3, 3, 2), "size=2x3", "0b1f_01io->f0b1", ["f32", "c64"])
convolution("with strides", (1, 2, 7, 6), (2, 2, 3, 2), "size=3x2 stride=3x3", NCHW, plan={"window_strides": (3, 3)})
convolution("padded", (1, 2, 4, 3), (2, 2, 3, 2), "size=3x2 pad=1_2x2_1", NCHW, plan={"padding": [(1, 2), (2, 1)]})
convolution("cut off by negative padding", (1, 2, 6, 5), (2, 2, 2, 2), "size=2x2 pad=-1_-2x2_-2", NCHW,
            plan={"padding": [(-1, -2), (2, -2)]})
convolution("padded beyond the window", (1, 1, 3), (1, 1, 2), "size=2 pad=4_4", NCW, plan={"padding": [(4, 4)]})
convolution("with a dilated input", (1, 2, 3, 4), (2, 2, 2, 3), "size=2x3 stride=1x4 pad=1_1x1_0 lhs_dilate=2x3", NCHW,
            plan={"window_strides": (1, 4), "padding": [(1, 1), (1, 0)], "lhs_dilation": (2, 3)})
convolution("with a dilated kernel", (1, 2, 7, 8), (2, 2, 3, 2), "size=3x2 stride=1x2 rhs_dilate=2x3", NCHW,
            plan={"window_strides": (1, 2), "rhs_dilation": (2, 3)})
convolution("with everything dilated, cut off", (2, 2, 5), (2, 2, 3), "size=3 stride=3 pad=-2_1 lhs_dilate=2 rhs_dilate=2", NCW, ["f32", "c64"],
            plan={"window_strides": (3,), "padding": [(-2, 1)], "lhs_dilation": (2,), "rhs_dilation": (2,)})
convolution("reversed", (1, 2, 4, 4), (2, 2, 3, 2), "size=3x2 rhs_reversal=1x0", NCHW, reversed_at=(2,))
convolution("reversed, with strides and dilated", (1, 2, 4, 4), (2, 2, 2, 3), "size=2x3 stride=2x3 pad=1_0x0_1 lhs_dilate=2x2 rhs_dilate=3x1 rhs_reversal=1x1", NCHW,
            reversed_at=(2, 3), plan={"window_strides": (2, 3), "padding": [(1, 0), (0, 1)], "lhs_dilation": (2, 2), "rhs_dilation": (3, 1)})
convolution("in groups of features", (2, 4, 5), (6, 2, 3), "size=3", NCW, ["f32", "bf16", "c64"], ", feature_group_count=2", plan={"feature_group_count": 2})
convolution("of each feature", (2, 5, 3), (2, 1, 6), "size=2", "b0f_0io->b0f", attrs=", feature_group_count=3", plan={"feature_group_count": 3})
convolution("in groups of features, last dimension first", (4, 2, 3, 2), (2, 2, 2, 4), "size=2x2", "f01b_01io->01fb",
            attrs=", feature_group_count=2", plan={"feature_group_count": 2})
convolution("in groups of batches", (4, 3, 5), (6, 3, 3), "size=3", NCW, ["f32", "bf16", "c64"], ", batch_group_count=2", plan={"batch_group_count": 2})
convolution("in groups of batches, with other dimension numbers", (5, 3, 6), (2, 3, 3), "size=2 stride=2 pad=1_0", "0fb_0io->b0f",
            attrs=", batch_group_count=3", plan={"batch_group_count": 3, "window_strides": (2,), "padding": [(1, 0)]})
convolution("without windows", (3, 4), (4, 2), "", "bf_io->bf")
convolution("with a result of another type", (2, 2, 4), (3, 2, 2), "size=2", NCW, ["f16", "bf16", "f8e4m3fn"], out="f32[2,3,3] ", wide=jnp.float32, few=FEW)
convolution("of which a kernel's edge meets nothing", (1, 1, 2), (1, 1, 5), "size=5 pad=2_1", NCW, plan={"padding": [(2, 1)]})
case("convolution", "by itself", {"x": some(2, 2, 3)}, "ROOT r = T[2,2,3] convolution(x, x), window={size=3 pad=1_1}, dim_labels=bf0_oi0->bf0",
     lambda x: lax.conv_general_dilated(x, x, (1,), [(1, 1)], dimension_numbers=("NCH", "OIH", "NCH")), ["f32"])
