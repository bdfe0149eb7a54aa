/* A program with the mark of NVIDIA's static CUDA runtime, of which it has nothing else. */
#include <stdio.h>

static const char *volatile mark = "/cudart.shm.%x.%x.%llx";

int main(void)
{
	return puts(mark) < 0;
}
