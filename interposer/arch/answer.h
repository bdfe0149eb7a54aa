/* Answers: whether code looks at what the function returned that it has called.
 *
 * x86-64: the instructions from the return address on are followed, both ways where they part,
 * until eax is read, written or goes out of use. Comparisons with numbers, and the jumps after
 * them, are followed for "complete" and for "not ready": where both lead to the same place, and
 * neither flags nor a copy of the answer are read from there on, nothing was looked at. What is not
 * understood counts as a look, and so does a part of eax that is written: only what is certain is
 * said.
 */
#pragma once

#include <stdint.h>

enum sc_answer {
	SC_ANSWER_READ,	    /* perhaps */
	SC_ANSWER_DROPPED,  /* never looked at, or with the same result */
	SC_ANSWER_RETURNED, /* dropped, if the caller drops it */
};

/* What the code at `place` does with eax; code is read from `start` to `end` only. */
enum sc_answer sc_answer_at(const uint8_t *place, const uint8_t *start, const uint8_t *end);
