/* Images: the device code of a trace, each unpacked when the first of its kernels is launched.
 *
 * The recorder writes an image once, in pieces that come in order, and however often it is loaded;
 * so images stay. All analyses of one trace may share them: then the first one takes the pieces,
 * and what is unpacked and read for one analysis is not unpacked and read for the next.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "analyzer/kernel/text.h"
#include "base/map.h"
#include "base/vector.h"
#include "image/image.h"
#include "trace/reader.h"

struct sc_code_image {
	struct sc_code_image *next;
	SC_VECTOR(uint8_t) bytes; /* until it is unpacked */
	SC_VECTOR(struct sc_code_text) texts;
	struct sim_image *declared; /* owned; what machine code says of itself, if that was asked */
	struct sim_image *names; /* owned; of a choice: the kernels that have no text, if known */
	uint64_t total;
	bool is_broken; /* pieces are missing */
	bool is_open;	/* unpacked, or it cannot be */
	bool is_sure;
};

/* An empty one is all zero, on the heap. */
struct sc_code_images {
	struct sc_u64_map by_id;    /* id → struct sc_code_image * */
	struct sc_code_image *list; /* owned, all images */
	size_t text_bytes;	    /* unpacked so far */
	size_t held_bytes;	    /* of images that are not unpacked yet */
	size_t most; /* of each of these; 0: text has a bound of its own, images have none */
};

/* What an image is asked for when it is unpacked. */
struct sc_code_wish {
	uint32_t arch; /* of the devices; 0: not known */
	bool layout;
	bool names;
};

/* Does nothing for NULL. */
void sc_code_images_free(struct sc_code_images *all);
/* Takes a piece of an image: an IMAGE op. */
void sc_code_images_note(struct sc_code_images *all, const struct sc_record *r);
/* NULL: no piece of it came. */
struct sc_code_image *sc_code_images_find(const struct sc_code_images *all, uint32_t id);
/* Unpacks it, if that was not done. */
void sc_code_image_open(struct sc_code_images *all, struct sc_code_image *i,
			const struct sc_code_wish *wish);
