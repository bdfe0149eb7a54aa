/* Tests of reports/html/html_pack.c: what stands more than once is written once, and nothing ends
 * the element that holds it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "reports/html/html_pack.h"

/* An object without its last member, what it names of that, and what becomes of both. */
static void assert_packed(const char *object, const char *shared, unsigned count,
			  const char *packed)
{
	struct sc_buf in = {0}, out = {0};

	sc_buf_printf(&in, "{%s,\"shared\":[%s]}", object, shared);
	sc_html_pack(&out, &in, count);
	assert_string_equal(sc_buf_text(&out), packed);
	sc_buf_fini(&in);
	sc_buf_fini(&out);
}

static void repeated_values_are_written_once(void **state)
{
	(void)state;
	assert_packed("\"a\":[\"train.cu\",7],\"b\":[\"train.cu\",7],\"c\":\"train.cu\"", "", 0,
		      "{\"a\":-2,\"b\":-2,\"c\":-1,\"shared\":[\"train.cu\",[-1,7]]}");
	assert_packed("\"a\":{\"file\":\"a.cu\"},\"b\":[{\"file\":\"a.cu\"}]", "", 0,
		      "{\"a\":-1,\"b\":[-1],\"shared\":[{\"file\":\"a.cu\"}]}");
}

/* Inside of a value that is shared itself it is not written apart. */
static void parts_of_shared_values_stay_in_them(void **state)
{
	(void)state;
	assert_packed("\"a\":[[\"train.cu\"]],\"b\":[[\"train.cu\"]]", "", 0,
		      "{\"a\":-1,\"b\":-1,\"shared\":[[[\"train.cu\"]]]}");
}

static void short_values_and_keys_stay(void **state)
{
	const char *const plain[] = {
		"\"a\":\"short\",\"b\":\"short\",\"c\":[],\"d\":{},\"e\":[1,true]",
		"\"long_key_1\":1,\"b\":{\"long_key_1\":2}"};
	struct sc_buf whole = {0};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		sc_buf_printf(&whole, "{%s,\"shared\":[]}", plain[i]);
		assert_packed(plain[i], "", 0, sc_buf_text(&whole));
		sc_buf_clear(&whole);
	}
	sc_buf_fini(&whole);
}

static void brackets_and_quotes_in_texts_are_text(void **state)
{
	(void)state;
	assert_packed("\"a\":\"x\\\\\",\"b\":\"], [ , : \\\"\",\"c\":\"], [ , : \\\"\"", "", 0,
		      "{\"a\":\"x\\\\\",\"b\":-1,\"c\":-1,\"shared\":[\"], [ , : \\\"\"]}");
}

/* What the object names already keeps its numbers. */
static void shared_values_stay_first(void **state)
{
	(void)state;
	assert_packed("\"a\":-2,\"b\":-1,\"c\":\"train.cu\"", "[\"main.cu\"],[\"train.cu\"]", 2,
		      "{\"a\":-2,\"b\":-1,\"c\":-3,\"shared\":[[\"main.cu\"],[-3],\"train.cu\"]}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repeated_values_are_written_once),
		cmocka_unit_test(parts_of_shared_values_stay_in_them),
		cmocka_unit_test(short_values_and_keys_stay),
		cmocka_unit_test(brackets_and_quotes_in_texts_are_text),
		cmocka_unit_test(shared_values_stay_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
