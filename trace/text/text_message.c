/* Messages in the text form: words for the numbers of trace/message.h. */
#include <inttypes.h>
#include "trace/message.h"
#include "trace/text/text_line.h"

struct word {
	const char *text;
	uint64_t value;
};

static const struct word message_words[] = {
	{"send", SC_MESSAGE_SEND},	   {"receive", SC_MESSAGE_RECEIVE},
	{"probe", SC_MESSAGE_PROBE},	   {"collective", SC_MESSAGE_COLLECTIVE},
	{"wait", SC_MESSAGE_WAIT},	   {"access", SC_MESSAGE_ACCESS},
	{"fence", SC_MESSAGE_FENCE},	   {"start", SC_MESSAGE_START},
	{"complete", SC_MESSAGE_COMPLETE}, {"part", SC_MESSAGE_PART},
	{"lose", SC_MESSAGE_LOSE},	   {"list", SC_MESSAGE_LIST},
	{"post", SC_MESSAGE_POST},	   {"await", SC_MESSAGE_AWAIT},
	{"blocks", SC_MESSAGE_BLOCKS},	   {"unsized", SC_MESSAGE_UNSIZED},
	{"any", SC_MESSAGE_ANY},	   {"leaves", SC_MESSAGE_LEAVES},
	{"canceled", SC_MESSAGE_CANCELED}, {"synchronous", SC_MESSAGE_SYNCHRONOUS},
	{"gets", SC_MESSAGE_GETS},	   {0},
};

static const struct word group_words[] = {
	{"world", SC_GROUP_WORLD}, {"part", SC_GROUP_PART},	      {"window", SC_GROUP_WINDOW},
	{"nccl", SC_GROUP_NCCL},   {"nccl_host", SC_GROUP_NCCL_HOST}, {0},
};

static const struct word share_words[] = {
	{"given", SC_SHARE_GIVEN}, {"opened", SC_SHARE_OPENED}, {0}};

static const struct word *words_of(const struct sc_op *op, unsigned field)
{
	if (op->kind == SC_OP_SHARE && field == SC_FIELD_peer)
		return share_words;
	if (field != SC_FIELD_value)
		return NULL;
	if (op->kind == SC_OP_GROUP)
		return group_words;
	return op->kind == SC_OP_MESSAGE || op->kind == SC_OP_MESSAGE_END ? message_words : NULL;
}

bool sc_text_message_value(const struct sc_op *op, unsigned field, struct sc_text_span value,
			   uint64_t *number)
{
	const struct word *words = words_of(op, field), *w;
	struct sc_text_span one;
	bool more = words != NULL;

	*number = 0;
	while (more) {
		more = sc_lex_split(&value, '+', &one);
		for (w = words; w->text && !sc_span_is(one, w->text); w++)
			;
		if (!w->text)
			return 0;
		*number |= w->value;
	}
	return words != NULL;
}

/* Fields as the libraries count: ranks and tags from 0, which a record has + 1. */
static const struct key {
	const char *text;
	uint8_t field, added;
} keys[] = {
	{"as", SC_FIELD_peer, 1},   {"to", SC_FIELD_peer, 1}, {"from", SC_FIELD_peer, 1},
	{"root", SC_FIELD_peer, 1}, {"tag", SC_FIELD_src, 1}, {"nth", SC_FIELD_src, 0},
	{"of", SC_FIELD_bytes, 0},
};

unsigned sc_text_message_key(const struct sc_op *op, struct sc_text_span key, unsigned *added)
{
	if (op->kind != SC_OP_GROUP && op->kind != SC_OP_MESSAGE && op->kind != SC_OP_MESSAGE_END)
		return SC_FIELDS;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (sc_span_is(key, keys[i].text)) {
			*added = keys[i].added;
			return keys[i].field;
		}
	return SC_FIELDS;
}
