/* The hooks: where entry points of the driver are looked up, wrappers are handed out.
 *
 * dlsym (dlsym.S) and cuGetProcAddress serve exactly the names that are rows of api.def, and only
 * after the real look-up found the function in libcuda. Everything else is passed through.
 */
#ifndef SC_INTERPOSER_CALL_HOOK_H
#define SC_INTERPOSER_CALL_HOOK_H

#include "interposer/driver/cuda.h"

struct sc_hook_lookup {
	void *result;
	void *go; /* tail-jump here instead of returning the result; NULL: return */
};

/* Called by dlsym.S. */
struct sc_hook_lookup sc_hook_dlsym(void *handle, const char *name);
void *sc_hook_dlopen(const char *file, int mode);

#endif
