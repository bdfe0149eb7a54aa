/* The stand-in's exported functions, and the memory that it shares with its other files. */
#pragma once

#include <stdbool.h>

#include "interposer/sanitizer/api.h"

#define STANDIN __attribute__((visibility("default")))

#define DECLARE(name, symbol, parameters) STANDIN int symbol parameters;
SC_SANITIZER_FUNCTIONS(DECLARE)
#undef DECLARE

/* The API's own handle of a stream: no CUstream, and valid inside of the callback only. */
#define STANDIN_STREAM 0x73747265616d2121
struct standin_stream {
	uint64_t magic;
	CUcontext context;
	CUstream stream;
};

bool standin_is_stream(const void *handle);

/* Finds the driver's functions by the one that finds them; NULL is let pass. */
bool standin_memory_find(void *entry);
/* The callback of this context's creation runs on this thread: there is no memory in it yet. NULL:
 * it has returned. */
void standin_memory_refuse(CUcontext context);
/* The context is about to end. */
void standin_memory_forget(CUcontext context);
