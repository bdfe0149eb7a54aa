/* Texts of machine code that other processes compiled: in caches on disk, and in the run's folder.
 *
 * Triton, and PyTorch's Inductor by it, put what they compile into FOLDER/KEY/NAME.cubin and hand
 * those bytes to the driver; NAME.ptx in the same folder is the text that ptxas made them from.
 * FOLDER is $TRITON_CACHE_DIR (Inductor sets it), else .triton/cache in $TRITON_HOME or $HOME; all
 * that are there are looked into, and so is the folder that a file is loaded from, if Triton made
 * it
 * (__grp__NAME.json). Code is known by its bytes, never by its name. Texts that a ptxas of this run
 * was given are in the run's folder, under the hash of what it made; those that NVRTC gave out are
 * in a folder that `streamcheck run` keeps from run to run, since frameworks (CuPy) keep the code
 * so ($STREAMCHECK_TEXTS).
 *
 * A list of what lies there is kept: a look-up of code that is not in it lists the folders that are
 * new or were written to since, one `fstatat` for each of the others without code. The files are
 * other people's: nothing but regular files is opened, and what they hold is believed as little as
 * any image.
 */
#pragma once

#include <stddef.h>
#include "interposer/core/environment.h"
#include "interposer/core/table.h"
#include "interposer/object/image.h"

/* What was found on disk. */
struct sc_text_caches {
	struct sc_lock lock;
	struct sc_table folders; /* hash of a folder's path → struct sc_cache_folder */
	struct sc_table by_size; /* bytes → struct sc_cached_code */
	uint32_t count;		 /* of both */
};

extern struct sc_text_caches sc_text_caches;

#define SC_TEXT_PATH_BYTES 4096

/* A text that is being written: under another name until it is whole, since others read it. */
struct sc_new_text {
	char path[SC_TEXT_PATH_BYTES], begun[SC_TEXT_PATH_BYTES];
	int file;
};

/* Opens a file for the text of this code, in the folder that a variable names. False: there is
 * none, it cannot be written, or it has the text already. */
bool sc_text_cache_begin(struct sc_new_text *new, enum sc_environment_variable folder,
			 struct sc_image_identity code);
/* Closes it; it is there from now on if it is whole, else gone. */
void sc_text_cache_end(struct sc_new_text *new, bool is_whole);
/* Keeps the text of this code for later runs. */
void sc_text_cache_keep(struct sc_image_identity code, const char *text, size_t bytes);
/* Finds the file with the text of this machine code. `path`: the file that the code was loaded
 * from, or NULL. */
bool sc_text_cache_find(struct sc_image_identity code, const char *path,
			char text[SC_TEXT_PATH_BYTES]);
