/* Messages in the text form: words for the numbers of trace/message.h. */
#include <inttypes.h>
#include "trace/message.h"
#include "trace/text/text_line.h"

struct word {
	const char *text;
	uint64_t value;
};

#define MESSAGE(name, value)             \
	{                                \
		name, SC_MESSAGE_##value \
	}
#define FLOW(name, flow)                                          \
	{                                                         \
		name, (uint64_t)SC_FLOW_##flow << SC_MESSAGE_FLOW \
	}

/* clang-format off */
static const struct word message_words[] = {
	MESSAGE("send", SEND), MESSAGE("receive", RECEIVE), MESSAGE("probe", PROBE),
	MESSAGE("collective", COLLECTIVE), MESSAGE("wait", WAIT), MESSAGE("access", ACCESS),
	MESSAGE("fence", FENCE), MESSAGE("start", START), MESSAGE("complete", COMPLETE),
	MESSAGE("part", PART), MESSAGE("lose", LOSE), MESSAGE("list", LIST), MESSAGE("post", POST),
	MESSAGE("await", AWAIT), MESSAGE("blocks", BLOCKS), MESSAGE("unsized", UNSIZED),
	MESSAGE("any", ANY), MESSAGE("leaves", LEAVES), MESSAGE("canceled", CANCELED),
	MESSAGE("synchronous", SYNCHRONOUS), MESSAGE("from_all", FROM_ALL), MESSAGE("gets", GETS),
	FLOW("all_to_all", ALL_TO_ALL), FLOW("one_to_all", ONE_TO_ALL),
	FLOW("all_to_one", ALL_TO_ONE), FLOW("scan", SCAN), FLOW("listed", LISTED), {0},
};

static const struct word group_words[] = {
	{"world", SC_GROUP_WORLD}, {"part", SC_GROUP_PART}, {"window", SC_GROUP_WINDOW},
	{"nccl", SC_GROUP_NCCL}, {"nccl_host", SC_GROUP_NCCL_HOST}, {0},
};
/* clang-format on */

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
