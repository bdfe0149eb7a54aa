/* The executor: runs kernels from their PTX.
 *
 * A program holds the PTX of one module and what was decoded from it; a launch runs one of its
 * kernels, block by block, in the calling threads, on memory that the caller finds by address. No
 * kernel, however hostile, touches other memory than that, or runs longer than its budget of steps.
 * The executor starts no thread; calls for one program must not overlap, except that any number of
 * launches may run, of kernels that were decoded before.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simulator/executor/outcome.h"

#define EXEC_CLUSTER_MOST 16 /* blocks */

struct exec_program;
struct exec_kernel;
struct exec_touched;
struct exec_hazards;
struct exec_texture;

/* Memory of the device that lies together; found once, it stays until the launch has ended. */
struct exec_span {
	uint64_t base;
	uint64_t size_bytes;
	char *bytes; /* NULL: through `read` and `write` */
	bool is_writable;
};

struct exec_memory {
	/* The span that contains the address; false: none does. */
	bool (*find)(void *context, uint64_t address, struct exec_span *span);
	bool (*read)(void *context, void *to, uint64_t from, size_t bytes);
	bool (*write)(void *context, uint64_t to, const void *from, size_t bytes);
	/* The texture or surface object (texture.h), which stays until the launch has ended; NULL:
	 * there is none of that handle. */
	const struct exec_texture *(*texture)(void *context, uint64_t handle);
	void *context;
};

/* What functions need that the device has beside the program's; NULL: it has none. Launches that
 * run at once may call them at once. */
struct exec_services {
	/* One text of the device's printf. */
	void (*print)(void *context, const char *text, size_t bytes);
	/* A line for people (a failed assertion). */
	void (*complain)(void *context, const char *line, size_t bytes);
	/* The device's heap: the address of new memory, 0: there is no more. */
	uint64_t (*allocate)(void *context, uint64_t bytes);
	/* False: no such memory. */
	bool (*release)(void *context, uint64_t address);
	void *context;
	/* A condition of a graph gets a value; any number may come as its handle. */
	void (*set_condition)(void *context, uint64_t handle, uint32_t value);
};

struct exec_launch {
	const struct exec_kernel *kernel;
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t cluster[3]; /* blocks, which divide the grid; 0: nobody asked for one */
	uint32_t dynamic_shared_bytes;
	bool is_cooperative; /* blocks may wait for all others at the barrier of the grid */
	const void *params;  /* the parameter image */
	size_t params_bytes;
	struct exec_memory memory;
	struct exec_services services;
	uint64_t budget;	    /* of instructions of warps, of each run; 0: any number */
	const atomic_bool *stop;    /* or NULL: ends it, */
	const atomic_bool *give_up; /* and so does this one */
	uint64_t grid_number;	    /* %gridid */
	uint64_t tool_word;	    /* %envreg30, %envreg31 */
	uint64_t seed; /* of the order in which warps of a block, and blocks, begin and have their
			* turns; 0: ascending */
	struct exec_touched *touched; /* or NULL; gets what the launch touches (touched.h); of a
				       * kernel that waits, EXEC_PHASES sets */
	struct exec_hazards *hazards; /* or NULL; gets what collides in shared memory (hazard.h) */
};

/* Where a variable of the module lies; 0: nowhere. */
typedef uint64_t exec_address_of(void *context, const char *name);

/* An empty program; NULL: out of memory. */
struct exec_program *exec_program_new(exec_address_of *address_of, void *context);
void exec_program_free(struct exec_program *program);

/* Adds a PTX text, which is copied as far as it is needed. */
void exec_program_add(struct exec_program *program, const char *text, size_t bytes);

#define EXEC_NO_PTX "it has no PTX" /* why no kernel is there */

/* The kernel, decoded on first use. NULL: it cannot run; *why says why (owned by the program). */
const struct exec_kernel *exec_program_kernel(struct exec_program *program, const char *name,
					      const char **why);

struct exec_sizes {	   /* in bytes */
	uint32_t shared;   /* of a block, without the dynamic ones */
	uint32_t local;	   /* of a thread: its frame, and the largest of a function's */
	uint32_t constant; /* of the text that has the kernel */
};

/* Sizes of variables, as ptxas counts them; false: there is no kernel of that name. */
bool exec_program_sizes(struct exec_program *program, const char *name, struct exec_sizes *sizes);

/* The block that a launch runs: kernels of Tile IR have one of their own. */
void exec_kernel_block(const struct exec_kernel *kernel, uint32_t block[3]);
/* How many launches of it were counted before this one. */
uint64_t exec_kernel_count(const struct exec_kernel *kernel);

/* Where a parameter lies in the parameter image; SIZE_MAX: the kernel has not so many. Machine code
 * may have them elsewhere, where some have large alignments. */
size_t exec_kernel_param(const struct exec_kernel *kernel, size_t index);

/* It waits for the kernel before it in its stream, which the caller must have ended by then. */
bool exec_kernel_waits(const struct exec_kernel *kernel);

/* Initial values of variables, for memory that was made without them: calls `set` for each element
 * of variables with initializers. `addresses_only`: those that are addresses. */
void exec_program_initials(struct exec_program *program, bool addresses_only,
			   void (*set)(void *context, const char *variable, uint64_t offset,
				       const void *bytes, size_t size));

/* True if a program may look at memory for what the kernel writes while it runs: the kernel has
 * volatile or atomic accesses, or fences. */
bool exec_kernel_signals(const struct exec_kernel *kernel);

/* A launch that runs is a job. Each thread that works on it has a run of its own, which takes
 * blocks of the job, in ascending order, one after the other. A block stays in its run. `find` of
 * the launch's memory is called by all threads.
 */
struct exec_job;
struct exec_run;

enum exec_progress {
	EXEC_ENDED, /* the run has no more blocks */
	EXEC_LOOPS, /* its blocks loop: others may have their turn before it goes on */
	EXEC_POLLS  /* they do nothing but read what others may change: they wait for others */
};

/* The launch must stay until the job is freed. NULL: out of memory. */
struct exec_job *exec_job_new(const struct exec_launch *launch);
/* False: no block is left that a new run could take, or another block failed. */
bool exec_job_has_blocks(const struct exec_job *job);
/* Several blocks that may take more than so many instructions of warps, by a rough guess. */
bool exec_launch_is_large(const struct exec_launch *launch, uint64_t instructions);
/* NULL: out of memory; the job fails. */
struct exec_run *exec_run_new(struct exec_job *job);
/* Works on it: one thread at a time, not always the same. Comes back soon while the job pauses. */
enum exec_progress exec_run_work(struct exec_run *run);
void exec_job_pause(struct exec_job *job, bool is_paused);
void exec_run_free(struct exec_run *run);
/* All its runs have ended and are freed: how it ended. Of blocks that failed the lowest counts. */
void exec_job_free(struct exec_job *job, struct exec_outcome *outcome);

/* Runs a launch to its end in the calling thread. */
void exec_launch_run(const struct exec_launch *launch, struct exec_outcome *outcome);
