/* Input and output that goes on after the call (async_io.c). */
#pragma once

#include "interposer/libc/side_effect.h"

/* Requests of Linux aio: `count` pointers to struct iocb. */
void sc_async_io_effects(struct sc_side_effects *effects, uint64_t list, uint64_t count);
