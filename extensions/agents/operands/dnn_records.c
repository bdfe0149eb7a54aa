/* Records of cuDNN's graph descriptors: a table by address. */
#include "extensions/agents/operands/dnn_records.h"

#include "interposer/core/slab.h"

struct sc_dnn_records sc_dnn_records;

struct sc_dnn_record **sc_dnn_record_find(uint64_t address)
{
	struct sc_dnn_record **at = &sc_dnn_records.list[(address >> 4) % SC_DNN_LISTS];

	while (*at && (*at)->address != address)
		at = &(*at)->next;
	return at;
}

static void put_body(struct sc_dnn_record *d)
{
	struct sc_dnn_body *b = d->body;

	d->body = NULL;
	if (b && !--b->references)
		sc_slab_put(SC_SLAB_GRAPH, b);
}

void sc_dnn_record_share(struct sc_dnn_record *d, const struct sc_dnn_record *from)
{
	bool has_graph = from && (from->type == SC_DNN_GRAPH || sc_dnn_record_is_link(from->type));
	struct sc_dnn_body *b = has_graph ? from->body : NULL;

	if (d->body == b)
		return;
	put_body(d);
	d->body = b;
	if (b)
		b->references++;
}

void sc_dnn_record_drop(uint64_t address)
{
	struct sc_dnn_record **at = sc_dnn_record_find(address), *d = *at;

	if (!d)
		return;
	*at = d->next;
	put_body(d);
	sc_slab_put(SC_SLAB_DESCRIPTOR, d);
}

static bool has_own_body(int type)
{
	return type == SC_DNN_GRAPH || type == SC_DNN_PACK_TYPE || sc_dnn_is_operation(type);
}

void sc_dnn_record_add(int type, uint64_t address)
{
	struct sc_dnn_record *d = sc_slab_get(SC_SLAB_DESCRIPTOR, sizeof(*d)),
			     **at = sc_dnn_record_find(address);

	if (!d)
		return;
	d->address = address;
	d->type = type;
	d->body = has_own_body(type) ? sc_slab_get(SC_SLAB_GRAPH, sizeof(*d->body)) : NULL;
	d->is_unknown = has_own_body(type) && !d->body;
	if (d->body)
		d->body->references = 1;
	if (d->body && sc_dnn_is_operation(type))
		sc_dnn_operation_init(&d->body->operation, type);
	if (type == SC_DNN_PLAN)
		d->workspace = -1;
	*at = d;
}

const struct sc_dnn_record *sc_dnn_record_known(int64_t address)
{
	const struct sc_dnn_record *d = address ? *sc_dnn_record_find((uint64_t)address) : NULL;

	return d && d->is_final && !d->is_unknown ? d : NULL;
}

bool sc_dnn_record_is_link(int type)
{
	return type == SC_DNN_ENGINE || type == SC_DNN_ENGINE_CONFIG || type == SC_DNN_HEURISTICS ||
	       type == SC_DNN_PLAN;
}

const struct sc_dnn_record *sc_dnn_record_complete(int64_t address, int type)
{
	const struct sc_dnn_record *d = sc_dnn_record_known(address);

	return d && d->type == type ? d : NULL;
}
