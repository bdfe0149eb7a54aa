/* Random programs far from the beginning of a trace, of which all before was given back: positions
 * beyond 32 bits, and across that border, find what they find near the beginning.
 *
 * Usage: run_far PROGRAMS SEED
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "analyzer/analysis.h"
#include "tests/oracle/program.h"
#include "trace/given.h"
#include "trace/slot.h"

#define NEAR UINT64_C(1024)
#define LINK (offsetof(struct sc_op, link) - SC_SLOT_DATA) /* in the second slot */

_Static_assert(offsetof(struct sc_op, link) >= SC_SLOT_DATA, "in the second slot");

/* Records name others by their place. */
static void move(struct sc_slot *slots, size_t count, uint64_t by)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t link, check;

		if (SC_SLOT_TYPE(slots[i].head) != SC_SLOT_FIRST)
			continue;
		memcpy(&link, slots[i + 1].data + LINK, sizeof(link));
		link += link ? by : 0;
		memcpy(slots[i + 1].data + LINK, &link, sizeof(link));
		check = sc_slot_check(&slots[i], SC_SLOT_LEFT(slots[i].head) + 1);
		memcpy((uint8_t *)&slots[i] + SC_SLOT_CHECK, &check, sizeof(check));
	}
}

static void put(int fd, const void *data, size_t bytes, uint64_t at)
{
	if (pwrite(fd, data, bytes, (off_t)at) == (ssize_t)bytes)
		return;
	perror("run_far");
	exit(2);
}

/* The program as the part of a trace that begins at a slot. */
static struct sc_reader *open_at(const struct program *p, uint64_t first)
{
	size_t bytes = p->slots.count * sizeof(struct sc_slot);
	struct sc_slot *slots = malloc(bytes);
	struct sc_trace_given given = {.slots = first};
	struct sc_trace_header header = {.magic = SC_TRACE_MAGIC,
					 .version = SC_TRACE_VERSION,
					 .op_bytes = sizeof(struct sc_op),
					 .slots = first + p->slots.count};
	int fd = memfd_create("run_far", 0);
	struct sc_reader *r;
	char path[64], message[256] = "";

	memcpy(slots, p->slots.items, bytes);
	move(slots, p->slots.count, first);
	put(fd, &header, sizeof(header), 0);
	put(fd, &given, sizeof(given), SC_TRACE_GIVEN);
	put(fd, slots, bytes, SC_TRACE_HEADER + first * SC_SLOT_SIZE);
	free(slots);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (sc_reader_open(&r, path, message, sizeof(message))) {
		printf("%s\n", message);
		exit(2);
	}
	close(fd);
	return r;
}

static bool is_same(const struct sc_finding *x, const struct sc_finding *y, uint64_t by)
{
	bool is_same_place = 1;

	for (unsigned i = 0; i < 2; i++)
		is_same_place &= !x->side[i].op || x->side[i].op + by == y->side[i].op;
	return is_same_place && x->rule == y->rule && x->confidence == y->confidence &&
	       x->count == y->count && x->sides == y->sides;
}

static bool compare(const struct program *p, uint64_t far, size_t *found)
{
	struct sc_analysis_settings settings = {.profile = SC_REFERENCE, .advice = 1};
	struct sc_reader *first = open_at(p, NEAR), *second = open_at(p, far);
	struct sc_analysis *a, *b;
	const struct sc_finding *x, *y;
	size_t n, m;
	bool is_equal;

	sc_analysis_run(&a, first, &settings);
	sc_analysis_run(&b, second, &settings);
	x = sc_analysis_findings(a, &n);
	y = sc_analysis_findings(b, &m);
	is_equal = n == m && sc_analysis_coverage(a)->ops == sc_analysis_coverage(b)->ops;
	for (size_t i = 0; is_equal && i < n; i++)
		is_equal = is_same(&x[i], &y[i], far - NEAR);
	*found += n;
	sc_analysis_free(a);
	sc_analysis_free(b);
	sc_reader_free(first);
	sc_reader_free(second);
	return is_equal;
}

int main(int argc, char **argv)
{
	unsigned long programs = argc > 1 ? strtoul(argv[1], NULL, 0) : 100;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	size_t found = 0;

	for (unsigned long i = 0; i < programs; i++) {
		struct program p;
		uint64_t border = UINT64_C(1) << 32, across;
		bool is_equal;

		program_generate(&p, seed + i, 0);
		across = border - p.slots.count / 2;
		is_equal = compare(&p, across, &found) &&
			   compare(&p, SC_TRACE_SLOTS_MAX - p.slots.count, &found);
		program_fini(&p);
		if (is_equal)
			continue;
		printf("seed %llu: the findings differ\n", (unsigned long long)(seed + i));
		return 1;
	}
	printf("%lu programs with %zu findings: the same wherever they stand\n", programs, found);
	return !found;
}
