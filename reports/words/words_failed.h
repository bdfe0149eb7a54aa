/* Words for failed calls: which call failed where, with which error, how often. */
#pragma once

#include "reports/words/words.h"

/* The function that the program called: "cudaMemcpyAsync". */
void sc_words_failed_function(struct sc_buf *out, const struct sc_words *w,
			      const struct sc_failed_call *f);
/* "cudaErrorInvalidValue" to who called the runtime, else "CUDA_ERROR_INVALID_VALUE". */
void sc_words_failed_error(struct sc_buf *out, const struct sc_words *w,
			   const struct sc_failed_call *f);
/* "cudaMemcpyAsync at main.cu:40: cudaErrorInvalidValue, 3 times". */
void sc_words_failed_call(struct sc_buf *out, const struct sc_words *w,
			  const struct sc_failed_call *f);
/* ", the first cudaMemcpyAsync at main.cu:40: cudaErrorInvalidValue", and what it means for the
 * run; false if no call failed. */
bool sc_words_first_failed(struct sc_buf *out, const struct sc_words *w);
