# `make install` and `make uninstall`: one list of what is installed where, which both read. Included by the Makefile.
# Directories are named as GNU's conventions name them; packagers set DESTDIR, PREFIX=/usr and LIBDIR.

PREFIX       ?= /usr/local
DESTDIR      ?=
BINDIR       ?= $(PREFIX)/bin
LIBDIR       ?= $(PREFIX)/lib
INCLUDEDIR   ?= $(PREFIX)/include
DATADIR      ?= $(PREFIX)/share
MANDIR       ?= $(DATADIR)/man
DOCDIR       ?= $(DATADIR)/doc/hlo-tools
# Where the shells look for completion.
BASHDIR      ?= $(DATADIR)/bash-completion/completions
ZSHDIR       ?= $(DATADIR)/zsh/site-functions
FISHDIR      ?= $(DATADIR)/fish/vendor_completions.d
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig
STRIP        ?= strip

HEADERS := include/hlo.h include/hlo_builder.h include/hlo_builder_lib.h
SHARED  := libhlo.so.$(VERSION)
# The pages refer to one another and to the examples by relative links, so that they keep their places.
DOCUMENTS = README.md CHANGELOG.md CONTRIBUTING.md LICENSE $(shell find docs examples -type f -not -path 'docs/man/*')

# MODE:SOURCE:TARGET: $(call into,MODE,FOLDER,FILES), $(call below,FOLDER,FILES) where files keep their paths. Of a
# link the source is what it says.
into  = $(foreach file,$(3),$(1):$(file):$(2)/$(notdir $(file)))
below = $(foreach file,$(2),644:$(file):$(1)/$(file))
INSTALLED = $(call into,755,$(BINDIR),$(PROGRAMS:%=build/bin/%)) \
    $(call into,644,$(INCLUDEDIR),$(HEADERS)) $(call into,644,$(INCLUDEDIR)/hlo,$(wildcard include/hlo/*.h)) \
    $(call into,644,$(LIBDIR),build/lib/libhlo.a) \
    $(call into,755,$(LIBDIR),build/lib/$(SHARED) $(MPI_LIBRARY:%=build/lib/%)) \
    link:$(SHARED):$(LIBDIR)/$(SONAME) link:$(SHARED):$(LIBDIR)/libhlo.so \
    made:libhlo.pc:$(PKGCONFIGDIR)/libhlo.pc \
    $(call into,644,$(MANDIR)/man1,$(filter %.1,$(MANUAL_PAGES))) $(call into,644,$(MANDIR)/man7,$(filter %.7,$(MANUAL_PAGES))) \
    $(call into,644,$(BASHDIR),$(BASH_COMPLETIONS)) $(call into,644,$(ZSHDIR),$(ZSH_COMPLETIONS)) $(call into,644,$(FISHDIR),$(FISH_COMPLETIONS)) \
    $(call below,$(DOCDIR),$(DOCUMENTS))

# In terms of prefix where they are below it, so that `pkg-config --define-variable=prefix=...` moves them.
of_prefix = $(patsubst $(PREFIX)/%,$${prefix}/%,$(1))
define write_pc
sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(call of_prefix,$(LIBDIR))|' -e 's|@INCLUDEDIR@|$(call of_prefix,$(INCLUDEDIR))|' \
    -e 's|@VERSION@|$(VERSION)|' -e 's|@LIBS@|$(filter-out -ljansson -lz -lzstd,$(LDLIBS))|' packaging/libhlo.pc.in > '$(DESTDIR)$(PKGCONFIGDIR)/libhlo.pc'
endef

# ---- targets ----
.PHONY: install uninstall

# Debugging information is nearly half of a program. `make install STRIP=:` keeps it.
install: all man completions ## install below PREFIX (/usr/local), or where BINDIR, LIBDIR, ... say; DESTDIR for packagers
	@printf '%s\n' $(INSTALLED) | tools/install-files install "$(DESTDIR)"
	umask 022; $(write_pc)
	$(STRIP) $(PROGRAMS:%='$(DESTDIR)'$(BINDIR)/%)
	$(STRIP) --strip-unneeded '$(DESTDIR)'$(LIBDIR)/$(SHARED) $(MPI_LIBRARY:%='$(DESTDIR)'$(LIBDIR)/%)
	$(STRIP) --strip-debug '$(DESTDIR)'$(LIBDIR)/libhlo.a

uninstall: MPI_LIBRARY = libhlo-mpi.so
uninstall: ## remove what install put there
	@printf '%s\n' $(INSTALLED) | tools/install-files remove "$(DESTDIR)" $(DOCDIR) $(INCLUDEDIR)/hlo
