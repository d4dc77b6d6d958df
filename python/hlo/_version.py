"""The version of include/hlo/version.h, written by `make docs`."""

VERSION = "0.2.0"
SONAME = "libhlo.so.0"
