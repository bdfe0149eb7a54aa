/* The PTX texts of an image, as the driver would choose among them for a device.
 *
 * Where all texts are for newer devices, a driver refuses the image; the simulated device runs the
 * oldest of them.
 *
 * For images as traces keep them: a text, fatbins one after the other, in which machine code may
 * have left only its head, or what the simulated device's linker made. Every byte is hostile.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_text_request {
	uint32_t arch;	   /* of the device, as in sm_90: 90; 0: not known */
	size_t most_bytes; /* of one text */
	/* Takes one text (borrowed, no terminator). */
	void (*take)(void *context, const char *text, size_t bytes);
	void *context;
};

/*
 * Hands out the texts. *is_sure says whether the device runs what they say: false if it runs
 * machine code made for another architecture than the text, which may be other source. Returns 0,
 * or the last error of a broken part; what could be read was handed out.
 */
int sim_image_texts(const void *data, size_t size, const struct sim_text_request *request,
		    bool *is_sure);
