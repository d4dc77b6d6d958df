"""The version of include/hlo/version.h, written by `make docs`."""

VERSION = "0.3.0"
SONAME = "libhlo.so.0"
