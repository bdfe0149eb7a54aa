/* Input and output that goes on after the call (async_io.c). */
#ifndef SC_INTERPOSER_LIBC_ASYNC_IO_H
#define SC_INTERPOSER_LIBC_ASYNC_IO_H

#include "interposer/libc/side_effect.h"

/* Requests of Linux aio: `count` pointers to struct iocb. */
void sc_async_io_effects(struct sc_side_effects *effects, uint64_t list, uint64_t count);

#endif
