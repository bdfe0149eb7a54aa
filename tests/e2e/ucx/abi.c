/* What extensions/agents/ucx/options.def says, against the header. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <ucp/api/ucp.h>

static int wrong;

static void expect(const char *name, int64_t written, int64_t real)
{
	if (written == real)
		return;
	printf("%s is %lld, not %lld\n", name, (long long)real, (long long)written);
	wrong++;
}

#define PLACE(type, member, offset, bytes)                                    \
	expect("place of " #member, offset, (int64_t)offsetof(type, member)); \
	expect("size of " #member, bytes, (int64_t)sizeof(((type *)0)->member));

int main(void)
{
#define UCX_OPTION(name, member, bit, offset, bytes)                              \
	expect("UCP_OP_ATTR_FIELD_" #name, 1 << (bit), UCP_OP_ATTR_FIELD_##name); \
	PLACE(ucp_request_param_t, member, offset, bytes)
#define UCX_HANDLER_OPTION(name, member, bit, offset, bytes)    \
	expect("UCP_AM_HANDLER_PARAM_FIELD_" #name, 1 << (bit), \
	       UCP_AM_HANDLER_PARAM_FIELD_##name);              \
	PLACE(ucp_am_handler_param_t, member, offset, bytes)
#define UCX_CONSTANT(name, value) expect(#name, value, name);
#include "extensions/agents/ucx/options.def"
	return wrong;
}
