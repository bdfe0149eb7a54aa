/* Checks that every public name of a runtime is in its table and in the library that programs link.
 * Built for each version: RT_MAJOR, its version node and the number of its names are given. */
#include "tests/unit/unit.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/*
 * Every row of the table is declared and its address taken, so that this program is linked against
 * every name. The declared types do not matter, and no CUDA header is included.
 */
#define NAME_none(name)
#define NAME_ptds(name) void name##_ptds(void);
#define NAME_ptsz(name) void name##_ptsz(void);
#define API(name, twin, need, parameters, work) \
	void name(void);                        \
	NAME_##twin(name)
#define FORM(name, twin, need, parameters, work) API(name, twin, need, parameters, work)
#define OWN(name, twin)  \
	void name(void); \
	NAME_##twin(name)
#define REFUSED(name) int name(void);
#include "simulator/runtime/exports.def"
#undef API
#undef FORM
#undef OWN
#undef REFUSED
#undef NAME_ptds
#undef NAME_ptsz

struct export
{
	const char *name;
	void *address;
};

#define NAME_ptds(name)				 {#name "_ptds", (void *)name##_ptds},
#define NAME_ptsz(name)				 {#name "_ptsz", (void *)name##_ptsz},
#define API(name, twin, need, parameters, work)	 {#name, (void *)name}, NAME_##twin(name)
#define FORM(name, twin, need, parameters, work) API(name, twin, need, parameters, work)
#define OWN(name, twin)				 {#name, (void *)name}, NAME_##twin(name)
#define REFUSED(name)				 {#name, (void *)name},
static const struct export exports[] = {
#include "simulator/runtime/exports.def"
};
#undef API
#undef FORM
#undef OWN
#undef REFUSED

#define EXPORT_COUNT (sizeof(exports) / sizeof(exports[0]))

#if RT_MAJOR == 13
/* The names that the toolkit's headers declare, taken from them when this test was built. */
static const char *const declared[] = {
#include "declared.inc"
};

static int is_exported(const char *name)
{
	for (size_t i = 0; i < EXPORT_COUNT; i++) {
		if (!strcmp(exports[i].name, name))
			return 1;
	}
	return 0;
}

TEST(every_declared_name_is_exported)
{
	size_t missing = 0;

	for (size_t i = 0; i < sizeof(declared) / sizeof(declared[0]); i++) {
		if (is_exported(declared[i]))
			continue;
		print_error("%s is declared and not exported\n", declared[i]);
		missing++;
	}
	assert_int_equal(missing, 0);
	assert_in_range(sizeof(declared) / sizeof(declared[0]), 300, 500);
}

#endif

TEST(no_name_stands_twice)
{
	for (size_t i = 0; i < EXPORT_COUNT; i++) {
		for (size_t j = i + 1; j < EXPORT_COUNT; j++)
			assert_string_not_equal(exports[i].name, exports[j].name);
	}
	assert_int_equal(EXPORT_COUNT, RT_NAMES);
}

/* A genuine program asks for each name under this version. */
TEST(every_name_carries_the_version)
{
	for (size_t i = 0; i < EXPORT_COUNT; i++) {
		void *found = dlvsym(RTLD_DEFAULT, exports[i].name, RT_NODE);

		if (found != exports[i].address)
			print_error("%s\n", exports[i].name);
		assert_ptr_equal(found, exports[i].address);
	}
}

TEST(refused_name_says_so)
{
	assert_int_equal(cudaGLSetGLDevice(), 801);
}
