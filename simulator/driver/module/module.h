/* Libraries and modules: device code in the process, and its instances in contexts.
 *
 * A library is an image and its kernels, independent of contexts; a module is one instance of an
 * image in one context, with the memory of its variables. A library makes a module in each context
 * that asks for it. Functions belong to modules, kernels to libraries; cuLaunchKernel takes both.
 */
#pragma once

#include <stdbool.h>

#include <cuda.h>

#include "simulator/driver/memory/memory.h"
#include "image/image.h"

/* What can be set of a kernel. */
struct sim_settings {
	int max_dynamic_shared;
	int carveout;
	bool is_any_cluster; /* clusters may be larger than on each device */
};

struct CUkern_st {
	CUlibrary library;
	const struct sim_image_kernel *image; /* borrowed from the library's image */
	struct sim_settings settings;
};

/* The settings of a function for launches of CUDA 2's kind. */
struct sim_old_launch {
	unsigned int block[3];
	unsigned int shared_bytes;
	unsigned int size_bytes;
	char values[4096];
};

struct CUfunc_st {
	CUmodule module;
	const struct sim_image_kernel *image; /* borrowed from the module's image */
	CUkernel kernel;		      /* NULL if the module was loaded as such */
	struct sim_settings settings;
	struct sim_old_launch *old; /* owned; NULL before the first such call */
	struct sim_tally *tally;    /* counts launches that are not executed; NULL: none was */
};

/* A PTX text of an image. */
struct sim_text {
	struct sim_text *next; /* owned */
	size_t size_bytes;
	char bytes[];
};

struct sim_code { /* counted: a library and its modules share it */
	unsigned int refs;
	struct sim_image *image;
	struct sim_text *texts; /* owned; for kernels that are executed */
	bool is_given;		/* the texts are a tool's */
	uint32_t arch;		/* that the texts, or else the machine code, were compiled for */
};

struct CUlib_st {
	struct sim_code *code;
	CUkernel kernels; /* owned; one for each of the image's */
	struct sim_alloc *
		*managed; /* owned; one for each variable of the image, NULL: not managed */
	CUlibrary next;
};

struct CUmod_st {
	CUcontext context;
	CUlibrary library; /* NULL if it was loaded as such */
	struct sim_code *code;
	CUfunction functions;	     /* owned; one for each of the image's kernels */
	struct sim_alloc **globals;  /* owned; one for each of the image's, live allocations */
	struct sim_program *program; /* counted; NULL before a kernel of it is executed */
	struct sim_text *changed;    /* owned; a tool's, instead of the code's, or NULL */
	bool is_announced;	     /* to the tool (tool.h), and that it ends */
	bool is_ending;
	CUmodule next;
};

/* Reads an image by address into code with one reference. */
CUresult sim_code_load(const void *image, struct sim_code **code);

/* The same for an image of that size; of a wrapper, what it points to. */
CUresult sim_code_read(const void *image, size_t size, struct sim_code **code);

/* The same from a file. */
CUresult sim_code_load_file(const char *path, struct sim_code **code);

void sim_code_put(struct sim_code *code);

void sim_texts_free(struct sim_text *texts);

/* For tools, exported: an image with a text that machine code was made of (by a compiler or linker
 * in the process, or long ago), for a module or library without texts, right after it was loaded;
 * several times where it was linked of several. Kernels are executed by it then. */
void simulated_giveText(void *handle, const void *image, size_t bytes);

/* Instantiates code in a context; takes no reference over. */
CUresult sim_module_new(CUcontext context, struct sim_code *code, CUlibrary library,
			CUmodule *module);

/* The library's module in the context, made on first use. */
CUresult sim_module_of_library(CUlibrary library, CUcontext context, CUmodule *module);

/* Unloads one module, all of a context, or all of a library. */
void sim_module_free(CUmodule module);
void sim_module_free_all(CUcontext context);
void sim_module_free_library(CUlibrary library);

/* Managed variables belong to the library: they have one address in all contexts, and before there
 * is any. False: out of memory. */
bool sim_module_make_managed(CUlibrary library);
void sim_module_free_managed(CUlibrary library);

/* The memory of a variable that is the module's own, not its library's; NULL: there is none. */
struct sim_alloc *sim_module_own_global(CUmodule module, const char *name);

/* A variable of a module, or a managed one of a library, by name; `dptr` or `bytes` may be NULL. */
CUresult sim_module_global(CUmodule module, const char *name, CUdeviceptr *dptr, size_t *bytes);
CUresult sim_module_managed(CUlibrary library, const char *name, CUdeviceptr *dptr, size_t *bytes);

/* The image of a CUfunction or of a CUkernel passed as one; NULL for neither. */
const struct sim_image_kernel *sim_function_image(CUfunction function);

/* An attribute of a kernel of that code; INVALID_VALUE for an unknown one. */
CUresult sim_function_attribute(const struct sim_code *code, const struct sim_image_kernel *image,
				CUfunction_attribute attribute, const struct sim_settings *settings,
				int *value);

/* Sets one of the attributes that can be set. */
CUresult sim_function_set(CUfunction_attribute attribute, int value,
			  const struct sim_image_kernel *image, struct sim_settings *settings);

/* Registers of a thread: those of the machine code, or a usual number for a kernel of PTX alone,
 * which no compiler gave any; never 0, since programs divide by it. */
unsigned int sim_function_registers(const struct sim_image_kernel *image);

/* How much dynamic shared memory a block of it may have: what the static one leaves of the default,
 * or what the program raised it to. */
unsigned int sim_function_most_dynamic(CUfunction function);

/* A function may have a cluster of more blocks than every device can. */
bool sim_function_has_any_cluster(CUfunction function);

/* Where a parameter lies; INVALID_VALUE beyond the last. */
CUresult sim_function_param(const struct sim_image_kernel *image, size_t index, size_t *offset,
			    size_t *size);
