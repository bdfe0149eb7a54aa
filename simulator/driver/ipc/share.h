/* Memory that another process can map: a file in memory, and the 64 bytes that lead to it.
 *
 * The file's name says its kind and device; another process of the same user finds it as
 * /proc/PID/fd/NUMBER. So a handle is good for as long as its maker keeps the descriptor. What
 * comes in a handle may be anything: nothing is opened that is not such a file of the expected
 * kind, and a file is only taken if it is the very one, of the very size, and sealed against
 * shrinking (no SIGBUS later).
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
	SIM_SHARE_HOST_POOL,
	SIM_SHARE_POINTER /* into a pool; the file is one of memory */
};

struct sim_share {
	int fd;
	int device;	   /* its number in the machine */
	size_t size_bytes; /* as asked for; the file has whole pages */
	uint64_t file;	   /* which it is, for as long as anybody has it */
	uint64_t pool;	   /* the file of the pool that a pointer leads into; else 0 */
};

/* How memory and pools may be given to other processes: by the bytes of a handle, or a descriptor.
 */
#define SIM_SHARE_TYPES (CU_MEM_HANDLE_TYPE_FABRIC | CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)

/* A file of that size in whole pages, full of zeros; its descriptor, or -1. What may be imported by
 * its descriptor needs the number of its device in the machine. */
int sim_share_new(enum sim_share_kind kind, int device, size_t size_bytes);

/* True for a file in memory that the application made, of at least that size and sealed likewise.
 */
bool sim_share_is_file(int fd, size_t size_bytes);

/* Fills a handle of CU_IPC_HANDLE_SIZE bytes. */
CUresult sim_share_describe(enum sim_share_kind kind, struct sim_share share, void *handle);

/* Fills what a handle of the type leads to: those bytes, or a descriptor (int) that the caller
 * owns. */
CUresult sim_share_export(enum sim_share_kind kind, CUmemAllocationHandleType type,
			  struct sim_share share, void *handle);
/* Finds it again, whose share->fd is the caller's to close: `handle` points to the bytes, or is the
 * descriptor, which stays the application's. */
CUresult sim_share_import(enum sim_share_kind kind, CUmemAllocationHandleType type, void *handle,
			  struct sim_share *share);

/* Finds what a handle describes; share->fd is the caller's to close. Own handles are refused with
 * CUDA_ERROR_INVALID_CONTEXT, as the driver does. */
CUresult sim_share_find(enum sim_share_kind kind, const void *handle, struct sim_share *share);
