"""HLO's element types as arrays hold them, in the order of types.def. Imported by the scripts that make or compare arrays."""
import ml_dtypes
import numpy as np

TYPES = {name: np.dtype(dtype) for name, dtype in dict(
    pred=np.bool_, s1=ml_dtypes.int1, s2=ml_dtypes.int2, s4=ml_dtypes.int4, s8=np.int8, s16=np.int16, s32=np.int32,
    s64=np.int64, u1=ml_dtypes.uint1, u2=ml_dtypes.uint2, u4=ml_dtypes.uint4, u8=np.uint8, u16=np.uint16, u32=np.uint32,
    u64=np.uint64, f16=np.float16, bf16=ml_dtypes.bfloat16, f32=np.float32, f64=np.float64, f8e5m2=ml_dtypes.float8_e5m2,
    f8e4m3=ml_dtypes.float8_e4m3, f8e4m3fn=ml_dtypes.float8_e4m3fn, f8e4m3b11fnuz=ml_dtypes.float8_e4m3b11fnuz,
    f8e4m3fnuz=ml_dtypes.float8_e4m3fnuz, f8e5m2fnuz=ml_dtypes.float8_e5m2fnuz, f8e3m4=ml_dtypes.float8_e3m4,
    f8e8m0fnu=ml_dtypes.float8_e8m0fnu, f4e2m1fn=ml_dtypes.float4_e2m1fn, f6e2m3fn=ml_dtypes.float6_e2m3fn,
    f6e3m2fn=ml_dtypes.float6_e3m2fn, c64=np.complex64, c128=np.complex128).items()}
