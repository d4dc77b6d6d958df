/* Results of a graph whose parts ran in several processes: see remote.h. */
#include "eval/comm/parcel.h"
#include "flow/remote.h"

/* Every process knows whose each result is. */
static uint32_t rank_of(const hlo_graph *graph, const hlo_world *world, const hlo_node *node) {
    return hlo_world_rank_of(world, graph->device_count, node->device);
}

void hlo_remote_gather(const hlo_graph *graph, hlo_world *world, hlo_value **results) {
    uint32_t own = world->transport->rank;
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        const hlo_node *node = &graph->nodes.v[i];
        uint32_t rank = node->kind == HLO_NODE_RESULT ? rank_of(graph, world, node) : 0;
        if (!rank) continue;
        if (!own) {
            const hlo_posted_parcel posted = hlo_parcel_await(world->transport);
            results[posted.number] = hlo_parcel_take(world->transport, &posted, &world->shapes);
        } else if (rank == own)
            hlo_parcel_post(world->transport, 0, node->number, results[node->number]);
    }
    world->transport->flush(world->transport);
}
