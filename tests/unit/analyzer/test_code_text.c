/* Texts of an image: read only when they may have the kernel, however its name is written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "analyzer/kernel/text.h"

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"

static char text[1 << 22];

/* A text in which the kernel's name is written like this, between ".entry" and its parameters. */
static struct sc_code_text written_as(const char *name)
{
	int bytes = snprintf(text, sizeof(text),
			     HEAD ".visible .entry%s(.param .u64 p)\n{\nret;\n}\n", name);

	return sc_code_text_of(text, (size_t)bytes);
}

static void expect_found(const char *written, const char *name)
{
	struct sc_code_text t = written_as(written);

	assert_non_null(sc_code_text_find(&t, name));
	assert_non_null(t.module);
	assert_non_null(sc_code_text_find(&t, name)); /* once more, of what was read */
	sc_code_text_fini(&t);
}

TEST(found)
{
	expect_found(" put", "put");
	expect_found("\n\tput\n", "put");
	expect_found(" _Z3putPf", "_Z3putPf");
	expect_found(" $put", "$put");
	/* unusual, so the text is read */
	expect_found("/* a */ put", "put");
	expect_found(" put/* b */", "put");
	expect_found("\f\vput", "put");
	expect_found(" %put", "%put");
	expect_found(" put.two", "put.two");
	expect_found(" put::two", "put::two");
	expect_found("// c\nput", "put");
}

TEST(not_read)
{
	struct sc_code_text t = written_as(" put");

	assert_null(sc_code_text_find(&t, "get"));
	assert_null(sc_code_text_find(&t, "pu"));
	assert_null(sc_code_text_find(&t, "put2"));
	assert_null(t.module);
	assert_non_null(sc_code_text_find(&t, "put"));
	assert_null(sc_code_text_find(&t, "get"));
	sc_code_text_fini(&t);
}

TEST(cut)
{
	static const char *const cut[] = {"", ".entry", ".entry ", ".entry put", ".entr"};

	for (size_t i = 0; i < sizeof(cut) / sizeof(*cut); i++) {
		struct sc_code_text t = sc_code_text_of(cut[i], strlen(cut[i]));

		assert_null(sc_code_text_find(&t, "put"));
		sc_code_text_fini(&t);
	}
}

/* Of a text with more names than are kept, any may be sought. */
TEST(very_many)
{
	size_t bytes = 0;
	struct sc_code_text t;

	for (unsigned i = 0; bytes + 64 < sizeof(text); i++)
		bytes += (size_t)snprintf(text + bytes, 64, ".entry k%u(\n", i);
	t = sc_code_text_of(text, bytes);
	assert_true(t.is_odd);
	assert_true(t.names.count <= 65536);
	assert_null(sc_code_text_find(&t, "put"));
	sc_code_text_fini(&t);
}
