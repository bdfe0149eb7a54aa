/* Communicator forms: the parameters of NCCL's functions in operand.def that make communicators or
 * end one, and what is said of them.
 *
 * Who includes this defines NOTED_BIRTH(name, parameters, arguments, birth), whose `birth` is made
 * before the real call, NOTED_TOGETHER(name, parameters, arguments), and NOTED_PART(name,
 * parameters, arguments, flags, whether the handle is gone).
 */
#pragma once

#define ONE(name)                                                                          \
	NOTED_BIRTH(name, (void **communicator, int size, struct sc_nccl_id id, int rank), \
		    (communicator, size, id, rank),                                        \
		    sc_communicator_make(communicator, size, rank, &id, 1))
#define CONFIGURED(name)                                                                         \
	NOTED_BIRTH(                                                                             \
		name,                                                                            \
		(void **communicator, int size, struct sc_nccl_id id, int rank, void *settings), \
		(communicator, size, id, rank, settings),                                        \
		sc_communicator_make(communicator, size, rank, &id, 1))
#define SCALABLE(name)                                                                           \
	NOTED_BIRTH(name,                                                                        \
		    (void **communicator, int size, int rank, int count, struct sc_nccl_id *ids, \
		     void *settings),                                                            \
		    (communicator, size, rank, count, ids, settings),                            \
		    sc_communicator_make(communicator, size, rank, ids, count))
#define EVERY(name)                                                                \
	NOTED_TOGETHER(name, (void **communicator, int count, const int *devices), \
		       (communicator, count, devices))
#define SPLIT(name)                                                                            \
	NOTED_BIRTH(name, (void *of, int color, int key, void **communicator, void *settings), \
		    (of, color, key, communicator, settings),                                  \
		    sc_communicator_split(of, color, communicator, (void *)real))
#define SHRINK(name)                                                                         \
	NOTED_BIRTH(name,                                                                    \
		    (void *of, int *without, int count, void **communicator, void *settings, \
		     int flags),                                                             \
		    (of, without, count, communicator, settings, flags),                     \
		    sc_communicator_shrink(of, without, count, communicator, (void *)real))
#define CLOSE(name) NOTED_PART(name, (void *communicator), (communicator), 0, IS_FREED_BY_##name)
#define ABORT(name) NOTED_PART(name, (void *communicator), (communicator), SC_MESSAGE_CANCELED, 1)
#define REVOKE(name)                                                             \
	NOTED_PART(name, (void *communicator, int flags), (communicator, flags), \
		   SC_MESSAGE_CANCELED, 0)
#define IS_FREED_BY_ncclCommFinalize 0
#define IS_FREED_BY_ncclCommDestroy  1
