/* Decoders of copies whose operands are structs: 2D, 3D and batches (specification 4.6, 4.7). */
#pragma once

#include "interposer/call/call.h"

/* HAND functions of api.def's rows; each attaches one access per operand, row by row. */
void sc_copy_2d(struct sc_call *call);
void sc_copy_3d(struct sc_call *call);
void sc_copy_3d_peer(struct sc_call *call);
void sc_copy_batch(struct sc_call *call);
void sc_copy_batch_v2(struct sc_call *call);
void sc_copy_batch_3d(struct sc_call *call);
void sc_copy_batch_3d_v2(struct sc_call *call);
void sc_copy_decompress(struct sc_call *call);
