/* How much memory a process may take: files as Linux has them, in a folder of the test's own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/machine.h"

static int passed, failed;
static char root[64];

static void write_file(const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s%s", root, name);
    for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(path, 0777);
        *at = '/';
    }
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

static void remove_all(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    if (system(command) != 0) exit(1);
}

static void start(void) {
    strcpy(root, "/tmp/machine_test-XXXXXX");
    if (!mkdtemp(root)) exit(1);
    write_file("/proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable:    8000000 kB\n");
}

static void expect(const char *what, uint64_t wanted) {
    uint64_t got = hlo_available_memory(root);
    if (got == wanted) {
        passed++;
    } else {
        failed++;
        printf("failed: %s: %llu instead of %llu\n", what, (unsigned long long)got,
               (unsigned long long)wanted);
    }
    remove_all();
}

enum { ALL = 8000000 };
#define KIB(n) ((uint64_t)(n)*1024)

static void test_version_2(void) {
    start();
    expect("a machine without groups", KIB(ALL));
    start();
    write_file("/proc/self/cgroup", "0::/a/b\n");
    write_file("/sys/fs/cgroup/a/b/memory.max", "max\n");
    expect("version 2 without a limit", KIB(ALL));
    start();
    write_file("/proc/self/cgroup", "0::/a/b\n");
    write_file("/sys/fs/cgroup/a/b/memory.max", "1000000\n");
    write_file("/sys/fs/cgroup/a/b/memory.current", "400000\n");
    write_file("/sys/fs/cgroup/a/b/memory.stat", "anon 1\ninactive_file 100000\nfile 9\n");
    expect("the limit less what is used, but for what can be given back", 700000);
    start();
    write_file("/proc/self/cgroup", "0::/a/b\n");
    write_file("/sys/fs/cgroup/a/b/memory.max", "max\n");
    write_file("/sys/fs/cgroup/a/memory.max", "500000\n");
    write_file("/sys/fs/cgroup/a/memory.current", "600000\n");
    expect("a group around it, which is full", 0);
    start();
    write_file("/proc/self/cgroup", "0::/\n");
    write_file("/sys/fs/cgroup/memory.max", "300000\n");
    write_file("/sys/fs/cgroup/memory.current", "0\n");
    expect("a container sees its group as the root", 300000);
}

static void test_version_1(void) {
    start();
    write_file("/proc/self/cgroup", "5:cpu,cpuacct:/\n4:hugetlb,memory:/job/1\n0::/\n");
    write_file("/sys/fs/cgroup/memory/job/1/memory.limit_in_bytes", "2000000\n");
    write_file("/sys/fs/cgroup/memory/job/1/memory.usage_in_bytes", "500000\n");
    write_file("/sys/fs/cgroup/memory/job/1/memory.stat",
               "inactive_file 5\ntotal_inactive_file 200000\n");
    expect("version 1", 1700000);
    start();
    write_file("/proc/self/cgroup", "4:memory:/docker/0123\n");
    write_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "2000000\n");
    expect("version 1 in a container: the path exists outside only", 2000000);
    start();
    write_file("/proc/self/cgroup", "4:memory:/\n3:cpu:/a\n");
    write_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write_file("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1\n");
    expect("version 1 without a limit", KIB(ALL));
}

int main(void) {
    test_version_2();
    test_version_1();
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
