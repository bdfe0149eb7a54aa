/* A program that never uses CUDA: prints, writes to stderr, returns 5. With "seeks" it looks for
 * the driver, with "seeks_and_forks" it then has a child that ends before it. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void seek(const char *way)
{
	if (!strncmp(way, "seeks", 5) && dlopen("libcuda.so.1", RTLD_NOW))
		abort();
	if (!strcmp(way, "seeks_and_forks") && !fork())
		exit(0);
	wait(NULL);
}

int main(int argc, char **argv)
{
	char *buffer = malloc(1000);

	memset(buffer, 0, 1000);
	free(buffer);
	seek(argc > 1 ? argv[1] : "");
	puts("plain");
	fputs("plain error\n", stderr);
	return 5;
}
