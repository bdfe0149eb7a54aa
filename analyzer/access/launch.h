/* Launches: what a kernel uses, from its footprint or from its parameters only.
 *
 * A footprint gives bytes relative to pointer parameters. A range is exact if the footprint says
 * so, the device runs the very code that was analyzed, and the range lies inside the allocation
 * that the pointer leads into; else it is an upper bound, cut to that allocation. Where only the
 * pointer is known, the whole allocation may be used, in the way that the code says. Without code
 * every pointer in the parameters may be used to read and write all that it leads to, but for those
 * to host memory in a struct whose bytes are not all its own, and the handle of each texture or
 * surface object for what that stands for. Variables of the module are memory like any other.
 *
 * A kernel that follows an address which it loads, computes from more than one pointer or takes
 * from a handle may touch memory that nothing names: all that its parameters lead to counts as
 * used, and `open` of struct sc_kernels says why that is not all.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/access/kernels.h"
#include "analyzer/access/use.h"

#define SC_LARGEST_STRUCT 64 /* bytes; a larger one is a table */

/* Adds the uses of a launch; here and below a record is that of a KERNEL op. */
void sc_launch_add(struct sc_memory_map *m, struct sc_kernels *kernels,
		   const struct sc_record *record, sc_uses *out);
/* Adds a pointer that may be used for anything in its allocation. */
void sc_launch_add_whole(struct sc_memory_map *m, uint64_t pointer, uint8_t mode, sc_uses *out);

/* Adds that a kernel of whose code nothing is known may read each variable of its module. */
void sc_launch_add_variables(struct sc_memory_map *m, struct sc_kernels *kernels,
			     const struct sc_record *record, sc_uses *out);

/* A launch of a kernel, and what its code says. */
struct sc_launch_code {
	const struct sc_code_kernel *kernel; /* NULL: never defined */
	const uint8_t *params;		     /* borrowed from the record */
	uint32_t param_bytes;
	struct sc_footprint footprint;
};

/* False: nothing is known of the kernel's code; the rest is there as far as it is known. */
bool sc_launch_read_code(struct sc_kernels *kernels, const struct sc_record *record,
			 struct sc_launch_code *out);
/* Patches on a GPU do not see what goes through textures and tensor maps. */
static inline bool sc_launch_hides(const struct sc_footprint_range *r)
{
	return r->reason == SC_REASON_TENSOR_MAP || r->mode & SC_FOOTPRINT_OBJECT ||
	       r->reason == SC_REASON_MULTICAST;
}

/* A texture or surface object that a launch may use. */
struct sc_handle_use {
	uint64_t handle; /* 0: one that the kernel loads or computes */
	bool is_surface;
	uint8_t known; /* enum sc_known: EXACT if its code uses it for certain, OVER if it may,
			* PARAMETER: only a number among the parameters is equal to the handle */
};

typedef SC_VECTOR(struct sc_handle_use) sc_handle_uses;

/* The objects that the launch may use, whether they are there or not. */
void sc_launch_handles(struct sc_kernels *kernels, const struct sc_record *record,
		       sc_handle_uses *out);

/* How surely the kernel uses the pointer at byte `offset` of its parameters: SC_KNOWN_EXACT if its
 * code does for certain, SC_KNOWN_OVER if it may, SC_KNOWN_PARAMETER if nothing is known of the
 * code, -1 if it does not. */
int sc_launch_parameter(struct sc_kernels *kernels, const struct sc_record *record,
			uint32_t offset);
/* Whether anything is known of the kernel's code: if not, each parameter is SC_KNOWN_PARAMETER. */
bool sc_launch_has_code(struct sc_kernels *kernels, const struct sc_record *record);

enum sc_use_of_dead { SC_USE_MAYBE, SC_USE_NONE, SC_USE_SURE };

/* Memory that is gone, and what has its place by now, beginning where it began; empty: nothing. */
struct sc_gone {
	struct sc_range was, now;
};

/* Whether a use lies in what has the place by now, so that the program may mean that. */
static inline bool sc_gone_is_replaced(const struct sc_gone *gone, const struct sc_access *use)
{
	return use->base >= gone->now.start && sc_shape_end(use) <= gone->now.end;
}

/* Whether the kernel uses bytes of what is gone through that pointer; *use gets some of them if it
 * does for certain, such that are not replaced if there are any. Sets `open` of struct sc_kernels.
 */
enum sc_use_of_dead sc_launch_uses_dead(struct sc_kernels *kernels, const struct sc_record *record,
					uint32_t offset, const struct sc_gone *gone,
					struct sc_access *use);
/* Whether byte `offset` of the parameters is known to lie in a struct passed by value. */
bool sc_launch_is_member(struct sc_kernels *kernels, const struct sc_record *record,
			 uint32_t offset);
/* Whether it lies in a table, of a kernel of whose code nothing is known: kernels of many tensors
 * get their pointers in a large struct, and how many of its rows count. The others hold what was
 * there before. */
bool sc_launch_is_in_table(struct sc_kernels *kernels, const struct sc_record *record,
			   uint32_t offset);
