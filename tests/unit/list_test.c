/* Lists that grow: src/base/list.h. */
#include "base/list.h"

#include <stdio.h>

static int passed, failed;

static void check(const char *what, bool good) {
    if (good) passed++;
    else failed++;
    if (!good) fprintf(stderr, "list_test: %s\n", what);
}

typedef struct {
    int64_t a;
    char b;
} item; /* with padding: sizes must not be guessed */

typedef HLO_LIST(item) item_list;

static void test_pushing(void) {
    item_list list = {0};
    bool good = true;
    for (int i = 0; i < 100000; i++) hlo_list_push(&list, (item){i, (char)(i % 100)});
    for (int i = 0; i < 100000; i++) good &= list.v[i].a == i && list.v[i].b == i % 100;
    check("elements stay while the list grows", good && list.n == 100000);
    check("the capacity is at most twice the need", list.capacity < 200000);
    item last = hlo_list_pop(&list);
    check("the last element is removed", last.a == 99999 && list.n == 99999);
    hlo_list_free(&list);
    check("a freed list is empty", !list.v && list.n == 0 && list.capacity == 0);
    hlo_list_push(&list, (item){7, 'x'});
    check("and can be filled again", list.n == 1 && list.v[0].a == 7);
    hlo_list_free(&list);
}

/* An element may be made from the list that it is added to, even when the list moves. */
static void test_elements_of_its_own(void) {
    HLO_LIST(uint32_t) list = {0};
    bool good = true;
    hlo_list_push(&list, 1);
    while (list.n < 1000) hlo_list_push(&list, list.v[list.n - 1] + list.n);
    for (uint32_t i = 1; i < list.n; i++) good &= list.v[i] == list.v[i - 1] + i;
    check("an element made from others", good);
    hlo_list_free(&list);
}

static void test_adding(void) {
    item_list list = {0};
    for (int i = 0; i < 50; i++) *hlo_list_add(&list) = (item){i, 0};
    check("places are filled by the caller", list.n == 50 && list.v[49].a == 49);
    hlo_list_free(&list);
}

static void test_reserving(void) {
    item_list list = {0};
    hlo_list_reserve(&list, 1000);
    item *block = list.v;
    for (int i = 0; i < 1000; i++) hlo_list_push(&list, (item){i, 0});
    check("a list does not move in what was reserved", block && list.v == block && list.n == 1000);
    hlo_list_reserve(&list, 10);
    check("a reserved list does not shrink", list.v == block && list.capacity >= 1000);
    hlo_list_free(&list);
    hlo_list_reserve(&list, 0);
    check("nothing takes no memory", !list.v);
}

static void test_in_an_arena(void) {
    hlo_arena arena;
    hlo_arena_init(&arena);
    item_list list = {0};
    bool good = true;
    for (int i = 0; i < 1000; i++) hlo_list_push_in(&arena, &list, (item){i, (char)(i % 100)});
    for (int i = 0; i < 1000; i++) good &= list.v[i].a == i && list.v[i].b == i % 100;
    check("a list in an arena", good && list.n == 1000 && list.capacity < 2000);
    hlo_arena_free(&arena);
}

int main(void) {
    test_pushing();
    test_elements_of_its_own();
    test_adding();
    test_reserving();
    test_in_an_arena();
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
