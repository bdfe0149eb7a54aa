/* Texts of kernels: which kernels use memory by an address that they load (ptx/loaded_address.h).
 *
 * A copy of each image that is kept waits here, packed as it is, until a launch asks of a kernel
 * that is not known to load addresses; then those that wait are unpacked and read. So a program
 * that never asks pays for the copies only, SC_KERNEL_TEXT_WAITING bytes at most. If an image is
 * left out, kernels that no text has count as such that load addresses. Kernels of one name are
 * one: an address is loaded if one of them loads it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "interposer/core/lock.h"
#include "interposer/core/mapped_list.h"
#include "interposer/core/table.h"

#define SC_KERNEL_TEXT_WAITING (UINT64_C(16) << 20) /* bytes of images that were not read yet */
#define SC_KERNEL_TEXT_MOST    (UINT64_C(64) << 20) /* bytes of one text */

struct sc_kernel_texts {
	struct sc_lock lock;
	struct sc_table by_name;       /* hash of a name → one of two constants */
	struct sc_mapped_list waiting; /* struct of kernel_text.c */
	uint64_t bytes;		       /* of these images */
	atomic_uint count;	       /* of them */
	atomic_bool is_incomplete;     /* some image was left out */
};

extern struct sc_kernel_texts sc_kernel_texts;

enum sc_addresses {
	SC_ADDRESSES_UNKNOWN, /* no text has the kernel */
	SC_ADDRESSES_GIVEN,   /* all come from its parameters and its module */
	SC_ADDRESSES_LOADED
};

/* What a kernel's name is known by. */
static inline uint64_t sc_kernel_text_name(const char *name, size_t bytes)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ (uint8_t)name[i]) * UINT64_C(0x100000001b3);
	return hash | 1;
}

/* Room for a copy of an image, or NULL; then it is written, and added. */
uint8_t *sc_kernel_text_room(uint64_t bytes);
void sc_kernel_text_add(uint8_t *image, uint64_t bytes);
/* Not all images are kept. */
void sc_kernel_text_leave_out(void);
/* What the texts say of a kernel. May take milliseconds when an image is read. */
enum sc_addresses sc_kernel_text_addresses(uint64_t name);
