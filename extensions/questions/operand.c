/* Operands: words of the command line looked up in a trace. */
#include "extensions/questions/operand.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "analyzer/symbol/demangle.h"
#include "base/map.h"
#include "reports/sources/site.h"
#include "reports/words/words.h"

enum form { NUMBER, PLACE, NODE, KERNEL };

/* A node that is meant. */
struct node {
	uint32_t exec, place;
	uint64_t sequence;
};

/* A word, taken apart. */
struct word {
	enum form form;
	uint64_t number; /* of an op, a line, or an executable graph */
	uint32_t node;
	const char *name; /* of a file (`bytes` of it) or kernel */
	size_t bytes;
	struct sc_u64_map known; /* stacks or kernels: 1 no, 2 yes */
	SC_VECTOR(struct node) nodes;
};

struct search {
	const struct sc_report *report;
	struct word words[2];
	struct sc_operand *operands;
	struct sc_u64_map callbacks; /* executions to sequence number + 1 of the host function */
};

static bool is_all_digits(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

static void parse(struct word *w, const char *text)
{
	const char *colon = strrchr(text, ':'), *dot = strchr(text, '.');

	*w = (struct word){.form = KERNEL, .name = text, .bytes = strlen(text)};
	if (is_all_digits(text)) {
		w->form = NUMBER;
		w->number = strtoull(text, NULL, 10);
	} else if (colon && is_all_digits(colon + 1)) {
		w->form = PLACE;
		w->number = strtoull(colon + 1, NULL, 10);
		w->bytes = (size_t)(colon - text);
	} else if (*text == 'g' && isdigit((unsigned char)text[1]) && dot &&
		   is_all_digits(dot + 1) &&
		   strspn(text + 1, "0123456789") + 1 == (size_t)(dot - text)) {
		w->form = NODE;
		w->number = strtoull(text + 1, NULL, 10);
		w->node = (uint32_t)strtoul(dot + 1, NULL, 10);
	}
}

/* True if the path is the file, or ends with it. */
static bool is_file(const struct word *w, const char *path)
{
	size_t bytes = strlen(path);

	if (bytes < w->bytes || memcmp(path + bytes - w->bytes, w->name, w->bytes) != 0)
		return 0;
	return bytes == w->bytes || path[bytes - w->bytes - 1] == '/';
}

static bool is_from(const struct search *s, const struct word *w, uint32_t stack)
{
	struct sc_report_site site;

	sc_site_of_stack(&site, s->report, stack);
	for (size_t i = 0; i < site.count; i++)
		if (site.frames[i].line == w->number && is_file(w, site.frames[i].file))
			return 1;
	return 0;
}

static bool is_part_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The name as a whole word of what the kernel is called. */
static bool is_kernel(const struct search *s, const struct word *w, uint32_t kernel)
{
	char name[SC_DEMANGLE_MAX];

	sc_demangle(sc_reader_function(s->report->reader, kernel), name, sizeof(name));
	for (const char *at = name; w->bytes && (at = strstr(at, w->name)); at++)
		if ((at == name || !is_part_of_name(at[-1])) && !is_part_of_name(at[w->bytes]))
			return 1;
	return 0;
}

/* Each stack and kernel is looked at once. */
static bool is_known(const struct search *s, struct word *w, uint32_t id)
{
	uint64_t *known = sc_u64_map_get(&w->known, id);

	if (!*known)
		*known = 1 + (w->form == PLACE ? is_from(s, w, id) : is_kernel(s, w, id));
	return *known == 2;
}

static bool is_meant(const struct search *s, struct word *w, const struct sc_record *r)
{
	const struct sc_op *op = &r->op;

	switch (w->form) {
	case NUMBER: return r->sequence == w->number;
	case PLACE: /* code that a launch has loaded is not what its line is about */
		return op->stack && op->kind != SC_OP_MODULE_LOAD && is_known(s, w, op->stack);
	case NODE:
		return op->flags & SC_FLAG_NODE && op->peer == w->number &&
		       sc_words_node(r) == w->node;
	case KERNEL: return op->kind == SC_OP_KERNEL && is_known(s, w, op->object);
	}
	return 0;
}

static void add(struct sc_operand *o, struct sc_operand_op op)
{
	if (o->ops.count < SC_OPERAND_MAX)
		sc_vector_push(&o->ops, op);
	else
		o->more++;
}

static uint64_t start_of(struct search *s, const struct sc_record *r)
{
	const uint64_t *func =
		r->op.callback ? sc_u64_map_find(&s->callbacks, r->op.callback) : NULL;

	return func && *func ? *func - 1 : r->sequence;
}

/* An op of a time line: no definition, nothing that was only captured, no END of a call. */
static bool is_op(const struct sc_op *op)
{
	enum sc_op_class class = sc_op_kind_class(op->kind);

	return class != SC_CLASS_DEFINE && op->phase != SC_PHASE_END &&
	       !(op->flags & SC_FLAG_CAPTURED);
}

static void note_node(struct word *w, const struct sc_record *r)
{
	struct node node = {r->op.peer, sc_words_node(r), r->sequence};

	for (size_t i = 0; i < w->nodes.count; i++)
		if (w->nodes.items[i].exec == node.exec && w->nodes.items[i].place == node.place)
			return;
	sc_vector_push(&w->nodes, node);
}

static void look(struct search *s, unsigned i, const struct sc_record *r)
{
	struct word *w = &s->words[i];

	if (r->op.flags & SC_FLAG_NODE) {
		if (is_meant(s, w, r))
			note_node(w, r);
		return;
	}
	for (size_t k = 0; r->op.kind == SC_OP_GRAPH_LAUNCH && k < w->nodes.count; k++)
		if (w->nodes.items[k].exec == r->op.object)
			add(&s->operands[i],
			    (struct sc_operand_op){r->sequence, w->nodes.items[k].sequence,
						   r->sequence, w->nodes.items[k].place});
	if (is_op(&r->op) && is_meant(s, w, r))
		add(&s->operands[i],
		    (struct sc_operand_op){r->sequence, r->sequence, start_of(s, r), SC_NO_PLACE});
}

static void want_stack(void *data, const struct sc_record *record)
{
	const struct sc_report *r = data;

	sc_symbols_want(r->symbols, record->op.stack);
}

static bool has_stack(void *data, const struct sc_op *op, uint64_t sequence)
{
	(void)data;
	(void)sequence;
	return op->stack != 0;
}

void sc_operands_find(struct sc_operand operands[2], const struct sc_report *r)
{
	struct search s = {.report = r, .operands = operands};
	struct sc_record record;

	for (unsigned i = 0; i < 2; i++) {
		parse(&s.words[i], operands[i].word);
		if (s.words[i].form == PLACE)
			sc_reader_visit(r->reader, &(struct sc_visit){.is_wanted = has_stack,
								      .take = want_stack,
								      .data = (void *)r});
	}
	sc_reader_rewind(r->reader);
	while (sc_reader_next(r->reader, &record) > 0) {
		if (record.op.kind == SC_OP_CALLBACK_BEGIN && record.op.callback)
			*sc_u64_map_get(&s.callbacks, record.op.callback) = record.op.link;
		for (unsigned i = 0; i < 2; i++)
			look(&s, i, &record);
	}
	for (unsigned i = 0; i < 2; i++) {
		sc_u64_map_fini(&s.words[i].known);
		sc_vector_fini(&s.words[i].nodes);
	}
	sc_u64_map_fini(&s.callbacks);
}

void sc_operand_fini(struct sc_operand *o)
{
	sc_vector_fini(&o->ops);
}
