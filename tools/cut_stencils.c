/* cut_stencils OBJECT...: prints the C table of the stencils in x86-64 ELF objects, as
 * src/eval/codegen/stencil_table.h has it. A stencil is a section .text.hlo_stencil_NAME; it may jump
 * to hlo_next_*, and read constants. One that needs anything else, such as a call, is left out. Run
 * by the Makefile; without objects the table is empty. */
#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 32 }; /* in hlo_stencil */

typedef struct {
    const char *path;
    const unsigned char *bytes;
    const Elf64_Shdr *sections;
    const char *section_names;
    const Elf64_Sym *symbols;
    const char *symbol_names;
    unsigned *data_at; /* by section: where its constants are among all */
    unsigned section_count;
} object;

typedef struct {
    unsigned at, data;
    bool is_next;
    int addend;
} hole;

typedef struct {
    const char *name;
    const unsigned char *code;
    unsigned size, hole_count;
    hole *holes;
} stencil;

static stencil *stencils;
static unsigned stencil_count;
static unsigned char *data;
static unsigned data_bytes;

static void *allocate(void *old, size_t bytes) {
    void *memory = realloc(old, bytes ? bytes : 1);
    if (memory) return memory;
    fputs("cut_stencils: out of memory\n", stderr);
    exit(3);
}

static _Noreturn void refuse(const char *path, const char *why) {
    fprintf(stderr, "cut_stencils: %s: %s\n", path, why);
    exit(1);
}

static unsigned char *read_all(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) refuse(path, "cannot be opened");
    unsigned char *bytes = NULL;
    size_t size = 0, n;
    do {
        bytes = allocate(bytes, size + 65536);
        n = fread(bytes + size, 1, 65536, file);
        size += n;
    } while (n);
    fclose(file);
    if (size < sizeof(Elf64_Ehdr)) refuse(path, "is no ELF object");
    return bytes;
}

static const char *section_name(const object *o, unsigned s) {
    return o->section_names + o->sections[s].sh_name;
}

static const char *after_prefix(const char *text, const char *prefix) {
    size_t n = strlen(prefix);
    return strncmp(text, prefix, n) ? NULL : text + n;
}

/* Constants of the object join those of all. The assembler has 16 bytes for one: longer ones, which
 * only wider instruction sets want, are left out, and the stencils with them. */
static void take_data(object *o) {
    for (unsigned s = 0; s < o->section_count; s++) {
        if (!after_prefix(section_name(o, s), ".rodata.cst")) continue;
        if (o->sections[s].sh_entsize > 16) continue;
        unsigned at = (data_bytes + 15) / 16 * 16, size = (unsigned)o->sections[s].sh_size;
        data = allocate(data, at + size);
        memset(data + data_bytes, 0, at - data_bytes);
        memcpy(data + at, o->bytes + o->sections[s].sh_offset, size);
        o->data_at[s] = at;
        data_bytes = at + size;
    }
}

static object open_object(const char *path) {
    object o = {.path = path, .bytes = read_all(path)};
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)o.bytes;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_machine != EM_X86_64 || header->e_type != ET_REL)
        refuse(path, "is no relocatable x86-64 ELF object");
    o.sections = (const Elf64_Shdr *)(o.bytes + header->e_shoff);
    o.section_count = header->e_shnum;
    o.section_names = (const char *)o.bytes + o.sections[header->e_shstrndx].sh_offset;
    o.data_at = allocate(NULL, o.section_count * sizeof *o.data_at);
    memset(o.data_at, 0xff, o.section_count * sizeof *o.data_at);
    for (unsigned s = 0; s < o.section_count; s++) {
        if (o.sections[s].sh_type != SHT_SYMTAB) continue;
        o.symbols = (const Elf64_Sym *)(o.bytes + o.sections[s].sh_offset);
        o.symbol_names = (const char *)o.bytes + o.sections[o.sections[s].sh_link].sh_offset;
    }
    if (!o.symbols) refuse(path, "has no symbols");
    take_data(&o);
    return o;
}

/* Whether the distance is that of a jump: jmp, or one on a condition. */
static bool is_of_jump(const unsigned char *code, unsigned at) {
    if (at >= 1 && code[at - 1] == 0xe9) return true;
    return at >= 2 && code[at - 2] == 0x0f && (code[at - 1] & 0xf0) == 0x80;
}

/* False when the stencil cannot be moved. */
static bool read_hole(const object *o, const unsigned char *code, const Elf64_Rela *from,
                      hole *to) {
    const Elf64_Sym *symbol = &o->symbols[ELF64_R_SYM(from->r_info)];
    unsigned type = (unsigned)ELF64_R_TYPE(from->r_info), section = symbol->st_shndx;
    if (type != R_X86_64_PC32 && type != R_X86_64_PLT32) return false;
    *to = (hole){.at = (unsigned)from->r_offset, .addend = (int)from->r_addend};
    to->is_next = after_prefix(o->symbol_names + symbol->st_name, "hlo_next_");
    if (to->is_next) return to->addend == -4 && is_of_jump(code, to->at);
    if (section >= o->section_count || o->data_at[section] == ~0u) return false;
    to->data = o->data_at[section] + (unsigned)symbol->st_value;
    return true;
}

static bool read_holes(const object *o, unsigned section, stencil *s) {
    for (unsigned r = 0; r < o->section_count; r++) {
        const Elf64_Shdr *relocations = &o->sections[r];
        if (relocations->sh_type != SHT_RELA || relocations->sh_info != section) continue;
        const Elf64_Rela *first = (const Elf64_Rela *)(o->bytes + relocations->sh_offset);
        s->hole_count = (unsigned)(relocations->sh_size / sizeof *first);
        s->holes = allocate(NULL, s->hole_count * sizeof *s->holes);
        for (unsigned i = 0; i < s->hole_count; i++)
            if (!read_hole(o, s->code, &first[i], &s->holes[i])) return false;
    }
    return true;
}

/* A jump at the end to what comes next is nothing. */
static void drop_last_jump(stencil *s) {
    for (unsigned i = 0; i < s->hole_count; i++) {
        if (!s->holes[i].is_next || s->holes[i].at + 4 != s->size) continue;
        if (s->code[s->holes[i].at - 1] != 0xe9) continue;
        s->size -= 5;
        s->holes[i] = s->holes[--s->hole_count];
    }
}

static void cut_object(const char *path) {
    object o = open_object(path);
    unsigned before = stencil_count;
    for (unsigned n = 0; n < o.section_count; n++) {
        stencil s = {.name = after_prefix(section_name(&o, n), ".text.hlo_stencil_")};
        if (!s.name) continue;
        if (strlen(s.name) >= NAME_BYTES) refuse(path, "has a stencil with too long a name");
        s.code = o.bytes + o.sections[n].sh_offset;
        s.size = (unsigned)o.sections[n].sh_size;
        if (!read_holes(&o, n, &s)) continue;
        drop_last_jump(&s);
        stencils = allocate(stencils, (stencil_count + 1) * sizeof *stencils);
        stencils[stencil_count++] = s;
    }
    if (stencil_count == before) refuse(path, "has no stencils; see STENCIL_FLAGS in the Makefile");
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const stencil *)a)->name, ((const stencil *)b)->name);
}

static void print_bytes(const unsigned char *bytes, unsigned n) {
    for (unsigned i = 0; i < n; i++) printf("%s%u,", i % 24 ? "" : "\n    ", bytes[i]);
}

static void print_code(void) {
    puts("const uint8_t hlo_stencil_code[] = {");
    for (unsigned n = 0; n < stencil_count; n++) print_bytes(stencils[n].code, stencils[n].size);
    puts("0};");
}

static void print_holes(void) {
    puts("const hlo_stencil_hole hlo_stencil_holes[] = {");
    for (unsigned n = 0; n < stencil_count; n++)
        for (unsigned i = 0; i < stencils[n].hole_count; i++) {
            const hole *h = &stencils[n].holes[i];
            printf("    {%u, %s, %u, %d},\n", h->at, h->is_next ? "true" : "false", h->data,
                   h->addend);
        }
    puts("    {0, false, 0, 0}};");
}

static void print_stencils(void) {
    unsigned code = 0, holes = 0;
    puts("const hlo_stencil hlo_stencils[] = {");
    for (unsigned n = 0; n < stencil_count; n++) {
        const stencil *s = &stencils[n];
        printf("    {\"%s\", %u, %u, %u, %u},\n", s->name, code, s->size, holes, s->hole_count);
        code += s->size;
        holes += s->hole_count;
    }
    printf("    {\"\", 0, 0, 0, 0}};\nconst uint32_t hlo_stencil_count = %u;\n", stencil_count);
}

static void print_data(void) {
    puts("const uint8_t hlo_stencil_data[] = {");
    print_bytes(data, data_bytes);
    printf("0};\nconst uint32_t hlo_stencil_data_bytes = %u;\n", data_bytes);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) cut_object(argv[i]);
    if (stencil_count) qsort(stencils, stencil_count, sizeof *stencils, by_name);
    puts("/* Written by tools/cut_stencils.c. */\n#include <stdbool.h>\n\n"
         "#include \"eval/codegen/stencil_table.h\"\n");
    print_code();
    print_holes();
    print_stencils();
    print_data();
    return fflush(stdout) || ferror(stdout) ? 3 : 0;
}
