"""Made by tools/python-builder from hlo_builder.h and hlo_builder_lib.h: types for ctypes, a method of
`Builder` for each operation, and one of its `lib` for each function. See _builder.py."""

from __future__ import annotations

from ctypes import (POINTER, Structure, c_bool, c_char_p, c_double, c_float, c_int, c_int32, c_int64,
                    c_size_t, c_uint32, c_void_p)
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Tuple

if TYPE_CHECKING:
    from ._builder import Function, ShapeLike, Value


class IntList(Structure):
    _fields_ = [("count", c_size_t), ("values", POINTER(c_int64))]


class InstrsList(Structure):
    _fields_ = [("count", c_size_t), ("values", POINTER(c_void_p))]


class ComputationsList(Structure):
    _fields_ = [("count", c_size_t), ("values", POINTER(c_void_p))]


class GroupList(Structure):
    _fields_ = [("count", c_size_t), ("values", POINTER(IntList))]


class ShardKind(IntEnum):
    SHARD_REPLICATED = 0
    SHARD_MAXIMAL = 1
    SHARD_MANUAL = 2
    SHARD_TILED = 3


class PaddingRule(IntEnum):
    PAD_VALID = 0
    PAD_SAME = 1


class FftKind(IntEnum):
    FFT = 0
    IFFT = 1
    RFFT = 2
    IRFFT = 3


class TransposeKind(IntEnum):
    NO_TRANSPOSE = 1
    TRANSPOSE = 2
    ADJOINT = 3


class RngAlgorithm(IntEnum):
    RNG_DEFAULT = 0
    RNG_THREE_FRY = 1
    RNG_PHILOX = 2


class LibOrder(IntEnum):
    UNORDERED = 0
    LT = 1
    GT = 2
    LT_TOTAL_ORDER = 3
    GT_TOTAL_ORDER = 4


class LibPrecision(IntEnum):
    DEFAULT_PRECISION = 0
    HIGH_PRECISION = 1
    HIGHEST_PRECISION = 2


class LibBitGenerator(IntEnum):
    THREEFRY = 0
    PHILOX = 1


class OpMetadata(Structure):
    _fields_ = [("op_type", c_char_p), ("op_name", c_char_p), ("source_file", c_char_p),
                ("source_line", c_int32)]


class Shard(Structure):
    _fields_ = [("kind", c_int), ("device", c_int64), ("tiles", IntList), ("devices", IntList),
                ("replicate_last", c_bool)]


class SourceLocation(Structure):
    _fields_ = [("file", c_char_p), ("function", c_char_p), ("line", c_int32), ("end_line",
                c_int32), ("column", c_int32), ("end_column", c_int32)]


class RaggedDimensions(Structure):
    _fields_ = [("lhs_contracting", IntList), ("rhs_contracting", IntList), ("lhs_batch", IntList),
                ("rhs_batch", IntList), ("lhs_ragged", IntList), ("rhs_group", IntList)]


class ConvDimensions(Structure):
    _fields_ = [("input_batch", c_int64), ("input_feature", c_int64), ("input_spatial", IntList),
                ("kernel_input_feature", c_int64), ("kernel_output_feature", c_int64),
                ("kernel_spatial", IntList), ("output_batch", c_int64), ("output_feature", c_int64),
                ("output_spatial", IntList)]


class LibEinsumOptions(Structure):
    _fields_ = [("precision", c_int), ("preferred_element_type", c_int), ("grad_x", c_bool),
                ("grad_y", c_bool)]


class LibRandom(Structure):
    _fields_ = [("value", c_void_p), ("state", c_void_p)]


class LibTopKSize(Structure):
    _fields_ = [("size", c_int64), ("log2_reduction", c_int64)]


class LibConvGradSize(Structure):
    _fields_ = [("output_size", c_int64), ("pad_before", c_int64), ("pad_after", c_int64)]


class LibSignAndLogDet(Structure):
    _fields_ = [("sign", c_void_p), ("log_det", c_void_p)]


class LibSvdResult(Structure):
    _fields_ = [("u", c_void_p), ("d", c_void_p), ("v", c_void_p)]


# Result and arguments of each function, as ctypes has them.
FUNCTIONS: Any = {
    "hlo_builder_create": (c_void_p, [c_char_p]),
    "hlo_builder_free": (None, [c_void_p]),
    "hlo_builder_failed": (c_bool, [c_void_p]),
    "hlo_builder_build": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "hlo_builder_set_module_attribute": (None, [c_void_p, c_char_p, c_char_p]),
    "hlo_builder_begin": (None, [c_void_p, c_char_p]),
    "hlo_builder_end": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_set_computation_name": (None, [c_void_p, c_char_p]),
    "hlo_builder_set_execution_thread": (None, [c_void_p, c_char_p]),
    "hlo_builder_reducer": (c_void_p, [c_void_p, c_char_p, c_int]),
    "hlo_builder_comparator": (c_void_p, [c_void_p, c_char_p, c_void_p, c_size_t]),
    "hlo_builder_shape": (c_void_p, [c_void_p, c_int, IntList]),
    "hlo_builder_bounded_shape": (c_void_p, [c_void_p, c_int, IntList, IntList]),
    "hlo_builder_laid_out_shape": (c_void_p, [c_void_p, c_int, IntList, IntList]),
    "hlo_builder_tuple_shape": (c_void_p, [c_void_p, c_void_p, c_size_t]),
    "hlo_builder_token_shape": (c_void_p, [c_void_p]),
    "hlo_builder_shape_from_text": (c_void_p, [c_void_p, c_char_p]),
    "hlo_builder_begin_scope": (None, [c_void_p]),
    "hlo_builder_end_scope": (None, [c_void_p]),
    "hlo_builder_set_metadata": (None, [c_void_p, c_void_p]),
    "hlo_builder_set_sharding": (None, [c_void_p, c_void_p]),
    "hlo_builder_set_frontend_attribute": (None, [c_void_p, c_char_p, c_char_p]),
    "hlo_builder_set_name": (None, [c_void_p, c_char_p]),
    "hlo_builder_set_shape": (None, [c_void_p, c_void_p]),
    "hlo_builder_set_control_predecessors": (None, [c_void_p, InstrsList]),
    "hlo_builder_set_attribute": (None, [c_void_p, c_char_p, c_char_p]),
    "hlo_builder_stack_frame": (c_uint32, [c_void_p, c_uint32, c_void_p]),
    "hlo_builder_parameter": (c_void_p, [c_void_p, c_int64, c_void_p]),
    "hlo_builder_constant": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_constant_from_text": (c_void_p, [c_void_p, c_void_p, c_char_p]),
    "hlo_builder_constant_f32": (c_void_p, [c_void_p, c_float]),
    "hlo_builder_constant_s32": (c_void_p, [c_void_p, c_int32]),
    "hlo_builder_constant_pred": (c_void_p, [c_void_p, c_bool]),
    "hlo_builder_abs": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_acos": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_acosh": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_asin": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_asinh": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_atanh": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_cbrt": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_ceil": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_clz": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_cos": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_cosh": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_erf": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_exp": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_expm1": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_floor": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_imag": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_is_finite": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_log": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_log1p": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_logistic": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_not": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_neg": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_population_count": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_real": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_round": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_round_nearest_even": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_rsqrt": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_sign": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_sin": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_sinh": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_sqrt": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_tan": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_tanh": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_copy": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_add": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_and": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_atan2": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_complex": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_div": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_max": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_mulhi": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_min": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_mul": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_or": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_pow": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_rem": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_shift_left": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_shift_right_arithmetic": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_shift_right_logical": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_sub": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_xor": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_eq": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_ne": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_ge": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_gt": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_le": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_lt": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_eq_total_order": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_ne_total_order": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_ge_total_order": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_gt_total_order": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_le_total_order": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_lt_total_order": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_builder_clamp": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "hlo_builder_select": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "hlo_builder_convert_element_type": (c_void_p, [c_void_p, c_void_p, c_int]),
    "hlo_builder_bitcast_convert_type": (c_void_p, [c_void_p, c_void_p, c_int]),
    "hlo_builder_reduce_precision": (c_void_p, [c_void_p, c_void_p, c_int32, c_int32]),
    "hlo_builder_stochastic_convert": (c_void_p, [c_void_p, c_void_p, c_void_p, c_int]),
    "hlo_builder_map": (c_void_p, [c_void_p, InstrsList, c_void_p, InstrsList]),
    "hlo_builder_broadcast": (c_void_p, [c_void_p, c_void_p, IntList]),
    "hlo_builder_broadcast_in_dim": (c_void_p, [c_void_p, c_void_p, IntList, IntList]),
    "hlo_builder_collapse": (c_void_p, [c_void_p, c_void_p, IntList]),
    "hlo_builder_concatenate": (c_void_p, [c_void_p, InstrsList, c_int64]),
    "hlo_builder_pad": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList, IntList, IntList]),
    "hlo_builder_reshape": (c_void_p, [c_void_p, c_void_p, IntList, IntList]),
    "hlo_builder_bitcast": (c_void_p, [c_void_p, c_void_p, c_void_p]),
    "hlo_builder_dynamic_reshape": (c_void_p, [c_void_p, c_void_p, InstrsList, c_void_p]),
    "hlo_builder_rev": (c_void_p, [c_void_p, c_void_p, IntList]),
    "hlo_builder_slice": (c_void_p, [c_void_p, c_void_p, IntList, IntList, IntList]),
    "hlo_builder_dynamic_slice": (c_void_p, [c_void_p, c_void_p, InstrsList, IntList]),
    "hlo_builder_dynamic_update_slice": (c_void_p, [c_void_p, c_void_p, c_void_p, InstrsList]),
    "hlo_builder_transpose": (c_void_p, [c_void_p, c_void_p, IntList]),
    "hlo_builder_iota": (c_void_p, [c_void_p, c_void_p, c_int64]),
    "hlo_builder_get_dimension_size": (c_void_p, [c_void_p, c_void_p, c_int64]),
    "hlo_builder_set_dimension_size": (c_void_p, [c_void_p, c_void_p, c_void_p, c_int64]),
    "hlo_builder_gather": (c_void_p, [c_void_p, c_void_p, c_void_p, c_int64, IntList, IntList,
        IntList, IntList, c_bool]),
    "hlo_builder_scatter": (c_void_p, [c_void_p, InstrsList, c_void_p, InstrsList, c_void_p,
        c_int64, IntList, IntList, IntList, c_bool, c_bool]),
    "hlo_builder_reduce": (c_void_p, [c_void_p, InstrsList, InstrsList, c_void_p, IntList]),
    "hlo_builder_reduce_window": (c_void_p, [c_void_p, InstrsList, InstrsList, c_void_p, IntList,
        IntList, IntList, IntList, c_int]),
    "hlo_builder_reduce_window_padded": (c_void_p, [c_void_p, InstrsList, InstrsList, c_void_p,
        IntList, IntList, IntList, IntList, IntList, IntList]),
    "hlo_builder_select_and_scatter": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList, IntList,
        c_int, c_void_p, c_void_p, c_void_p]),
    "hlo_builder_select_and_scatter_padded": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList,
        IntList, IntList, IntList, c_void_p, c_void_p, c_void_p]),
    "hlo_builder_sort": (c_void_p, [c_void_p, InstrsList, c_void_p, c_int64, c_bool]),
    "hlo_builder_top_k": (c_void_p, [c_void_p, c_void_p, c_int64, c_bool]),
    "hlo_builder_dot": (c_void_p, [c_void_p, c_void_p, c_void_p]),
    "hlo_builder_dot_general": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList, IntList, IntList,
        IntList]),
    "hlo_builder_ragged_dot": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "hlo_builder_scaled_dot": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, IntList,
        IntList, IntList, IntList]),
    "hlo_builder_conv": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList, c_int, c_int64,
        c_int64]),
    "hlo_builder_conv_with_general_padding": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList,
        IntList, IntList, IntList, IntList, c_int64, c_int64]),
    "hlo_builder_conv_general_dilated": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList, IntList,
        IntList, IntList, IntList, c_void_p, c_int64, c_int64]),
    "hlo_builder_fft": (c_void_p, [c_void_p, c_void_p, c_int, IntList]),
    "hlo_builder_cholesky": (c_void_p, [c_void_p, c_void_p, c_bool]),
    "hlo_builder_triangular_solve": (c_void_p, [c_void_p, c_void_p, c_void_p, c_bool, c_bool,
        c_bool, c_int]),
    "hlo_builder_batch_norm_training": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p, c_float,
        c_int64]),
    "hlo_builder_batch_norm_inference": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p, c_void_p, c_float, c_int64]),
    "hlo_builder_batch_norm_grad": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p, c_float, c_int64]),
    "hlo_builder_rng_uniform": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "hlo_builder_rng_normal": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "hlo_builder_rng_bernoulli": (c_void_p, [c_void_p, c_void_p, IntList]),
    "hlo_builder_rng_bit_generator": (c_void_p, [c_void_p, c_int, c_void_p, c_void_p]),
    "hlo_builder_rng_get_and_update_state": (c_void_p, [c_void_p, c_int64, c_void_p]),
    "hlo_builder_tuple": (c_void_p, [c_void_p, InstrsList]),
    "hlo_builder_get_tuple_element": (c_void_p, [c_void_p, c_void_p, c_int64]),
    "hlo_builder_after_all": (c_void_p, [c_void_p, InstrsList]),
    "hlo_builder_optimization_barrier": (c_void_p, [c_void_p, InstrsList]),
    "hlo_builder_call": (c_void_p, [c_void_p, c_void_p, InstrsList]),
    "hlo_builder_composite_call": (c_void_p, [c_void_p, c_void_p, InstrsList, c_char_p, c_char_p,
        c_int64]),
    "hlo_builder_while": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "hlo_builder_conditional": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p]),
    "hlo_builder_conditional_indexed": (c_void_p, [c_void_p, c_void_p, ComputationsList,
        InstrsList]),
    "hlo_builder_custom_call": (c_void_p, [c_void_p, c_char_p, InstrsList, c_void_p, c_char_p,
        c_bool]),
    "hlo_builder_custom_call_with_computations": (c_void_p, [c_void_p, c_char_p, InstrsList,
        ComputationsList, c_void_p, c_char_p, c_bool]),
    "hlo_builder_scan": (c_void_p, [c_void_p, c_void_p, InstrsList, c_int64, c_int64, c_bool,
        c_bool]),
    "hlo_builder_fusion": (c_void_p, [c_void_p, c_void_p, InstrsList, c_char_p]),
    "hlo_builder_domain": (c_void_p, [c_void_p, c_void_p, c_char_p]),
    "hlo_builder_add_dependency": (c_void_p, [c_void_p, c_void_p, c_void_p]),
    "hlo_builder_switch": (c_void_p, [c_void_p, c_void_p, c_void_p]),
    "hlo_builder_merge": (c_void_p, [c_void_p, InstrsList]),
    "hlo_builder_enter": (c_void_p, [c_void_p, c_void_p, c_char_p, c_bool, c_int64]),
    "hlo_builder_exit": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_next_iteration": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_set_back_edge": (None, [c_void_p, c_void_p, c_void_p]),
    "hlo_builder_edge_send": (c_void_p, [c_void_p, c_void_p, c_char_p, c_int64]),
    "hlo_builder_edge_recv": (c_void_p, [c_void_p, c_void_p, c_char_p, c_int64]),
    "hlo_builder_stack_create": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_stack_push": (c_void_p, [c_void_p, c_void_p, c_void_p]),
    "hlo_builder_stack_pop": (c_void_p, [c_void_p, c_void_p, c_void_p]),
    "hlo_builder_async_start": (c_void_p, [c_void_p, c_void_p, InstrsList, c_char_p]),
    "hlo_builder_async_update": (c_void_p, [c_void_p, c_void_p, InstrsList]),
    "hlo_builder_async_done": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_copy_start": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_copy_done": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_infeed": (c_void_p, [c_void_p, c_void_p, c_char_p]),
    "hlo_builder_outfeed": (c_void_p, [c_void_p, c_void_p, c_void_p, c_char_p]),
    "hlo_builder_send": (c_void_p, [c_void_p, c_void_p, c_int64]),
    "hlo_builder_send_done": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_recv": (c_void_p, [c_void_p, c_void_p, c_int64]),
    "hlo_builder_recv_done": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_infeed_with_token": (c_void_p, [c_void_p, c_void_p, c_void_p, c_char_p]),
    "hlo_builder_outfeed_with_token": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p,
        c_char_p]),
    "hlo_builder_send_with_token": (c_void_p, [c_void_p, c_void_p, c_void_p, c_int64, c_bool]),
    "hlo_builder_recv_with_token": (c_void_p, [c_void_p, c_void_p, c_void_p, c_int64, c_bool]),
    "hlo_builder_send_done_with_token": (c_void_p, [c_void_p, c_void_p, c_int64, c_bool]),
    "hlo_builder_recv_done_with_token": (c_void_p, [c_void_p, c_void_p, c_int64, c_bool]),
    "hlo_builder_all_gather": (c_void_p, [c_void_p, c_void_p, c_int64, c_int64, GroupList,
        c_int64]),
    "hlo_builder_all_reduce": (c_void_p, [c_void_p, c_void_p, c_void_p, GroupList, c_int64]),
    "hlo_builder_cross_replica_sum": (c_void_p, [c_void_p, c_void_p, GroupList]),
    "hlo_builder_all_to_all": (c_void_p, [c_void_p, c_void_p, c_int64, c_int64, c_int64, GroupList,
        c_int64]),
    "hlo_builder_collective_permute": (c_void_p, [c_void_p, c_void_p, GroupList, c_int64]),
    "hlo_builder_collective_broadcast": (c_void_p, [c_void_p, c_void_p, GroupList, c_int64]),
    "hlo_builder_reduce_scatter": (c_void_p, [c_void_p, c_void_p, c_void_p, c_int64, c_int64,
        GroupList, c_int64]),
    "hlo_builder_all_gather_tuple": (c_void_p, [c_void_p, InstrsList, c_int64, c_int64, GroupList,
        c_int64]),
    "hlo_builder_all_reduce_tuple": (c_void_p, [c_void_p, InstrsList, c_void_p, GroupList,
        c_int64]),
    "hlo_builder_reduce_scatter_tuple": (c_void_p, [c_void_p, InstrsList, c_void_p, c_int64,
        c_int64, GroupList, c_int64]),
    "hlo_builder_all_to_all_tuple": (c_void_p, [c_void_p, InstrsList, GroupList, c_int64]),
    "hlo_builder_ragged_all_to_all": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p, c_void_p, GroupList, c_int64]),
    "hlo_builder_collective_permute_tuple": (c_void_p, [c_void_p, InstrsList, GroupList, c_int64]),
    "hlo_builder_collective_broadcast_tuple": (c_void_p, [c_void_p, InstrsList, GroupList, c_int64,
        c_bool]),
    "hlo_builder_all_gather_start": (c_void_p, [c_void_p, InstrsList, c_int64, c_int64, GroupList,
        c_int64]),
    "hlo_builder_all_gather_done": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_all_reduce_start": (c_void_p, [c_void_p, InstrsList, c_void_p, GroupList,
        c_int64]),
    "hlo_builder_all_reduce_done": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_collective_permute_start": (c_void_p, [c_void_p, InstrsList, GroupList, c_int64]),
    "hlo_builder_collective_permute_done": (c_void_p, [c_void_p, c_void_p]),
    "hlo_builder_replica_id": (c_void_p, [c_void_p]),
    "hlo_builder_partition_id": (c_void_p, [c_void_p]),
    "hlo_lib_scalar": (c_void_p, [c_void_p, c_int, c_double]),
    "hlo_lib_zero": (c_void_p, [c_void_p, c_int]),
    "hlo_lib_one": (c_void_p, [c_void_p, c_int]),
    "hlo_lib_scalar_like": (c_void_p, [c_void_p, c_void_p, c_double]),
    "hlo_lib_full_like": (c_void_p, [c_void_p, c_void_p, c_double]),
    "hlo_lib_zeros_like": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_zeros": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_epsilon": (c_void_p, [c_void_p, c_int]),
    "hlo_lib_min_value": (c_void_p, [c_void_p, c_int]),
    "hlo_lib_min_finite_value": (c_void_p, [c_void_p, c_int]),
    "hlo_lib_min_positive_normal_value": (c_void_p, [c_void_p, c_int]),
    "hlo_lib_max_value": (c_void_p, [c_void_p, c_int]),
    "hlo_lib_max_finite_value": (c_void_p, [c_void_p, c_int]),
    "hlo_lib_nan_value": (c_void_p, [c_void_p, c_int]),
    "hlo_lib_acos": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_acosh": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_asin": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_asinh": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_atan": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_atanh": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_cosh": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_sinh": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_erfc": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_erf_inv": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_lgamma": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_digamma": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_bessel_i0e": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_bessel_i1e": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_round_to_even": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_square": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_reciprocal": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_conj": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_is_pos_inf": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_is_neg_inf": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_is_inf": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_is_nan": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_is_neg_zero": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_maybe_conjugate": (c_void_p, [c_void_p, c_void_p, c_bool]),
    "hlo_lib_evaluate_polynomial": (c_void_p, [c_void_p, c_void_p, c_void_p, c_size_t]),
    "hlo_lib_evaluate_chebyshev_polynomial": (c_void_p, [c_void_p, c_void_p, c_void_p, c_size_t]),
    "hlo_lib_igamma": (c_void_p, [c_void_p, c_void_p, c_void_p]),
    "hlo_lib_igammac": (c_void_p, [c_void_p, c_void_p, c_void_p]),
    "hlo_lib_igamma_grad_a": (c_void_p, [c_void_p, c_void_p, c_void_p]),
    "hlo_lib_random_gamma_grad": (c_void_p, [c_void_p, c_void_p, c_void_p]),
    "hlo_lib_regularized_incomplete_beta": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "hlo_lib_zeta": (c_void_p, [c_void_p, c_void_p, c_void_p]),
    "hlo_lib_polygamma": (c_void_p, [c_void_p, c_void_p, c_void_p]),
    "hlo_lib_next_after": (c_void_p, [c_void_p, c_void_p, c_void_p]),
    "hlo_lib_select": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "hlo_lib_scalar_computation": (c_void_p, [c_void_p, c_char_p, c_int]),
    "hlo_lib_scalar_computation_of": (c_void_p, [c_void_p, c_char_p, c_int, c_void_p, c_void_p]),
    "hlo_lib_scalar_identity_with_zero_computation": (c_void_p, [c_void_p, c_int]),
    "hlo_lib_any": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_arg_max": (c_void_p, [c_void_p, c_void_p, c_int, c_int64]),
    "hlo_lib_arg_min": (c_void_p, [c_void_p, c_void_p, c_int, c_int64]),
    "hlo_lib_comparator": (c_void_p, [c_void_p, c_char_p, c_void_p, c_void_p, c_size_t]),
    "hlo_lib_lt_comparator": (c_void_p, [c_void_p, c_void_p, c_size_t]),
    "hlo_lib_gt_comparator": (c_void_p, [c_void_p, c_void_p, c_size_t]),
    "hlo_lib_while_loop": (c_bool, [c_void_p, c_void_p, c_void_p, InstrsList, c_char_p, c_void_p,
        c_void_p]),
    "hlo_lib_for_each_index": (c_bool, [c_void_p, c_int64, c_int, c_void_p, InstrsList, c_char_p,
        c_void_p, c_void_p]),
    "hlo_lib_identity_matrix": (c_void_p, [c_void_p, c_int, c_int64, c_int64]),
    "hlo_lib_get_diagonal_mask": (c_void_p, [c_void_p, c_void_p, c_int64]),
    "hlo_lib_get_matrix_diagonal": (c_void_p, [c_void_p, c_void_p, c_int64]),
    "hlo_lib_get_matrix_diagonal_via_gather": (c_void_p, [c_void_p, c_void_p, c_int64]),
    "hlo_lib_set_matrix_diagonal": (c_void_p, [c_void_p, c_void_p, c_void_p, c_int64]),
    "hlo_lib_triangle_mask": (c_void_p, [c_void_p, c_void_p, c_int64]),
    "hlo_lib_triangle": (c_void_p, [c_void_p, c_void_p, c_bool]),
    "hlo_lib_upper_triangle": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_lower_triangle": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_symmetrize": (c_void_p, [c_void_p, c_void_p, c_bool]),
    "hlo_lib_transpose_in_minor_dims": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_maybe_transpose_in_minor_dims": (c_void_p, [c_void_p, c_void_p, c_bool]),
    "hlo_lib_einsum": (c_void_p, [c_void_p, c_void_p, c_void_p, c_char_p, c_void_p]),
    "hlo_lib_einsum_of_one": (c_void_p, [c_void_p, c_void_p, c_char_p, c_void_p]),
    "hlo_lib_einsum_numbered": (c_void_p, [c_void_p, c_void_p, IntList, c_void_p, IntList, IntList,
        c_void_p]),
    "hlo_lib_batch_dot": (c_void_p, [c_void_p, c_void_p, c_bool, c_void_p, c_bool, c_void_p]),
    "hlo_lib_slice_in_minor_dims": (c_void_p, [c_void_p, c_void_p, IntList, IntList]),
    "hlo_lib_update_slice": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_lib_update_slice_in_minor_dims": (c_void_p, [c_void_p, c_void_p, c_void_p, IntList]),
    "hlo_lib_dynamic_slice_in_minor_dims": (c_void_p, [c_void_p, c_void_p, InstrsList, IntList]),
    "hlo_lib_dynamic_update_slice_in_minor_dims": (c_void_p, [c_void_p, c_void_p, c_void_p,
        InstrsList]),
    "hlo_lib_torch_gather": (c_void_p, [c_void_p, c_void_p, c_void_p, c_int64, c_bool]),
    "hlo_lib_torch_scatter_dense": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p, c_int64,
        c_void_p, c_void_p]),
    "hlo_lib_torch_index_select": (c_void_p, [c_void_p, c_void_p, c_void_p, c_int64, c_int64]),
    "hlo_lib_tridiagonal_solver": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "hlo_lib_tridiagonal_solver_of_stack": (c_void_p, [c_void_p, c_void_p, c_void_p]),
    "hlo_lib_tridiagonal_mat_mul": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "hlo_lib_threefry_bit_generator": (LibRandom, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "hlo_lib_philox_bit_generator": (LibRandom, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "hlo_lib_scramble_philox_key": (LibRandom, [c_void_p, c_void_p]),
    "hlo_lib_philox_increase_counter": (c_void_p, [c_void_p, c_void_p, c_void_p]),
    "hlo_lib_concat_scalars": (c_void_p, [c_void_p, InstrsList]),
    "hlo_lib_uniform_floating_point_distribution": (LibRandom, [c_void_p, c_void_p, c_void_p, c_int,
        c_void_p, c_void_p, c_void_p]),
    "hlo_lib_uniform_int_distribution": (LibRandom, [c_void_p, c_void_p, c_void_p, c_int, c_void_p,
        c_void_p, c_void_p]),
    "hlo_lib_normal_floating_point_distribution": (LibRandom, [c_void_p, c_void_p, c_void_p, c_int,
        c_void_p]),
    "hlo_lib_top_k": (c_void_p, [c_void_p, c_void_p, c_int64, c_int]),
    "hlo_lib_top_k_with_partitions": (c_void_p, [c_void_p, c_void_p, c_int64, c_int64, c_int]),
    "hlo_lib_approx_top_k": (c_void_p, [c_void_p, InstrsList, InstrsList, c_int64, c_int64,
        c_void_p, c_float, c_bool, c_int64]),
    "hlo_lib_approx_top_k_fallback": (c_void_p, [c_void_p, InstrsList, InstrsList, c_int64, c_int64,
        c_void_p, c_float, c_bool, c_int64]),
    "hlo_lib_approx_top_k_output_size": (LibTopKSize, [c_void_p, c_int64, c_int64, c_int64, c_float,
        c_bool, c_int64]),
    "hlo_lib_broadcast_to": (c_void_p, [c_void_p, c_void_p, IntList]),
    "hlo_lib_max_pool": (c_void_p, [c_void_p, c_void_p, IntList, IntList, c_int]),
    "hlo_lib_avg_pool": (c_void_p, [c_void_p, c_void_p, IntList, IntList, IntList, IntList, IntList,
        c_bool]),
    "hlo_lib_avg_pool_grad": (c_void_p, [c_void_p, c_void_p, IntList, IntList, IntList, IntList,
        IntList, IntList, c_bool]),
    "hlo_lib_make_padding": (c_bool, [c_void_p, IntList, IntList, IntList, c_int, c_void_p,
        c_void_p]),
    "hlo_lib_make_spatial_padding": (c_bool, [c_void_p, IntList, IntList, IntList, c_int, IntList,
        c_void_p, c_void_p]),
    "hlo_lib_conv_grad_dimension": (LibConvGradSize, [c_void_p, c_int64, c_int64, c_int64, c_int64,
        c_int64, c_int]),
    "hlo_lib_dynamic_conditional": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p]),
    "hlo_lib_dynamic_conditional_indexed": (c_void_p, [c_void_p, c_void_p, ComputationsList,
        InstrsList]),
    "hlo_lib_set_dimension_size_with_rebound": (c_void_p, [c_void_p, c_void_p, c_void_p, c_int64]),
    "hlo_lib_set_all_dimension_sizes": (c_void_p, [c_void_p, c_void_p, c_void_p]),
    "hlo_lib_leaf_count": (c_size_t, [c_void_p]),
    "hlo_lib_disassemble_tuple": (c_bool, [c_void_p, c_void_p, c_void_p]),
    "hlo_lib_assemble_tuple": (c_void_p, [c_void_p, c_void_p, InstrsList]),
    "hlo_lib_qr": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_product_of_elementary_householder_reflectors": (c_void_p, [c_void_p, c_void_p,
        c_void_p]),
    "hlo_lib_qr_explicit": (c_void_p, [c_void_p, c_void_p, c_bool]),
    "hlo_lib_lu_decomposition": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_self_adjoint_eig": (c_void_p, [c_void_p, c_void_p, c_bool, c_int64, c_float, c_bool]),
    "hlo_lib_slogdet": (LibSignAndLogDet, [c_void_p, c_void_p]),
    "hlo_lib_logdet": (c_void_p, [c_void_p, c_void_p]),
    "hlo_lib_svd": (LibSvdResult, [c_void_p, c_void_p, c_int64, c_float, c_int]),
    "hlo_lib_dequantize": (c_void_p, [c_void_p, c_void_p, c_int, c_float, c_float, c_bool]),
    "hlo_lib_pack_to_u32": (c_size_t, [c_int, c_void_p, c_size_t, c_void_p]),
}

# What each method hands over, by its C type.
ARGUMENTS: Any = {
    "hlo_builder_create": [],
    "hlo_builder_free": [],
    "hlo_builder_failed": [],
    "hlo_builder_build": ["const hlo_instr *", "hlo_diags *", "hlo_module **"],
    "hlo_builder_set_module_attribute": ["const char *", "const char *"],
    "hlo_builder_begin": ["const char *"],
    "hlo_builder_end": ["const hlo_instr *"],
    "hlo_builder_set_computation_name": ["const char *"],
    "hlo_builder_set_execution_thread": ["const char *"],
    "hlo_builder_reducer": ["const char *", "hlo_element_type"],
    "hlo_builder_comparator": ["const char *", "const hlo_element_type *", "size_t"],
    "hlo_builder_shape": ["hlo_element_type", "hlo_int_list"],
    "hlo_builder_bounded_shape": ["hlo_element_type", "hlo_int_list", "hlo_int_list"],
    "hlo_builder_laid_out_shape": ["hlo_element_type", "hlo_int_list", "hlo_int_list"],
    "hlo_builder_tuple_shape": ["const hlo_shape *const *", "size_t"],
    "hlo_builder_token_shape": [],
    "hlo_builder_shape_from_text": ["const char *"],
    "hlo_builder_begin_scope": [],
    "hlo_builder_end_scope": [],
    "hlo_builder_set_metadata": ["const hlo_op_metadata *"],
    "hlo_builder_set_sharding": ["const hlo_shard *"],
    "hlo_builder_set_frontend_attribute": ["const char *", "const char *"],
    "hlo_builder_set_name": ["const char *"],
    "hlo_builder_set_shape": ["const hlo_shape *"],
    "hlo_builder_set_control_predecessors": ["hlo_instrs_list"],
    "hlo_builder_set_attribute": ["const char *", "const char *"],
    "hlo_builder_stack_frame": ["uint32_t", "const hlo_source_location *"],
    "hlo_builder_parameter": ["int64_t", "const hlo_shape *"],
    "hlo_builder_constant": ["const hlo_array *"],
    "hlo_builder_constant_from_text": ["const hlo_shape *", "const char *"],
    "hlo_builder_constant_f32": ["float"],
    "hlo_builder_constant_s32": ["int32_t"],
    "hlo_builder_constant_pred": ["bool"],
    "hlo_builder_abs": ["const hlo_instr *"],
    "hlo_builder_acos": ["const hlo_instr *"],
    "hlo_builder_acosh": ["const hlo_instr *"],
    "hlo_builder_asin": ["const hlo_instr *"],
    "hlo_builder_asinh": ["const hlo_instr *"],
    "hlo_builder_atanh": ["const hlo_instr *"],
    "hlo_builder_cbrt": ["const hlo_instr *"],
    "hlo_builder_ceil": ["const hlo_instr *"],
    "hlo_builder_clz": ["const hlo_instr *"],
    "hlo_builder_cos": ["const hlo_instr *"],
    "hlo_builder_cosh": ["const hlo_instr *"],
    "hlo_builder_erf": ["const hlo_instr *"],
    "hlo_builder_exp": ["const hlo_instr *"],
    "hlo_builder_expm1": ["const hlo_instr *"],
    "hlo_builder_floor": ["const hlo_instr *"],
    "hlo_builder_imag": ["const hlo_instr *"],
    "hlo_builder_is_finite": ["const hlo_instr *"],
    "hlo_builder_log": ["const hlo_instr *"],
    "hlo_builder_log1p": ["const hlo_instr *"],
    "hlo_builder_logistic": ["const hlo_instr *"],
    "hlo_builder_not": ["const hlo_instr *"],
    "hlo_builder_neg": ["const hlo_instr *"],
    "hlo_builder_population_count": ["const hlo_instr *"],
    "hlo_builder_real": ["const hlo_instr *"],
    "hlo_builder_round": ["const hlo_instr *"],
    "hlo_builder_round_nearest_even": ["const hlo_instr *"],
    "hlo_builder_rsqrt": ["const hlo_instr *"],
    "hlo_builder_sign": ["const hlo_instr *"],
    "hlo_builder_sin": ["const hlo_instr *"],
    "hlo_builder_sinh": ["const hlo_instr *"],
    "hlo_builder_sqrt": ["const hlo_instr *"],
    "hlo_builder_tan": ["const hlo_instr *"],
    "hlo_builder_tanh": ["const hlo_instr *"],
    "hlo_builder_copy": ["const hlo_instr *"],
    "hlo_builder_add": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_and": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_atan2": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_complex": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_div": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_max": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_mulhi": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_min": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_mul": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_or": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_pow": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_rem": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_shift_left": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_shift_right_arithmetic": ["const hlo_instr *", "const hlo_instr *",
        "hlo_int_list"],
    "hlo_builder_shift_right_logical": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_sub": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_xor": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_eq": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_ne": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_ge": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_gt": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_le": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_lt": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_eq_total_order": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_ne_total_order": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_ge_total_order": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_gt_total_order": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_le_total_order": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_lt_total_order": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_builder_clamp": ["const hlo_instr *", "const hlo_instr *", "const hlo_instr *"],
    "hlo_builder_select": ["const hlo_instr *", "const hlo_instr *", "const hlo_instr *"],
    "hlo_builder_convert_element_type": ["const hlo_instr *", "hlo_element_type"],
    "hlo_builder_bitcast_convert_type": ["const hlo_instr *", "hlo_element_type"],
    "hlo_builder_reduce_precision": ["const hlo_instr *", "int32_t", "int32_t"],
    "hlo_builder_stochastic_convert": ["const hlo_instr *", "const hlo_instr *",
        "hlo_element_type"],
    "hlo_builder_map": ["hlo_instrs_list", "const hlo_computation *", "hlo_instrs_list"],
    "hlo_builder_broadcast": ["const hlo_instr *", "hlo_int_list"],
    "hlo_builder_broadcast_in_dim": ["const hlo_instr *", "hlo_int_list", "hlo_int_list"],
    "hlo_builder_collapse": ["const hlo_instr *", "hlo_int_list"],
    "hlo_builder_concatenate": ["hlo_instrs_list", "int64_t"],
    "hlo_builder_pad": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list", "hlo_int_list",
        "hlo_int_list"],
    "hlo_builder_reshape": ["const hlo_instr *", "hlo_int_list", "hlo_int_list"],
    "hlo_builder_bitcast": ["const hlo_instr *", "const hlo_shape *"],
    "hlo_builder_dynamic_reshape": ["const hlo_instr *", "hlo_instrs_list", "const hlo_shape *"],
    "hlo_builder_rev": ["const hlo_instr *", "hlo_int_list"],
    "hlo_builder_slice": ["const hlo_instr *", "hlo_int_list", "hlo_int_list", "hlo_int_list"],
    "hlo_builder_dynamic_slice": ["const hlo_instr *", "hlo_instrs_list", "hlo_int_list"],
    "hlo_builder_dynamic_update_slice": ["const hlo_instr *", "const hlo_instr *",
        "hlo_instrs_list"],
    "hlo_builder_transpose": ["const hlo_instr *", "hlo_int_list"],
    "hlo_builder_iota": ["const hlo_shape *", "int64_t"],
    "hlo_builder_get_dimension_size": ["const hlo_instr *", "int64_t"],
    "hlo_builder_set_dimension_size": ["const hlo_instr *", "const hlo_instr *", "int64_t"],
    "hlo_builder_gather": ["const hlo_instr *", "const hlo_instr *", "int64_t", "hlo_int_list",
        "hlo_int_list", "hlo_int_list", "hlo_int_list", "bool"],
    "hlo_builder_scatter": ["hlo_instrs_list", "const hlo_instr *", "hlo_instrs_list",
        "const hlo_computation *", "int64_t", "hlo_int_list", "hlo_int_list", "hlo_int_list",
        "bool", "bool"],
    "hlo_builder_reduce": ["hlo_instrs_list", "hlo_instrs_list", "const hlo_computation *",
        "hlo_int_list"],
    "hlo_builder_reduce_window": ["hlo_instrs_list", "hlo_instrs_list", "const hlo_computation *",
        "hlo_int_list", "hlo_int_list", "hlo_int_list", "hlo_int_list", "hlo_padding_rule"],
    "hlo_builder_reduce_window_padded": ["hlo_instrs_list", "hlo_instrs_list",
        "const hlo_computation *", "hlo_int_list", "hlo_int_list", "hlo_int_list", "hlo_int_list",
        "hlo_int_list", "hlo_int_list"],
    "hlo_builder_select_and_scatter": ["const hlo_instr *", "const hlo_computation *",
        "hlo_int_list", "hlo_int_list", "hlo_padding_rule", "const hlo_instr *",
        "const hlo_instr *", "const hlo_computation *"],
    "hlo_builder_select_and_scatter_padded": ["const hlo_instr *", "const hlo_computation *",
        "hlo_int_list", "hlo_int_list", "hlo_int_list", "hlo_int_list", "const hlo_instr *",
        "const hlo_instr *", "const hlo_computation *"],
    "hlo_builder_sort": ["hlo_instrs_list", "const hlo_computation *", "int64_t", "bool"],
    "hlo_builder_top_k": ["const hlo_instr *", "int64_t", "bool"],
    "hlo_builder_dot": ["const hlo_instr *", "const hlo_instr *"],
    "hlo_builder_dot_general": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list",
        "hlo_int_list", "hlo_int_list", "hlo_int_list"],
    "hlo_builder_ragged_dot": ["const hlo_instr *", "const hlo_instr *", "const hlo_instr *",
        "const hlo_ragged_dimensions *"],
    "hlo_builder_scaled_dot": ["const hlo_instr *", "const hlo_instr *", "const hlo_instr *",
        "const hlo_instr *", "hlo_int_list", "hlo_int_list", "hlo_int_list", "hlo_int_list"],
    "hlo_builder_conv": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list",
        "hlo_padding_rule", "int64_t", "int64_t"],
    "hlo_builder_conv_with_general_padding": ["const hlo_instr *", "const hlo_instr *",
        "hlo_int_list", "hlo_int_list", "hlo_int_list", "hlo_int_list", "hlo_int_list", "int64_t",
        "int64_t"],
    "hlo_builder_conv_general_dilated": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list",
        "hlo_int_list", "hlo_int_list", "hlo_int_list", "hlo_int_list",
        "const hlo_conv_dimensions *", "int64_t", "int64_t"],
    "hlo_builder_fft": ["const hlo_instr *", "hlo_fft_kind", "hlo_int_list"],
    "hlo_builder_cholesky": ["const hlo_instr *", "bool"],
    "hlo_builder_triangular_solve": ["const hlo_instr *", "const hlo_instr *", "bool", "bool",
        "bool", "hlo_transpose_kind"],
    "hlo_builder_batch_norm_training": ["const hlo_instr *", "const hlo_instr *",
        "const hlo_instr *", "float", "int64_t"],
    "hlo_builder_batch_norm_inference": ["const hlo_instr *", "const hlo_instr *",
        "const hlo_instr *", "const hlo_instr *", "const hlo_instr *", "float", "int64_t"],
    "hlo_builder_batch_norm_grad": ["const hlo_instr *", "const hlo_instr *", "const hlo_instr *",
        "const hlo_instr *", "const hlo_instr *", "float", "int64_t"],
    "hlo_builder_rng_uniform": ["const hlo_instr *", "const hlo_instr *", "const hlo_shape *"],
    "hlo_builder_rng_normal": ["const hlo_instr *", "const hlo_instr *", "const hlo_shape *"],
    "hlo_builder_rng_bernoulli": ["const hlo_instr *", "hlo_int_list"],
    "hlo_builder_rng_bit_generator": ["hlo_rng_algorithm", "const hlo_instr *",
        "const hlo_shape *"],
    "hlo_builder_rng_get_and_update_state": ["int64_t", "const hlo_shape *"],
    "hlo_builder_tuple": ["hlo_instrs_list"],
    "hlo_builder_get_tuple_element": ["const hlo_instr *", "int64_t"],
    "hlo_builder_after_all": ["hlo_instrs_list"],
    "hlo_builder_optimization_barrier": ["hlo_instrs_list"],
    "hlo_builder_call": ["const hlo_computation *", "hlo_instrs_list"],
    "hlo_builder_composite_call": ["const hlo_computation *", "hlo_instrs_list", "const char *",
        "const char *", "int64_t"],
    "hlo_builder_while": ["const hlo_computation *", "const hlo_computation *",
        "const hlo_instr *"],
    "hlo_builder_conditional": ["const hlo_instr *", "const hlo_instr *", "const hlo_computation *",
        "const hlo_instr *", "const hlo_computation *"],
    "hlo_builder_conditional_indexed": ["const hlo_instr *", "hlo_computations_list",
        "hlo_instrs_list"],
    "hlo_builder_custom_call": ["const char *", "hlo_instrs_list", "const hlo_shape *",
        "const char *", "bool"],
    "hlo_builder_custom_call_with_computations": ["const char *", "hlo_instrs_list",
        "hlo_computations_list", "const hlo_shape *", "const char *", "bool"],
    "hlo_builder_scan": ["const hlo_computation *", "hlo_instrs_list", "int64_t", "int64_t", "bool",
        "bool"],
    "hlo_builder_fusion": ["const hlo_computation *", "hlo_instrs_list", "const char *"],
    "hlo_builder_domain": ["const hlo_instr *", "const char *"],
    "hlo_builder_add_dependency": ["const hlo_instr *", "const hlo_instr *"],
    "hlo_builder_switch": ["const hlo_instr *", "const hlo_instr *"],
    "hlo_builder_merge": ["hlo_instrs_list"],
    "hlo_builder_enter": ["const hlo_instr *", "const char *", "bool", "int64_t"],
    "hlo_builder_exit": ["const hlo_instr *"],
    "hlo_builder_next_iteration": ["const hlo_instr *"],
    "hlo_builder_set_back_edge": ["const hlo_instr *", "const hlo_instr *"],
    "hlo_builder_edge_send": ["const hlo_instr *", "const char *", "int64_t"],
    "hlo_builder_edge_recv": ["const hlo_shape *", "const char *", "int64_t"],
    "hlo_builder_stack_create": ["const hlo_shape *"],
    "hlo_builder_stack_push": ["const hlo_instr *", "const hlo_instr *"],
    "hlo_builder_stack_pop": ["const hlo_instr *", "const hlo_shape *"],
    "hlo_builder_async_start": ["const hlo_computation *", "hlo_instrs_list", "const char *"],
    "hlo_builder_async_update": ["const hlo_instr *", "hlo_instrs_list"],
    "hlo_builder_async_done": ["const hlo_instr *"],
    "hlo_builder_copy_start": ["const hlo_instr *"],
    "hlo_builder_copy_done": ["const hlo_instr *"],
    "hlo_builder_infeed": ["const hlo_shape *", "const char *"],
    "hlo_builder_outfeed": ["const hlo_instr *", "const hlo_shape *", "const char *"],
    "hlo_builder_send": ["const hlo_instr *", "int64_t"],
    "hlo_builder_send_done": ["const hlo_instr *"],
    "hlo_builder_recv": ["const hlo_shape *", "int64_t"],
    "hlo_builder_recv_done": ["const hlo_instr *"],
    "hlo_builder_infeed_with_token": ["const hlo_instr *", "const hlo_shape *", "const char *"],
    "hlo_builder_outfeed_with_token": ["const hlo_instr *", "const hlo_instr *",
        "const hlo_shape *", "const char *"],
    "hlo_builder_send_with_token": ["const hlo_instr *", "const hlo_instr *", "int64_t", "bool"],
    "hlo_builder_recv_with_token": ["const hlo_instr *", "const hlo_shape *", "int64_t", "bool"],
    "hlo_builder_send_done_with_token": ["const hlo_instr *", "int64_t", "bool"],
    "hlo_builder_recv_done_with_token": ["const hlo_instr *", "int64_t", "bool"],
    "hlo_builder_all_gather": ["const hlo_instr *", "int64_t", "int64_t", "hlo_group_list",
        "int64_t"],
    "hlo_builder_all_reduce": ["const hlo_instr *", "const hlo_computation *", "hlo_group_list",
        "int64_t"],
    "hlo_builder_cross_replica_sum": ["const hlo_instr *", "hlo_group_list"],
    "hlo_builder_all_to_all": ["const hlo_instr *", "int64_t", "int64_t", "int64_t",
        "hlo_group_list", "int64_t"],
    "hlo_builder_collective_permute": ["const hlo_instr *", "hlo_group_list", "int64_t"],
    "hlo_builder_collective_broadcast": ["const hlo_instr *", "hlo_group_list", "int64_t"],
    "hlo_builder_reduce_scatter": ["const hlo_instr *", "const hlo_computation *", "int64_t",
        "int64_t", "hlo_group_list", "int64_t"],
    "hlo_builder_all_gather_tuple": ["hlo_instrs_list", "int64_t", "int64_t", "hlo_group_list",
        "int64_t"],
    "hlo_builder_all_reduce_tuple": ["hlo_instrs_list", "const hlo_computation *", "hlo_group_list",
        "int64_t"],
    "hlo_builder_reduce_scatter_tuple": ["hlo_instrs_list", "const hlo_computation *", "int64_t",
        "int64_t", "hlo_group_list", "int64_t"],
    "hlo_builder_all_to_all_tuple": ["hlo_instrs_list", "hlo_group_list", "int64_t"],
    "hlo_builder_ragged_all_to_all": ["const hlo_instr *", "const hlo_instr *", "const hlo_instr *",
        "const hlo_instr *", "const hlo_instr *", "const hlo_instr *", "hlo_group_list", "int64_t"],
    "hlo_builder_collective_permute_tuple": ["hlo_instrs_list", "hlo_group_list", "int64_t"],
    "hlo_builder_collective_broadcast_tuple": ["hlo_instrs_list", "hlo_group_list", "int64_t",
        "bool"],
    "hlo_builder_all_gather_start": ["hlo_instrs_list", "int64_t", "int64_t", "hlo_group_list",
        "int64_t"],
    "hlo_builder_all_gather_done": ["const hlo_instr *"],
    "hlo_builder_all_reduce_start": ["hlo_instrs_list", "const hlo_computation *", "hlo_group_list",
        "int64_t"],
    "hlo_builder_all_reduce_done": ["const hlo_instr *"],
    "hlo_builder_collective_permute_start": ["hlo_instrs_list", "hlo_group_list", "int64_t"],
    "hlo_builder_collective_permute_done": ["const hlo_instr *"],
    "hlo_builder_replica_id": [],
    "hlo_builder_partition_id": [],
    "hlo_lib_scalar": ["hlo_element_type", "double"],
    "hlo_lib_zero": ["hlo_element_type"],
    "hlo_lib_one": ["hlo_element_type"],
    "hlo_lib_scalar_like": ["const hlo_instr *", "double"],
    "hlo_lib_full_like": ["const hlo_instr *", "double"],
    "hlo_lib_zeros_like": ["const hlo_instr *"],
    "hlo_lib_zeros": ["const hlo_shape *"],
    "hlo_lib_epsilon": ["hlo_element_type"],
    "hlo_lib_min_value": ["hlo_element_type"],
    "hlo_lib_min_finite_value": ["hlo_element_type"],
    "hlo_lib_min_positive_normal_value": ["hlo_element_type"],
    "hlo_lib_max_value": ["hlo_element_type"],
    "hlo_lib_max_finite_value": ["hlo_element_type"],
    "hlo_lib_nan_value": ["hlo_element_type"],
    "hlo_lib_acos": ["const hlo_instr *"],
    "hlo_lib_acosh": ["const hlo_instr *"],
    "hlo_lib_asin": ["const hlo_instr *"],
    "hlo_lib_asinh": ["const hlo_instr *"],
    "hlo_lib_atan": ["const hlo_instr *"],
    "hlo_lib_atanh": ["const hlo_instr *"],
    "hlo_lib_cosh": ["const hlo_instr *"],
    "hlo_lib_sinh": ["const hlo_instr *"],
    "hlo_lib_erfc": ["const hlo_instr *"],
    "hlo_lib_erf_inv": ["const hlo_instr *"],
    "hlo_lib_lgamma": ["const hlo_instr *"],
    "hlo_lib_digamma": ["const hlo_instr *"],
    "hlo_lib_bessel_i0e": ["const hlo_instr *"],
    "hlo_lib_bessel_i1e": ["const hlo_instr *"],
    "hlo_lib_round_to_even": ["const hlo_instr *"],
    "hlo_lib_square": ["const hlo_instr *"],
    "hlo_lib_reciprocal": ["const hlo_instr *"],
    "hlo_lib_conj": ["const hlo_instr *"],
    "hlo_lib_is_pos_inf": ["const hlo_instr *"],
    "hlo_lib_is_neg_inf": ["const hlo_instr *"],
    "hlo_lib_is_inf": ["const hlo_instr *"],
    "hlo_lib_is_nan": ["const hlo_instr *"],
    "hlo_lib_is_neg_zero": ["const hlo_instr *"],
    "hlo_lib_maybe_conjugate": ["const hlo_instr *", "bool"],
    "hlo_lib_evaluate_polynomial": ["const hlo_instr *", "const double *", "size_t"],
    "hlo_lib_evaluate_chebyshev_polynomial": ["const hlo_instr *", "const double *", "size_t"],
    "hlo_lib_igamma": ["const hlo_instr *", "const hlo_instr *"],
    "hlo_lib_igammac": ["const hlo_instr *", "const hlo_instr *"],
    "hlo_lib_igamma_grad_a": ["const hlo_instr *", "const hlo_instr *"],
    "hlo_lib_random_gamma_grad": ["const hlo_instr *", "const hlo_instr *"],
    "hlo_lib_regularized_incomplete_beta": ["const hlo_instr *", "const hlo_instr *",
        "const hlo_instr *"],
    "hlo_lib_zeta": ["const hlo_instr *", "const hlo_instr *"],
    "hlo_lib_polygamma": ["const hlo_instr *", "const hlo_instr *"],
    "hlo_lib_next_after": ["const hlo_instr *", "const hlo_instr *"],
    "hlo_lib_select": ["const hlo_instr *", "const hlo_instr *", "const hlo_instr *"],
    "hlo_lib_scalar_computation": ["const char *", "hlo_element_type"],
    "hlo_lib_scalar_computation_of": ["const char *", "hlo_element_type", "hlo_lib_combiner *",
        "void *"],
    "hlo_lib_scalar_identity_with_zero_computation": ["hlo_element_type"],
    "hlo_lib_any": ["const hlo_instr *"],
    "hlo_lib_arg_max": ["const hlo_instr *", "hlo_element_type", "int64_t"],
    "hlo_lib_arg_min": ["const hlo_instr *", "hlo_element_type", "int64_t"],
    "hlo_lib_comparator": ["const char *", "const hlo_element_type *", "const hlo_lib_order *",
        "size_t"],
    "hlo_lib_lt_comparator": ["const hlo_element_type *", "size_t"],
    "hlo_lib_gt_comparator": ["const hlo_element_type *", "size_t"],
    "hlo_lib_while_loop": ["hlo_lib_loop_condition *", "hlo_lib_loop_body *", "hlo_instrs_list",
        "const char *", "void *", "const hlo_instr **"],
    "hlo_lib_for_each_index": ["int64_t", "hlo_element_type", "hlo_lib_index_body *",
        "hlo_instrs_list", "const char *", "void *", "const hlo_instr **"],
    "hlo_lib_identity_matrix": ["hlo_element_type", "int64_t", "int64_t"],
    "hlo_lib_get_diagonal_mask": ["const hlo_instr *", "int64_t"],
    "hlo_lib_get_matrix_diagonal": ["const hlo_instr *", "int64_t"],
    "hlo_lib_get_matrix_diagonal_via_gather": ["const hlo_instr *", "int64_t"],
    "hlo_lib_set_matrix_diagonal": ["const hlo_instr *", "const hlo_instr *", "int64_t"],
    "hlo_lib_triangle_mask": ["const hlo_instr *", "int64_t"],
    "hlo_lib_triangle": ["const hlo_instr *", "bool"],
    "hlo_lib_upper_triangle": ["const hlo_instr *"],
    "hlo_lib_lower_triangle": ["const hlo_instr *"],
    "hlo_lib_symmetrize": ["const hlo_instr *", "bool"],
    "hlo_lib_transpose_in_minor_dims": ["const hlo_instr *"],
    "hlo_lib_maybe_transpose_in_minor_dims": ["const hlo_instr *", "bool"],
    "hlo_lib_einsum": ["const hlo_instr *", "const hlo_instr *", "const char *",
        "const hlo_lib_einsum_options *"],
    "hlo_lib_einsum_of_one": ["const hlo_instr *", "const char *",
        "const hlo_lib_einsum_options *"],
    "hlo_lib_einsum_numbered": ["const hlo_instr *", "hlo_int_list", "const hlo_instr *",
        "hlo_int_list", "hlo_int_list", "const hlo_lib_einsum_options *"],
    "hlo_lib_batch_dot": ["const hlo_instr *", "bool", "const hlo_instr *", "bool",
        "const hlo_lib_einsum_options *"],
    "hlo_lib_slice_in_minor_dims": ["const hlo_instr *", "hlo_int_list", "hlo_int_list"],
    "hlo_lib_update_slice": ["const hlo_instr *", "const hlo_instr *", "hlo_int_list"],
    "hlo_lib_update_slice_in_minor_dims": ["const hlo_instr *", "const hlo_instr *",
        "hlo_int_list"],
    "hlo_lib_dynamic_slice_in_minor_dims": ["const hlo_instr *", "hlo_instrs_list", "hlo_int_list"],
    "hlo_lib_dynamic_update_slice_in_minor_dims": ["const hlo_instr *", "const hlo_instr *",
        "hlo_instrs_list"],
    "hlo_lib_torch_gather": ["const hlo_instr *", "const hlo_instr *", "int64_t", "bool"],
    "hlo_lib_torch_scatter_dense": ["const hlo_instr *", "const hlo_instr *", "const hlo_instr *",
        "int64_t", "hlo_lib_combiner *", "void *"],
    "hlo_lib_torch_index_select": ["const hlo_instr *", "const hlo_instr *", "int64_t", "int64_t"],
    "hlo_lib_tridiagonal_solver": ["const hlo_instr *", "const hlo_instr *", "const hlo_instr *",
        "const hlo_instr *"],
    "hlo_lib_tridiagonal_solver_of_stack": ["const hlo_instr *", "const hlo_instr *"],
    "hlo_lib_tridiagonal_mat_mul": ["const hlo_instr *", "const hlo_instr *", "const hlo_instr *",
        "const hlo_instr *"],
    "hlo_lib_threefry_bit_generator": ["const hlo_instr *", "const hlo_instr *",
        "const hlo_shape *"],
    "hlo_lib_philox_bit_generator": ["const hlo_instr *", "const hlo_instr *", "const hlo_shape *"],
    "hlo_lib_scramble_philox_key": ["const hlo_instr *"],
    "hlo_lib_philox_increase_counter": ["const hlo_instr *", "const hlo_instr *"],
    "hlo_lib_concat_scalars": ["hlo_instrs_list"],
    "hlo_lib_uniform_floating_point_distribution": ["const hlo_instr *", "const hlo_instr *",
        "hlo_lib_bit_generator", "const hlo_instr *", "const hlo_instr *", "const hlo_shape *"],
    "hlo_lib_uniform_int_distribution": ["const hlo_instr *", "const hlo_instr *",
        "hlo_lib_bit_generator", "const hlo_instr *", "const hlo_instr *", "const hlo_shape *"],
    "hlo_lib_normal_floating_point_distribution": ["const hlo_instr *", "const hlo_instr *",
        "hlo_lib_bit_generator", "const hlo_shape *"],
    "hlo_lib_top_k": ["const hlo_instr *", "int64_t", "hlo_element_type"],
    "hlo_lib_top_k_with_partitions": ["const hlo_instr *", "int64_t", "int64_t",
        "hlo_element_type"],
    "hlo_lib_approx_top_k": ["hlo_instrs_list", "hlo_instrs_list", "int64_t", "int64_t",
        "const hlo_computation *", "float", "bool", "int64_t"],
    "hlo_lib_approx_top_k_fallback": ["hlo_instrs_list", "hlo_instrs_list", "int64_t", "int64_t",
        "const hlo_computation *", "float", "bool", "int64_t"],
    "hlo_lib_approx_top_k_output_size": ["int64_t", "int64_t", "int64_t", "float", "bool",
        "int64_t"],
    "hlo_lib_broadcast_to": ["const hlo_instr *", "hlo_int_list"],
    "hlo_lib_max_pool": ["const hlo_instr *", "hlo_int_list", "hlo_int_list", "hlo_padding_rule"],
    "hlo_lib_avg_pool": ["const hlo_instr *", "hlo_int_list", "hlo_int_list", "hlo_int_list",
        "hlo_int_list", "hlo_int_list", "bool"],
    "hlo_lib_avg_pool_grad": ["const hlo_instr *", "hlo_int_list", "hlo_int_list", "hlo_int_list",
        "hlo_int_list", "hlo_int_list", "hlo_int_list", "bool"],
    "hlo_lib_make_padding": ["hlo_int_list", "hlo_int_list", "hlo_int_list", "hlo_padding_rule",
        "int64_t *", "int64_t *"],
    "hlo_lib_make_spatial_padding": ["hlo_int_list", "hlo_int_list", "hlo_int_list",
        "hlo_padding_rule", "hlo_int_list", "int64_t *", "int64_t *"],
    "hlo_lib_conv_grad_dimension": ["int64_t", "int64_t", "int64_t", "int64_t", "int64_t",
        "hlo_padding_rule"],
    "hlo_lib_dynamic_conditional": ["const hlo_instr *", "const hlo_instr *",
        "const hlo_computation *", "const hlo_instr *", "const hlo_computation *"],
    "hlo_lib_dynamic_conditional_indexed": ["const hlo_instr *", "hlo_computations_list",
        "hlo_instrs_list"],
    "hlo_lib_set_dimension_size_with_rebound": ["const hlo_instr *", "const hlo_instr *",
        "int64_t"],
    "hlo_lib_set_all_dimension_sizes": ["const hlo_instr *", "const hlo_instr *"],
    "hlo_lib_leaf_count": [],
    "hlo_lib_disassemble_tuple": ["const hlo_instr *", "const hlo_instr **"],
    "hlo_lib_assemble_tuple": ["const hlo_shape *", "hlo_instrs_list"],
    "hlo_lib_qr": ["const hlo_instr *"],
    "hlo_lib_product_of_elementary_householder_reflectors": ["const hlo_instr *",
        "const hlo_instr *"],
    "hlo_lib_qr_explicit": ["const hlo_instr *", "bool"],
    "hlo_lib_lu_decomposition": ["const hlo_instr *"],
    "hlo_lib_self_adjoint_eig": ["const hlo_instr *", "bool", "int64_t", "float", "bool"],
    "hlo_lib_slogdet": ["const hlo_instr *"],
    "hlo_lib_logdet": ["const hlo_instr *"],
    "hlo_lib_svd": ["const hlo_instr *", "int64_t", "float", "hlo_lib_precision"],
    "hlo_lib_dequantize": ["const hlo_instr *", "hlo_element_type", "float", "float", "bool"],
    "hlo_lib_pack_to_u32": ["const void *", "size_t", "uint32_t *"],
}

# Structures and enumerations by their C types.
STRUCTURES: Any = {
    "const hlo_op_metadata *": (OpMetadata, [("op_type", "const char *"), ("op_name",
        "const char *"), ("source_file", "const char *"), ("source_line", "int32_t")]),
    "const hlo_shard *": (Shard, [("kind", "hlo_shard_kind"), ("device", "int64_t"), ("tiles",
        "hlo_int_list"), ("devices", "hlo_int_list"), ("replicate_last", "bool")]),
    "const hlo_source_location *": (SourceLocation, [("file", "const char *"), ("function",
        "const char *"), ("line", "int32_t"), ("end_line", "int32_t"), ("column", "int32_t"),
        ("end_column", "int32_t")]),
    "const hlo_ragged_dimensions *": (RaggedDimensions, [("lhs_contracting", "hlo_int_list"),
        ("rhs_contracting", "hlo_int_list"), ("lhs_batch", "hlo_int_list"), ("rhs_batch",
        "hlo_int_list"), ("lhs_ragged", "hlo_int_list"), ("rhs_group", "hlo_int_list")]),
    "const hlo_conv_dimensions *": (ConvDimensions, [("input_batch", "int64_t"), ("input_feature",
        "int64_t"), ("input_spatial", "hlo_int_list"), ("kernel_input_feature", "int64_t"),
        ("kernel_output_feature", "int64_t"), ("kernel_spatial", "hlo_int_list"), ("output_batch",
        "int64_t"), ("output_feature", "int64_t"), ("output_spatial", "hlo_int_list")]),
    "const hlo_lib_einsum_options *": (LibEinsumOptions, [("precision", "hlo_lib_precision"),
        ("preferred_element_type", "hlo_element_type"), ("grad_x", "bool"), ("grad_y", "bool")]),
    "const hlo_lib_random *": (LibRandom, [("value", "const hlo_instr *"), ("state",
        "const hlo_instr *")]),
    "const hlo_lib_top_k_size *": (LibTopKSize, [("size", "int64_t"), ("log2_reduction",
        "int64_t")]),
    "const hlo_lib_conv_grad_size *": (LibConvGradSize, [("output_size", "int64_t"), ("pad_before",
        "int64_t"), ("pad_after", "int64_t")]),
    "const hlo_lib_sign_and_log_det *": (LibSignAndLogDet, [("sign", "const hlo_instr *"),
        ("log_det", "const hlo_instr *")]),
    "const hlo_lib_svd_result *": (LibSvdResult, [("u", "const hlo_instr *"), ("d",
        "const hlo_instr *"), ("v", "const hlo_instr *")]),
}
ENUMS: Any = {"hlo_shard_kind": ShardKind, "hlo_padding_rule": PaddingRule, "hlo_fft_kind": FftKind,
              "hlo_transpose_kind": TransposeKind, "hlo_rng_algorithm": RngAlgorithm,
              "hlo_lib_order": LibOrder, "hlo_lib_precision": LibPrecision,
              "hlo_lib_bit_generator": LibBitGenerator}

# Functions that make a computation.
MAKE_FUNCTIONS: Any = {"hlo_builder_end", "hlo_builder_reducer", "hlo_builder_comparator",
                       "hlo_lib_scalar_computation", "hlo_lib_scalar_computation_of",
                       "hlo_lib_scalar_identity_with_zero_computation", "hlo_lib_comparator",
                       "hlo_lib_lt_comparator", "hlo_lib_gt_comparator"}


class Operations:
    """Operations; `more` sets what is for one instruction: name=, result_shape=,
    control_predecessors=, and attributes as HLO's text has them (operand_precision="{highest,default}")."""

    def _call(self, function: str, given: Any, more: Any) -> Any:
        raise NotImplementedError

    def set_module_attribute(self, name: str, text: str) -> None:
        """An attribute of the module as HLO's text has it after `name=`: ('num_partitions', '4'),
        ('input_output_alias', '{ {0}: (0, {}, may-alias) }'). How many replicas and partitions
        there are is set before the collectives whose shapes depend on it. Without it
        entry_computation_layout is that of the entry computation."""
        self._call("hlo_builder_set_module_attribute", (name, text), None)

    def set_computation_name(self, name: str) -> None:
        """The name of the open computation; a number is added when it is taken. Without it the
        entry is called 'main'."""
        self._call("hlo_builder_set_computation_name", (name,), None)

    def set_execution_thread(self, thread: Optional[str] = None) -> None:
        """The thread that runs the open computation, which is called by async starts only."""
        self._call("hlo_builder_set_execution_thread", (thread,), None)

    def reducer(self, operation: str, type: str) -> Function:
        """root(parameter 0, parameter 1) of scalars, for reductions: `operation` is one with two
        operands that needs no attributes, such as 'add'."""
        return self._call("hlo_builder_reducer", (operation, type), None)

    def set_frontend_attribute(self, key: str, value: str) -> None:
        """Adds a key; a value of NULL removes it."""
        self._call("hlo_builder_set_frontend_attribute", (key, value), None)

    def stack_frame(self, parent: int, location: Mapping[str, Any]) -> int:
        """The number, from 1, of a frame in the module's table, for metadata's stack_frame_id= as
        an attribute in words; `parent` is the number of the frame that called it, 0: none. Equal
        frames are one. 0 after an error."""
        return self._call("hlo_builder_stack_frame", (parent, location), None)

    def parameter(self, number: int, shape: ShapeLike, **more: Any) -> Value:
        """Parameter `number` of the open computation."""
        return self._call("hlo_builder_parameter", (number, shape), more)

    def abs(self, operand: Value, **more: Any) -> Value:
        """Abs (all): |x|; of complex numbers the magnitude, a real number."""
        return self._call("hlo_builder_abs", (operand,), more)

    def acos(self, operand: Value, **more: Any) -> Value:
        """Acos (XLA): arc cosine of floats."""
        return self._call("hlo_builder_acos", (operand,), more)

    def acosh(self, operand: Value, **more: Any) -> Value:
        """Acosh (XLA): inverse hyperbolic cosine of floats."""
        return self._call("hlo_builder_acosh", (operand,), more)

    def asin(self, operand: Value, **more: Any) -> Value:
        """Asin (XLA): arc sine of floats."""
        return self._call("hlo_builder_asin", (operand,), more)

    def asinh(self, operand: Value, **more: Any) -> Value:
        """Asinh (XLA): inverse hyperbolic sine of floats."""
        return self._call("hlo_builder_asinh", (operand,), more)

    def atanh(self, operand: Value, **more: Any) -> Value:
        """Atanh (XLA): inverse hyperbolic tangent of floats."""
        return self._call("hlo_builder_atanh", (operand,), more)

    def cbrt(self, operand: Value, **more: Any) -> Value:
        """Cbrt (2024 2025): cube root of floats."""
        return self._call("hlo_builder_cbrt", (operand,), more)

    def ceil(self, operand: Value, **more: Any) -> Value:
        """Ceil (all): the least integer that is not less, of floats."""
        return self._call("hlo_builder_ceil", (operand,), more)

    def clz(self, operand: Value, **more: Any) -> Value:
        """Clz (2024 2025): leading zeros of integers."""
        return self._call("hlo_builder_clz", (operand,), more)

    def cos(self, operand: Value, **more: Any) -> Value:
        """Cos (all): cosine of floats and complex numbers."""
        return self._call("hlo_builder_cos", (operand,), more)

    def cosh(self, operand: Value, **more: Any) -> Value:
        """Cosh (XLA): hyperbolic cosine of floats."""
        return self._call("hlo_builder_cosh", (operand,), more)

    def erf(self, operand: Value, **more: Any) -> Value:
        """Erf (2024 2025): error function of floats."""
        return self._call("hlo_builder_erf", (operand,), more)

    def exp(self, operand: Value, **more: Any) -> Value:
        """Exp (all): e^x of floats and complex numbers."""
        return self._call("hlo_builder_exp", (operand,), more)

    def expm1(self, operand: Value, **more: Any) -> Value:
        """Expm1 (2024 2025): e^x - 1."""
        return self._call("hlo_builder_expm1", (operand,), more)

    def floor(self, operand: Value, **more: Any) -> Value:
        """Floor (all): the greatest integer that is not greater, of floats."""
        return self._call("hlo_builder_floor", (operand,), more)

    def imag(self, operand: Value, **more: Any) -> Value:
        """Imag (2024 2025): the imaginary part of a complex number; 0 of a float."""
        return self._call("hlo_builder_imag", (operand,), more)

    def is_finite(self, operand: Value, **more: Any) -> Value:
        """IsFinite (all): pred: neither infinite nor NaN."""
        return self._call("hlo_builder_is_finite", (operand,), more)

    def log(self, operand: Value, **more: Any) -> Value:
        """Log (all): natural logarithm of floats and complex numbers."""
        return self._call("hlo_builder_log", (operand,), more)

    def log1p(self, operand: Value, **more: Any) -> Value:
        """Log1p (2024 2025): ln(1 + x)."""
        return self._call("hlo_builder_log1p", (operand,), more)

    def logistic(self, operand: Value, **more: Any) -> Value:
        """Logistic (2024 2025): 1 / (1 + e^-x)."""
        return self._call("hlo_builder_logistic", (operand,), more)

    def not_(self, operand: Value, **more: Any) -> Value:
        """LogicalNot (2018 2019), Not (2024 2025): of pred; of integers bit by bit."""
        return self._call("hlo_builder_not", (operand,), more)

    def neg(self, operand: Value, **more: Any) -> Value:
        """Neg (all): -x."""
        return self._call("hlo_builder_neg", (operand,), more)

    def population_count(self, operand: Value, **more: Any) -> Value:
        """PopulationCount (2024 2025): bits of integers that are 1."""
        return self._call("hlo_builder_population_count", (operand,), more)

    def real(self, operand: Value, **more: Any) -> Value:
        """Real (2024 2025): the real part of a complex number; a float itself."""
        return self._call("hlo_builder_real", (operand,), more)

    def round(self, operand: Value, **more: Any) -> Value:
        """Round (2024 2025): to the nearest integer, halves away from zero, of floats."""
        return self._call("hlo_builder_round", (operand,), more)

    def round_nearest_even(self, operand: Value, **more: Any) -> Value:
        """RoundNearestEven (2024 2025): the same, halves to even."""
        return self._call("hlo_builder_round_nearest_even", (operand,), more)

    def rsqrt(self, operand: Value, **more: Any) -> Value:
        """Rsqrt (2024 2025): 1 / sqrt(x)."""
        return self._call("hlo_builder_rsqrt", (operand,), more)

    def sign(self, operand: Value, **more: Any) -> Value:
        """Sign (all): -1, 0 or 1; zeros and NaN of floats stay what they are."""
        return self._call("hlo_builder_sign", (operand,), more)

    def sin(self, operand: Value, **more: Any) -> Value:
        """Sin (2024 2025): sine."""
        return self._call("hlo_builder_sin", (operand,), more)

    def sinh(self, operand: Value, **more: Any) -> Value:
        """Sinh (XLA): hyperbolic sine of floats."""
        return self._call("hlo_builder_sinh", (operand,), more)

    def sqrt(self, operand: Value, **more: Any) -> Value:
        """Sqrt (2024 2025): square root."""
        return self._call("hlo_builder_sqrt", (operand,), more)

    def tan(self, operand: Value, **more: Any) -> Value:
        """Tan (2024 2025): tangent."""
        return self._call("hlo_builder_tan", (operand,), more)

    def tanh(self, operand: Value, **more: Any) -> Value:
        """Tanh (all): hyperbolic tangent."""
        return self._call("hlo_builder_tanh", (operand,), more)

    def copy(self, operand: Value, **more: Any) -> Value:
        """Copy (XLA): the operand itself in separate memory."""
        return self._call("hlo_builder_copy", (operand,), more)

    def add(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
            **more: Any) -> Value:
        """Add (all): lhs + rhs; of pred: or."""
        return self._call("hlo_builder_add", (lhs, rhs, broadcast_dimensions), more)

    def and_(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
             **more: Any) -> Value:
        """LogicalAnd (2018 2019), And (2024 2025): of pred; of integers bit by bit."""
        return self._call("hlo_builder_and", (lhs, rhs, broadcast_dimensions), more)

    def atan2(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
              **more: Any) -> Value:
        """Atan2 (2024 2025): the angle of the point (rhs, lhs)."""
        return self._call("hlo_builder_atan2", (lhs, rhs, broadcast_dimensions), more)

    def complex(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
                **more: Any) -> Value:
        """Complex (2024 2025): lhs + i rhs of floats."""
        return self._call("hlo_builder_complex", (lhs, rhs, broadcast_dimensions), more)

    def div(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
            **more: Any) -> Value:
        """Div (all): lhs / rhs; of integers towards zero, by zero all bits are 1."""
        return self._call("hlo_builder_div", (lhs, rhs, broadcast_dimensions), more)

    def max(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
            **more: Any) -> Value:
        """Max (all): the greater one; NaN wins."""
        return self._call("hlo_builder_max", (lhs, rhs, broadcast_dimensions), more)

    def mulhi(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
              **more: Any) -> Value:
        """Mulhi (XLA): the upper half of the product of integers."""
        return self._call("hlo_builder_mulhi", (lhs, rhs, broadcast_dimensions), more)

    def min(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
            **more: Any) -> Value:
        """Min (all): the lesser one; NaN wins."""
        return self._call("hlo_builder_min", (lhs, rhs, broadcast_dimensions), more)

    def mul(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
            **more: Any) -> Value:
        """Mul (all): lhs * rhs; of pred: and."""
        return self._call("hlo_builder_mul", (lhs, rhs, broadcast_dimensions), more)

    def or_(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
            **more: Any) -> Value:
        """LogicalOr (2018 2019), Or (2024 2025): of pred; of integers bit by bit."""
        return self._call("hlo_builder_or", (lhs, rhs, broadcast_dimensions), more)

    def pow(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
            **more: Any) -> Value:
        """Pow (2024 2025): lhs^rhs."""
        return self._call("hlo_builder_pow", (lhs, rhs, broadcast_dimensions), more)

    def rem(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
            **more: Any) -> Value:
        """Rem (all): the remainder, with the sign of lhs."""
        return self._call("hlo_builder_rem", (lhs, rhs, broadcast_dimensions), more)

    def shift_left(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
                   **more: Any) -> Value:
        """ShiftLeft (2024 2025): of integers; by the width and more: 0."""
        return self._call("hlo_builder_shift_left", (lhs, rhs, broadcast_dimensions), more)

    def shift_right_arithmetic(self, lhs: Value, rhs: Value,
                               broadcast_dimensions: Sequence[int] = (), **more: Any) -> Value:
        """ShiftRightArithmetic (2024 2025): the sign comes in."""
        return self._call("hlo_builder_shift_right_arithmetic", (lhs, rhs, broadcast_dimensions),
                          more)

    def shift_right_logical(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
                            **more: Any) -> Value:
        """ShiftRightLogical (2024 2025): zeros come in."""
        return self._call("hlo_builder_shift_right_logical", (lhs, rhs, broadcast_dimensions), more)

    def sub(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
            **more: Any) -> Value:
        """Sub (all): lhs - rhs."""
        return self._call("hlo_builder_sub", (lhs, rhs, broadcast_dimensions), more)

    def xor(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
            **more: Any) -> Value:
        """Xor (2024 2025): of pred; of integers bit by bit."""
        return self._call("hlo_builder_xor", (lhs, rhs, broadcast_dimensions), more)

    def eq(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
           **more: Any) -> Value:
        """Eq (all): pred, by IEEE 754 for floats."""
        return self._call("hlo_builder_eq", (lhs, rhs, broadcast_dimensions), more)

    def ne(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
           **more: Any) -> Value:
        """Ne (all): the same."""
        return self._call("hlo_builder_ne", (lhs, rhs, broadcast_dimensions), more)

    def ge(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
           **more: Any) -> Value:
        """Ge (all): the same."""
        return self._call("hlo_builder_ge", (lhs, rhs, broadcast_dimensions), more)

    def gt(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
           **more: Any) -> Value:
        """Gt (all): the same."""
        return self._call("hlo_builder_gt", (lhs, rhs, broadcast_dimensions), more)

    def le(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
           **more: Any) -> Value:
        """Le (all): the same."""
        return self._call("hlo_builder_le", (lhs, rhs, broadcast_dimensions), more)

    def lt(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
           **more: Any) -> Value:
        """Lt (all): the same."""
        return self._call("hlo_builder_lt", (lhs, rhs, broadcast_dimensions), more)

    def eq_total_order(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
                       **more: Any) -> Value:
        """EqTotalOrder (2024 2025): -NaN < -Inf < -0 < +0 < +Inf < +NaN."""
        return self._call("hlo_builder_eq_total_order", (lhs, rhs, broadcast_dimensions), more)

    def ne_total_order(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
                       **more: Any) -> Value:
        """NeTotalOrder (2024 2025): the same."""
        return self._call("hlo_builder_ne_total_order", (lhs, rhs, broadcast_dimensions), more)

    def ge_total_order(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
                       **more: Any) -> Value:
        """GeTotalOrder (2024 2025): the same."""
        return self._call("hlo_builder_ge_total_order", (lhs, rhs, broadcast_dimensions), more)

    def gt_total_order(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
                       **more: Any) -> Value:
        """GtTotalOrder (2024 2025): the same."""
        return self._call("hlo_builder_gt_total_order", (lhs, rhs, broadcast_dimensions), more)

    def le_total_order(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
                       **more: Any) -> Value:
        """LeTotalOrder (2024 2025): the same."""
        return self._call("hlo_builder_le_total_order", (lhs, rhs, broadcast_dimensions), more)

    def lt_total_order(self, lhs: Value, rhs: Value, broadcast_dimensions: Sequence[int] = (),
                       **more: Any) -> Value:
        """LtTotalOrder (2024 2025): the same."""
        return self._call("hlo_builder_lt_total_order", (lhs, rhs, broadcast_dimensions), more)

    def clamp(self, min: Value, operand: Value, max: Value, **more: Any) -> Value:
        """Clamp (all): min(max(min, operand), max); min and max are scalars or have the operand's
        shape."""
        return self._call("hlo_builder_clamp", (min, operand, max), more)

    def select(self, pred: Value, on_true: Value, on_false: Value, **more: Any) -> Value:
        """Select (all), Select between tuples (all): where pred is true on_true, else on_false,
        which have one shape; pred is a scalar or has their sizes. Of tuples element by element."""
        return self._call("hlo_builder_select", (pred, on_true, on_false), more)

    def convert_element_type(self, operand: Value, type: str, **more: Any) -> Value:
        """ConvertElementType (all): the same sizes, another type."""
        return self._call("hlo_builder_convert_element_type", (operand, type), more)

    def bitcast_convert_type(self, operand: Value, type: str, **more: Any) -> Value:
        """BitcastConvertType (2019 2024 2025): the same bits. Elements of a type k times as narrow
        get a new last dimension of size k; elements of a wider one take the last dimension away."""
        return self._call("hlo_builder_bitcast_convert_type", (operand, type), more)

    def reduce_precision(self, operand: Value, exponent_bits: int, mantissa_bits: int,
                         **more: Any) -> Value:
        """ReducePrecision (all): floats rounded to so many bits of exponent (at least 1) and
        mantissa."""
        return self._call("hlo_builder_reduce_precision", (operand, exponent_bits, mantissa_bits),
                          more)

    def stochastic_convert(self, operand: Value, random: Value, type: str, **more: Any) -> Value:
        """StochasticConvert (XLA): floats rounded up or down to `type` by chance: `random` has the
        operand's sizes, unsigned integers of its width."""
        return self._call("hlo_builder_stochastic_convert", (operand, random, type), more)

    def map(self, operands: Sequence[Value], computation: Function,
            static_operands: Sequence[Value] = (), **more: Any) -> Value:
        """Map (all): `computation` of scalars for each position of the operands, which have one
        size. static_operands (2018) are values that every call gets after them as they are; with
        others than scalars, which XLA's map has not, it is a loop."""
        return self._call("hlo_builder_map", (operands, computation, static_operands), more)

    def broadcast(self, operand: Value, broadcast_sizes: Sequence[int], **more: Any) -> Value:
        """Broadcast (all): the operand for each index of new dimensions on the left."""
        return self._call("hlo_builder_broadcast", (operand, broadcast_sizes), more)

    def broadcast_in_dim(self, operand: Value, out_dim_size: Sequence[int],
                         broadcast_dimensions: Sequence[int] = (), **more: Any) -> Value:
        """BroadcastInDim (2024 2025): an array of out_dim_size; dimension i of the operand is
        dimension broadcast_dimensions[i] of it, of the same size or of size 1, which is
        repeated."""
        return self._call("hlo_builder_broadcast_in_dim", (operand, out_dim_size,
                          broadcast_dimensions), more)

    def collapse(self, operand: Value, dimensions: Sequence[int], **more: Any) -> Value:
        """Collapse (all): the dimensions, consecutive and in order, become one. None, or one: the
        operand."""
        return self._call("hlo_builder_collapse", (operand, dimensions), more)

    def concatenate(self, operands: Sequence[Value], dimension: int = -1, **more: Any) -> Value:
        """Concatenate (all): arrays, at least one, that differ in the size of `dimension` alone."""
        return self._call("hlo_builder_concatenate", (operands, dimension), more)

    def pad(self, operand: Value, padding_value: Value, low: Sequence[int] = (),
            high: Sequence[int] = (), interior: Sequence[int] = (), **more: Any) -> Value:
        """Pad (all): padding_value around each dimension, low and high (negative: cuts), and
        `interior` times between elements. An empty list is zeros."""
        return self._call("hlo_builder_pad", (operand, padding_value, low, high, interior), more)

    def reshape(self, operand: Value, dimensions: Sequence[int], new_sizes: Sequence[int],
                **more: Any) -> Value:
        """Reshape (all): the elements in row-major order as an array of other sizes. With
        `dimensions` (2018 2019 2024), a permutation, in the order in which these are read, the last
        one fastest."""
        return self._call("hlo_builder_reshape", (operand, dimensions, new_sizes), more)

    def bitcast(self, operand: Value, shape: ShapeLike, **more: Any) -> Value:
        """Bitcast (XLA): the operand's memory as an array of that shape, with its layout."""
        return self._call("hlo_builder_bitcast", (operand, shape), more)

    def dynamic_reshape(self, operand: Value, sizes: Sequence[Value], shape: ShapeLike,
                        **more: Any) -> Value:
        """DynamicReshape (XLA): a reshape to a shape whose sizes, s32[] for each dimension, are
        known at run time."""
        return self._call("hlo_builder_dynamic_reshape", (operand, sizes, shape), more)

    def rev(self, operand: Value, dimensions: Sequence[int], **more: Any) -> Value:
        """Rev (all): the elements in the opposite order along the dimensions."""
        return self._call("hlo_builder_rev", (operand, dimensions), more)

    def slice(self, operand: Value, start_indices: Sequence[int], limit_indices: Sequence[int],
              strides: Sequence[int] = (), **more: Any) -> Value:
        """Slice (all): from start to limit, without it, in steps of `strides` (2024 2025; none:
        1)."""
        return self._call("hlo_builder_slice", (operand, start_indices, limit_indices, strides),
                          more)

    def dynamic_slice(self, operand: Value, start_indices: Sequence[Value],
                      size_indices: Sequence[int], **more: Any) -> Value:
        """DynamicSlice (all): of size_indices from start_indices on, moved so that all is inside.
        The start is an integer scalar for each dimension, or (2018 2019) one array of rank 1."""
        return self._call("hlo_builder_dynamic_slice", (operand, start_indices, size_indices), more)

    def dynamic_update_slice(self, operand: Value, update: Value, start_indices: Sequence[Value],
                             **more: Any) -> Value:
        """DynamicUpdateSlice (all): the operand with `update` from start_indices on, as above."""
        return self._call("hlo_builder_dynamic_update_slice", (operand, update, start_indices),
                          more)

    def transpose(self, operand: Value, permutation: Sequence[int], **more: Any) -> Value:
        """Transpose (all): dimension permutation[i] of the operand becomes dimension i."""
        return self._call("hlo_builder_transpose", (operand, permutation), more)

    def iota(self, shape: ShapeLike, iota_dimension: int, **more: Any) -> Value:
        """Iota (2019 2024 2025): 0, 1, 2 ... along iota_dimension."""
        return self._call("hlo_builder_iota", (shape, iota_dimension), more)

    def get_dimension_size(self, operand: Value, dimension: int = -1, **more: Any) -> Value:
        """GetDimensionSize (2024 2025): the size of a dimension at run time, s32[]."""
        return self._call("hlo_builder_get_dimension_size", (operand, dimension), more)

    def set_dimension_size(self, operand: Value, size: Value, dimension: int = -1,
                           **more: Any) -> Value:
        """SetDimensionSize (2024 2025): the operand with that size, s32[], the old one being a
        bound."""
        return self._call("hlo_builder_set_dimension_size", (operand, size, dimension), more)

    def gather(self, operand: Value, start_indices: Value, index_vector_dim: int,
               offset_dims: Sequence[int], slice_sizes: Sequence[int],
               collapsed_slice_dims: Sequence[int], start_index_map: Sequence[int],
               indices_are_sorted: bool = False, **more: Any) -> Value:
        """Gather (2019 2024 2025): windows of slice_sizes of the operand, whose starts are the
        vectors along index_vector_dim of start_indices: component i is the index of dimension
        start_index_map[i]. collapsed_slice_dims, of size 1, are left out of the result, offset_dims
        are where the others are."""
        return self._call("hlo_builder_gather", (operand, start_indices, index_vector_dim,
                          offset_dims, slice_sizes, collapsed_slice_dims, start_index_map,
                          indices_are_sorted), more)

    def scatter(self, operands: Sequence[Value], scatter_indices: Value, updates: Sequence[Value],
                update_computation: Function, index_vector_dim: int,
                update_window_dims: Sequence[int], inserted_window_dims: Sequence[int],
                scatter_dims_to_operand_dims: Sequence[int], indices_are_sorted: bool = False,
                unique_indices: bool = False, **more: Any) -> Value:
        """Scatter (2019 2024 2025): the operands, of one size, with update_computation(old, update)
        where the windows of the updates are; numbers as in a gather, whose inverse it is. Of
        several operands a tuple. Windows that are not inside are left out."""
        return self._call("hlo_builder_scatter", (operands, scatter_indices, updates,
                          update_computation, index_vector_dim, update_window_dims,
                          inserted_window_dims, scatter_dims_to_operand_dims, indices_are_sorted,
                          unique_indices), more)

    def reduce(self, operands: Sequence[Value], init_values: Sequence[Value], computation: Function,
               dimensions: Sequence[int], **more: Any) -> Value:
        """Reduce (all): over the dimensions, by a computation of N running values and N elements;
        of N > 1 operands a tuple."""
        return self._call("hlo_builder_reduce", (operands, init_values, computation, dimensions),
                          more)

    def reduce_window(self, operands: Sequence[Value], init_values: Sequence[Value],
                      computation: Function, window_dimensions: Sequence[int],
                      window_strides: Sequence[int], base_dilations: Sequence[int],
                      window_dilations: Sequence[int], padding: PaddingRule, **more: Any) -> Value:
        """ReduceWindow (all): the same for every position of a window. strides (none: 1), dilations
        of operand and window (2024 2025; none: 1)."""
        return self._call("hlo_builder_reduce_window", (operands, init_values, computation,
                          window_dimensions, window_strides, base_dilations, window_dilations,
                          padding), more)

    def reduce_window_padded(self, operands: Sequence[Value], init_values: Sequence[Value],
                             computation: Function, window_dimensions: Sequence[int],
                             window_strides: Sequence[int] = (), base_dilations: Sequence[int] = (),
                             window_dilations: Sequence[int] = (), padding_low: Sequence[int] = (),
                             padding_high: Sequence[int] = (), **more: Any) -> Value:
        """ReduceWindow with padding by numbers, negative ones cut (XLA): the same."""
        return self._call("hlo_builder_reduce_window_padded", (operands, init_values, computation,
                          window_dimensions, window_strides, base_dilations, window_dilations,
                          padding_low, padding_high), more)

    def select_and_scatter(self, operand: Value, select: Function, window_dimensions: Sequence[int],
                           window_strides: Sequence[int], padding: PaddingRule, source: Value,
                           init_value: Value, scatter: Function, **more: Any) -> Value:
        """SelectAndScatter (all): `select` chooses an element of each window of the operand, where
        `scatter` combines the element of `source` for that window with the current value, at first
        init_value."""
        return self._call("hlo_builder_select_and_scatter", (operand, select, window_dimensions,
                          window_strides, padding, source, init_value, scatter), more)

    def select_and_scatter_padded(self, operand: Value, select: Function,
                                  window_dimensions: Sequence[int], window_strides: Sequence[int],
                                  padding_low: Sequence[int], padding_high: Sequence[int],
                                  source: Value, init_value: Value, scatter: Function,
                                  **more: Any) -> Value:
        """SelectAndScatter with padding by numbers (XLA): the same; an empty list is zeros."""
        return self._call("hlo_builder_select_and_scatter_padded", (operand, select,
                          window_dimensions, window_strides, padding_low, padding_high, source,
                          init_value, scatter), more)

    def sort(self, operands: Sequence[Value], comparator: Optional[Function] = None,
             dimension: int = -1, is_stable: bool = False, **more: Any) -> Value:
        """Sort (all): along a dimension (-1: the last one) by a comparator of scalars, two of each
        operand; NULL (2018 2019): ascending by the first operand. Of several operands a tuple."""
        return self._call("hlo_builder_sort", (operands, comparator, dimension, is_stable), more)

    def top_k(self, operand: Value, k: int, largest: bool = True, **more: Any) -> Value:
        """TopK (2025): the k largest, or smallest, of the last dimension and their s32 indices, a
        tuple."""
        return self._call("hlo_builder_top_k", (operand, k, largest), more)

    def dot(self, lhs: Value, rhs: Value, **more: Any) -> Value:
        """Dot (all): of vectors and matrices."""
        return self._call("hlo_builder_dot", (lhs, rhs), more)

    def dot_general(self, lhs: Value, rhs: Value, lhs_contracting: Sequence[int],
                    rhs_contracting: Sequence[int], lhs_batch: Sequence[int] = (),
                    rhs_batch: Sequence[int] = (), **more: Any) -> Value:
        """DotGeneral (2019 2024 2025): sums over pairs of contracting dimensions; the result has
        the batch dimensions, then those of lhs, then those of rhs that are left."""
        return self._call("hlo_builder_dot_general", (lhs, rhs, lhs_contracting, rhs_contracting,
                          lhs_batch, rhs_batch), more)

    def ragged_dot(self, lhs: Value, rhs: Value, group_sizes: Value, dimensions: Mapping[str, Any],
                   **more: Any) -> Value:
        """RaggedDot (XLA): a product by groups of group_sizes rows of lhs."""
        return self._call("hlo_builder_ragged_dot", (lhs, rhs, group_sizes, dimensions), more)

    def scaled_dot(self, lhs: Value, rhs: Value, lhs_scale: Value, rhs_scale: Value,
                   lhs_contracting: Sequence[int], rhs_contracting: Sequence[int],
                   lhs_batch: Sequence[int] = (), rhs_batch: Sequence[int] = (),
                   **more: Any) -> Value:
        """ScaledDot (XLA): DotGeneral of operands in blocks, which are multiplied by their scales
        first. One of the operands may have none: of bf16, beside a scalar 1 of bf16."""
        return self._call("hlo_builder_scaled_dot", (lhs, rhs, lhs_scale, rhs_scale,
                          lhs_contracting, rhs_contracting, lhs_batch, rhs_batch), more)

    def conv(self, lhs: Value, rhs: Value, window_strides: Sequence[int], padding: PaddingRule,
             feature_group_count: int = 1, batch_group_count: int = 1, **more: Any) -> Value:
        """Conv (all): lhs [batch, features, spatial...], rhs [output features, features,
        spatial...]; feature_group_count (2019 2024 2025) and batch_group_count (2024 2025): 1."""
        return self._call("hlo_builder_conv", (lhs, rhs, window_strides, padding,
                          feature_group_count, batch_group_count), more)

    def conv_with_general_padding(self, lhs: Value, rhs: Value, window_strides: Sequence[int] = (),
                                  padding_low: Sequence[int] = (), padding_high: Sequence[int] = (),
                                  lhs_dilation: Sequence[int] = (),
                                  rhs_dilation: Sequence[int] = (), feature_group_count: int = 1,
                                  batch_group_count: int = 1, **more: Any) -> Value:
        """ConvWithGeneralPadding (all): the same with padding by numbers and dilations of lhs
        (holes in it) and rhs. An empty list: no padding, strides and dilations of 1."""
        return self._call("hlo_builder_conv_with_general_padding", (lhs, rhs, window_strides,
                          padding_low, padding_high, lhs_dilation, rhs_dilation,
                          feature_group_count, batch_group_count), more)

    def conv_general_dilated(self, lhs: Value, rhs: Value, window_strides: Sequence[int],
                             padding_low: Sequence[int], padding_high: Sequence[int],
                             lhs_dilation: Sequence[int], rhs_dilation: Sequence[int],
                             dimensions: Mapping[str, Any], feature_group_count: int = 1,
                             batch_group_count: int = 1, **more: Any) -> Value:
        """ConvGeneralDilated (all): the same with dimensions in any order."""
        return self._call("hlo_builder_conv_general_dilated", (lhs, rhs, window_strides,
                          padding_low, padding_high, lhs_dilation, rhs_dilation, dimensions,
                          feature_group_count, batch_group_count), more)

    def fft(self, operand: Value, fft_type: FftKind, fft_length: Sequence[int],
            **more: Any) -> Value:
        """Fft (2024 2025): of the innermost one to three dimensions, of sizes fft_length."""
        return self._call("hlo_builder_fft", (operand, fft_type, fft_length), more)

    def cholesky(self, a: Value, lower: bool = True, **more: Any) -> Value:
        """Cholesky (2024 2025): the factor of the matrices in the last two dimensions; one triangle
        is read."""
        return self._call("hlo_builder_cholesky", (a, lower), more)

    def triangular_solve(self, a: Value, b: Value, left_side: bool, lower: bool,
                         unit_diagonal: bool, transpose_a: TransposeKind, **more: Any) -> Value:
        """TriangularSolve (2024 2025): x of op(a) x = b, or of x op(a) = b unless left_side."""
        return self._call("hlo_builder_triangular_solve", (a, b, left_side, lower, unit_diagonal,
                          transpose_a), more)

    def batch_norm_training(self, operand: Value, scale: Value, offset: Value, epsilon: float,
                            feature_index: int, **more: Any) -> Value:
        """BatchNormTraining (all): (normalised, mean, variance) by feature."""
        return self._call("hlo_builder_batch_norm_training", (operand, scale, offset, epsilon,
                          feature_index), more)

    def batch_norm_inference(self, operand: Value, scale: Value, offset: Value, mean: Value,
                             variance: Value, epsilon: float, feature_index: int,
                             **more: Any) -> Value:
        """BatchNormInference (all): normalised by given mean and variance."""
        return self._call("hlo_builder_batch_norm_inference", (operand, scale, offset, mean,
                          variance, epsilon, feature_index), more)

    def batch_norm_grad(self, operand: Value, scale: Value, mean: Value, variance: Value,
                        grad_output: Value, epsilon: float, feature_index: int,
                        **more: Any) -> Value:
        """BatchNormGrad (all): the gradients of operand, scale and offset."""
        return self._call("hlo_builder_batch_norm_grad", (operand, scale, mean, variance,
                          grad_output, epsilon, feature_index), more)

    def rng_uniform(self, a: Value, b: Value, shape: ShapeLike, **more: Any) -> Value:
        """RngUniform (all): in [a, b), of the scalars' type."""
        return self._call("hlo_builder_rng_uniform", (a, b, shape), more)

    def rng_normal(self, mu: Value, sigma: Value, shape: ShapeLike, **more: Any) -> Value:
        """RngNormal (all): of mean mu and standard deviation sigma, floats."""
        return self._call("hlo_builder_rng_normal", (mu, sigma, shape), more)

    def rng_bernoulli(self, mean: Value, sizes: Sequence[int], **more: Any) -> Value:
        """RngBernoulli (2018): u32, 1 with the probability `mean`, f32[]."""
        return self._call("hlo_builder_rng_bernoulli", (mean, sizes), more)

    def rng_bit_generator(self, algorithm: RngAlgorithm, initial_state: Value, shape: ShapeLike,
                          **more: Any) -> Value:
        """RngBitGenerator (2024 2025): (the next state, bits of `shape`)."""
        return self._call("hlo_builder_rng_bit_generator", (algorithm, initial_state, shape), more)

    def rng_get_and_update_state(self, delta: int, shape: ShapeLike, **more: Any) -> Value:
        """RngGetAndUpdateState (XLA): the state of the device, which is advanced by delta."""
        return self._call("hlo_builder_rng_get_and_update_state", (delta, shape), more)

    def tuple(self, elements: Sequence[Value], **more: Any) -> Value:
        """Tuple (all): any number of values."""
        return self._call("hlo_builder_tuple", (elements,), more)

    def get_tuple_element(self, tuple: Value, index: int, **more: Any) -> Value:
        """GetTupleElement (all)."""
        return self._call("hlo_builder_get_tuple_element", (tuple, index), more)

    def after_all(self, tokens: Sequence[Value], **more: Any) -> Value:
        """AfterAll (2024 2025): one token after any number of them."""
        return self._call("hlo_builder_after_all", (tokens,), more)

    def optimization_barrier(self, operands: Sequence[Value], **more: Any) -> Value:
        """OptimizationBarrier (2024 2025): the operand; of several a tuple. No pass moves anything
        across it."""
        return self._call("hlo_builder_optimization_barrier", (operands,), more)

    def call(self, computation: Function, operands: Sequence[Value], **more: Any) -> Value:
        """Call (all)."""
        return self._call("hlo_builder_call", (computation, operands), more)

    def composite_call(self, computation: Function, operands: Sequence[Value], name: str,
                       attributes: Optional[str] = None, version: int = 0, **more: Any) -> Value:
        """CompositeCall (2025): a call that a back end may replace by what it knows by this name;
        attributes are a text in braces, or NULL."""
        return self._call("hlo_builder_composite_call", (computation, operands, name, attributes,
                          version), more)

    def while_(self, condition: Function, body: Function, init: Value, **more: Any) -> Value:
        """While (all): body of the state as long as condition of it is true."""
        return self._call("hlo_builder_while", (condition, body, init), more)

    def conditional(self, pred: Value, true_operand: Value, true_computation: Function,
                    false_operand: Value, false_computation: Function, **more: Any) -> Value:
        """Conditional(pred) (2019 2024 2025): one of two computations, each of one parameter."""
        return self._call("hlo_builder_conditional", (pred, true_operand, true_computation,
                          false_operand, false_computation), more)

    def conditional_indexed(self, branch_index: Value, branch_computations: Sequence[Function],
                            branch_operands: Sequence[Value], **more: Any) -> Value:
        """Conditional(index) (2024 2025): one of several; the last one for an index, s32[], out of
        range."""
        return self._call("hlo_builder_conditional_indexed", (branch_index, branch_computations,
                          branch_operands), more)

    def custom_call(self, target: str, operands: Sequence[Value], shape: ShapeLike,
                    opaque: Optional[str] = None, has_side_effect: bool = False,
                    **more: Any) -> Value:
        """CustomCall (all): what the host knows by that name."""
        return self._call("hlo_builder_custom_call", (target, operands, shape, opaque,
                          has_side_effect), more)

    def custom_call_with_computations(self, target: str, operands: Sequence[Value],
                                      computations: Sequence[Function], shape: ShapeLike,
                                      opaque: Optional[str] = None, has_side_effect: bool = False,
                                      **more: Any) -> Value:
        """CustomCall with computations that it may call (XLA)."""
        return self._call("hlo_builder_custom_call_with_computations", (target, operands,
                          computations, shape, opaque, has_side_effect), more)

    def scan(self, computation: Function, operands: Sequence[Value], dimension: int,
             num_carries: int, is_reverse: bool = False, is_associative: bool = False,
             **more: Any) -> Value:
        """Scan (XLA): `computation` for each index of a dimension of the inputs: it takes the
        slices of the inputs and the carries, and gives slices of the outputs and the carries.
        `operands` are the inputs, then num_carries initial values."""
        return self._call("hlo_builder_scan", (computation, operands, dimension, num_carries,
                          is_reverse, is_associative), more)

    def fusion(self, computation: Function, operands: Sequence[Value], kind: str,
               **more: Any) -> Value:
        """Fusion (XLA): a computation that a back end runs as one; kind is 'kLoop', 'kInput',
        'kOutput' or 'kCustom'."""
        return self._call("hlo_builder_fusion", (computation, operands, kind), more)

    def domain(self, operand: Value, domain: str, **more: Any) -> Value:
        """Domain (XLA): the operand; `domain` specifies as text where shardings change:
        '{kind=\'sharding\', entry={replicated}, exit={maximal device=0}}'."""
        return self._call("hlo_builder_domain", (operand, domain), more)

    def add_dependency(self, operand: Value, token: Value, **more: Any) -> Value:
        """AddDependency (XLA): the operand, after the token."""
        return self._call("hlo_builder_add_dependency", (operand, token), more)

    def switch(self, value: Value, predicate: Value, **more: Any) -> Value:
        """Switch (2017): (value if the predicate is false, value if it is true); the other one is
        dead."""
        return self._call("hlo_builder_switch", (value, predicate), more)

    def merge(self, operands: Sequence[Value], **more: Any) -> Value:
        """Merge (2017): the first of its operands that is not dead. That of a loop has one, an
        enter, and a back edge, which is set when the next iteration is made."""
        return self._call("hlo_builder_merge", (operands,), more)

    def enter(self, operand: Value, frame_name: str, is_constant: bool, parallel_iterations: int,
              **more: Any) -> Value:
        """Enter (2017): the operand in the frame of a loop; a constant one is there in each
        iteration. parallel_iterations: how many may run at once; 0: 10 of them."""
        return self._call("hlo_builder_enter", (operand, frame_name, is_constant,
                          parallel_iterations), more)

    def exit(self, operand: Value, **more: Any) -> Value:
        """Exit (2017): the operand in the outer frame."""
        return self._call("hlo_builder_exit", (operand,), more)

    def next_iteration(self, operand: Value, **more: Any) -> Value:
        """NextIteration (2017)."""
        return self._call("hlo_builder_next_iteration", (operand,), more)

    def set_back_edge(self, merge: Value, next_iteration: Value) -> None:
        """The merge continues with what the next iteration, which was made after it, gets."""
        self._call("hlo_builder_set_back_edge", (merge, next_iteration), None)

    def edge_send(self, operand: Value, key: str, to_device: int, **more: Any) -> Value:
        """EdgeSend (2017), EdgeRecv (2017): an edge between parts of a graph on several devices."""
        return self._call("hlo_builder_edge_send", (operand, key, to_device), more)

    def edge_recv(self, shape: ShapeLike, key: str, from_device: int, **more: Any) -> Value:
        return self._call("hlo_builder_edge_recv", (shape, key, from_device), more)

    def stack_create(self, element: ShapeLike, **more: Any) -> Value:
        """StackCreate (2017): an empty stack of such arrays; no graph is needed for it."""
        return self._call("hlo_builder_stack_create", (element,), more)

    def stack_push(self, stack: Value, value: Value, **more: Any) -> Value:
        """StackPush (2017): the stack with the value on top."""
        return self._call("hlo_builder_stack_push", (stack, value), more)

    def stack_pop(self, stack: Value, element: ShapeLike, **more: Any) -> Value:
        """StackPop (2017): (the stack without its top, the top)."""
        return self._call("hlo_builder_stack_pop", (stack, element), more)

    def async_start(self, computation: Function, operands: Sequence[Value],
                    thread: Optional[str] = None, **more: Any) -> Value:
        """AsyncStart (XLA): begins a call; thread NULL: that of the computation. The pair of
        operands and result, and a context of type u32."""
        return self._call("hlo_builder_async_start", (computation, operands, thread), more)

    def async_update(self, chain: Value, operands: Sequence[Value], **more: Any) -> Value:
        """AsyncUpdate (XLA): a point in time between start and done; operands that the start did
        not have follow."""
        return self._call("hlo_builder_async_update", (chain, operands), more)

    def async_done(self, chain: Value, **more: Any) -> Value:
        """AsyncDone (XLA): waits; the call's result."""
        return self._call("hlo_builder_async_done", (chain,), more)

    def copy_start(self, operand: Value, **more: Any) -> Value:
        """CopyStart (XLA): begins a copy; (copy, operand, context). Another place:
        hlo_builder_set_shape."""
        return self._call("hlo_builder_copy_start", (operand,), more)

    def copy_done(self, start: Value, **more: Any) -> Value:
        """CopyDone (XLA): waits; the copy."""
        return self._call("hlo_builder_copy_done", (start,), more)

    def infeed(self, shape: ShapeLike, config: Optional[str] = None, **more: Any) -> Value:
        """Infeed (all): the next item of data, of that shape."""
        return self._call("hlo_builder_infeed", (shape, config), more)

    def outfeed(self, operand: Value, shape: ShapeLike, config: Optional[str] = None,
                **more: Any) -> Value:
        """Outfeed (XLA): hands the operand to the host. A token."""
        return self._call("hlo_builder_outfeed", (operand, shape, config), more)

    def send(self, operand: Value, channel_id: int = 0, **more: Any) -> Value:
        """Send (2019 2024 2025): the context for SendDone."""
        return self._call("hlo_builder_send", (operand, channel_id), more)

    def send_done(self, context: Value, **more: Any) -> Value:
        """SendDone (2019 2024 2025): waits; a token."""
        return self._call("hlo_builder_send_done", (context,), more)

    def recv(self, shape: ShapeLike, channel_id: int = 0, **more: Any) -> Value:
        """Recv (2019 2024 2025): the context for RecvDone."""
        return self._call("hlo_builder_recv", (shape, channel_id), more)

    def recv_done(self, context: Value, **more: Any) -> Value:
        """RecvDone (2019 2024 2025): waits; the data."""
        return self._call("hlo_builder_recv_done", (context,), more)

    def infeed_with_token(self, token: Value, shape: ShapeLike, config: Optional[str] = None,
                          **more: Any) -> Value:
        """With tokens, as in XLA: an infeed and a recv-done are tuples of the data and a token."""
        return self._call("hlo_builder_infeed_with_token", (token, shape, config), more)

    def outfeed_with_token(self, operand: Value, token: Value, shape: ShapeLike,
                           config: Optional[str] = None, **more: Any) -> Value:
        return self._call("hlo_builder_outfeed_with_token", (operand, token, shape, config), more)

    def send_with_token(self, operand: Value, token: Value, channel_id: int = 0,
                        is_host_transfer: bool = False, **more: Any) -> Value:
        return self._call("hlo_builder_send_with_token", (operand, token, channel_id,
                          is_host_transfer), more)

    def recv_with_token(self, token: Value, shape: ShapeLike, channel_id: int = 0,
                        is_host_transfer: bool = False, **more: Any) -> Value:
        return self._call("hlo_builder_recv_with_token", (token, shape, channel_id,
                          is_host_transfer), more)

    def send_done_with_token(self, context: Value, channel_id: int = 0,
                             is_host_transfer: bool = False, **more: Any) -> Value:
        """SendDone, RecvDone with tokens (XLA): a token; the pair of data and a token. The context
        may come from anywhere: a loop's state, an element of a tuple."""
        return self._call("hlo_builder_send_done_with_token", (context, channel_id,
                          is_host_transfer), more)

    def recv_done_with_token(self, context: Value, channel_id: int = 0,
                             is_host_transfer: bool = False, **more: Any) -> Value:
        return self._call("hlo_builder_recv_done_with_token", (context, channel_id,
                          is_host_transfer), more)

    def all_gather(self, operand: Value, all_gather_dim: int, shard_count: int = 0,
                   replica_groups: Sequence[Sequence[int]] = (), channel_id: int = 0,
                   **more: Any) -> Value:
        """AllGather (2024 2025): the operands of a group joined along a dimension in the order of
        the group; shard_count is the size of the groups, 0: from replica_groups or the module."""
        return self._call("hlo_builder_all_gather", (operand, all_gather_dim, shard_count,
                          replica_groups, channel_id), more)

    def all_reduce(self, operand: Value, computation: Function,
                   replica_groups: Sequence[Sequence[int]] = (), channel_id: int = 0,
                   **more: Any) -> Value:
        """AllReduce (2024 2025): of an array, or of each element of a tuple."""
        return self._call("hlo_builder_all_reduce", (operand, computation, replica_groups,
                          channel_id), more)

    def cross_replica_sum(self, operand: Value, replica_groups: Sequence[Sequence[int]] = (),
                          **more: Any) -> Value:
        """CrossReplicaSum (all): AllReduce with a sum."""
        return self._call("hlo_builder_cross_replica_sum", (operand, replica_groups), more)

    def all_to_all(self, operand: Value, split_dimension: int, concat_dimension: int,
                   split_count: int, replica_groups: Sequence[Sequence[int]] = (),
                   channel_id: int = 0, **more: Any) -> Value:
        """AllToAll (2019 2024 2025): cut along split_dimension into split_count parts, of which
        member i of the group gets part i of each, joined along concat_dimension in the order of the
        group. Groups have split_count members; without any, devices 0 to split_count - 1 become the
        one group."""
        return self._call("hlo_builder_all_to_all", (operand, split_dimension, concat_dimension,
                          split_count, replica_groups, channel_id), more)

    def collective_permute(self, operand: Value, source_target_pairs: Sequence[Sequence[int]],
                           channel_id: int = 0, **more: Any) -> Value:
        """CollectivePermute (2024 2025): pairs of source and target; zeros for who is no target."""
        return self._call("hlo_builder_collective_permute", (operand, source_target_pairs,
                          channel_id), more)

    def collective_broadcast(self, operand: Value, replica_groups: Sequence[Sequence[int]] = (),
                             channel_id: int = 0, **more: Any) -> Value:
        """CollectiveBroadcast (XLA): the operand of the first of each group."""
        return self._call("hlo_builder_collective_broadcast", (operand, replica_groups, channel_id),
                          more)

    def reduce_scatter(self, operand: Value, computation: Function, scatter_dim: int,
                       shard_count: int = 0, replica_groups: Sequence[Sequence[int]] = (),
                       channel_id: int = 0, **more: Any) -> Value:
        """ReduceScatter (2024 2025): AllReduce, of which member i of the group gets part i along
        scatter_dim."""
        return self._call("hlo_builder_reduce_scatter", (operand, computation, scatter_dim,
                          shard_count, replica_groups, channel_id), more)

    def all_gather_tuple(self, operands: Sequence[Value], all_gather_dim: int, shard_count: int = 0,
                         replica_groups: Sequence[Sequence[int]] = (), channel_id: int = 0,
                         **more: Any) -> Value:
        """AllGatherTuple (XLA): group_size as shard_count of AllGather, 0: from replica_groups or
        the module."""
        return self._call("hlo_builder_all_gather_tuple", (operands, all_gather_dim, shard_count,
                          replica_groups, channel_id), more)

    def all_reduce_tuple(self, operands: Sequence[Value], computation: Function,
                         replica_groups: Sequence[Sequence[int]] = (), channel_id: int = 0,
                         **more: Any) -> Value:
        """AllReduceTuple (XLA)."""
        return self._call("hlo_builder_all_reduce_tuple", (operands, computation, replica_groups,
                          channel_id), more)

    def reduce_scatter_tuple(self, operands: Sequence[Value], computation: Function,
                             scatter_dim: int, shard_count: int = 0,
                             replica_groups: Sequence[Sequence[int]] = (), channel_id: int = 0,
                             **more: Any) -> Value:
        """ReduceScatterTuple (XLA)."""
        return self._call("hlo_builder_reduce_scatter_tuple", (operands, computation, scatter_dim,
                          shard_count, replica_groups, channel_id), more)

    def all_to_all_tuple(self, operands: Sequence[Value],
                         replica_groups: Sequence[Sequence[int]] = (), channel_id: int = 0,
                         **more: Any) -> Value:
        """AllToAllTuple (XLA): operand i goes to member i of the group; element i came from it."""
        return self._call("hlo_builder_all_to_all_tuple", (operands, replica_groups, channel_id),
                          more)

    def ragged_all_to_all(self, input: Value, output: Value, input_offsets: Value,
                          send_sizes: Value, output_offsets: Value, recv_sizes: Value,
                          replica_groups: Sequence[Sequence[int]] = (), channel_id: int = 0,
                          **more: Any) -> Value:
        """RaggedAllToAll (XLA): rows of `input` from input_offsets on, send_sizes of them, to each
        member, into `output` from output_offsets on; recv_sizes come from each."""
        return self._call("hlo_builder_ragged_all_to_all", (input, output, input_offsets,
                          send_sizes, output_offsets, recv_sizes, replica_groups, channel_id), more)

    def collective_permute_tuple(self, operands: Sequence[Value],
                                 source_target_pairs: Sequence[Sequence[int]], channel_id: int = 0,
                                 **more: Any) -> Value:
        """CollectivePermuteTuple (XLA): of several operands; with slice_sizes, as text, of input,
        output and where slices start in both."""
        return self._call("hlo_builder_collective_permute_tuple", (operands, source_target_pairs,
                          channel_id), more)

    def collective_broadcast_tuple(self, operands: Sequence[Value],
                                   replica_groups: Sequence[Sequence[int]] = (),
                                   channel_id: int = 0, has_dynamic_root: bool = False,
                                   **more: Any) -> Value:
        """CollectiveBroadcastTuple (XLA): of several operands with has_dynamic_root: the last one,
        s32, selects which member of the group sends each of the others."""
        return self._call("hlo_builder_collective_broadcast_tuple", (operands, replica_groups,
                          channel_id, has_dynamic_root), more)

    def all_gather_start(self, operands: Sequence[Value], all_gather_dim: int, shard_count: int = 0,
                         replica_groups: Sequence[Sequence[int]] = (), channel_id: int = 0,
                         **more: Any) -> Value:
        """AllGatherStart (XLA): the pair of operands and results."""
        return self._call("hlo_builder_all_gather_start", (operands, all_gather_dim, shard_count,
                          replica_groups, channel_id), more)

    def all_gather_done(self, start: Value, **more: Any) -> Value:
        """AllGatherDone (XLA)."""
        return self._call("hlo_builder_all_gather_done", (start,), more)

    def all_reduce_start(self, operands: Sequence[Value], computation: Function,
                         replica_groups: Sequence[Sequence[int]] = (), channel_id: int = 0,
                         **more: Any) -> Value:
        """AllReduceStart (XLA): the results, complete after its done."""
        return self._call("hlo_builder_all_reduce_start", (operands, computation, replica_groups,
                          channel_id), more)

    def all_reduce_done(self, start: Value, **more: Any) -> Value:
        """AllReduceDone (XLA)."""
        return self._call("hlo_builder_all_reduce_done", (start,), more)

    def collective_permute_start(self, operands: Sequence[Value],
                                 source_target_pairs: Sequence[Sequence[int]], channel_id: int = 0,
                                 **more: Any) -> Value:
        """CollectivePermuteStart (XLA): the pair of operands and results."""
        return self._call("hlo_builder_collective_permute_start", (operands, source_target_pairs,
                          channel_id), more)

    def collective_permute_done(self, start: Value, **more: Any) -> Value:
        """CollectivePermuteDone (XLA)."""
        return self._call("hlo_builder_collective_permute_done", (start,), more)

    def replica_id(self, **more: Any) -> Value:
        """ReplicaId (2024 2025): u32[]."""
        return self._call("hlo_builder_replica_id", (), more)

    def partition_id(self, **more: Any) -> Value:
        """PartitionId (XLA): u32[]."""
        return self._call("hlo_builder_partition_id", (), more)


class LibraryFunctions:
    """Functions made of operations, those of XLA's builder library."""

    def _call(self, function: str, given: Any, more: Any) -> Any:
        raise NotImplementedError

    def scalar(self, type: str, value: float) -> Value:
        """ConstantR0WithType (constants.h): a scalar of any type, rounded to it; a number that is
        no integer makes no integer."""
        return self._call("hlo_lib_scalar", (type, value), None)

    def zero(self, type: str) -> Value:
        """Zero (constants.h)."""
        return self._call("hlo_lib_zero", (type,), None)

    def one(self, type: str) -> Value:
        """One (constants.h)."""
        return self._call("hlo_lib_one", (type,), None)

    def scalar_like(self, prototype: Value, value: float) -> Value:
        """ScalarLike (constants.h): a scalar of the type of `prototype`, an array."""
        return self._call("hlo_lib_scalar_like", (prototype, value), None)

    def full_like(self, prototype: Value, value: float) -> Value:
        """FullLike (constants.h): the value in all places of an array like `prototype`."""
        return self._call("hlo_lib_full_like", (prototype, value), None)

    def zeros_like(self, prototype: Value) -> Value:
        """ZerosLike (constants.h)."""
        return self._call("hlo_lib_zeros_like", (prototype,), None)

    def zeros(self, shape: ShapeLike) -> Value:
        """Zeros (constants.h): of an array's shape."""
        return self._call("hlo_lib_zeros", (shape,), None)

    def epsilon(self, type: str) -> Value:
        """Epsilon (constants.h): of a type of floats, the difference of 1 and the next number."""
        return self._call("hlo_lib_epsilon", (type,), None)

    def min_value(self, type: str) -> Value:
        """MinValue (constants.h): the least number of a real type; -inf where there is one."""
        return self._call("hlo_lib_min_value", (type,), None)

    def min_finite_value(self, type: str) -> Value:
        """MinFiniteValue (constants.h)."""
        return self._call("hlo_lib_min_finite_value", (type,), None)

    def min_positive_normal_value(self, type: str) -> Value:
        """MinPositiveNormalValue (constants.h): of a type of floats."""
        return self._call("hlo_lib_min_positive_normal_value", (type,), None)

    def max_value(self, type: str) -> Value:
        """MaxValue (constants.h): the greatest number of a real type; inf where there is one."""
        return self._call("hlo_lib_max_value", (type,), None)

    def max_finite_value(self, type: str) -> Value:
        """MaxFiniteValue (constants.h)."""
        return self._call("hlo_lib_max_finite_value", (type,), None)

    def nan_value(self, type: str) -> Value:
        """NanValue (constants.h): of a type of floats."""
        return self._call("hlo_lib_nan_value", (type,), None)

    def acos(self, operand: Value) -> Value:
        """Acos (math.h): of floats and complex numbers."""
        return self._call("hlo_lib_acos", (operand,), None)

    def acosh(self, operand: Value) -> Value:
        """Acosh (math.h): of floats and complex numbers; NaN below 1."""
        return self._call("hlo_lib_acosh", (operand,), None)

    def asin(self, operand: Value) -> Value:
        """Asin (math.h): of floats, those of 16 bits and less in f32, and complex numbers, by T.
        Hull, T. Fairgrieve and P. Tang."""
        return self._call("hlo_lib_asin", (operand,), None)

    def asinh(self, operand: Value) -> Value:
        """Asinh (math.h): of floats, f16 and bf16 in f32, and complex numbers."""
        return self._call("hlo_lib_asinh", (operand,), None)

    def atan(self, operand: Value) -> Value:
        """Atan (math.h): of floats and complex numbers."""
        return self._call("hlo_lib_atan", (operand,), None)

    def atanh(self, operand: Value) -> Value:
        """Atanh (math.h): of floats, bf16 in f32, and complex numbers; NaN outside of [-1, 1]."""
        return self._call("hlo_lib_atanh", (operand,), None)

    def cosh(self, operand: Value) -> Value:
        """Cosh (math.h): of floats, f16 and bf16 in f32, and complex numbers."""
        return self._call("hlo_lib_cosh", (operand,), None)

    def sinh(self, operand: Value) -> Value:
        """Sinh (math.h): of floats, f16 and bf16 in f32, and complex numbers."""
        return self._call("hlo_lib_sinh", (operand,), None)

    def erfc(self, operand: Value) -> Value:
        """Erfc (math.h): 1 - erf of real floats, those of 16 bits and less in f32; by Eigen in f32,
        by Cephes in f64."""
        return self._call("hlo_lib_erfc", (operand,), None)

    def erf_inv(self, operand: Value) -> Value:
        """ErfInv (math.h): the inverse of erf, of real floats, those of 16 bits and less in f32; by
        M. Giles."""
        return self._call("hlo_lib_erf_inv", (operand,), None)

    def lgamma(self, operand: Value) -> Value:
        """Lgamma (math.h): ln|gamma(x)| of real floats, those of 16 bits and less in f32; by C.
        Lanczos."""
        return self._call("hlo_lib_lgamma", (operand,), None)

    def digamma(self, operand: Value) -> Value:
        """Digamma (math.h): its derivative. NaN at poles."""
        return self._call("hlo_lib_digamma", (operand,), None)

    def bessel_i0e(self, operand: Value) -> Value:
        """BesselI0e (math.h): e^-|x| I0(x) of real floats, f16 and bf16 in f32; by Cephes."""
        return self._call("hlo_lib_bessel_i0e", (operand,), None)

    def bessel_i1e(self, operand: Value) -> Value:
        """BesselI1e (math.h): e^-|x| I1(x), the same."""
        return self._call("hlo_lib_bessel_i1e", (operand,), None)

    def round_to_even(self, operand: Value) -> Value:
        """RoundToEven (math.h): of real floats."""
        return self._call("hlo_lib_round_to_even", (operand,), None)

    def square(self, operand: Value) -> Value:
        """Square (math.h): of numbers."""
        return self._call("hlo_lib_square", (operand,), None)

    def reciprocal(self, operand: Value) -> Value:
        """Reciprocal (math.h): 1 / x of numbers."""
        return self._call("hlo_lib_reciprocal", (operand,), None)

    def conj(self, operand: Value) -> Value:
        """Conj (math.h): of complex numbers."""
        return self._call("hlo_lib_conj", (operand,), None)

    def is_pos_inf(self, operand: Value) -> Value:
        """IsPosInf (math.h): pred, of real floats; false of types without infinities."""
        return self._call("hlo_lib_is_pos_inf", (operand,), None)

    def is_neg_inf(self, operand: Value) -> Value:
        """IsNegInf (math.h): the same."""
        return self._call("hlo_lib_is_neg_inf", (operand,), None)

    def is_inf(self, operand: Value) -> Value:
        """IsInf (math.h): the same."""
        return self._call("hlo_lib_is_inf", (operand,), None)

    def is_nan(self, operand: Value) -> Value:
        """IsNan (math.h): pred, of real floats."""
        return self._call("hlo_lib_is_nan", (operand,), None)

    def is_neg_zero(self, operand: Value) -> Value:
        """IsNegZero (math.h): pred, of real floats; false of types without -0."""
        return self._call("hlo_lib_is_neg_zero", (operand,), None)

    def maybe_conjugate(self, operand: Value, conjugate: bool) -> Value:
        """MaybeConjugate (math.h): Conj of complex numbers if `conjugate`; else the operand."""
        return self._call("hlo_lib_maybe_conjugate", (operand, conjugate), None)

    def igamma(self, a: Value, x: Value) -> Value:
        """Igamma (math.h): the regularized lower incomplete gamma function P(a, x); as in
        Cephes."""
        return self._call("hlo_lib_igamma", (a, x), None)

    def igammac(self, a: Value, x: Value) -> Value:
        """Igammac (math.h): the upper one, 1 - P(a, x)."""
        return self._call("hlo_lib_igammac", (a, x), None)

    def igamma_grad_a(self, a: Value, x: Value) -> Value:
        """IgammaGradA (math.h): the derivative of P(a, x) by a."""
        return self._call("hlo_lib_igamma_grad_a", (a, x), None)

    def random_gamma_grad(self, a: Value, x: Value) -> Value:
        """RandomGammaGrad (math.h): the derivative by a of a sample x of Gamma(a, 1)."""
        return self._call("hlo_lib_random_gamma_grad", (a, x), None)

    def regularized_incomplete_beta(self, a: Value, b: Value, x: Value) -> Value:
        """RegularizedIncompleteBeta (math.h): I(x; a, b), of f16, bf16, f32 and f64; NaN outside of
        a > 0, b > 0, 0 <= x <= 1; by I. Thompson and A. Barnett."""
        return self._call("hlo_lib_regularized_incomplete_beta", (a, b, x), None)

    def zeta(self, x: Value, q: Value) -> Value:
        """Zeta (math.h): the Hurwitz zeta function of x and q; by F. Johansson."""
        return self._call("hlo_lib_zeta", (x, q), None)

    def polygamma(self, n: Value, x: Value) -> Value:
        """Polygamma (math.h): derivative n of digamma at x; NaN unless n is a natural number."""
        return self._call("hlo_lib_polygamma", (n, x), None)

    def next_after(self, from_: Value, to: Value) -> Value:
        """NextAfter (math.h): the number next to `from` toward `to`, of types of 4, 8, 16, 32 and
        64 bits with a sign."""
        return self._call("hlo_lib_next_after", (from_, to), None)

    def select(self, pred: Value, on_true: Value, on_false: Value) -> Value:
        """Select (xla_builder.h): hlo_builder_select, where scalars are repeated to the sizes of
        the others."""
        return self._call("hlo_lib_select", (pred, on_true, on_false), None)

    def scalar_computation(self, operation: str, type: str) -> Function:
        """CreateScalarAddComputation (arithmetic.h): of two scalars: 'add', 'mul', 'ge', 'max',
        'min', 'and' or 'or'."""
        return self._call("hlo_lib_scalar_computation", (operation, type), None)

    def scalar_identity_with_zero_computation(self, type: str) -> Function:
        """CreateScalarIdentityWithZeroComputation (arithmetic.h): whose neutral element is 0: 'or'
        of integers and pred, 'add' of floats and complex numbers."""
        return self._call("hlo_lib_scalar_identity_with_zero_computation", (type,), None)

    def any(self, predicates: Value) -> Value:
        """Any (arithmetic.h): whether a pred of the array is true, pred[]."""
        return self._call("hlo_lib_any", (predicates,), None)

    def arg_max(self, input: Value, type: str, axis: int) -> Value:
        """ArgMax (arithmetic.h): where the greatest element along an axis is, of equal ones the
        first; integers of `type` without that dimension."""
        return self._call("hlo_lib_arg_max", (input, type, axis), None)

    def arg_min(self, input: Value, type: str, axis: int) -> Value:
        """ArgMinMax (arithmetic.h): the same of the least element."""
        return self._call("hlo_lib_arg_min", (input, type, axis), None)

    def identity_matrix(self, type: str, m: int, n: int) -> Value:
        """IdentityMatrix (matrix.h): m x n, of any type."""
        return self._call("hlo_lib_identity_matrix", (type, m, n), None)

    def get_diagonal_mask(self, x: Value, diagonal: int = 0) -> Value:
        """GetDiagonalMask (matrix.h): pred, of x's sizes: true on a diagonal; above the main one it
        is > 0."""
        return self._call("hlo_lib_get_diagonal_mask", (x, diagonal), None)

    def get_matrix_diagonal(self, x: Value, k: int) -> Value:
        """GetMatrixDiagonal (matrix.h): diagonal k as vectors: [..., M, N] gives [..., min(M, N -
        k)], or [..., min(M + k, N)] for k < 0; none outside."""
        return self._call("hlo_lib_get_matrix_diagonal", (x, k), None)

    def get_matrix_diagonal_via_gather(self, x: Value, k: int) -> Value:
        """GetMatrixDiagonalViaGather (matrix.h): the same by a gather."""
        return self._call("hlo_lib_get_matrix_diagonal_via_gather", (x, k), None)

    def set_matrix_diagonal(self, matrix: Value, diag: Value, k: int) -> Value:
        """SetMatrixDiagonal (matrix.h): the matrices with other diagonals k."""
        return self._call("hlo_lib_set_matrix_diagonal", (matrix, diag, k), None)

    def triangle_mask(self, x: Value, diagonal: int = 0) -> Value:
        """TriangleMask (matrix.h): pred, of x's sizes: true on and below a diagonal."""
        return self._call("hlo_lib_triangle_mask", (x, diagonal), None)

    def triangle(self, x: Value, lower: bool = True) -> Value:
        """Triangle (matrix.h): one triangle with the diagonal, else zeros."""
        return self._call("hlo_lib_triangle", (x, lower), None)

    def upper_triangle(self, x: Value) -> Value:
        """UpperTriangle (matrix.h)."""
        return self._call("hlo_lib_upper_triangle", (x,), None)

    def lower_triangle(self, x: Value) -> Value:
        """LowerTriangle (matrix.h)."""
        return self._call("hlo_lib_lower_triangle", (x,), None)

    def symmetrize(self, x: Value, lower: bool = True) -> Value:
        """Symmetrize (matrix.h): square matrices made symmetric by one triangle; complex ones
        Hermitian."""
        return self._call("hlo_lib_symmetrize", (x, lower), None)

    def transpose_in_minor_dims(self, x: Value) -> Value:
        """TransposeInMinorDims (matrix.h)."""
        return self._call("hlo_lib_transpose_in_minor_dims", (x,), None)

    def maybe_transpose_in_minor_dims(self, x: Value, transpose: bool) -> Value:
        """MaybeTransposeInMinorDims (matrix.h): the operand itself unless `transpose`."""
        return self._call("hlo_lib_maybe_transpose_in_minor_dims", (x, transpose), None)

    def einsum(self, x: Value, y: Value, config: str, options: Optional[Mapping[str,
               Any]] = None) -> Value:
        """Einsum (matrix.h): the product of two arrays whose dimensions have letters, 'ab,bc->ac',
        or '...': those without a letter. A letter of both that is not in the output is summed, as
        is one of one operand; one that stands twice is a diagonal; a size of 1 goes with any other.
        Without '->' the output is the ellipsis and the letters that stand there once, sorted.
        `options` may be NULL."""
        return self._call("hlo_lib_einsum", (x, y, config, options), None)

    def einsum_of_one(self, x: Value, config: str, options: Optional[Mapping[str,
                      Any]] = None) -> Value:
        """Einsum (matrix.h): of one array, 'aab->b'."""
        return self._call("hlo_lib_einsum_of_one", (x, config, options), None)

    def einsum_numbered(self, x: Value, x_config: Sequence[int], y: Value, y_config: Sequence[int],
                        output_config: Sequence[int], options: Optional[Mapping[str,
                        Any]] = None) -> Value:
        """Einsum (matrix.h): with numbers as names of dimensions."""
        return self._call("hlo_lib_einsum_numbered", (x, x_config, y, y_config, output_config,
                          options), None)

    def batch_dot(self, x: Value, transpose_x: bool, y: Value, transpose_y: bool,
                  options: Optional[Mapping[str, Any]] = None) -> Value:
        """BatchDot (matrix.h): products of matrices, either of which may be transposed."""
        return self._call("hlo_lib_batch_dot", (x, transpose_x, y, transpose_y, options), None)

    def slice_in_minor_dims(self, x: Value, start: Sequence[int], end: Sequence[int]) -> Value:
        """SliceInMinorDims (slicing.h): of the last start.count dimensions; the others whole."""
        return self._call("hlo_lib_slice_in_minor_dims", (x, start, end), None)

    def update_slice(self, x: Value, update: Value, start: Sequence[int]) -> Value:
        """UpdateSlice (slicing.h): x with `update` from `start` on, a number for each dimension."""
        return self._call("hlo_lib_update_slice", (x, update, start), None)

    def update_slice_in_minor_dims(self, x: Value, update: Value, start: Sequence[int]) -> Value:
        """UpdateSliceInMinorDims (slicing.h): from `start` on in the last start.count
        dimensions."""
        return self._call("hlo_lib_update_slice_in_minor_dims", (x, update, start), None)

    def dynamic_slice_in_minor_dims(self, x: Value, starts: Sequence[Value],
                                    sizes: Sequence[int]) -> Value:
        """DynamicSliceInMinorDims (slicing.h): of `sizes` from s32 scalars on."""
        return self._call("hlo_lib_dynamic_slice_in_minor_dims", (x, starts, sizes), None)

    def dynamic_update_slice_in_minor_dims(self, x: Value, update: Value,
                                           starts: Sequence[Value]) -> Value:
        """DynamicUpdateSliceInMinorDims (slicing.h)."""
        return self._call("hlo_lib_dynamic_update_slice_in_minor_dims", (x, update, starts), None)

    def torch_gather(self, input: Value, index: Value, dim: int, sparse: bool = True) -> Value:
        """TorchGather (slicing.h): for dim = 1 of three dimensions out[i][j][k] =
        input[i][index[i][j][k]][k]; of indices of rank 1 TorchIndexSelect. Not sparse: by a mask
        and a reduction."""
        return self._call("hlo_lib_torch_gather", (input, index, dim, sparse), None)

    def torch_index_select(self, input: Value, index: Value, dim: int,
                           batch_dims: int = 0) -> Value:
        """TorchIndexSelect (slicing.h): the places of dimension `dim` that `index` lists; the first
        batch_dims dimensions of both belong together."""
        return self._call("hlo_lib_torch_index_select", (input, index, dim, batch_dims), None)

    def tridiagonal_solver(self, lower_diagonal: Value, main_diagonal: Value, upper_diagonal: Value,
                           rhs: Value) -> Value:
        """TridiagonalSolver (tridiagonal.h): diagonals [..., 1, N], rhs and the result [..., K, N];
        the first number of the lower and the last one of the upper diagonal do not count. By the
        algorithm of L. Thomas."""
        return self._call("hlo_lib_tridiagonal_solver", (lower_diagonal, main_diagonal,
                          upper_diagonal, rhs), None)

    def tridiagonal_solver_of_stack(self, diagonals: Value, rhs: Value) -> Value:
        """TridiagonalSolver (tridiagonal.h): diagonals [..., 3, N], the upper one first; rhs [...,
        N, K]."""
        return self._call("hlo_lib_tridiagonal_solver_of_stack", (diagonals, rhs), None)

    def tridiagonal_mat_mul(self, upper_diagonal: Value, main_diagonal: Value,
                            lower_diagonal: Value, rhs: Value) -> Value:
        """TridiagonalMatMul (tridiagonal.h): diagonals [..., 1, M] by rhs [..., M, N]."""
        return self._call("hlo_lib_tridiagonal_mat_mul", (upper_diagonal, main_diagonal,
                          lower_diagonal, rhs), None)

    def threefry_bit_generator(self, key: Value, initial_state: Value,
                               shape: ShapeLike) -> Tuple[Value, Value]:
        """ThreeFryBitGenerator (prng.h): random bits of `shape`, an array of integers or floats of
        up to 64 bits, as unsigned integers of that width; key and state are one number of u64. By
        J. Salmon et al."""
        return self._call("hlo_lib_threefry_bit_generator", (key, initial_state, shape), None)

    def philox_bit_generator(self, key: Value, initial_state: Value,
                             shape: ShapeLike) -> Tuple[Value, Value]:
        """PhiloxBitGenerator (prng.h): the same; the state is u64[2]."""
        return self._call("hlo_lib_philox_bit_generator", (key, initial_state, shape), None)

    def scramble_philox_key(self, key: Value) -> Tuple[Value, Value]:
        """ScramblePhiloxKey (prng.h): a key (the value) and a state of any one number of u64."""
        return self._call("hlo_lib_scramble_philox_key", (key,), None)

    def philox_increase_counter(self, counter: Value, delta: Value) -> Value:
        """PhiloxIncreaseCounter (prng.h): u64[2] plus a scalar of u64."""
        return self._call("hlo_lib_philox_increase_counter", (counter, delta), None)

    def concat_scalars(self, scalars: Sequence[Value]) -> Value:
        """ConcatScalars (prng.h): a vector of scalars."""
        return self._call("hlo_lib_concat_scalars", (scalars,), None)

    def uniform_floating_point_distribution(self, key: Value, initial_state: Value,
                                            by: LibBitGenerator, minval: Value, maxval: Value,
                                            shape: ShapeLike) -> Tuple[Value, Value]:
        """UniformFloatingPointDistribution (prng.h): floats from minval up to maxval, scalars,
        without it."""
        return self._call("hlo_lib_uniform_floating_point_distribution", (key, initial_state, by,
                          minval, maxval, shape), None)

    def uniform_int_distribution(self, key: Value, initial_state: Value, by: LibBitGenerator,
                                 minval: Value, maxval: Value, shape: ShapeLike) -> Tuple[Value,
                                 Value]:
        """UniformIntDistribution (prng.h): the same of u32, s32, u64 and s64."""
        return self._call("hlo_lib_uniform_int_distribution", (key, initial_state, by, minval,
                          maxval, shape), None)

    def normal_floating_point_distribution(self, key: Value, initial_state: Value,
                                           by: LibBitGenerator, shape: ShapeLike) -> Tuple[Value,
                                           Value]:
        """NormalFloatingPointDistribution (prng.h): of mean 0 and variance 1, f16, f32 and f64; by
        G. Box and M. Muller."""
        return self._call("hlo_lib_normal_floating_point_distribution", (key, initial_state, by,
                          shape), None)

    def top_k(self, input: Value, k: int, index_type: str) -> Value:
        """TopK (sorting.h): the k greatest elements of the last dimension in descending order, and
        their indices of index_type, a tuple; of equal ones the first comes first. Short rows of
        bf16 are sorted together with their indices as integers."""
        return self._call("hlo_lib_top_k", (input, k, index_type), None)

    def top_k_with_partitions(self, input: Value, k: int, num_partitions: int,
                              index_type: str) -> Value:
        """TopKWithPartitions (sorting.h): the same in a loop over parts of the last dimension."""
        return self._call("hlo_lib_top_k_with_partitions", (input, k, num_partitions, index_type),
                          None)

    def approx_top_k(self, operands: Sequence[Value], init_values: Sequence[Value], top_k: int,
                     reduction_dim: int, comparator: Function, recall_target: float = 0.9,
                     aggregate_to_topk: bool = True,
                     reduction_input_size_override: int = -1) -> Value:
        """ApproxTopK (approx_topk.h): of the first of N arrays about the k elements that the
        comparator of N pairs of scalars puts first along a dimension, and what stands there in the
        others: a tuple of N. A custom call PartialReduce takes the first of each window; there are
        so many windows that a share recall_target, in (0, 1], of the k elements is expected (XLA:
        0.9). Where there are few elements nothing is lost. With aggregate_to_topk (XLA: true) k
        elements are taken of what is left. init_values are scalars that no element comes after.
        reduction_input_size_override: the size along the dimension of which this is a part; -1:
        this is all of it."""
        return self._call("hlo_lib_approx_top_k", (operands, init_values, top_k, reduction_dim,
                          comparator, recall_target, aggregate_to_topk,
                          reduction_input_size_override), None)

    def approx_top_k_fallback(self, operands: Sequence[Value], init_values: Sequence[Value],
                              top_k: int, reduction_dim: int, comparator: Function,
                              recall_target: float = 0.9, aggregate_to_topk: bool = True,
                              reduction_input_size_override: int = -1) -> Value:
        """ApproxTopKFallback (approx_topk.h): as many elements by a stable sort, none of which is
        lost."""
        return self._call("hlo_lib_approx_top_k_fallback", (operands, init_values, top_k,
                          reduction_dim, comparator, recall_target, aggregate_to_topk,
                          reduction_input_size_override), None)

    def approx_top_k_output_size(self, input_size: int, rank: int, top_k: int,
                                 recall_target: float = 0.9, aggregate_to_topk: bool = True,
                                 input_size_override: int = -1) -> Tuple[int, int]:
        """ApproxTopKReductionOutputSize (approx_topk_shape.h): how many elements ApproxTopK
        gives."""
        return self._call("hlo_lib_approx_top_k_output_size", (input_size, rank, top_k,
                          recall_target, aggregate_to_topk, input_size_override), None)

    def broadcast_to(self, input: Value, output_dims: Sequence[int]) -> Value:
        """BroadcastTo (broadcast.h): the input repeated to multiples of its sizes, with new
        dimensions on the left."""
        return self._call("hlo_lib_broadcast_to", (input, output_dims), None)

    def max_pool(self, operand: Value, kernel_size: Sequence[int], stride: Sequence[int],
                 padding: PaddingRule) -> Value:
        """MaxPool (pooling.h): the greatest element of each window; kernel and stride have a number
        for each dimension."""
        return self._call("hlo_lib_max_pool", (operand, kernel_size, stride, padding), None)

    def avg_pool(self, operand: Value, kernel_size: Sequence[int], stride: Sequence[int],
                 padding_low: Sequence[int], padding_high: Sequence[int],
                 spatial_dimensions: Sequence[int], counts_include_padding: bool) -> Value:
        """AvgPool (pooling.h): the mean of each window. spatial_dimensions are all but two; padding
        has a number for each of them, and counts if so wanted."""
        return self._call("hlo_lib_avg_pool", (operand, kernel_size, stride, padding_low,
                          padding_high, spatial_dimensions, counts_include_padding), None)

    def avg_pool_grad(self, out_backprop: Value, gradients_size: Sequence[int],
                      kernel_size: Sequence[int], stride: Sequence[int], padding_low: Sequence[int],
                      padding_high: Sequence[int], spatial_dimensions: Sequence[int],
                      counts_include_padding: bool) -> Value:
        """AvgPoolGrad (pooling.h): its gradient, of sizes gradients_size."""
        return self._call("hlo_lib_avg_pool_grad", (out_backprop, gradients_size, kernel_size,
                          stride, padding_low, padding_high, spatial_dimensions,
                          counts_include_padding), None)

    def conv_grad_dimension(self, input_size: int, filter_size: int, output_size: int,
                            dilation: int, stride: int, padding: PaddingRule) -> Tuple[int, int,
                            int]:
        """ConvGradExtractAndVerifyDimension (conv_grad_size_util.h): how the gradients of a
        convolution are padded in a spatial dimension, so that windows over them give the input's
        size. output_size must be that of the convolution."""
        return self._call("hlo_lib_conv_grad_dimension", (input_size, filter_size, output_size,
                          dilation, stride, padding), None)

    def dynamic_conditional(self, pred: Value, true_operand: Value, true_computation: Function,
                            false_operand: Value, false_computation: Function) -> Value:
        """DynamicConditional (dynamic_shaped_ops.h): a conditional whose computations may give
        arrays of different sizes, not ranks: the smaller ones are padded, and their sizes are then
        dynamic."""
        return self._call("hlo_lib_dynamic_conditional", (pred, true_operand, true_computation,
                          false_operand, false_computation), None)

    def dynamic_conditional_indexed(self, branch_index: Value,
                                    branch_computations: Sequence[Function],
                                    branch_operands: Sequence[Value]) -> Value:
        """DynamicConditional (dynamic_shaped_ops.h): of several computations, by an index."""
        return self._call("hlo_lib_dynamic_conditional_indexed", (branch_index, branch_computations,
                          branch_operands), None)

    def set_dimension_size_with_rebound(self, operand: Value, dimension_size: Value,
                                        dimension: int) -> Value:
        """SetDimensionSizeWithRebound (dynamic_shaped_ops.h): SetDimensionSize to a size, s32[];
        where the operations that made the size imply that it is less than the bound, that becomes
        the bound, and where they give it exactly, the dimension is not dynamic."""
        return self._call("hlo_lib_set_dimension_size_with_rebound", (operand, dimension_size,
                          dimension), None)

    def set_all_dimension_sizes(self, operand: Value, size_vector: Value) -> Value:
        """SetAllDimensionSizes (dynamic_shaped_ops.h): SetDimensionSize of each dimension whose
        number in size_vector, integers [rank], is not known before a run."""
        return self._call("hlo_lib_set_all_dimension_sizes", (operand, size_vector), None)

    def assemble_tuple(self, shape: ShapeLike, leaves: Sequence[Value]) -> Value:
        """AssembleTuple (tuple.h): tuples nested as in the shape, of as many leaves as it has; what
        they are is not compared."""
        return self._call("hlo_lib_assemble_tuple", (shape, leaves), None)

    def qr(self, a: Value) -> Value:
        """Qr (qr.h): of matrices [..., m, n] a tuple of R with the Householder reflectors below, as
        LAPACK's xGEQRF has it, and their factors [..., min(m, n)]."""
        return self._call("hlo_lib_qr", (a,), None)

    def product_of_elementary_householder_reflectors(self, a: Value, taus: Value) -> Value:
        """ProductOfElementaryHouseholderReflectors (qr.h): Q of what Qr gives, m >= n; LAPACK's
        xORGQR."""
        return self._call("hlo_lib_product_of_elementary_householder_reflectors", (a, taus), None)

    def qr_explicit(self, a: Value, full_matrices: bool) -> Value:
        """QrExplicit (qr.h): a tuple of Q and R, [m, m] and [m, n], or [m, p] and [p, n] with p =
        min(m, n)."""
        return self._call("hlo_lib_qr_explicit", (a, full_matrices), None)

    def lu_decomposition(self, a: Value) -> Value:
        """LuDecomposition (lu_decomposition.h): a tuple of L with U, pivots and permutation,
        s32."""
        return self._call("hlo_lib_lu_decomposition", (a,), None)

    def self_adjoint_eig(self, a: Value, lower: bool, max_iter: int, tol: float,
                         sort_eigenvalues: bool) -> Value:
        """SelfAdjointEig (self_adjoint_eig.h): a tuple of eigenvectors and eigenvalues of square
        matrices of floats or complex numbers, of which one triangle is read."""
        return self._call("hlo_lib_self_adjoint_eig", (a, lower, max_iter, tol, sort_eigenvalues),
                          None)

    def slogdet(self, a: Value) -> Tuple[Value, Value]:
        """SLogDet (logdet.h): sign, and logarithm of the magnitude, of the determinants of square
        matrices, by Qr."""
        return self._call("hlo_lib_slogdet", (a,), None)

    def logdet(self, a: Value) -> Value:
        """LogDet (logdet.h): NaN of a negative determinant."""
        return self._call("hlo_lib_logdet", (a,), None)

    def svd(self, a: Value, max_iter: int, epsilon: float, precision: LibPrecision) -> Tuple[Value,
            Value, Value]:
        """SVD (svd.h): of matrices [..., m, n] of real floats: u [..., m, m], the singular values d
        [..., min(m, n)] in descending order, v [..., n, n]. At most max_iter sweeps (XLA: 100),
        until what is beside the diagonal is less than epsilon (1e-6) of it; by Householder
        reflections and one-sided Jacobi rotations."""
        return self._call("hlo_lib_svd", (a, max_iter, epsilon, precision), None)

    def dequantize(self, input: Value, packed: str, least: float, most: float,
                   transpose_output: bool = False) -> Value:
        """Dequantize (quantize.h): numbers of u8, s8, u16 or s16 in words of u32 [d0, ..., dn], the
        highest bits first, as bf16 [d0, ..., dn * K] from `least` to `most`; transposed [dn * K,
        ..., d0]. Mode MIN_COMBINED."""
        return self._call("hlo_lib_dequantize", (input, packed, least, most, transpose_output),
                          None)
