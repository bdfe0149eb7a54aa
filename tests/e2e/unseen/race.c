/* A program, or with LIBRARY defined a shared library, whose file carries the kernels. OTHER names
 * a second fatbin with kernels of the same names, which is not loaded, and KERNELS another one than
 * usual that is. */
#include "carried.h"
#include "unseen.h"

#ifdef OTHER
FATBIN(other, OTHER)
WRAPPER(other)
#endif
#ifndef KERNELS
#define KERNELS "kernels.fatbin"
#endif
FATBIN(kernels, KERNELS)
WRAPPER(kernels)

#ifdef LIBRARY
void run(void);
void run(void)
{
	race(&kernels_wrapper);
}
#else
int main(void)
{
	race(&kernels_wrapper);
	return 0;
}
#endif
