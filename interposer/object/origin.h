/* Where machine code comes from: the images, texts above all, that were compiled into it.
 *
 * A compiler or linker in the process (cuLinkComplete, NVRTC, nvJitLink) gives out machine code,
 * which the program hands to the driver as it is, or as a copy, or by way of a file. So code is
 * known by its bytes, and a module that is loaded from them gets MODULE_PART ops that name what it
 * was made of. Compilers in other processes leave the text beside the code (text_cache.h), or, with
 * line information, in the code (machine_code.h). The simulated driver, which executes texts, gets
 * them, too.
 */
#pragma once

#include <stdbool.h>
#include "interposer/core/table.h"
#include "interposer/object/image.h"
#include "interposer/object/machine_code.h"

/* What the compilers and linkers of this process came to. */
struct sc_origins {
	struct sc_lock lock;	  /* of the lists of parts */
	struct sc_table by_maker; /* a linker's handle → struct sc_origin */
	struct sc_table by_code;  /* hash of machine code → struct sc_origin */
};

extern struct sc_origins sc_origins;

/* A linker was made; its handle may have been another's before. */
void sc_origin_begin(const void *maker);
/* It got an image, which is kept: in memory, or in a file; NULL: something that is not. */
void sc_origin_add(const void *maker, const void *data, size_t bytes);
void sc_origin_add_file(const void *maker, const char *path);
/* It gave out this code. Nothing is known of a maker that was not seen to begin. */
void sc_origin_end(const void *maker, const void *code);
/* This code was compiled from one text, which is kept. */
void sc_origin_of_text(struct sc_image_identity code, const char *text, size_t bytes);

/* It was compiled from the texts in other code of the same instructions, or in itself. `is_kept`:
 * for later runs, too, if there is just one. False: there are none. */
bool sc_origin_of_texts(struct sc_image_identity code, const struct sc_machine_code *from,
			bool is_kept);

/* Code that was loaded from memory, or from a file if `path` is not NULL. */
struct sc_loaded_code {
	void *handle; /* the driver's, of a module or library */
	const void *image;
	const char *path;
	struct sc_image_identity code;
};

/* Writes the parts of a module that was loaded from code, and gives them to a driver that executes
 * kernels by their texts. False: they are not known. */
bool sc_origin_put(uint32_t module, const struct sc_loaded_code *loaded);
