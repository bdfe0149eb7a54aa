/* Memory that another process can map: a file in memory, and the 64 bytes that lead to it.
 *
 * The file has no name; another process of the same user finds it as /proc/PID/fd/NUMBER. So a
 * handle is good for as long as its maker keeps the descriptor. What comes in a handle may be
 * anything: nothing is opened that is not such a file of the expected kind, and a file is only
 * taken if it is the very one, of the very size, and sealed against shrinking (no SIGBUS later).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

enum sim_share_kind {
	SIM_SHARE_MEMORY,
	SIM_SHARE_EVENT,
	SIM_SHARE_PHYSICAL,
	SIM_SHARE_POOL,
	SIM_SHARE_POINTER /* into a pool; the file is one of memory */
};

struct sim_share {
	int fd;
	int device;	   /* its number in the machine */
	size_t size_bytes; /* as asked for; the file has whole pages */
	uint64_t file;	   /* which it is, for as long as anybody has it */
};

/* A file of that size in whole pages, full of zeros; its descriptor, or -1. */
int sim_share_new(enum sim_share_kind kind, size_t size_bytes);

/* True for a file in memory that the application made, of at least that size and sealed likewise.
 */
bool sim_share_is_file(int fd, size_t size_bytes);

/* Fills a handle of CU_IPC_HANDLE_SIZE bytes. */
CUresult sim_share_describe(enum sim_share_kind kind, struct sim_share share, void *handle);

/* Finds what a handle describes; share->fd is the caller's to close. Own handles are refused with
 * CUDA_ERROR_INVALID_CONTEXT, as the driver does. */
CUresult sim_share_find(enum sim_share_kind kind, const void *handle, struct sim_share *share);
