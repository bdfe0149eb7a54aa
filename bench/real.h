/* The functions of a library itself, even if another library intercepts dlsym. */
#pragma once

/* The function of that name that the loaded library exports, or NULL. `library` is from dlopen. */
void *sc_real_symbol(void *library, const char *name);
