/* Jobs of several processes: see world.h. The library with the transport is looked for where the
 * programs and libhlo.so are installed. */
#include "eval/comm/world.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/unwind.h"

#define LIBRARY "libhlo-mpi.so"

/* Variables that mpirun of Open MPI and launchers with PMI set for the processes they start. */
static bool is_started_by_mpi(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
    const char *wanted = getenv("HLO_MPI");
    if (wanted && strcmp(wanted, "0") == 0) return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i])) return true;
    return false;
}

/* ---- the library ---- */

/* The library in a folder beside the object, a file. False: there is none. */
static bool find_beside(const char *object, const char *folder, hlo_buf *path) {
    const char *end = strrchr(object, '/');
    path->len = 0;
    hlo_buf_printf(path, "%.*s%s" LIBRARY, end ? (int)(end - object + 1) : 0, object, folder);
    hlo_buf_char(path, '\0');
    return access(path->data, F_OK) == 0;
}

/* In lib/ beside the program's bin/, beside the object that this code is in, or where the system
 * looks. MPI loads further parts, which need the symbols of the rest. */
static void *open_library(void) {
    Dl_info here;
    char program[4096];
    hlo_buf path = HLO_BUF_INIT;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    bool is_found = find_beside(program, "../lib/", &path) ||
                    (dladdr(LIBRARY, &here) && find_beside(here.dli_fname, "", &path));
    void *library = dlopen(is_found ? path.data : LIBRARY, RTLD_NOW | RTLD_GLOBAL);
    hlo_buf_free(&path);
    return library;
}

static hlo_status cannot_open(hlo_diags *diags, const char *why) {
    hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0},
              "mpirun started this process, and " LIBRARY " cannot be used: %s",
              why ? why : "unknown reason");
    hlo_hint(diags, "`make deps-mpi` and `make` build it; with HLO_MPI=0 each process runs alone");
    return HLO_BAD_SYSTEM;
}

static hlo_transport *open_transport(void *library, const char **problem) {
    hlo_transport_opener *open;
    void *address = dlsym(library, HLO_TRANSPORT_OPEN);
    *problem = "it is not a transport";
    if (!address) return NULL;
    memcpy(&open, &address, sizeof open);
    return open(problem);
}

/* ---- the public functions ---- */

static hlo_world *new_world(hlo_transport *transport, void *library) {
    hlo_world *world = hlo_calloc(1, sizeof *world);
    world->transport = transport;
    world->library = library;
    hlo_arena_init(&world->arena);
    hlo_arena_alloc(&world->arena, 1); /* what it grows by is no run's, as this block is not */
    hlo_arena_keep(&world->arena);
    hlo_shapes_init(&world->shapes, &world->arena);
    return world;
}

hlo_status hlo_world_open(hlo_diags *diags, hlo_world **out) {
    HLO_API_CALL_FOR(diags, out);
    if (!is_started_by_mpi()) return HLO_OK;
    void *library = open_library();
    if (!library) return cannot_open(diags, dlerror());
    const char *problem;
    hlo_transport *transport = open_transport(library, &problem);
    if (!transport) return cannot_open(diags, problem);
    *out = new_world(transport, library);
    return HLO_OK;
}

/* The library stays loaded: what MPI leaves after its end needs its code. */
void hlo_world_close(hlo_world *world) {
    if (!world) return;
    world->transport->close(world->transport);
    hlo_shapes_free(&world->shapes);
    hlo_arena_free(&world->arena);
    hlo_free(world);
}

uint32_t hlo_world_rank(const hlo_world *world) {
    return world ? world->transport->rank : 0;
}

uint32_t hlo_world_size(const hlo_world *world) {
    return world ? world->transport->ranks : 1;
}

hlo_status hlo_world_agree(hlo_world *world, hlo_status own, uint32_t *rank) {
    uint64_t last = UINT32_MAX;
    if (rank) *rank = 0;
    if (!world) return own;
    uint64_t value = (uint64_t)own << 32 | (last - world->transport->rank);
    uint64_t worst = world->transport->agree(world->transport, value);
    if (rank) *rank = (uint32_t)(last - (worst & last));
    return (hlo_status)(worst >> 32);
}

void hlo_world_fail(hlo_world *world, const char *what) {
    fprintf(stderr, "error: there is no %s [system]\n", what);
    hlo_world_stop(world, HLO_BAD_SYSTEM);
}

void hlo_world_stop(hlo_world *world, int status) {
    if (world) world->transport->stop(world->transport, status);
}

/* ---- devices ---- */

uint32_t hlo_world_first_device(const hlo_world *world, uint32_t devices, uint32_t rank) {
    HLO_ASSERT(rank <= world->transport->ranks);
    return (uint32_t)((uint64_t)rank * devices / world->transport->ranks);
}

uint32_t hlo_world_devices_here(const hlo_world *world, uint32_t devices) {
    if (!world) return devices;
    uint32_t rank = world->transport->rank;
    return hlo_world_first_device(world, devices, rank + 1) -
           hlo_world_first_device(world, devices, rank);
}

uint32_t hlo_world_neighbours(const hlo_world *world) {
    return world ? world->transport->neighbours : 1;
}

uint32_t hlo_world_rank_of(const hlo_world *world, uint32_t devices, uint32_t device) {
    HLO_ASSERT(device < devices);
    return (uint32_t)(((uint64_t)(device + 1) * world->transport->ranks - 1) / devices);
}
