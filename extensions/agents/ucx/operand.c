/* Operands: contiguous data and lists of places. What a datatype's own functions pack is not known.
 */
#include "extensions/agents/ucx/operand.h"

#include <stddef.h>
#include <string.h>
#include "interposer/core/put.h"
#include "extensions/agents/ucx/options.h"

#define CLASS_MASK ((UINT64_C(1) << SC_UCP_DATATYPE_SHIFT) - 1)

/* An element of a list (ucp_dt_iov_t). */
struct place {
	uint64_t at, bytes;
};

static void append(struct sc_mpi_accesses *list, uint64_t at, uint64_t bytes, uint8_t mode)
{
	struct sc_mpi_pieces piece = {.count = 1, .is_exact = true};

	piece.item[0] = (struct sc_mpi_piece){.width = bytes, .rows = 1, .slices = 1};
	if (at && bytes)
		sc_mpi_append_pieces(list, at, mode, &piece);
}

static void append_list(struct sc_mpi_accesses *list, uint64_t at, uint64_t count, uint8_t mode)
{
	for (uint64_t i = 0; at && i < count; i++) {
		struct place place;

		memcpy(&place, (const void *)(uintptr_t)(at + i * sizeof(place)), sizeof(place));
		append(list, place.at, place.bytes, mode);
	}
}

static uint64_t type_of(const struct sc_ucx_row *row, const uint64_t *parameter)
{
	uint64_t bytes = (UINT64_C(1) << SC_UCP_DATATYPE_SHIFT) | SC_UCP_DATATYPE_CONTIG;

	if (row->options)
		return sc_ucx_option((const void *)(uintptr_t)parameter[row->options],
				     SC_UCX_OPTION_DATATYPE, bytes);
	return row->type ? parameter[row->type] : bytes;
}

/* The result of an atomic operation; of a conditional swap it has the new value before. */
static void append_reply(const struct sc_ucx_row *row, const uint64_t *parameter, uint64_t bytes,
			 struct sc_mpi_accesses *list)
{
	const void *options = (const void *)(uintptr_t)parameter[row->options];
	uint64_t at = row->options ? sc_ucx_option(options, SC_UCX_OPTION_REPLY_BUFFER, 0) : 0;
	bool is_swap = (uint32_t)parameter[1] == SC_UCP_ATOMIC_OP_CSWAP;

	append(list, at, bytes, is_swap ? SC_READ_WRITE : SC_WRITE);
}

void sc_ucx_describe(const struct sc_ucx_row *row, const uint64_t *parameter,
		     struct sc_mpi_accesses *out)
{
	uint64_t type = type_of(row, parameter), at = parameter[row->at];
	uint64_t count = parameter[row->count], bytes = count * (type >> SC_UCP_DATATYPE_SHIFT);

	out->count = 0;
	if (!row->at)
		return;
	if (row->header)
		append(out, parameter[row->header], parameter[row->header + 1], SC_READ);
	switch (type & CLASS_MASK) {
	case SC_UCP_DATATYPE_CONTIG:
		append(out, at, bytes, row->mode);
		append_reply(row, parameter, bytes, out);
		break;
	case SC_UCP_DATATYPE_IOV: append_list(out, at, count, row->mode); break;
	default: sc_put_source("data of UCX of a generic type", false); break;
	}
}
