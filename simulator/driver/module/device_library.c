/* The device's library: the barrier of all blocks of a cooperative launch, which Numba's
 * grid.sync() calls. */
#include "simulator/driver/module/device_library.h"

#include <string.h>

/* cudaCGGetIntrinsicHandle: where the barrier lies (%envreg1, %envreg2), 0 for other scopes than
 * the grid (1) and in launches that are not cooperative.
 *
 * cudaCGSynchronize: one thread of each block adds to the word behind the handle, all in all half
 * of its range, and waits until its highest bit has changed. 400: there is no such barrier. */
static const char text[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".weak .func (.param .b64 result) cudaCGGetIntrinsicHandle(.param .b32 scope) {\n"
	".reg .pred %p; .reg .b32 %r<3>; .reg .b64 %rd;\n"
	"ld.param.u32 %r0, [scope]; mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2;\n"
	"mov.b64 %rd, {%r2, %r1}; setp.ne.u32 %p, %r0, 1; @%p mov.u64 %rd, 0;\n"
	"st.param.b64 [result], %rd; ret; }\n"
	".weak .func (.param .b32 result) cudaCGSynchronize(.param .b64 handle, .param .b32 flags) "
	"{\n"
	".reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd;\n"
	"ld.param.u64 %rd, [handle]; setp.ne.u64 %p, %rd, 0; @%p bra begin;\n"
	"st.param.b32 [result], 400; ret;\n"
	"begin: barrier.sync 0;\n"
	"mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; or.b32 %r0, %r0, %r1;\n"
	"mov.u32 %r1, %tid.z; or.b32 %r0, %r0, %r1;\n"
	"setp.ne.u32 %p, %r0, 0; @%p bra end;\n"
	"mov.u32 %r0, %nctaid.x; mov.u32 %r1, %nctaid.y; mul.lo.u32 %r0, %r0, %r1;\n"
	"mov.u32 %r1, %nctaid.z; mul.lo.u32 %r0, %r0, %r1;\n"
	"mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; or.b32 %r1, %r1, %r2;\n"
	"mov.u32 %r2, %ctaid.z; or.b32 %r1, %r1, %r2;\n"
	"sub.u32 %r2, -2147483647, %r0; setp.eq.u32 %p, %r1, 0; selp.u32 %r3, %r2, 1, %p;\n"
	"fence.acq_rel.gpu; atom.add.u32 %r4, [%rd+4], %r3;\n"
	"wait: ld.volatile.u32 %r5, [%rd+4]; xor.b32 %r6, %r5, %r4;\n"
	"setp.ge.s32 %p, %r6, 0; @%p bra wait;\n"
	"fence.acq_rel.gpu;\n"
	"end: barrier.sync 0;\n"
	"st.param.b32 [result], 0; ret; }\n";

bool sim_device_library_is_used(const char *caller, size_t bytes)
{
	static const char name[] = "cudaCG";

	return memmem(caller, bytes, name, sizeof(name) - 1) != NULL;
}

const char *sim_device_library_text(size_t *bytes)
{
	*bytes = sizeof(text) - 1;
	return text;
}
