/* Plain: what the kernels of executor.cu compute, as C loops over one thread's part. */
#pragma once

#include <stddef.h>

/* Computes elements (rows of matrices, blocks of 256) from `first` to before `end`, of n. */
typedef void bench_plain(size_t first, size_t end, size_t n, void *out, const void *a,
			 const void *b);

bench_plain bench_saxpy, bench_reduce, bench_matrix, bench_histogram, bench_divergent, bench_calls;
