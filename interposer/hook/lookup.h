/* Look-ups: where entry points of the driver are looked up, wrappers are handed out.
 *
 * dlsym (dlsym.S) and cuGetProcAddress serve exactly the names that are rows of api.def, and only
 * after the real look-up found the function in libcuda. Everything else is passed through.
 */
#pragma once

#include "interposer/driver/cuda.h"

struct sc_lookup_answer {
	void *result;
	void *go; /* tail-jump here instead of returning the result; NULL: return */
};

/* Called by dlsym.S. `caller` is an address in the code that asks. */
struct sc_lookup_answer sc_lookup_dlsym(void *handle, const char *name, const void *caller);
/* The real dlopen: `result` is called, and then the next function; or `go`. */
struct sc_lookup_answer sc_lookup_dlopen(const char *file, int mode);
void sc_lookup_dlopened(void *handle);
/* The real dlclose; and what is to be done after it. */
void *sc_lookup_dlclose(void *handle);
void sc_lookup_dlclosed(void);
