/* Options of UCX: fields in use, and a copy that a newer version's fields do not get lost in. */
#include <string.h>
#include "tests/unit/unit.h"
#include "extensions/agents/ucx/options.h"

#define CALLBACK_BIT  (1U << 1)
#define USER_DATA_BIT (1U << 2)
#define NEWER_BIT     (1U << 9)
#define FLAG_BIT      (1U << 16)

/* What a program has: the fields that are not in use are not read, and may not even be there. */
struct given {
	uint32_t mask, flags;
	uint64_t request, callback;
};

TEST(absent)
{
	struct given given = {.callback = 5};

	assert_int_equal(sc_ucx_option(NULL, SC_UCX_OPTION_CALLBACK, 3), 3);
	assert_int_equal(sc_ucx_option(&given, SC_UCX_OPTION_CALLBACK, 3), 3);
	given.mask = CALLBACK_BIT;
	assert_int_equal(sc_ucx_option(&given, SC_UCX_OPTION_CALLBACK, 3), 5);
}

TEST(copy)
{
	struct given given = {.mask = CALLBACK_BIT | FLAG_BIT, .request = 4, .callback = 5};
	struct sc_ucx_options copy;

	assert_true(sc_ucx_options_copy(&copy, &given));
	assert_int_equal(sc_ucx_option(&copy, SC_UCX_OPTION_CALLBACK, 0), 5);
	assert_int_equal(sc_ucx_option(&copy, SC_UCX_OPTION_REQUEST, 0), 0);
	sc_ucx_options_set(&copy, SC_UCX_OPTION_USER_DATA, 6);
	assert_int_equal(sc_ucx_option(&copy, SC_UCX_OPTION_USER_DATA, 0), 6);
	assert_int_equal((uint32_t)copy.word[0], CALLBACK_BIT | USER_DATA_BIT | FLAG_BIT);
}

TEST(newer_field)
{
	struct given given = {.mask = CALLBACK_BIT | NEWER_BIT, .callback = 5};
	struct sc_ucx_options copy;

	assert_false(sc_ucx_options_copy(&copy, &given));
}

TEST(handler)
{
	uint64_t given[4] = {1 << 2 | 1 << 3, 0, 7, 8};
	struct sc_ucx_handler_options copy;

	assert_int_equal(sc_ucx_handler_option(given, SC_UCX_HANDLER_OPTION_CB), 7);
	assert_true(sc_ucx_handler_options_copy(&copy, given));
	sc_ucx_handler_options_set(&copy, SC_UCX_HANDLER_OPTION_ARG, 9);
	assert_int_equal(sc_ucx_handler_option(&copy, SC_UCX_HANDLER_OPTION_ARG), 9);
	assert_int_equal(sc_ucx_handler_option(&copy, SC_UCX_HANDLER_OPTION_CB), 7);
	given[0] |= UINT64_C(1) << 40;
	assert_false(sc_ucx_handler_options_copy(&copy, given));
}
