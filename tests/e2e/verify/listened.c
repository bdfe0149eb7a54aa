/* Stands for a part of CUDA's runtime, by its file's name: it calls on from one place, or from
 * another, as the runtime does while a tool listens to its calls. */
#include <stddef.h>

__attribute__((visibility("default"))) int fill_by(int (*fill)(void *, int, size_t, void *),
						   void *to, size_t bytes, void *stream,
						   int is_listened)
{
	int result;

	if (is_listened) {
		result = fill(to, 0, bytes, stream);
		__asm__ volatile("nop"); /* else the compiler makes one call of the two */
	} else {
		result = fill(to, 0, bytes, stream);
	}
	return result;
}
