/* A program, or with LIBRARY defined a shared library, whose file carries the kernels. OTHER names
 * a second fatbin with kernels of the same names, which is not loaded. */
#include "carried.h"
#include "unseen.h"

#ifdef OTHER
FATBIN(other, OTHER)
WRAPPER(other)
#endif
FATBIN(kernels, "kernels.fatbin")
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
