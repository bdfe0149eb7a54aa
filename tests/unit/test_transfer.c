/* Transfers: the short answer of what most copies and fills promise, against the tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "analyzer/order/transfer.h"

static bool says_nothing(const struct sc_op *op, unsigned driver, enum sc_profile profile)
{
	struct sc_transfer t = sc_transfer_of(op, driver, profile);

	return !t.edge && !t.host_reads && !t.is_barrier && !t.source_staged && !t.result_waited;
}

static void check(const struct sc_op *op)
{
	static const unsigned drivers[] = {11040, 12000, 13000};

	if (!sc_transfer_is_silent(op))
		return;
	for (unsigned d = 0; d < sizeof(drivers) / sizeof(*drivers); d++)
		for (unsigned p = SC_STRICT; p <= SC_PERMISSIVE; p++)
			assert_true(says_nothing(op, drivers[d], (enum sc_profile)p));
}

static void test_silent_transfers(void **state)
{
	static const uint32_t flags[] = {0, SC_FLAG_SYNC, SC_FLAG_PEER, SC_FLAG_OTHER_CONTEXT};

	(void)state;
	for (unsigned from = 0; from < SC_MEM_KINDS; from++) {
		for (unsigned to = 0; to < SC_MEM_KINDS; to++) {
			for (unsigned f = 0; f < sizeof(flags) / sizeof(*flags); f++) {
				struct sc_op op = {.kind = SC_OP_COPY,
						   .flags = flags[f],
						   .src_mem = (uint8_t)from,
						   .dst_mem = (uint8_t)to,
						   .bytes = 64};

				check(&op);
				op.kind = SC_OP_SET;
				check(&op);
			}
		}
	}
}

static void test_most_are_silent(void **state)
{
	struct sc_op op = {.kind = SC_OP_COPY, .src_mem = SC_MEM_PINNED, .dst_mem = SC_MEM_DEVICE};

	(void)state;
	assert_true(sc_transfer_is_silent(&op));
	op.src_mem = SC_MEM_PAGEABLE;
	assert_false(sc_transfer_is_silent(&op));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_silent_transfers),
		cmocka_unit_test(test_most_are_silent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
