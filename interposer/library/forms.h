/* Forms: the parameters of the functions of operand.def, and which operands they are.
 *
 * Who includes this defines NOTED_BLAS and NOTED_COLLECTIVE(name, parameters, arguments, fields of
 * struct sc_blas or struct sc_collective).
 */
#ifndef SC_INTERPOSER_LIBRARY_FORMS_H
#define SC_INTERPOSER_LIBRARY_FORMS_H

#define OPERAND(id, its_type, step, distance) \
	.id = {.at = id, .type = its_type, .ld = step, .stride = distance}
#define SCALARS .alpha = alpha, .beta = beta
#define PRODUCT .form = SC_BLAS_GEMM, .operation = {ta, tb}, .m = m, .n = n, .k = k, SCALARS

/* Parameters of the forms: N is the type of sizes, T and S are the types of elements and scalars.
 */
#define GEMM(name, N, T, S)                                                                   \
	NOTED_BLAS(name,                                                                      \
		   (void *h, int ta, int tb, N m, N n, N k, const void *alpha, const void *a, \
		    N lda, const void *b, N ldb, const void *beta, void *c, N ldc),           \
		   (h, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc), PRODUCT,        \
		   OPERAND(a, T, lda, 0), OPERAND(b, T, ldb, 0), OPERAND(c, T, ldc, 0),       \
		   .scalar = S)
#define GEMM_STRIDED(name, N, T, S)                                                                \
	NOTED_BLAS(name,                                                                           \
		   (void *h, int ta, int tb, N m, N n, N k, const void *alpha, const void *a,      \
		    N lda, long long sa, const void *b, N ldb, long long sb, const void *beta,     \
		    void *c, N ldc, long long sc, N batches),                                      \
		   (h, ta, tb, m, n, k, alpha, a, lda, sa, b, ldb, sb, beta, c, ldc, sc, batches), \
		   PRODUCT, OPERAND(a, T, lda, sa), OPERAND(b, T, ldb, sb),                        \
		   OPERAND(c, T, ldc, sc), .batches = batches, .scalar = S)
#define GEMM_TYPED(name, N, T, S)                                                                  \
	NOTED_BLAS(name,                                                                           \
		   (void *h, int ta, int tb, N m, N n, N k, const void *alpha, const void *a,      \
		    int at, N lda, const void *b, int bt, N ldb, const void *beta, void *c,        \
		    int ct, N ldc),                                                                \
		   (h, ta, tb, m, n, k, alpha, a, at, lda, b, bt, ldb, beta, c, ct, ldc), PRODUCT, \
		   OPERAND(a, at, lda, 0), OPERAND(b, bt, ldb, 0), OPERAND(c, ct, ldc, 0),         \
		   .scalar = S)
#define GEMM_EX(name, N, T, S)                                                                    \
	NOTED_BLAS(name,                                                                          \
		   (void *h, int ta, int tb, N m, N n, N k, const void *alpha, const void *a,     \
		    int at, N lda, const void *b, int bt, N ldb, const void *beta, void *c,       \
		    int ct, N ldc, int compute, int algorithm),                                   \
		   (h, ta, tb, m, n, k, alpha, a, at, lda, b, bt, ldb, beta, c, ct, ldc, compute, \
		    algorithm),                                                                   \
		   PRODUCT, OPERAND(a, at, lda, 0), OPERAND(b, bt, ldb, 0),                       \
		   OPERAND(c, ct, ldc, 0), .scalar = sc_operand_scalar_type(compute, ct))
#define GEMM_STRIDED_EX(name, N, T, S)                                                           \
	NOTED_BLAS(name,                                                                         \
		   (void *h, int ta, int tb, N m, N n, N k, const void *alpha, const void *a,    \
		    int at, N lda, long long sa, const void *b, int bt, N ldb, long long sb,     \
		    const void *beta, void *c, int ct, N ldc, long long sc, N batches,           \
		    int compute, int algorithm),                                                 \
		   (h, ta, tb, m, n, k, alpha, a, at, lda, sa, b, bt, ldb, sb, beta, c, ct, ldc, \
		    sc, batches, compute, algorithm),                                            \
		   PRODUCT, OPERAND(a, at, lda, sa), OPERAND(b, bt, ldb, sb),                    \
		   OPERAND(c, ct, ldc, sc), .batches = batches,                                  \
		   .scalar = sc_operand_scalar_type(compute, ct))
#define GEMV(name, N, T, S)                                                                  \
	NOTED_BLAS(name,                                                                     \
		   (void *h, int ta, N m, N n, const void *alpha, const void *a, N lda,      \
		    const void *b, N ldb, const void *beta, void *c, N ldc),                 \
		   (h, ta, m, n, alpha, a, lda, b, ldb, beta, c, ldc), .form = SC_BLAS_GEMV, \
		   .operation = {ta}, .m = m, .n = n, SCALARS, OPERAND(a, T, lda, 0),        \
		   OPERAND(b, T, ldb, 0), OPERAND(c, T, ldc, 0), .scalar = S)
#define GER(name, N, T, S)                                                                        \
	NOTED_BLAS(name,                                                                          \
		   (void *h, N m, N n, const void *alpha, const void *a, N lda, const void *b,    \
		    N ldb, void *c, N ldc),                                                       \
		   (h, m, n, alpha, a, lda, b, ldb, c, ldc), .form = SC_BLAS_GER, .m = m, .n = n, \
		   .alpha = alpha, OPERAND(a, T, lda, 0), OPERAND(b, T, ldb, 0),                  \
		   OPERAND(c, T, ldc, 0), .scalar = S)
#define AXPY(name, N, T, S)                                                                       \
	NOTED_BLAS(name, (void *h, N n, const void *alpha, const void *a, N lda, void *c, N ldc), \
		   (h, n, alpha, a, lda, c, ldc), .form = SC_BLAS_AXPY, .n = n, .alpha = alpha,   \
		   OPERAND(a, T, lda, 0), OPERAND(c, T, ldc, 0), .scalar = S)
#define SCAL(name, N, T, S)                                                                        \
	NOTED_BLAS(name, (void *h, N n, const void *alpha, void *c, N ldc), (h, n, alpha, c, ldc), \
		   .form = SC_BLAS_SCAL, .n = n, .alpha = alpha, OPERAND(c, T, ldc, 0),            \
		   .scalar = S)
#define COPY(name, N, T, S)                                                                     \
	NOTED_BLAS(name, (void *h, N n, const void *a, N lda, void *c, N ldc),                  \
		   (h, n, a, lda, c, ldc), .form = SC_BLAS_COPY, .n = n, OPERAND(a, T, lda, 0), \
		   OPERAND(c, T, ldc, 0), .scalar = S)
#define DOT(name, N, T, S)                                                                         \
	NOTED_BLAS(name, (void *h, N n, const void *a, N lda, const void *b, N ldb, void *result), \
		   (h, n, a, lda, b, ldb, result), .form = SC_BLAS_DOT, .n = n,                    \
		   OPERAND(a, T, lda, 0), OPERAND(b, T, ldb, 0), .result = result, .scalar = S)
#define NORM(name, N, T, S)                                                                     \
	NOTED_BLAS(name, (void *h, N n, const void *a, N lda, void *result),                    \
		   (h, n, a, lda, result), .form = SC_BLAS_NORM, .n = n, OPERAND(a, T, lda, 0), \
		   .result = result, .scalar = S)
#define TRSM(name, N, T, S)                                                            \
	NOTED_BLAS(name,                                                               \
		   (void *h, int side, int part, int ta, int diagonal, N m, N n,       \
		    const void *alpha, const void *a, N lda, void *c, N ldc),          \
		   (h, side, part, ta, diagonal, m, n, alpha, a, lda, c, ldc),         \
		   .form = SC_BLAS_TRSM, .side = side, .m = m, .n = n, .alpha = alpha, \
		   OPERAND(a, T, lda, 0), OPERAND(c, T, ldc, 0), .scalar = S)

#define BUFFERS(sent, received) \
	.sends = SC_SHARE_##sent, .receives = SC_SHARE_##received, .count = count, .type = type

/* Parameters of the forms; S and R say who sends and who receives. */
#define REDUCTION(name, S, R)                                                                     \
	NOTED_COLLECTIVE(name,                                                                    \
			 (const void *send, void *receive, size_t count, int type, int operation, \
			  const void *communicator, void *stream),                                \
			 (send, receive, count, type, operation, communicator, stream),           \
			 BUFFERS(S, R), .send = send, .receive = receive)
#define ROOTED_REDUCTION(name, S, R)                                                              \
	NOTED_COLLECTIVE(name,                                                                    \
			 (const void *send, void *receive, size_t count, int type, int operation, \
			  int root, const void *communicator, void *stream),                      \
			 (send, receive, count, type, operation, root, communicator, stream),     \
			 BUFFERS(S, R), .send = send, .receive = receive, .root = root)
#define EXCHANGE(name, S, R)                                                                \
	NOTED_COLLECTIVE(name,                                                              \
			 (const void *send, void *receive, size_t count, int type,          \
			  const void *communicator, void *stream),                          \
			 (send, receive, count, type, communicator, stream), BUFFERS(S, R), \
			 .send = send, .receive = receive)
#define ROOTED(name, S, R)                                                                        \
	NOTED_COLLECTIVE(name,                                                                    \
			 (const void *send, void *receive, size_t count, int type, int root,      \
			  const void *communicator, void *stream),                                \
			 (send, receive, count, type, root, communicator, stream), BUFFERS(S, R), \
			 .send = send, .receive = receive, .root = root)
#define IN_PLACE(name, S, R)                                                               \
	NOTED_COLLECTIVE(name,                                                             \
			 (void *buffer, size_t count, int type, int root,                  \
			  const void *communicator, void *stream),                         \
			 (buffer, count, type, root, communicator, stream), BUFFERS(S, R), \
			 .send = buffer, .receive = buffer, .root = root)
#define SEND(name, S, R)                                                                 \
	NOTED_COLLECTIVE(name,                                                           \
			 (const void *send, size_t count, int type, int peer,            \
			  const void *communicator, void *stream),                       \
			 (send, count, type, peer, communicator, stream), BUFFERS(S, R), \
			 .send = send)
#define RECEIVE(name, S, R)                                                                 \
	NOTED_COLLECTIVE(name,                                                              \
			 (void *receive, size_t count, int type, int peer,                  \
			  const void *communicator, void *stream),                          \
			 (receive, count, type, peer, communicator, stream), BUFFERS(S, R), \
			 .receive = receive)
#define PUT(name, S, R)                                                                     \
	NOTED_COLLECTIVE(name,                                                              \
			 (const void *send, size_t count, int type, int peer, void *window, \
			  size_t offset, int signal, int context, unsigned flags,           \
			  const void *communicator, void *stream),                          \
			 (send, count, type, peer, window, offset, signal, context, flags,  \
			  communicator, stream),                                            \
			 BUFFERS(S, R), .send = send)
#define SIGNAL(name, S, R)                                                     \
	NOTED_COLLECTIVE(name,                                                 \
			 (int peer, int signal, int context, unsigned flags,   \
			  const void *communicator, void *stream),             \
			 (peer, signal, context, flags, communicator, stream), \
			 .sends = SC_SHARE_##S, .receives = SC_SHARE_##R)
#define AWAIT(name, S, R)                                                                          \
	NOTED_COLLECTIVE(name, (int count, void *signals, const void *communicator, void *stream), \
			 (count, signals, communicator, stream), .sends = SC_SHARE_##S,            \
			 .receives = SC_SHARE_##R)

#endif
