"""What include/hlo/version.h says, written by `make docs`."""

VERSION = "0.2.0"
SONAME = "libhlo.so.0"
