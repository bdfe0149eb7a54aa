/* Budget: one pass over the ops, every row of budget.def asked for each. */
#include "cmds/judge/budget.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cmds/judge/word_list.h"

static const struct {
	const char *name;
	const char *what;
} rows[] = {
#define SC_BUDGET(id, name, what, count) {name, what},
#include "cmds/judge/budget.def"
#undef SC_BUDGET
};

static bool touches(const struct sc_op *op, unsigned memory)
{
	return op->dst_mem == memory || op->src_mem == memory;
}

/* Sums that a hostile trace lets overflow stay at the largest number. */
static uint64_t add(uint64_t a, uint64_t b)
{
	return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
	return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

/* Bytes that an op moves: for a copy in rows, its write accesses give the number. */
static uint64_t bytes_of(const struct sc_record *record)
{
	uint32_t size = 0;
	const struct sc_access *access = sc_record_attachment(record, SC_ATTACH_ACCESSES, &size);
	uint64_t sum = 0;

	if (record->op.bytes || !access)
		return record->op.bytes;
	for (; size >= sizeof(*access); size -= (uint32_t)sizeof(*access), access++)
		if (access->mode & SC_WRITE)
			sum = add(sum,
				  multiply(access->width, multiply(access->rows, access->slices)));
	return sum;
}

static void count_record(struct sc_budget *b, const struct sc_record *record)
{
	const struct sc_op *op = &record->op;
	uint64_t bytes;

	if (op->phase == SC_PHASE_END)
		return;
	bytes = bytes_of(record);
#define SC_BUDGET(id, name, what, count) \
	b->used[SC_BUDGET_##id] = add(b->used[SC_BUDGET_##id], (uint64_t)(count));
#include "cmds/judge/budget.def"
#undef SC_BUDGET
}

void sc_budget_count(struct sc_budget *b, struct sc_reader *r)
{
	struct sc_record record;

	sc_reader_rewind(r);
	while (sc_reader_next(r, &record) > 0)
		count_record(b, &record);
}

/* Digits and one of k, m, g. */
static bool parse_limit(const char *text, uint64_t *out)
{
	static const char suffixes[] = "kmg";
	const char *suffix;
	char *end;

	if (*text < '0' || *text > '9')
		return 0;
	errno = 0;
	*out = strtoull(text, &end, 10);
	if (errno)
		return 0;
	suffix = *end ? strchr(suffixes, *end) : NULL;
	if (suffix) {
		*out = multiply(*out, UINT64_C(1) << (10 * (suffix - suffixes + 1)));
		end++;
	}
	return !*end;
}

static int take_item(struct sc_budget *b, char *item, char *message, size_t bytes)
{
	char *equals = strchr(item, '=');

	if (equals)
		*equals = '\0';
	for (size_t i = 0; equals && i < SC_BUDGET_ROWS; i++) {
		if (strcmp(rows[i].name, item) != 0)
			continue;
		b->is_set = 1;
		if (parse_limit(equals + 1, &b->limit[i]))
			return 0;
		snprintf(message, bytes, "budget: \"%s\" is not a number; write %s=N", equals + 1,
			 item);
		return -EINVAL;
	}
	snprintf(message, bytes,
		 equals ? "budget: unknown name \"%s\"; streamcheck help budget lists the names"
			: "budget: \"%s\" is not of the form NAME=N",
		 item);
	return -EINVAL;
}

int sc_budget_parse(struct sc_budget *b, const char *text, char *message, size_t bytes)
{
	const char *rest = text;
	char item[128];
	int err = 0;

	*b = (struct sc_budget){0};
	for (size_t i = 0; i < SC_BUDGET_ROWS; i++)
		b->limit[i] = UINT64_MAX;
	while (!err && sc_list_next(&rest, item, sizeof(item)))
		err = take_item(b, item, message, bytes);
	if (err || b->is_set || !*text)
		return err;
	snprintf(message, bytes,
		 "budget: \"%s\" has no NAME=N; streamcheck help budget lists the "
		 "names",
		 text);
	return -EINVAL;
}

unsigned sc_budget_print_passed(struct sc_buf *out, const struct sc_budget *b)
{
	unsigned passed = 0;

	for (size_t i = 0; i < SC_BUDGET_ROWS; i++) {
		if (b->used[i] <= b->limit[i])
			continue;
		passed++;
		sc_buf_printf(out, "budget %s: %" PRIu64 " used, %" PRIu64 " allowed (%s)\n",
			      rows[i].name, b->used[i], b->limit[i], rows[i].what);
	}
	return passed;
}

void sc_budget_print_table(struct sc_buf *out)
{
	for (size_t i = 0; i < SC_BUDGET_ROWS; i++)
		sc_buf_printf(out, "  %-18s %s\n", rows[i].name, rows[i].what);
}
