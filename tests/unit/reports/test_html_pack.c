/* Tests of reports/html/html_pack.c: what stands more than once is written once, and nothing ends
 * the element that holds it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "reports/html/html_pack.h"

static void assert_packed(const char *json, const char *packed)
{
	struct sc_buf in = {0}, out = {0};

	sc_buf_add(&in, json);
	sc_html_pack(&out, &in);
	assert_string_equal(sc_buf_text(&out), packed);
	sc_buf_fini(&in);
	sc_buf_fini(&out);
}

static void repeated_values_are_written_once(void **state)
{
	(void)state;
	assert_packed("{\"a\": [\"train.cu\", 7], \"b\": [\"train.cu\", 7], \"c\": \"train.cu\"}\n",
		      "{\"shared\":[\"train.cu\",[-1,7]],\"a\":-2,\"b\":-2,\"c\":-1}");
	assert_packed("{\"a\": {\"file\": \"a.cu\"}, \"b\": [\n  {\"file\": \"a.cu\"}\n]}",
		      "{\"shared\":[{\"file\":\"a.cu\"}],\"a\":-1,\"b\":[-1]}");
}

/* Inside of a value that is shared itself it is not written apart. */
static void parts_of_shared_values_stay_in_them(void **state)
{
	(void)state;
	assert_packed("{\"a\": [[\"train.cu\"]], \"b\": [[\"train.cu\"]]}",
		      "{\"shared\":[[[\"train.cu\"]]],\"a\":-1,\"b\":-1}");
}

static void short_values_and_keys_stay(void **state)
{
	(void)state;
	assert_packed(
		"{\"a\": \"short\", \"b\": \"short\", \"c\": [], \"d\": {}, \"e\": [1, true]}",
		"{\"shared\":[],\"a\":\"short\",\"b\":\"short\",\"c\":[],\"d\":{},\"e\":[1,true]}");
	assert_packed("{\"long_key_1\": 1, \"b\": {\"long_key_1\": 2}}",
		      "{\"shared\":[],\"long_key_1\":1,\"b\":{\"long_key_1\":2}}");
}

static void names_stay_what_they_are(void **state)
{
	(void)state;
	assert_packed("{\"a\": \"x\\\\\", \"b\": \"], [ , : \\\"\", \"c\": \"], [ , : \\\"\"}",
		      "{\"shared\":[\"], [ , : \\\"\"],\"a\":\"x\\\\\",\"b\":-1,\"c\":-1}");
	assert_packed("{\"a\": \"</script>\"}", "{\"shared\":[],\"a\":\"\\u003c/script>\"}");
	assert_packed("{\"a\": \"</script>\", \"b\": \"</script>\"}",
		      "{\"shared\":[\"\\u003c/script>\"],\"a\":-1,\"b\":-1}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repeated_values_are_written_once),
		cmocka_unit_test(parts_of_shared_values_stay_in_them),
		cmocka_unit_test(short_values_and_keys_stay),
		cmocka_unit_test(names_stay_what_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
