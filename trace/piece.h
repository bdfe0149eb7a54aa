/* Pieces that go back to their pool: `value` of the op PIECE_FREE. */
#pragma once

/* In which order the pool hands the memory out again. */
enum sc_piece_return {
	SC_PIECE_IN_STREAM,	/* in that of the op's `stream`; 0: it does not say */
	SC_PIECE_IN_OWN_STREAM, /* of the stream that the piece was handed out for */
	SC_PIECE_AT_ONCE	/* to whoever asks next */
};
