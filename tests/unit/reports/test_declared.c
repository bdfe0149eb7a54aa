/* Declared: which variable of C++ a statement gives a new object, or what a function returned. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "reports/sources/declared.h"

#define MOST 64

TEST(functions)
{
	static const struct {
		const char *text, *name, *class;
	} rows[] = {
		{"main", "main", ""},
		{"race(float*, CUstream_st*)", "race", ""},
		{"Stream::Stream()", "Stream", "Stream"},
		{"own::Buffer<float>::Buffer(unsigned long)", "Buffer", "Buffer"},
		{"thrust::v2::device_vector<int, std::less<int> >::device_vector(unsigned long)",
		 "device_vector", "device_vector"},
		{"(anonymous namespace)::Pool::take(int)", "take", "Pool"},
		{"float* make<float>(std::function<void (int)>)", "make", ""},
		{"main::{lambda()#1}::operator()() const", "lambda", ""},
		{"", "", ""},
		{")>::(", "", ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sc_declared_function f;

		sc_declared_function(&f, rows[i].text);
		assert_string_equal(f.class, rows[i].class);
		assert_string_equal(f.name, rows[i].name);
		assert_int_equal(sc_declared_constructs(&f),
				 *rows[i].name && !strcmp(rows[i].name, rows[i].class));
	}
}

/* What is declared new has its name as it is, what was known before in brackets. */
static void expect(enum sc_declared found, struct sc_buf *name, const char *wanted)
{
	char text[MOST];

	snprintf(text, sizeof(text), found == SC_DECLARED_KNOWN ? "(%s)" : "%s", sc_buf_text(name));
	assert_string_equal(found == SC_DECLARED_NOTHING ? "none" : text, wanted);
	sc_buf_fini(name);
}

TEST(objects)
{
	static const struct {
		const char *statement, *name;
	} rows[] = {
		{"Stream up;", "up"},
		{"static const own::Stream up;", "up"},
		{"Stream up(0, \"x\");", "none"}, /* brackets in texts are not counted */
		{"Stream up(flags(1), 0);", "up"},
		{"Stream<int, 4> up{4};", "up"},
		{"Alias up;", "up"},
		{"Alias up(make());", "none"}, /* what it makes may not be what it keeps */
		{"View view(Stream());", "none"},
		{"Stream up, down;", "none"},
		{"Stream up(1), down(2);", "none"},
		{"Stream up; Stream down;", "none"},
		{"auto up = Stream(1);", "up"},
		{"auto up = Stream(1).get();", "none"},
		{"auto up = own::Stream{};", "up"},
		{"Stream *up = new Stream;", "up"},
		{"Stream *up = new Stream(1);", "up"},
		{"Other *up = new Other;", "none"},
		{"up = new Stream();", "(up)"},
		{"job.up = new Stream();", "(job.up)"},
		{"auto up = std::make_unique<own::Stream>(1);", "up"},
		{"auto up = std::make_shared<Other>(Stream());", "none"},
		{"return Stream(1);", "none"},
		{"delete up;", "none"},
		{"streams.emplace_back();", "none"},
		{"use(Stream());", "none"},
		{"up == Stream();", "none"},
		{"", "none"},
		{"Stream", "none"},
		{"Stream up(", "none"},
		{"= Stream();", "none"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sc_buf name = {0};

		expect(sc_declared_object(&name, rows[i].statement, "Stream"), &name, rows[i].name);
	}
}

TEST(results)
{
	static const struct {
		const char *statement, *name;
	} rows[] = {
		{"cudaStream_t up = make();", "up"},
		{"up = make(1, two(3));", "(up)"},
		{"float *a = own::make<float>(n);", "a"},
		{"up = pool.make();", "(up)"},
		{"up = pool->make();", "(up)"},
		{"up = choose(make());", "none"},
		{"up = remake();", "none"},
		{"up = make() + 1;", "none"},
		{"up = make(), down = make();", "none"},
		{"make();", "none"},
		{"s = torch.cuda.make();", "(s)"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sc_buf name = {0};

		expect(sc_declared_result(&name, rows[i].statement, "make"), &name, rows[i].name);
	}
	assert_true(sc_declared_passes_on("return make(1);", "make"));
	assert_false(sc_declared_passes_on("return choose(make(1));", "make"));
	assert_true(sc_declared_returns("return made;", "made"));
	assert_false(sc_declared_returns("return made + 1;", "made"));
	assert_false(sc_declared_returns("return remade;", "made"));
}

TEST(arguments)
{
	static const struct {
		const char *argument;
		bool is_value;
		const char *name;
	} rows[] = {
		{"&up", 0, "up"},
		{"(void **)&a", 0, "a"},
		{"reinterpret_cast<void **>(&a)", 0, "a"},
		{"&this->stream", 0, "this->stream"},
		{"&pair[1]", 0, "pair[1]"},
		{"&pair[i]", 0, "none"},
		{"pair + 1", 1, "none"},
		{"out", 1, "out"},
		{"out", 0, "none"},
		{"&up", 1, "none"},
		{"&", 0, "none"},
		{"pair[1", 1, "none"},
		{"0", 1, "none"},
		{"", 1, "none"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sc_buf name = {0};
		bool found = sc_declared_argument(&name, rows[i].argument, rows[i].is_value);

		assert_string_equal(found ? sc_buf_text(&name) : "none", rows[i].name);
		sc_buf_fini(&name);
	}
}
