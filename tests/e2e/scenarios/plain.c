/* A program that never uses CUDA: prints, writes to stderr, returns 5. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	char *buffer = malloc(1000);

	memset(buffer, 0, 1000);
	free(buffer);
	puts("plain");
	fputs("plain error\n", stderr);
	return 5;
}
