/* Device images: what a program hands to the driver is kept in the trace, once for each content.
 *
 * With images=ptx (the default) only the PTX of an image is kept, as it is stored there (usually
 * compressed): fatbins keep their PTX entries whole and of machine code the entries' heads, so that
 * the analyzer knows what the driver had to choose from; images=all keeps machine code too. Images
 * are the application's memory: their headers are believed only as far as the bytes can be read.
 */
#pragma once

#include <stddef.h>
#include "interposer/core/lock.h"
#include "interposer/core/table.h"

#define SC_IMAGES_MOST \
	(UINT64_C(256) << 20) /* bytes of device code that are kept, as many as are read */

/* What the images of this process came to. */
struct sc_images {
	struct sc_lock lock;
	struct sc_table by_content; /* hash → struct sc_image_kept */
	uint64_t bytes;		    /* written so far */
	bool is_incomplete;	    /* something was left out, and the trace says so */
};

extern struct sc_images sc_images;

/* Keeps an image in memory (bytes 0: as many as it says itself) or in a file; returns its id, 0 if
 * there is nothing to keep or it cannot be kept. */
uint32_t sc_image_keep(const void *data, size_t bytes);
uint32_t sc_image_keep_file(const char *path);
/* Keeps a fatbin that a file carries, which may be loaded or not: if it has no text, its machine
 * code, for the names in it, as long as that is no more than `*most_code` bytes, which become less.
 * 0 says nothing of the code; unlike above it does not leave the trace incomplete, unless
 * SC_IMAGES_MOST are reached. */
uint32_t sc_image_keep_embedded(const void *fatbin, uint64_t *most_code);

/* What tells machine code from other: all its bytes, as far as its sections and tables say that it
 * goes. */
struct sc_image_identity {
	uint64_t hash; /* 0: no machine code by itself, or not readable, or longer than is kept */
	uint64_t bytes;
};

struct sc_image_identity sc_image_identify(const void *code);
struct sc_image_identity sc_image_identify_file(const char *path);
/* A copy of its first bytes, from the file if `path` is not NULL, which the caller unmaps; NULL:
 * they cannot be read, or are more than is kept. */
uint8_t *sc_image_copy(const void *code, const char *path, uint64_t bytes);
