# `make dist` and `make deb`: the release tarball, Debian packages made from it, and what checks both.
# Included by the Makefile; docs/packaging.md says how a release is made.

RELEASE := hlo-tools-$(VERSION)
TARBALL := build/dist/$(RELEASE).tar.gz
# What the tarball has besides the sources: who builds it needs neither re2c nor Bison.
RELEASED_C := build/gen/hlo_scan.c build/gen/hlo_conditions.h build/gen/hlo_grammar.c build/gen/hlo_grammar.h build/gen/mlir_scan.c build/gen/mlir_grammar.c build/gen/mlir_grammar.h

# What `make deb` needs besides, and what `make check-deb` does.
DEB_PACKAGES := build-essential debhelper dh-python python3
CHECK_DEB_PACKAGES := debootstrap lintian

# ---- targets ----
.PHONY: dist check-dist deps-deb deb check-deb

dist: $(TARBALL) ## make the release tarball, build/dist/hlo-tools-VERSION.tar.gz: with generated scanner and parser

# Always: what it is made from is what git knows, or what the tarball has that this one was unpacked from.
$(TARBALL): $(RELEASED_C) FORCE
	@mkdir -p $(@D)
	$(call say,DIST,$@)tools/make-dist $(RELEASE) $@ $(RELEASED_C)

check-dist: dist ## unpack the tarball, build it without re2c, Bison and git, run the demo and some suites there
	@MAKEFLAGS= CC='$(CC)' tests/packaging/check-dist.sh $(TARBALL)

deps-deb: ## install what packages are made and checked with
	@tools/install-packages $(PACKAGES) $(GENERATORS) $(MPI_PACKAGES) $(DEB_PACKAGES) $(CHECK_DEB_PACKAGES)

deb: dist ## make Debian packages of it, build/deb/*.deb; without MPI's headers, all but hlo-tools-mpi
	@MAKEFLAGS= tools/make-deb $(TARBALL) build/deb $(if $(MPI_LIBRARY),,pkg.hlo-tools.nompi)

check-deb: ## install the packages of `make deb` in a fresh Debian, use everything, purge them; as root
	@tests/packaging/check-deb.sh build/deb
