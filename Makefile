# libhlo and its programs. GNU make, no configure step; everything that is made goes to build/.
# `make help` lists the targets, docs/architecture.md describes the folders.

ifeq ($(origin CC),default)
CC = gcc
endif
CLANG   ?= clang
# For tools of the build that run where it does.
HOST_CC ?= $(if $(filter $(shell uname -m)%,$(MACHINE)),$(CC),cc)
# Lines and inlined functions, which backtraces show. Variables too (`make CFLAGS='-O2 -g'`) take a sixth of the time more, and three times the size.
CFLAGS  ?= -O2 -g1
# -Werror: warnings are errors (.ci/run). Not for users, whose compiler may be newer than the sources.
WERROR  ?=
BISON   ?= bison
RE2C    ?= re2c
FUZZ_SECONDS ?= 60

VERSION := $(shell sed -n 's/^\#define HLO_VERSION "\(.*\)"/\1/p' include/hlo/version.h)
SONAME  := libhlo.so.$(firstword $(subst ., ,$(VERSION)))

# Without a compiler, before `make deps`, the machine is that of uname.
MACHINE := $(or $(shell $(CC) -dumpmachine 2>/dev/null),$(shell uname -m))

# $(call is_clang,COMPILER): by its macros, since the name need not show it.
is_clang = $(filter 1,$(shell echo __clang__ | $(1) -E -P -x c - 2>/dev/null))
# Products and sums are not contracted, as by gcc under -std=c11; valgrind 3.19 reads no DWARF 5 of clang; enumerators are numbers.
CLANG_ONLY := -ffp-contract=off -fdebug-default-version=4 -Wno-enum-float-conversion
CC_ONLY := $(if $(call is_clang,$(CC)),$(CLANG_ONLY))

# What `make deps` installs on Debian and its relatives; what `make deps-mpi` and `make deps-dev` (lint and fuzz) add.
# A release tarball has what re2c and Bison make (`make dist`).
PREGENERATED := $(wildcard generated)
GENERATORS := bison re2c
PACKAGES := gcc libc6-dev $(if $(PREGENERATED),,$(GENERATORS)) libjansson-dev libzip-dev zlib1g-dev libzstd-dev liblapacke-dev bats jq graphviz pkg-config
BROWSER_PACKAGES := chromium python3
CLANG_PACKAGES := clang
MPI_PACKAGES := libopenmpi-dev openmpi-bin
DEVELOPER_PACKAGES := g++ $(CLANG_PACKAGES) libclang-rt-dev clang-format clang-tidy cppcheck shellcheck valgrind

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes \
            -Wmissing-prototypes -Wvla $(WERROR)
# Bison's skeleton converts freely between integer types.
GENERATED_WARNINGS := $(WARNINGS) -Wno-conversion
HLO_CFLAGS := -std=c11 -D_GNU_SOURCE -fPIC -fvisibility=hidden -fno-common -fno-math-errno \
              -fno-trapping-math
# Stacks of threads, for musl: it takes their size from the file, and 128 KiB otherwise.
override LDFLAGS += -Wl,-z,stack-size=8388608
LDLIBS += -ljansson -lz -lzstd -lm
# Archives load libzip when there is one: the soname of the one to compile with.
LIBZIP = $(shell objdump -p "$$($(CC) -print-file-name=libzip.so)" | sed -n 's/.*SONAME *//p')

# What hlo-run shows to the libraries that it loads for custom calls.
%/bin/hlo-run: FOR_LIBRARIES = -Wl,--export-dynamic-symbol=XlaCustomCallStatusSet*

# ---- what there is to compile ----
LIBRARY_SOURCES := $(sort $(shell find src -name '*.c' -not -path '*/stencils/*' -not -path '*/mpi/*'))
GENERATED_C := build/gen/hlo_scan.c build/gen/hlo_grammar.c build/gen/mlir_scan.c build/gen/mlir_grammar.c build/gen/rule_examples.c build/gen/op_examples.c build/gen/page_assets.c build/gen/stat_assets.c build/gen/stencils.c
GENERATED_H := build/gen/hlo_grammar.h build/gen/hlo_conditions.h build/gen/mlir_grammar.h
PROGRAMS := $(basename $(notdir $(wildcard cmd/hlo-*.c)))
# Every other file of cmd/ is shared by the programs: an archive, so that each gets only what it calls, and starts
# without the evaluator when it runs nothing.
PROGRAM_PARTS := $(filter-out cmd/hlo-%.c,$(wildcard cmd/*.c)) build/gen/completion_scripts.c
UNIT_TESTS := $(basename $(notdir $(wildcard tests/unit/*.c)))
# Judges that the BATS suites call; they know nothing of libhlo.
TEST_TOOLS := $(basename $(notdir $(wildcard tests/tools/*.c))) hlo-generate hlo-rebuild hlo-xla-builder golden_run run_ways faults program-faults faults-shim.so respell differential
GENERATOR_PARTS := $(wildcard tests/generator/*.c)
REBUILD_PARTS := $(wildcard tests/rebuild/*.c)
XLA_BUILDER_PARTS := $(wildcard tests/xla_builder/*.c)
FAULTS_PARTS := $(wildcard tests/faults/*.c)
RESPELL_PARTS := $(wildcard tests/respell/*.c)
# The driver makes its files as the calls of the library do; the shim is loaded into the programs.
PROGRAM_FAULTS_PARTS := $(filter-out %/shim.c,$(wildcard tests/faults/programs/*.c)) tests/faults/files.c
CHECKED_MODULES := $(filter-out %/generate.c %/shrink.c,$(GENERATOR_PARTS)) tests/check_passes/cases.c tests/check_passes/values.c tests/check_passes/workers.c
CHECK_PASSES_PARTS := $(sort $(wildcard tests/check_passes/*.c) $(CHECKED_MODULES) tests/differential/losses.c)
CHECK_ENGINES_PARTS := tests/check_engines/check_engines.c $(CHECKED_MODULES)
DIFFERENTIAL_PARTS := $(wildcard tests/differential/*.c) tests/fuzz/mutator.c tests/fuzz/accepted.c \
    $(filter-out %/generate.c %/shrink.c,$(GENERATOR_PARTS))
FUZZ_TARGETS := $(filter-out replay mutator accepted,$(basename $(notdir $(wildcard tests/fuzz/*.c))))
# Targets of texts that are modules.
FUZZ_MUTATED := run passes dialect
TEST_PROGRAMS := $(UNIT_TESTS) check_passes check_engines $(FUZZ_TARGETS:%=fuzz-%)
EXAMPLES := $(basename $(notdir $(wildcard examples/*.c)))
BENCH_PARTS := bench/measure.c
BENCH_PROGRAMS := $(basename $(notdir $(filter-out $(BENCH_PARTS),$(wildcard bench/*.c))))
C_FILES = $(shell find src include cmd tests bench examples -name '*.[ch]')

.DEFAULT_GOAL := all
.SECONDARY:
.DELETE_ON_ERROR:
.SUFFIXES:

# `make demo` and `make test` start from a bare system: there, nothing may run before `deps`, and all
# processors build where no -j states how many.
ifneq ($(filter demo test,$(MAKECMDGOALS)),)
AFTER_DEPS := deps
MAKEFLAGS += -j$(shell nproc)
endif

ifeq ($(V),)
Q := @
say = @printf '  %-6s %s\n' $(1) '$(2)';
endif

# ---- generated sources ----
# $(call pregenerated,FILES): takes them from the release tarball, unless the grammar has been changed since.
pregenerated = $(if $(PREGENERATED),[ ! $< -nt generated/$(firstword $(1)) ] && cp $(1:%=generated/%) $(@D) ||)
build/gen/hlo_scan.c build/gen/hlo_conditions.h &: grammar/hlo.re | $(AFTER_DEPS)
	@mkdir -p $(@D)
	$(call say,RE2C,$<)$(call pregenerated,hlo_scan.c hlo_conditions.h) $(RE2C) -W $(WERROR) -i --no-generation-date --conditions \
	    --type-header build/gen/hlo_conditions.h -o build/gen/hlo_scan.c $<

build/gen/mlir_scan.c: grammar/mlir.re | $(AFTER_DEPS)
	@mkdir -p $(@D)
	$(call say,RE2C,$<)$(call pregenerated,mlir_scan.c) $(RE2C) -W $(WERROR) -i --no-generation-date -o $@ $<

# $(call grammar,NAME): grammar/NAME.y by Bison, as build/gen/PREFIX_grammar.c and .h.
define grammar
build/gen/$(1)_grammar.c build/gen/$(1)_grammar.h &: grammar/$(1).y | $$(AFTER_DEPS)
	@mkdir -p $$(@D)
	$$(call say,BISON,$$<)$$(call pregenerated,$(1)_grammar.c $(1)_grammar.h) $$(BISON) -Wall $$(WERROR) -Wcounterexamples \
	    --header=build/gen/$(1)_grammar.h -o build/gen/$(1)_grammar.c $$<
endef
$(eval $(call grammar,hlo))
$(eval $(call grammar,mlir))

# Tables of texts: the programs that write them have one way to quote.
C_STRINGS := awk -f tools/c-string.awk -f

# What hlo-verify --explain shows.
build/gen/rule_examples.c: tools/c-string.awk tools/rule-examples docs/evidence/operation-semantics.tsv $(sort $(wildcard docs/rules/*.hlo)) | $(AFTER_DEPS)
	@mkdir -p $(@D)
	$(call say,AWK,$@)$(C_STRINGS) $(wordlist 2,$(words $^),$^) > $@

build/gen/op_examples.c: tools/c-string.awk tools/op-examples $(sort $(wildcard docs/ops/*.hlo)) | $(AFTER_DEPS)
	@mkdir -p $(@D)
	$(call say,AWK,$@)$(C_STRINGS) $(wordlist 2,$(words $^),$^) > $@

# What --completion prints, in the order of COMPLETION_SHELLS.
build/gen/completion_scripts.c: tools/c-string.awk tools/embed-texts cmd/shells/hlo.bash cmd/shells/hlo.zsh cmd/shells/hlo.fish | $(AFTER_DEPS)
	@mkdir -p $(@D)
	$(call say,AWK,$@)$(C_STRINGS) tools/embed-texts completion_scripts $(filter cmd/%,$^) > $@

# What pages of hlo-dot and of hlo-stat have in common.
.SECONDEXPANSION:
PAGES_page := src/graph/html
PAGES_stat := src/stat
build/gen/page_assets.c build/gen/stat_assets.c: build/gen/%_assets.c: tools/c-string.awk tools/page-assets $$(PAGES_$$*)/page.html $$(sort $$(wildcard $$(PAGES_$$*)/*.css $$(PAGES_$$*)/*.js)) | $(AFTER_DEPS)
	@mkdir -p $(@D)
	$(call say,AWK,$@)$(C_STRINGS) tools/page-assets kind=$* $(PAGES_$*)/page.html > $@

# Stencils of the code generator (src/eval/codegen): compiled for no place, then cut out of the objects. They leave
# registers alone that the generator keeps values in, which only gcc can do, and never run as they are. The objects
# are whole programs, so that nothing but stencils is compiled. Where CC is clang, a gcc for the same machine makes them, if there is one. STENCIL_CC= and other machines, and programs that are built
# on one machine for another: the table is empty, loops are interpreted.
ifeq ($(origin STENCIL_CC),undefined)
STENCIL_CC := $(if $(CC_ONLY),$(if $(call is_clang,gcc),,$(if $(filter x86_64-%,$(shell gcc -dumpmachine 2>/dev/null)),gcc)),$(CC))
endif
STENCILS := $(and $(filter x86_64%,$(MACHINE)),$(filter x86_64,$(shell uname -m)),$(STENCIL_CC),$(if $(call is_clang,$(STENCIL_CC)),,yes))
STENCIL_PARTS := integer float compare
STENCIL_OBJECTS := $(if $(STENCILS),$(STENCIL_PARTS:%=build/stencils/lanes_%.o) build/stencils/stencils.o)
STENCIL_KEPT := rbx rbp r8 r9 r10 r11 r12 r13 r14 r15 xmm6 xmm7 xmm8 xmm9 xmm10 xmm11 xmm12 xmm13 xmm14 xmm15
STENCIL_FLAGS := -std=c11 -D_GNU_SOURCE -O2 -fno-pic -mno-red-zone -fno-stack-protector -fcf-protection=none \
    -fno-asynchronous-unwind-tables -ffunction-sections -fomit-frame-pointer -fno-jump-tables -fno-math-errno -fno-trapping-math \
    -fno-reorder-blocks-and-partition -mpreferred-stack-boundary=3 -fwhole-program $(STENCIL_KEPT:%=-ffixed-%)
STENCIL_COMPILE = $(STENCIL_CC) $(STENCIL_FLAGS) $(WARNINGS) -Iinclude -Isrc -include eval/codegen/stencils/stencil.h
build/stencils/%.o: src/eval/kernels/elementwise/%.c build/flags | $(AFTER_DEPS)
	@mkdir -p $(@D)
	$(call say,CC,$< stencils)$(STENCIL_COMPILE) -MMD -MP -c $< -o $@
build/stencils/%.o: src/eval/codegen/stencils/%.c build/flags | $(AFTER_DEPS)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(STENCIL_COMPILE) -MMD -MP -c $< -o $@
build/stencils/cut_stencils: tools/cut_stencils.c build/flags | $(AFTER_DEPS)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(HOST_CC) -std=c11 -O1 $(WARNINGS) $< -o $@
build/gen/stencils.c: build/stencils/cut_stencils $(STENCIL_OBJECTS)
	@mkdir -p $(@D)
	$(call say,CUT,$@)build/stencils/cut_stencils $(STENCIL_OBJECTS) > $@
	@$(if $(STENCILS),,echo '  NOTE   no stencils (docs/packaging.md): hlo-run interprets all loops')
-include $(wildcard build/stencils/*.d)

# ---- what objects depend on beside their sources ----
# Rewritten only when the text changes: other flags recompile, a removed source archives again.
COMPILE = $(CC) $(CC_ONLY) $(STENCIL_CC) $(STENCIL_FLAGS) $(HLO_CFLAGS) $(WARNINGS) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(DEBUG) $(ASAN) $(TSAN) $(CLANG) $(CLANG_ONLY) $(FUZZ)
quoted = '$(subst ','\'',$(1))'
build/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' $(call quoted,$(COMPILE)) | cmp -s - $@ || printf '%s\n' $(call quoted,$(COMPILE)) > $@
build/sources: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' $(LIBRARY_SOURCES) | cmp -s - $@ || printf '%s\n' $(LIBRARY_SOURCES) > $@
FORCE:

# ---- one way to compile everything ----
# $(call variant,FOLDER,COMPILER,EXTRA FLAGS,FLAGS OF CLANG): objects, the static library, programs and test programs
# below FOLDER. The plain build, the sanitizers, clang's and the fuzzer are the same rules with other flags.
LIBRARY_OBJECTS = $(LIBRARY_SOURCES:%.c=$(1)/obj/%.o) $(GENERATED_C:%.c=$(1)/obj/%.o) \
    $(foreach isa,$(ISAS),$(ISA_SOURCES:%.c=$(1)/obj/%.$(isa).o))
# Compiled once more for each instruction set that processors of this kind may have: lanes_isa.h. No products and sums
# are contracted, as elsewhere: results are the same bits. Only matrix products do it (FUSED).
ISAS := $(if $(filter x86_64%,$(MACHINE)),avx2 avx512)
ISA_SOURCES := src/eval/kernels/lanes_set.c $(patsubst %,src/eval/kernels/elementwise/lanes_%.c,compare complex convert float integer) $\
    $(wildcard src/eval/kernels/*/*_kernels.c)
ISA_FLAGS_avx2 := -mavx2 -mfma
ISA_FLAGS_avx512 := -mfma -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512
# $(call isa_variant,FOLDER,COMPILER,EXTRA FLAGS,FLAGS OF CLANG,ISA)
define isa_variant
$(1)/obj/src/eval/kernels/%.$(5).o: src/eval/kernels/%.c build/flags | $$(GENERATED_H) $$(AFTER_DEPS)
	@mkdir -p $$(@D)
	$$(call say,CC,$$< $(5))$(2) $$(HLO_CFLAGS) $$(WARNINGS) $$(MORE_WARNINGS) $(4) -Iinclude $$(INCLUDES) \
	    $$(CPPFLAGS) $$(CFLAGS) $$(OPTIMISE) $$(FUSED) $(3) $$(ISA_FLAGS_$(5)) -DHLO_ISA=$(5) -MMD -MP -c $$< -o $$@
endef
define variant
$(foreach isa,$(ISAS),$(call isa_variant,$(1),$(2),$(3),$(4),$(isa))
)
$(1)/obj/src/%.o $(1)/obj/build/%.o $(1)/obj/tests/%.o $(1)/obj/bench/%.o: INCLUDES = -Isrc -Ibuild/gen -Itests
$(1)/obj/src/eval/%.o $(1)/obj/src/base/floats.o $(1)/obj/src/parse/%.o $(1)/obj/src/form/%.o $(1)/obj/src/mlir/%.o $(1)/obj/build/gen/hlo_%.o $(1)/obj/build/gen/mlir_%.o: OPTIMISE = -O3
# These mostly call what makes instructions: more than this costs a third of the time again and wins less than a hundredth.
$(patsubst %,$(1)/obj/src/%/%.o,build reduce) $(patsubst %,$(1)/obj/src/passes/%/%.o,autodiff dataflow expand layout tools): OPTIMISE = -O1
# What these two passes of gcc move out of the loops of vector kernels comes back as branches, of which no vectors are made.
$(1)/obj/src/eval/kernels/elementwise/lanes_float%o: OPTIMISE = -O3 $$(if $(4),,-fno-tree-pre -fno-thread-jumps)
# All loops that matter are of vectors as they are written: what the compiler would make of the ends takes a sixth of its time.
$(1)/obj/src/eval/kernels/reduce/fold_kernels%o: OPTIMISE = -O3 -fno-tree-vectorize
# Single sums and differences in turn become fused multiplications in gcc 12, whatever it is told.
$(1)/obj/src/eval/kernels/elementwise/lanes_complex%o: OPTIMISE = -O3 -fno-tree-slp-vectorize
$(1)/obj/src/eval/kernels/gemm/gemm_kernels%o: FUSED = -ffp-contract=fast
# Not CPPFLAGS, which a command line sets as a whole.
$(1)/obj/cmd/hlo-run.o: DEFINES = -DHLO_STENCILS=$(if $(STENCILS),1,0)
$(1)/obj/src/host/zip_sink.o: DEFINES = -DHLO_LIBZIP='"$$(LIBZIP)"'
$(1)/obj/build/%.o: MORE_WARNINGS = $$(GENERATED_WARNINGS)
$(1)/obj/%.o: %.c build/flags | $$(GENERATED_H) $$(AFTER_DEPS)
	@mkdir -p $$(@D)
	$$(call say,CC,$$<)$(2) $$(HLO_CFLAGS) $$(WARNINGS) $$(MORE_WARNINGS) $(4) -Iinclude $$(INCLUDES) \
	    $$(DEFINES) $$(CPPFLAGS) $$(CFLAGS) $$(OPTIMISE) $$(FUSED) $(3) -MMD -MP -c $$< -o $$@
$(1)/lib/libhlo.a: $(call LIBRARY_OBJECTS,$(1)) build/sources
	@mkdir -p $$(@D)
	@rm -f $$@
	$$(call say,AR,$$@)ar rcs $$@ $$(filter %.o,$$^)
$(1)/lib/programs.a: $(PROGRAM_PARTS:%.c=$(1)/obj/%.o) build/sources
	@mkdir -p $$(@D)
	@rm -f $$@
	$$(call say,AR,$$@)ar rcs $$@ $$(filter %.o,$$^)
$(1)/bin/%: $(1)/obj/cmd/%.o $(1)/lib/programs.a $(1)/lib/libhlo.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$(2) $$(CFLAGS) $(3) $$(LDFLAGS) $$^ $$(FOR_LIBRARIES) -Wl,--as-needed $$(LDLIBS) -o $$@
$(1)/tests/%: $(1)/obj/tests/unit/%.o $(1)/lib/libhlo.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$(2) $$(CFLAGS) $(3) $$(LDFLAGS) $$^ -Wl,--as-needed $$(LDLIBS) -o $$@
$(1)/tests/check_passes: $(CHECK_PASSES_PARTS:%.c=$(1)/obj/%.o) $(1)/lib/libhlo.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$(2) $$(CFLAGS) $(3) $$(LDFLAGS) $$^ -Wl,--as-needed $$(LDLIBS) -o $$@
$(1)/tests/check_engines: $(CHECK_ENGINES_PARTS:%.c=$(1)/obj/%.o) $(1)/lib/libhlo.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$(2) $$(CFLAGS) $(3) $$(LDFLAGS) $$^ -Wl,--as-needed $$(LDLIBS) -o $$@
$(1)/tools/differential: $(DIFFERENTIAL_PARTS:%.c=$(1)/obj/%.o) $(1)/lib/libhlo.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$(2) $$(CFLAGS) $(3) $$(LDFLAGS) $$^ -Wl,--as-needed $$(LDLIBS) -o $$@
$(1)/tools/hlo-generate: $(GENERATOR_PARTS:%.c=$(1)/obj/%.o) $(1)/lib/libhlo.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$(2) $$(CFLAGS) $(3) $$(LDFLAGS) $$^ -Wl,--as-needed $$(LDLIBS) -o $$@
$(1)/tools/hlo-rebuild: $(REBUILD_PARTS:%.c=$(1)/obj/%.o) $(1)/lib/libhlo.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$(2) $$(CFLAGS) $(3) $$(LDFLAGS) $$^ -Wl,--as-needed $$(LDLIBS) -o $$@
$(1)/tools/hlo-xla-builder: $(XLA_BUILDER_PARTS:%.c=$(1)/obj/%.o) $(1)/lib/libhlo.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$(2) $$(CFLAGS) $(3) $$(LDFLAGS) $$^ -Wl,--as-needed $$(LDLIBS) -o $$@
$(1)/tools/golden_run: $(1)/obj/tests/golden/golden_run.o $(1)/lib/libhlo.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$(2) $$(CFLAGS) $(3) $$(LDFLAGS) $$^ -Wl,--as-needed $$(LDLIBS) -o $$@
$(1)/tools/run_ways: $(1)/obj/tests/check_engines/run_ways.o $(1)/lib/libhlo.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$(2) $$(CFLAGS) $(3) $$(LDFLAGS) $$^ -Wl,--as-needed $$(LDLIBS) -o $$@
$(1)/tools/faults: $(FAULTS_PARTS:%.c=$(1)/obj/%.o) $(1)/lib/libhlo.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$(2) $$(CFLAGS) $(3) $$(LDFLAGS) $$^ -Wl,--as-needed $$(LDLIBS) -o $$@
$(1)/tools/respell: $(RESPELL_PARTS:%.c=$(1)/obj/%.o)
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$(2) $$(CFLAGS) $(3) $$(LDFLAGS) $$^ $$(LDLIBS) -o $$@
$(1)/tools/program-faults: $(PROGRAM_FAULTS_PARTS:%.c=$(1)/obj/%.o) $(1)/lib/libhlo.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$(2) $$(CFLAGS) $(3) $$(LDFLAGS) $$^ -Wl,--as-needed $$(LDLIBS) -o $$@
$(1)/tools/faults-shim.so: $(1)/obj/tests/faults/programs/shim.o
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$(2) -shared $$(CFLAGS) $(3) $$(LDFLAGS) $$^ -ldl -o $$@
$(1)/tools/expansion_dump: $(1)/obj/tests/tools/expansion_dump.o $(1)/lib/libhlo.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$(2) $$(CFLAGS) $(3) $$(LDFLAGS) $$^ -Wl,--as-needed $$(LDLIBS) -o $$@
$(1)/tools/%: $(1)/obj/tests/tools/%.o
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$(2) $$(CFLAGS) $(3) $$(LDFLAGS) $$^ -ljansson $$(LDLIBS) -o $$@
$(1)/tests/fuzz-%: $(1)/obj/tests/fuzz/%.o $(1)/obj/tests/fuzz/replay.o $(1)/lib/libhlo.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$(2) $$(CFLAGS) $(3) $$(LDFLAGS) $$(filter %.o,$$^) $$(filter %.a,$$^) -Wl,--as-needed $$(LDLIBS) -o $$@
$(1)/examples/%: $(1)/obj/examples/%.o $(1)/lib/libhlo.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$(2) $$(CFLAGS) $(3) $$(LDFLAGS) $$^ -Wl,--as-needed $$(LDLIBS) -o $$@
$(1)/bench/%: $(1)/obj/bench/%.o $(BENCH_PARTS:%.c=$(1)/obj/%.o) $(1)/lib/libhlo.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$(2) $$(CFLAGS) $(3) $$(LDFLAGS) $$^ -Wl,--as-needed $$(LDLIBS) -o $$@
$(FUZZ_MUTATED:%=$(1)/tests/fuzz-%): $(1)/obj/tests/fuzz/mutator.o
$(1)/tests/fuzz-run $(1)/tests/fuzz-passes: $(1)/obj/tests/fuzz/accepted.o
-include $(patsubst %.o,%.d,$(call LIBRARY_OBJECTS,$(1)))
-include $(patsubst %.c,$(1)/obj/%.d,$(wildcard cmd/*.c tests/unit/*.c tests/tools/*.c tests/generator/*.c tests/golden/*.c tests/check_passes/*.c tests/check_engines/*.c tests/differential/*.c tests/fuzz/*.c tests/faults/*.c tests/faults/programs/*.c tests/rebuild/*.c tests/respell/*.c tests/xla_builder/*.c bench/*.c examples/*.c))
endef

# The plain build judges warnings; sanitizers bring false ones of their own. HLO_DEBUG: assertions (src/base/assert.h).
DEBUG := -O1 -Wno-error -DHLO_DEBUG
ASAN := $(DEBUG) -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
TSAN := $(DEBUG) -fsanitize=thread
FUZZ := $(DEBUG) -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
$(eval $(call variant,build,$$(CC),,$$(CC_ONLY)))
$(eval $(call variant,build/debug,$$(CC),$$(DEBUG),$$(CC_ONLY)))
$(eval $(call variant,build/asan,$$(CC),$$(ASAN),$$(CC_ONLY)))
$(eval $(call variant,build/tsan,$$(CC),$$(TSAN),$$(CC_ONLY)))
$(eval $(call variant,build/clang,$$(CLANG),-O1,$$(CLANG_ONLY)))
$(eval $(call variant,build/fuzz,$$(CLANG),$$(FUZZ),$$(CLANG_ONLY)))

$(FUZZ_MUTATED:%=build/fuzz/fuzz-%): build/fuzz/obj/tests/fuzz/mutator.o
build/fuzz/fuzz-run build/fuzz/fuzz-passes: build/fuzz/obj/tests/fuzz/accepted.o
build/fuzz/fuzz-%: build/fuzz/obj/tests/fuzz/%.o build/fuzz/lib/libhlo.a
	$(call say,LINK,$@)$(CLANG) $(CFLAGS) $(FUZZ) -fsanitize=fuzzer $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) -Wl,--as-needed $(LDLIBS) -o $@

# The library shows what include/hlo.h marks and nothing else.
build/lib/libhlo.so.$(VERSION): $(call LIBRARY_OBJECTS,build) build/sources src/api/libhlo.map
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) -shared -Wl,-soname,$(SONAME) -Wl,--no-undefined -Wl,--version-script=src/api/libhlo.map $(CFLAGS) $(LDFLAGS) \
	    $(filter %.o,$^) -Wl,--as-needed $(LDLIBS) -o $@
build/lib/$(SONAME) build/lib/libhlo.so: build/lib/libhlo.so.$(VERSION)
	@ln -sf $(<F) $@

# What connects processes that mpirun starts: a library of its own, made where MPI's headers are (`make deps-mpi`).
MPICC ?= mpicc
MPI_FLAGS = $(filter-out $(firstword $(MPI_SHOWN)),$(MPI_SHOWN))
MPI_SHOWN := $(shell $(MPICC) --showme 2>/dev/null || $(MPICC) -show 2>/dev/null)
MPI_LIBRARY := $(if $(MPI_SHOWN),libhlo-mpi.so)
define mpi_library
$(1)/lib/libhlo-mpi.so: src/eval/comm/mpi/transport.c src/eval/comm/transport.h build/flags
	@mkdir -p $$(@D)
	$$(call say,CC,$$<)$(2) -shared $$(HLO_CFLAGS) $$(WARNINGS) $(4) -Isrc $$(CPPFLAGS) $$(CFLAGS) $(3) $$(LDFLAGS) $$< $$(MPI_FLAGS) -o $$@
endef
$(eval $(call mpi_library,build,$$(CC),,$$(CC_ONLY)))
$(eval $(call mpi_library,build/debug,$$(CC),$$(DEBUG),$$(CC_ONLY)))
$(eval $(call mpi_library,build/asan,$$(CC),$$(ASAN),$$(CC_ONLY)))
$(eval $(call mpi_library,build/tsan,$$(CC),$$(TSAN),$$(CC_ONLY)))
$(eval $(call mpi_library,build/clang,$$(CLANG),-O1,$$(CLANG_ONLY)))

# ---- targets ----
.PHONY: all deps deps-mpi deps-dev deps-clang deps-browser demo test tests test-changed docs check-debug check-asan check-tsan check-clang check-control-flow check-passes check-engines check-valgrind check-whole check-nightly check-math check-faults check-faults-api check-browser check-oracle fuzz fuzz-differential bench bench-peer bench-dumps bench-exchanges bench-diff bench-passes bench-compare man completions format lint clean help FORCE

all: $(PROGRAMS:%=build/bin/%) build/lib/libhlo.a build/lib/$(SONAME) build/lib/libhlo.so $(MPI_LIBRARY:%=build/lib/%) ## build the programs and the library (build/bin, build/lib)

deps: ## install the Debian packages that are missing, as root or by sudo
	@tools/install-packages $(PACKAGES)

deps-mpi: ## install what the library for MPI is made with: hlo-run under mpirun
	@tools/install-packages $(MPI_PACKAGES)

deps-dev: ## install what lint, format and fuzz need besides
	@tools/install-packages $(PACKAGES) $(DEVELOPER_PACKAGES)

deps-clang: ## install what check-clang compiles with
	@tools/install-packages $(CLANG_PACKAGES)

deps-browser: ## install what tests of pages drive: a browser
	@tools/install-packages $(BROWSER_PACKAGES)

demo: deps all ## install, build, and take a real module through the four programs
	@examples/demo.sh build/bin build/demo

tests: all $(TEST_PROGRAMS:%=build/tests/%) $(TEST_TOOLS:%=build/tools/%) $(EXAMPLES:%=build/examples/%) ## build the programs of the suites, which tests/run-all.sh runs

test: deps tests ## install, build, and run every test
	@tests/run-all.sh build

# SINCE: a commit; the last one in common with upstream/main, or HEAD.
test-changed: tests ## the tests of what changed since the commit SINCE
	@suites=$$(tests/changed.sh $(SINCE)); case $$suites in \
	'') echo "nothing has changed" ;; all) tests/run-all.sh build ;; *) tests/run-all.sh build $$suites ;; esac

# Cases that lie packed, as files, for suites to read: what they write goes elsewhere. $(call whole,COMMAND): a folder that is
# there whole or not at all, by COMMAND, which fills $@.new.
whole = @rm -rf $@.new $@.old && mkdir -p $@.new && $(1) && touch $@.new && { [ ! -e $@ ] || mv $@ $@.old; } && mv $@.new $@ && rm -rf $@.old
OPTIMISED := jax sharded models bench
CASES := $(patsubst %,build/cases/%,verify golden control_flow element_types $(OPTIMISED:%=optimised/%))
build/cases/verify: tests/verify/unpack $(wildcard tests/verify/cases/* tests/verify/cases/*/*.hlo)
	$(call whole,tests/verify/unpack $@.new)
build/cases/golden: tests/golden/ops $(wildcard tests/golden/ops/*.tar.gz)
build/cases/control_flow: tests/flow/control_flow/cases.tar.gz
build/cases/element_types: tests/ops/cases.tar.gz
$(OPTIMISED:%=build/cases/optimised/%): build/cases/optimised/%: tests/optimised/%.tar.gz
$(filter-out build/cases/verify,$(CASES)): tests/unpack
	$(call whole,tests/unpack $@.new $(filter %.tar.gz,$^))
tests check-debug check-asan check-tsan check-clang fuzz: $(CASES)

check-debug: $(MPI_LIBRARY:%=build/debug/lib/%) $(PROGRAMS:%=build/debug/bin/%) $(TEST_PROGRAMS:%=build/debug/tests/%) $(TEST_TOOLS:%=build/debug/tools/%) $(EXAMPLES:%=build/debug/examples/%) ## every test with assertions
	@HLO_CPU_SECONDS=3600 tests/run-all.sh build/debug

check-asan: $(MPI_LIBRARY:%=build/asan/lib/%) $(PROGRAMS:%=build/asan/bin/%) $(TEST_PROGRAMS:%=build/asan/tests/%) $(TEST_TOOLS:%=build/asan/tools/%) $(EXAMPLES:%=build/asan/examples/%) ## every test under AddressSanitizer and UBSan
	@HLO_CPU_SECONDS=3600 tests/run-all.sh build/asan

# What runs modules, and the threads of hlo-verify; the other suites have none.
TSAN_SUITES := pool_test concurrent_test hundred_threads_test examples. program_test threads. golden. dynamic. custom_calls. lapack. host. data. run_control. permute. verify. $\
    ops/run expanders. loop_passes. generator. proto.bats devices. collective_values. spmd_values. $\
    dataflow. dataflow_test dataflow_trace. swap. control_flow/run control_flow_generated
check-tsan: export HLO_ONE_OF = 6
check-tsan: $(MPI_LIBRARY:%=build/tsan/lib/%) $(PROGRAMS:%=build/tsan/bin/%) $(TEST_PROGRAMS:%=build/tsan/tests/%) $(TEST_TOOLS:%=build/tsan/tools/%) $(EXAMPLES:%=build/tsan/examples/%) ## the tests of what has threads, four of them, under ThreadSanitizer
	@HLO_THREADS=4 HLO_CPU_SECONDS=3600 tests/run-all.sh build/tsan $(TSAN_SUITES)

check-clang: $(MPI_LIBRARY:%=build/clang/lib/%) $(PROGRAMS:%=build/clang/bin/%) $(TEST_PROGRAMS:%=build/clang/tests/%) $(TEST_TOOLS:%=build/clang/tools/%) $(EXAMPLES:%=build/clang/examples/%) $(BENCH_PROGRAMS:%=build/clang/bench/%) ## compile everything by clang too, and test what it may compute otherwise
	@tests/run-all.sh build/clang golden. verify. printing. check_engines rewrites_test

# With the variables that name data outside the project.
OUTSIDE := bash -c '. tests/outside.bash; exec "$$0" "$$@"'

check-control-flow: all build/tools/hlo-generate ## 1,000 generated modules with nested loops and conditionals, by both executors and cut over devices
	@HLO_GENERATED=1000 tests/run-all.sh build control_flow_generated

check-passes: build/tests/check_passes ## every golden case and 2,000 generated modules through every pass and pipeline
	@$(OUTSIDE) build/tests/check_passes --all

check-engines: build/tests/check_engines ## the same modules by both engines, on 1, 2 and 4 threads, with each instruction set and without generated code
	@$(OUTSIDE) build/tests/check_engines --all

check-valgrind: build/tools/golden_run build/cases/golden ## memcheck over every golden case of an operation
	@tests/golden/check-valgrind.sh

SAMPLED = $(shell grep -lrE 'one_of |is_whole|whole [0-9]' tests --include=*.bats --include=run.sh)
check-whole: tests ## the suites that run a sample of their cases, with all of them
	@HLO_ONE_OF=1 tests/run-all.sh build $(SAMPLED)

check-math: build/tests/math_accuracy_test ## errors of the vector kernels of functions, each over 10^8 numbers of f32
	@build/tests/math_accuracy_test 100000000

check-faults: check-faults-api $(PROGRAMS:%=build/bin/%) build/tools/program-faults build/tools/faults-shim.so ## the same, and every call of the system in turn inside each program
	@tests/faults/programs/each_call.sh --verbose

check-faults-api: build/tools/faults ## fail every allocation in turn inside each function of hlo.h
	@tests/faults/run.sh --verbose

# EACH=10: the page of one dump of ten.
EACH ?= 1
check-browser: all ## in a headless Chromium: the suites of tests/browser; pages of real dumps (of one in EACH), and one of 10,000 instructions: errors and times
	@{ if command -v python3 >/dev/null; then \
	    PYTHONDONTWRITEBYTECODE=1 python3 tests/graph/page/measure.py $(CURDIR)/build/bin/hlo-dot \
	        $$($(OUTSIDE) sh -c 'ls "$$HLO_CORPUS"/*.hlo' 2>/dev/null | awk 'NR % $(EACH) == 0'); \
	else echo "skipped: no python3"; echo "0 passed, 0 failed, 1 skipped"; fi; \
	tests/run-all.sh build tests/browser/; } | awk '\
	    /^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$$/ { passed += $$1; failed += $$3; skipped += $$5; sums++; next } \
	    { print; fflush() } \
	    END { failed += 2 - sums; printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped; exit failed > 0 }'

# What `make test` runs a sample of.
WHOLE := check-passes check-engines check-whole check-control-flow check-valgrind check-math check-faults check-browser
check-nightly: all ## everything of which `make test` runs a sample, whole: hours
	@failed=; for target in $(WHOLE); do echo "== $$target"; $(MAKE) --no-print-directory $$target || failed="$$failed $$target"; done; \
	[ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }

ORACLE_PYTHON ?= python3
check-oracle: all build/tools/hlo-generate ## run generated modules by XLA too, where ORACLE_PYTHON has jaxlib
	@$(ORACLE_PYTHON) tests/oracle/check.py build

fuzz: build/bin/hlo-opt $(FUZZ_TARGETS:%=build/fuzz/fuzz-%) ## fuzz each target for FUZZ_SECONDS (60) seconds
	@for target in $(FUZZ_TARGETS); do tests/fuzz/run.sh $$target $(FUZZ_SECONDS) || exit; done

# BUILD=build/asan: with the address and undefined behaviour sanitizers in every object.
TIME ?= 60
BUILD ?= build
fuzz-differential: build/bin/hlo-opt $(BUILD)/tools/differential ## mutate valid modules for TIME (60) seconds and compare engines, threads, passes, forms, executors (BUILD=build/asan: sanitized)
	@tests/differential/fuzz.sh $(BUILD) $(TIME)

bench: all $(BENCH_PROGRAMS:%=build/bench/%) ## measure speed and memory over real dumps, and runs of the bench modules (build/bench/own.tsv)
	@bench/run.sh build
	@$(ORACLE_PYTHON) bench/stablehlo.py build
	@$(ORACLE_PYTHON) bench/modules.py build build/bench/own.tsv --again --seconds=300
	@build/bench/scaling

# A row that stands in the table is not measured again; without a name, in a table beside other builds'.
RESULTS ?= build/bench/peer.tsv
bench-peer: all ## runs of the bench modules beside XLA's, where ORACLE_PYTHON has jaxlib; goes on with RESULTS (build/bench/peer.tsv)
	@mkdir -p $(dir $(RESULTS))
	@$(ORACLE_PYTHON) bench/modules.py build $(RESULTS) --peer --repeats=3

bench-exchanges: all ## collectives between two devices: threads, and processes of LAUNCHER (mpirun -n 2)
	@bench/exchanges.sh build $(LAUNCHER)

DUMPS ?= build/bench/dumps.tsv
bench-dumps: all ## whole dumps from start to result beside XLA's compile and first run, where ORACLE_PYTHON has jaxlib; goes on with DUMPS (build/bench/dumps.tsv)
	@mkdir -p $(dir $(DUMPS))
	@$(ORACLE_PYTHON) bench/dumps.py build $(DUMPS)

LIMIT ?= 10
bench-diff: ## what became slower or larger by more than LIMIT (10) percent between two such tables, OLD=... NEW=...
	@bench/diff.py $(OLD) $(NEW) --limit=$(LIMIT)

bench-passes: all ## sizes that hlo-opt leaves of real dumps, beside XLA's where ORACLE_PYTHON has jaxlib
	@$(ORACLE_PYTHON) bench/passes.py build

OLD ?= ../old/build
bench-compare: all ## time this build and the one in OLD in turn: printing, verifying, passes, runs
	@bench/compare.py $(OLD) build

docs: all ## write the pages that are made from tables: docs/rules.md, dialects.md, diagnostics.md, builder.md, passes.md, all-options.md, ops, evidence/operation-semantics*.md
	@tools/make-docs build/bin docs

# ---- manual pages and completion, for packagers, too ----
MANUAL_PAGES := $(PROGRAMS:%=build/man/%.1) build/man/hlo.7
BASH_COMPLETIONS := $(PROGRAMS:%=build/completions/bash/%)
ZSH_COMPLETIONS := $(PROGRAMS:%=build/completions/zsh/_%)
FISH_COMPLETIONS := $(PROGRAMS:%=build/completions/fish/%.fish)
$(MANUAL_PAGES) &: $(PROGRAMS:%=build/bin/%) tools/make-man docs/man/hlo.7.in
	$(call say,MAN,build/man)tools/make-man build/bin build/man $(PROGRAMS)
$(BASH_COMPLETIONS) $(ZSH_COMPLETIONS) $(FISH_COMPLETIONS) &: $(PROGRAMS:%=build/bin/%) tools/make-completions
	$(call say,SHELLS,build/completions)tools/make-completions build/bin build/completions $(PROGRAMS)
man: $(MANUAL_PAGES) ## write the manual pages (build/man)
completions: $(BASH_COMPLETIONS) $(ZSH_COMPLETIONS) $(FISH_COMPLETIONS) ## write what completes command lines in bash, zsh and fish (build/completions)

include packaging/install.mk
include packaging/release.mk

format: ## lay out all C files by .clang-format
	clang-format -i $(C_FILES)

# Without the checks that take arrays of pointers, tables of macros and memcpy for mistakes.
LINT_CHECKS := -*,bugprone-*,-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier,$\
    -bugprone-sizeof-expression,-bugprone-macro-parentheses,-bugprone-suspicious-memory-comparison,$\
    clang-analyzer-*,-clang-analyzer-security.insecureAPI.*
lint: $(GENERATED_H) ## clang-format, clang-tidy, cppcheck and shellcheck
	clang-format --dry-run --Werror $(C_FILES)
	printf '%s\n' $(LIBRARY_SOURCES) $(wildcard cmd/*.c) | xargs -n 1 -P $$(nproc) sh -c \
	    'clang-tidy --quiet --checks="$$0" --warnings-as-errors="*" "$$1" -- -std=c11 -D_GNU_SOURCE -DHLO_STENCILS=1 -Iinclude -Isrc -Ibuild/gen' \
	    '$(LINT_CHECKS)'
	cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,portability --inline-suppr \
	    -D_GNU_SOURCE -Iinclude -Isrc -Ibuild/gen src cmd
	shellcheck -x .ci/run examples/*.sh tests/*.sh tests/fuzz/*.sh tests/packaging/*.sh bench/*.sh tools/install-* tools/make-dist tools/make-deb

clean: ## remove build/
	rm -rf build

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile packaging/*.mk
