/* The real functions: resolved on first use, never through ourselves. */
#include "interposer/core/real.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "interposer/core/loaded_object.h"
#include "interposer/core/message.h"
#include "interposer/core/thread.h"

struct sc_real sc_real;

/* The version nodes under which glibc has exported dlsym. */
static const char *const dlsym_nodes[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};

sc_dlsym_fn *sc_real_dlsym(void)
{
	sc_dlsym_fn *found = atomic_load_explicit(&sc_real.dlsym, memory_order_relaxed);

	for (unsigned i = 0; !found && i < sizeof(dlsym_nodes) / sizeof(dlsym_nodes[0]); i++)
		found = (sc_dlsym_fn *)dlvsym(RTLD_NEXT, "dlsym", dlsym_nodes[i]);
	if (!found) {
		/* Without dlsym no program can run; nothing sensible is left to do. */
		sc_message("this C library has no dlsym that could be found; it is not supported");
		abort();
	}
	atomic_store_explicit(&sc_real.dlsym, found, memory_order_relaxed);
	return found;
}

/* An allocator's library may have its functions under libc's version only (libc_malloc_debug),
 * which a look-up without one does not find, as a program's reference does. Whichever is not libc's
 * comes before libc's. A sanitizer's runtime asks before its own dl_iterate_phdr can be called. */
static void *find_next(const char *name)
{
	void *plain = sc_real_dlsym()(RTLD_NEXT, name), *versioned;
	Dl_info libc, info;

	if (strcmp(name, "free") != 0 && strcmp(name, "realloc") != 0)
		return plain;
	versioned = dlvsym(RTLD_NEXT, name, "GLIBC_2.2.5");
	if (versioned == plain || !versioned || !dladdr((void *)gnu_get_libc_version, &libc) ||
	    !dladdr(versioned, &info))
		return plain;
	return info.dli_fbase == libc.dli_fbase ? plain : versioned;
}

void *sc_real_find(enum sc_real_number number)
{
	static const char *const names[SC_REALS] = {
#define REAL(name) [SC_REAL_##name] = #name,
#include "interposer/core/real_all.def"
#undef REAL
	};
	void *_Atomic *slot = &sc_real.libc[number];
	void *found = atomic_load_explicit(slot, memory_order_relaxed);

	if (found || sc_self.resolving) /* the loader itself called: it must do without */
		return found;
	sc_self.busy++;
	sc_self.resolving = true;
	found = find_next(names[number]);
	sc_self.resolving = false;
	sc_self.busy--;
	atomic_store_explicit(slot, found, memory_order_relaxed);
	return found;
}

/* An allocator that is loaded before libc may come without this function; libc's own would take for
 * a size whatever it finds before the memory of the other allocator. */
static void find_usable_size(void)
{
	if (sc_loaded_object_is_same((void *)SC_REAL(free), (void *)malloc_usable_size))
		sc_real.usable_size = malloc_usable_size;
}

void sc_real_find_all(void)
{
	for (unsigned i = 0; i < SC_REALS; i++)
		sc_real_find((enum sc_real_number)i);
	find_usable_size();
	dlerror(); /* what this libc lacks is no error that the program should see */
}
