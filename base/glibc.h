/* Binds what glibc gave newer versions since 2.28 to the oldest one, so that a recorder that was
 * built on a new system loads on an old one, too. The compiler includes this before every file of
 * which the recorder is made; gates/installed looks at what came of it.
 */
#pragma once

#include <features.h>

/* strtol and its like take 0b101 since 2.38, by other names. */
#undef __GLIBC_USE_C2X_STRTOL
#define __GLIBC_USE_C2X_STRTOL 0
#undef __GLIBC_USE_C23_STRTOL
#define __GLIBC_USE_C23_STRTOL 0

#if defined(__x86_64__)
#define SC_GLIBC_FIRST	"GLIBC_2.2.5"
#define SC_GLIBC_CANCEL "GLIBC_2.3.3"
#elif defined(__aarch64__)
#define SC_GLIBC_FIRST	"GLIBC_2.17"
#define SC_GLIBC_CANCEL "GLIBC_2.17"
#endif

#define SC_GLIBC(name, version) __asm__(".symver " #name "," #name "@" version)

/* These functions were in libdl and libpthread; libc has them since 2.34. */
SC_GLIBC(dladdr, SC_GLIBC_FIRST);
SC_GLIBC(dlclose, SC_GLIBC_FIRST);
SC_GLIBC(dlerror, SC_GLIBC_FIRST);
SC_GLIBC(dlvsym, SC_GLIBC_FIRST);
SC_GLIBC(pthread_attr_getstack, SC_GLIBC_FIRST);
SC_GLIBC(pthread_attr_getstacksize, SC_GLIBC_FIRST);
SC_GLIBC(sem_init, SC_GLIBC_FIRST);
SC_GLIBC(__pthread_register_cancel, SC_GLIBC_CANCEL);
SC_GLIBC(__pthread_unregister_cancel, SC_GLIBC_CANCEL);
SC_GLIBC(__pthread_unwind_next, SC_GLIBC_CANCEL);
