/* Calls functions of libraries, whose names are the arguments, as requests on the standard input say. */

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The most arguments of a function, and the bytes after each array that it may read. */
enum { ARGUMENTS = 9, SPARE = 1 << 16 };

static void get(void *to, size_t size)
{
    if (size && fread(to, size, 1, stdin) != 1)
        exit(0);
}

int main(int count, char **files)
{
    void *libraries[count];
    for (int i = 1; i < count; i++) {
        libraries[i] = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
        if (!libraries[i]) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
    }
    for (;;) {
        int64_t library, sizes[ARGUMENTS], values[ARGUMENTS], result;
        char name[32];
        get(&library, sizeof library);
        get(name, sizeof name);
        /* An argument of size -1 is a number, and one of size -2 - i the same as the one at i. Others are arrays. */
        for (int i = 0; i < ARGUMENTS; i++) {
            get(&sizes[i], sizeof sizes[i]);
            if (sizes[i] == -1) {
                get(&values[i], sizeof values[i]);
            } else if (sizes[i] < 0) {
                values[i] = values[-2 - sizes[i]];
            } else {
                size_t room = (sizes[i] + SPARE) / 64 * 64;
                void *array = memset(aligned_alloc(64, room), 0, room);
                get(array, sizes[i]);
                values[i] = (int64_t)array;
            }
        }
        int64_t (*function)(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t) =
            dlsym(libraries[library], name);
        result = function(values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7],
                          values[8]);
        fwrite(&result, sizeof result, 1, stdout);
        for (int i = 0; i < ARGUMENTS; i++) {
            if (sizes[i] >= 0) {
                fwrite((void *)values[i], sizes[i], 1, stdout);
                free((void *)values[i]);
            }
        }
        fflush(stdout);
    }
}
