/* Collective forms: the parameters of NCCL's functions in operand.def, and which buffers they are.
 *
 * Who includes this defines NOTED_COLLECTIVE(name, parameters, arguments, fields of struct
 * sc_collective).
 */
#pragma once

#define MEETS(how)  .meets = SC_MESSAGE_##how
#define ROOT(whose) .has_root = true, .root = (whose)
#define BUFFERS(sent, received) \
	.sends = SC_SHARE_##sent, .receives = SC_SHARE_##received, .count = count, .type = type

/* Parameters of the forms; S and R say who sends and who receives. */
#define REDUCTION(name, S, R)                                                                     \
	NOTED_COLLECTIVE(name,                                                                    \
			 (const void *send, void *receive, size_t count, int type, int operation, \
			  const void *communicator, void *stream),                                \
			 (send, receive, count, type, operation, communicator, stream),           \
			 BUFFERS(S, R), .send = send, .receive = receive,                         \
			 .operation = operation + 1, MEETS(COLLECTIVE))
#define ROOTED_REDUCTION(name, S, R)                                                              \
	NOTED_COLLECTIVE(name,                                                                    \
			 (const void *send, void *receive, size_t count, int type, int operation, \
			  int root, const void *communicator, void *stream),                      \
			 (send, receive, count, type, operation, root, communicator, stream),     \
			 BUFFERS(S, R), .send = send, .receive = receive, ROOT(root),             \
			 .operation = operation + 1, MEETS(COLLECTIVE))
#define EXCHANGE(name, S, R)                                                                \
	NOTED_COLLECTIVE(name,                                                              \
			 (const void *send, void *receive, size_t count, int type,          \
			  const void *communicator, void *stream),                          \
			 (send, receive, count, type, communicator, stream), BUFFERS(S, R), \
			 .send = send, .receive = receive, MEETS(COLLECTIVE))
#define ROOTED(name, S, R)                                                                        \
	NOTED_COLLECTIVE(name,                                                                    \
			 (const void *send, void *receive, size_t count, int type, int root,      \
			  const void *communicator, void *stream),                                \
			 (send, receive, count, type, root, communicator, stream), BUFFERS(S, R), \
			 .send = send, .receive = receive, ROOT(root), MEETS(COLLECTIVE))
#define IN_PLACE(name, S, R)                                                               \
	NOTED_COLLECTIVE(name,                                                             \
			 (void *buffer, size_t count, int type, int root,                  \
			  const void *communicator, void *stream),                         \
			 (buffer, count, type, root, communicator, stream), BUFFERS(S, R), \
			 .send = buffer, .receive = buffer, ROOT(root), MEETS(COLLECTIVE))
#define SEND(name, S, R)                                                                 \
	NOTED_COLLECTIVE(name,                                                           \
			 (const void *send, size_t count, int type, int peer,            \
			  const void *communicator, void *stream),                       \
			 (send, count, type, peer, communicator, stream), BUFFERS(S, R), \
			 .send = send, ROOT(peer), MEETS(SEND))
#define RECEIVE(name, S, R)                                                                 \
	NOTED_COLLECTIVE(name,                                                              \
			 (void *receive, size_t count, int type, int peer,                  \
			  const void *communicator, void *stream),                          \
			 (receive, count, type, peer, communicator, stream), BUFFERS(S, R), \
			 .receive = receive, ROOT(peer), MEETS(RECEIVE))
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
