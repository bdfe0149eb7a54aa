/* NVTX: the program's own ranges, marks and names, by NVTX's injection interface.
 *
 * NVTX loads the library that NVTX_INJECTION64_PATH names (`streamcheck run` sets it) and asks it
 * for InitializeInjectionNvtx2, which puts functions of ours into NVTX's tables. What a program
 * says before it uses CUDA for the first time is not kept: there is no trace yet.
 */
#include "interposer/nvtx/nvtx.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include "interposer/core/arena.h"
#include "interposer/core/raw.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/object/handle.h"
#include "interposer/core/thread.h"
#include "interposer/core/clock.h"
#include "interposer/call/declare.h"
#include "interposer/driver/cuda.h"
#include "interposer/nvtx/range_window.h"
#include "interposer/nvtx/nvtx_thread.h"

#define EXPORT	 __attribute__((visibility("default")))
#define TEXT_MAX SC_NVTX_TEXT

/* What an nvtxDomainHandle_t of ours points to; NULL is the default domain. */
struct domain {
	uint32_t id;
	char name[];
};

static atomic_uint domains;

/* ---- texts ---- */

/* Appends a wide text as UTF-8; false if there is no room for more. */
static bool add_wide(char *out, size_t *used, wchar_t c)
{
	uint32_t u = (uint32_t)c;
	unsigned bytes = u < 0x80 ? 1 : u < 0x800 ? 2 : u < 0x10000 ? 3 : 4;

	if (*used + bytes >= TEXT_MAX)
		return false;
	if (bytes == 1) {
		out[(*used)++] = (char)u;
		return true;
	}
	out[(*used)++] = (char)(0xF00u >> bytes | u >> 6 * (bytes - 1));
	for (unsigned i = bytes - 1; i--;)
		out[(*used)++] = (char)(0x80 | (u >> 6 * i & 0x3F));
	return true;
}

static const char *narrow(char out[TEXT_MAX], const wchar_t *text)
{
	size_t used = 0;

	while (text && *text && add_wide(out, &used, *text))
		text++;
	out[used] = '\0';
	return out;
}

const char *sc_nvtx_text(char room[TEXT_MAX], int32_t type, nvtxMessageValue_t message)
{
	switch (type) {
	case NVTX_MESSAGE_TYPE_ASCII: return message.ascii ? message.ascii : "";
	case NVTX_MESSAGE_TYPE_UNICODE: return narrow(room, message.unicode);
	case NVTX_MESSAGE_TYPE_REGISTERED:
		return message.registered ? (const char *)message.registered : "";
	}
	return "";
}

static const char *message_of(char room[TEXT_MAX], const nvtxEventAttributes_t *event)
{
	return event ? sc_nvtx_text(room, event->messageType, event->message) : "";
}

static const char *keep(const char *text)
{
	size_t bytes = strnlen(text, TEXT_MAX - 1);
	char *copy = sc_arena_get(bytes + 1);

	if (copy)
		memcpy(copy, text, bytes);
	return copy;
}

/* ---- ops ---- */

static void put(struct sc_op *op, nvtxDomainHandle_t handle, const char *text)
{
	const struct domain *domain = (const struct domain *)handle;
	struct sc_attachment part[3];
	unsigned parts = 0;

	if (domain && text) {
		part[parts++] = (struct sc_attachment){
			SC_ATTACH_TEXT, (uint32_t)strlen(domain->name), domain->name};
		part[parts++] = (struct sc_attachment){0, 1, ":"};
	}
	if (text) {
		part[parts] = (struct sc_attachment){parts ? 0 : SC_ATTACH_TEXT,
						     (uint32_t)strnlen(text, TEXT_MAX), text};
		parts++;
	}
	sc_put_op(op, part, parts);
}

static bool is_heard(void)
{
	return sc_session_is_live() && !sc_self.busy;
}

static void say(enum sc_op_kind kind, nvtxDomainHandle_t domain, const char *text)
{
	struct sc_op op;

	if (!is_heard())
		return;
	op = sc_put_new(kind);
	if (kind == SC_OP_RANGE_PUSH || kind == SC_OP_RANGE_POP)
		op.object = domain ? ((const struct domain *)domain)->id : 0;
	put(&op, domain, text);
}

static const char *name_of(nvtxDomainHandle_t domain)
{
	return domain ? ((const struct domain *)domain)->name : "";
}

int sc_nvtx_push(nvtxDomainHandle_t domain, const char *text)
{
	sc_range_window_push(name_of(domain), text);
	say(SC_OP_RANGE_PUSH, domain, text);
	return (int)sc_nvtx_thread()->ranges++;
}

int sc_nvtx_pop(nvtxDomainHandle_t domain)
{
	if (!sc_nvtx_thread()->ranges)
		return NVTX_NO_PUSH_POP_TRACKING;
	say(SC_OP_RANGE_POP, domain, NULL);
	sc_range_window_pop(name_of(domain));
	return (int)--sc_nvtx_thread()->ranges;
}

nvtxRangeId_t sc_nvtx_start(nvtxDomainHandle_t domain, const char *text)
{
	struct sc_op op = {.kind = SC_OP_RANGE_START};
	unsigned id = sc_declare_range_id();

	sc_range_window_start(name_of(domain), text, id);
	op.object = id;
	op.time_ns = sc_clock_now();
	if (is_heard())
		put(&op, domain, text);
	return id;
}

void sc_nvtx_end(nvtxRangeId_t id)
{
	struct sc_op op = {.kind = SC_OP_RANGE_END, .object = (uint32_t)id};

	op.time_ns = sc_clock_now();
	if (is_heard())
		sc_put_op(&op, NULL, 0);
	sc_range_window_end((uint32_t)id);
}

static void name(enum sc_naming what, uint32_t id, const char *text)
{
	struct sc_op op = {.kind = SC_OP_NAME, .object = id, .value = what};

	if (is_heard() && id && text)
		put(&op, NULL, text);
}

/* ---- what NVTX calls ---- */

static void NVTX_API mark_a(const char *text)
{
	say(SC_OP_MARK, NULL, text ? text : "");
}

static void NVTX_API mark_w(const wchar_t *text)
{
	char room[TEXT_MAX];

	say(SC_OP_MARK, NULL, narrow(room, text));
}

static void NVTX_API mark_ex(const nvtxEventAttributes_t *event)
{
	char room[TEXT_MAX];

	say(SC_OP_MARK, NULL, message_of(room, event));
}

static void NVTX_API domain_mark(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
	char room[TEXT_MAX];

	say(SC_OP_MARK, domain, message_of(room, event));
}

static int NVTX_API push_a(const char *text)
{
	return sc_nvtx_push(NULL, text ? text : "");
}

static int NVTX_API push_w(const wchar_t *text)
{
	char room[TEXT_MAX];

	return sc_nvtx_push(NULL, narrow(room, text));
}

static int NVTX_API push_ex(const nvtxEventAttributes_t *event)
{
	char room[TEXT_MAX];

	return sc_nvtx_push(NULL, message_of(room, event));
}

static int NVTX_API domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
	char room[TEXT_MAX];

	return sc_nvtx_push(domain, message_of(room, event));
}

static int NVTX_API pop_plain(void)
{
	return sc_nvtx_pop(NULL);
}

static nvtxRangeId_t NVTX_API start_a(const char *text)
{
	return sc_nvtx_start(NULL, text ? text : "");
}

static nvtxRangeId_t NVTX_API start_w(const wchar_t *text)
{
	char room[TEXT_MAX];

	return sc_nvtx_start(NULL, narrow(room, text));
}

static nvtxRangeId_t NVTX_API start_ex(const nvtxEventAttributes_t *event)
{
	char room[TEXT_MAX];

	return sc_nvtx_start(NULL, message_of(room, event));
}

static nvtxRangeId_t NVTX_API domain_start(nvtxDomainHandle_t domain,
					   const nvtxEventAttributes_t *event)
{
	char room[TEXT_MAX];

	return sc_nvtx_start(domain, message_of(room, event));
}

static void NVTX_API domain_end(nvtxDomainHandle_t domain, nvtxRangeId_t id)
{
	(void)domain;
	sc_nvtx_end(id);
}

static nvtxDomainHandle_t NVTX_API domain_create_a(const char *text)
{
	size_t bytes = text ? strnlen(text, TEXT_MAX - 1) : 0;
	struct domain *domain = sc_arena_get(sizeof(*domain) + bytes + 1);

	if (!domain)
		return NULL;
	domain->id = 1 + atomic_fetch_add_explicit(&domains, 1, memory_order_relaxed);
	if (text)
		memcpy(domain->name, text, bytes);
	return (nvtxDomainHandle_t)domain;
}

static nvtxDomainHandle_t NVTX_API domain_create_w(const wchar_t *text)
{
	char room[TEXT_MAX];

	return domain_create_a(narrow(room, text));
}

static nvtxStringHandle_t NVTX_API register_a(nvtxDomainHandle_t domain, const char *text)
{
	(void)domain;
	return (nvtxStringHandle_t)keep(text ? text : "");
}

static nvtxStringHandle_t NVTX_API register_w(nvtxDomainHandle_t domain, const wchar_t *text)
{
	char room[TEXT_MAX];

	(void)domain;
	return (nvtxStringHandle_t)keep(narrow(room, text));
}

/* Threads are named by the system's number; ours is known for the calling thread only. */
static void NVTX_API name_thread_a(uint32_t system_id, const char *text)
{
	if (is_heard() && system_id == (uint32_t)sc_raw(SYS_gettid, 0, 0, 0, 0, 0, 0))
		name(SC_NAMES_THREAD, sc_thread_id(), text);
}

static void NVTX_API name_thread_w(uint32_t system_id, const wchar_t *text)
{
	char room[TEXT_MAX];

	name_thread_a(system_id, narrow(room, text));
}

static void name_handle(enum sc_handle_type type, enum sc_naming what, const void *raw,
			const char *text)
{
	const struct sc_handle *h;

	if (!is_heard() || !raw)
		return;
	h = sc_handle_see(type, raw);
	name(what, h ? h->id : 0, text);
}

static void NVTX_API name_stream_a(CUstream stream, const char *text)
{
	name_handle(SC_HANDLE_STREAM, SC_NAMES_STREAM, stream, text);
}

static void NVTX_API name_stream_w(CUstream stream, const wchar_t *text)
{
	char room[TEXT_MAX];

	name_stream_a(stream, narrow(room, text));
}

static void NVTX_API name_event_a(CUevent event, const char *text)
{
	name_handle(SC_HANDLE_EVENT, SC_NAMES_EVENT, event, text);
}

static void NVTX_API name_event_w(CUevent event, const wchar_t *text)
{
	char room[TEXT_MAX];

	name_event_a(event, narrow(room, text));
}

/* ---- NVTX's tables ---- */

struct entry {
	unsigned number;
	void (*function)(void);
};

#define ENTRY(number, function)                              \
	{                                                    \
		NVTX_CBID_##number, (void (*)(void))function \
	}

static const struct entry core[] = {ENTRY(CORE_MarkEx, mark_ex),
				    ENTRY(CORE_MarkA, mark_a),
				    ENTRY(CORE_MarkW, mark_w),
				    ENTRY(CORE_RangeStartEx, start_ex),
				    ENTRY(CORE_RangeStartA, start_a),
				    ENTRY(CORE_RangeStartW, start_w),
				    ENTRY(CORE_RangeEnd, sc_nvtx_end),
				    ENTRY(CORE_RangePushEx, push_ex),
				    ENTRY(CORE_RangePushA, push_a),
				    ENTRY(CORE_RangePushW, push_w),
				    ENTRY(CORE_RangePop, pop_plain),
				    ENTRY(CORE_NameOsThreadA, name_thread_a),
				    ENTRY(CORE_NameOsThreadW, name_thread_w)};

static const struct entry core2[] = {ENTRY(CORE2_DomainMarkEx, domain_mark),
				     ENTRY(CORE2_DomainRangeStartEx, domain_start),
				     ENTRY(CORE2_DomainRangeEnd, domain_end),
				     ENTRY(CORE2_DomainRangePushEx, domain_push),
				     ENTRY(CORE2_DomainRangePop, sc_nvtx_pop),
				     ENTRY(CORE2_DomainRegisterStringA, register_a),
				     ENTRY(CORE2_DomainRegisterStringW, register_w),
				     ENTRY(CORE2_DomainCreateA, domain_create_a),
				     ENTRY(CORE2_DomainCreateW, domain_create_w)};

static const struct entry driver[] = {
	ENTRY(CUDA_NameCuStreamA, name_stream_a), ENTRY(CUDA_NameCuStreamW, name_stream_w),
	ENTRY(CUDA_NameCuEventA, name_event_a), ENTRY(CUDA_NameCuEventW, name_event_w)};

static const struct entry runtime[] = {
	ENTRY(CUDART_NameCudaStreamA, name_stream_a), ENTRY(CUDART_NameCudaStreamW, name_stream_w),
	ENTRY(CUDART_NameCudaEventA, name_event_a), ENTRY(CUDART_NameCudaEventW, name_event_w)};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void fill(const NvtxExportTableCallbacks *tables, NvtxCallbackModule module,
		 const struct entry *list, size_t count)
{
	NvtxFunctionTable table = NULL;
	unsigned size = 0;

	if (!tables->GetModuleFunctionTable(module, &table, &size) || !table)
		return;
	for (size_t i = 0; i < count; i++) {
		if (list[i].number < size && table[list[i].number])
			*table[list[i].number] = list[i].function;
	}
}

EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get);

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get)
{
	const NvtxExportTableCallbacks *tables = get ? get(NVTX_ETID_CALLBACKS) : NULL;

	if (!tables || !tables->GetModuleFunctionTable)
		return 0;
	fill(tables, NVTX_CB_MODULE_CORE, core, COUNT(core));
	fill(tables, NVTX_CB_MODULE_CORE2, core2, COUNT(core2));
	fill(tables, NVTX_CB_MODULE_CUDA, driver, COUNT(driver));
	fill(tables, NVTX_CB_MODULE_CUDART, runtime, COUNT(runtime));
	return 1;
}
