/* The functions of a library itself, even if another library intercepts dlsym. */
#ifndef SC_BENCH_REAL_H
#define SC_BENCH_REAL_H

/* The function of that name that the loaded library exports, or NULL. `library` is from dlopen. */
void *sc_real_symbol(void *library, const char *name);

#endif
