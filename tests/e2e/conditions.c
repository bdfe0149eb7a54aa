/* Run under the preload library: conditions of the oldest C library must go past its wrappers,
 * whose objects are of another form, and newer ones through them. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

__asm__(".symver old_wait, pthread_cond_wait@GLIBC_2.2.5");
__asm__(".symver old_signal, pthread_cond_signal@GLIBC_2.2.5");
int old_wait(void *condition, void *mutex);
int old_signal(void *condition);

/* Is the function the recorder's? */
static int is_ours(void *function)
{
	Dl_info info;

	return dladdr(function, &info) && strstr(info.dli_fname, "libstreamcheck.so");
}

int main(void)
{
	int old = is_ours((void *)old_wait) || is_ours((void *)old_signal);
	int now = is_ours((void *)pthread_cond_wait) && is_ours((void *)pthread_cond_signal);

	printf("old conditions are %s, new ones %s\n", old ? "ours" : "the C library's",
	       now ? "ours" : "the C library's");
	return old || !now;
}
