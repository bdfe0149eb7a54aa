/* References: the places where loaded objects keep the addresses of functions that others define,
 * which the loader has filled before this library's first code runs.
 *
 * Two kinds of them are changed, so that the program calls what it would have called alone, and
 * what is to be recorded passes by here:
 *
 * - Weak references to functions that only this library has become NULL again (absent.h).
 * - References to functions that agents follow (extensions/agents) become their wrappers. This
 *   library exports none of these: they are there when their library is. So only a place is
 *   changed that has the address of a function of that name, or will have it when the function is
 *   called first, and not where the program, or a library that is preloaded before this one, has a
 *   function of that name itself: it is the first in everybody's scope.
 *
 * Both happen before the program begins, and for a library that it loads by its path when that is
 * done. For others, and for what a library brings with it, it is at the next look-up (dlsym,
 * dlopen, dlclose) after that. What constructors of a library call is not changed yet. Addresses
 * that were looked up are not references (hook/lookup.h).
 */
#pragma once

#include <link.h>
#include <stdbool.h>

/* Changes those of all objects, before the program begins. */
void sc_references_begin(void);
/* More may be loaded from here on; of what binds to its own libraries first only weak references
 * are changed. */
void sc_references_load(bool is_deep);
/* Changes those of the objects that were loaded since the last call. Waits for a load by another
 * thread, as the loader's functions do. Keeps errno. */
void sc_references_settle(void);
/* The object of this handle is loaded, and so are all before it: changes theirs at once, and waits
 * for nobody. NULL: it could not be. Keeps errno. */
void sc_references_loaded(const struct link_map *handle);
/* True if a library that is loaded has a DT_RPATH: then it matters who loads another one, even by
 * its path, since what that needs is searched for there, too. Up to date after a call of settle. */
bool sc_references_have_rpath(void);
/* True if the function that comes after the caller's object in the global scope is not in one that
 * was preloaded before this library, though the caller is. */
bool sc_references_is_next(const char *name, const void *caller);
