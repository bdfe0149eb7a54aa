/* Copies as the API describes them, and what each of them makes the host wait for (section 4).
 *
 * Every copy function, whatever its shape, becomes one sim_copy_spec: two sides in three
 * dimensions. sim_copy_resolve() turns it into operands; sim_copy_sync() and sim_copy_async() add
 * the rules of the two categories of functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include "simulator/driver/schedule/work.h"

struct sim_side {
	uintptr_t address; /* of the whole operand; unused for an array */
	CUarray array;	   /* NULL: linear memory */
	bool is_device;	   /* was given as a device address: pageable memory is an error */
	size_t x_bytes;
	size_t y;
	size_t z;
	size_t pitch_bytes; /* 0: packed */
	size_t height;	    /* rows of a slice; 0: packed */
	CUcontext context;  /* peer copies: whose memory it is; else NULL */
	uint64_t locked;    /* of a node: the locked host memory that it was given, by id; else 0 */
};

struct sim_copy_spec {
	struct sim_side dst;
	struct sim_side src;
	size_t width_bytes;
	size_t height;
	size_t depth;
	bool is_peer;
};

/* A copy between two plain addresses. */
struct sim_copy_spec sim_copy_linear(uintptr_t dst, bool dst_is_device, uintptr_t src,
				     bool src_is_device, size_t size_bytes);

/* Keeps in a node's copy which locked host memory it is given: a launch fails once that is not
 * there any more, whatever has its place (an H200 does so). */
void sim_copy_keep_locked(struct sim_copy_spec *spec);

/* Checks both sides and takes references; on success the copy must be released as a work. */
CUresult sim_copy_resolve(const struct sim_copy_spec *spec, struct sim_copy *copy);

/* All copies of a batch as one work, which must be released; on failure nothing is held, and
 * *failed is the copy's index. A source whose order is DURING_API_CALL is read now; without
 * `orders` none is. */
CUresult sim_copy_gather(const struct sim_copy_spec *specs, const CUmemcpySrcAccessOrder *orders,
			 size_t count, struct sim_work *work, size_t *failed);

/* The synchronous category, in the caller's default stream. */
CUresult sim_copy_sync(const struct sim_copy_spec *spec);

/* The asynchronous category; becomes a node if the stream captures. */
CUresult sim_copy_async(const struct sim_copy_spec *spec, CUstream handle);

/* Enqueues a resolved copy by the rules of the asynchronous category; takes it over. */
CUresult sim_copy_enqueue(struct sim_copy *copy, CUstream stream);

/* Translations of the API's structures; INVALID_VALUE for an unknown memory type. */
CUresult sim_copy_from_2d(const CUDA_MEMCPY2D *api, struct sim_copy_spec *spec);
CUresult sim_copy_from_3d(const CUDA_MEMCPY3D *api, struct sim_copy_spec *spec);
CUresult sim_copy_from_peer(const CUDA_MEMCPY3D_PEER *api, struct sim_copy_spec *spec);

/* Copies over a fabric: between pointers only, as there are no logical endpoints here. */
CUresult sim_copy_from_fabric(const CUDA_FABRIC_COPY_BATCH_OP *ops, size_t count,
			      struct sim_copy_spec *specs);

/* Is this an order in which a source can be read? */
bool sim_copy_is_order(CUmemcpySrcAccessOrder order);

/* INVALID_VALUE unless the attributes cover `count` copies of a batch, each with an order. */
CUresult sim_copy_check_batch(const CUmemcpyAttributes *attrs, const size_t *indexes,
			      size_t attr_count, size_t count);

/* And back, for the getters of graph nodes. */
void sim_copy_to_3d(const struct sim_copy_spec *spec, CUDA_MEMCPY3D *api);
