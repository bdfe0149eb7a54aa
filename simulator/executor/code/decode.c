/* Decoding a kernel: each instruction gets its handler and slots, each place where lanes meet a
 * join. */
#include "simulator/executor/code/decode.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulator/executor/code/again.h"
#include "simulator/executor/code/allot.h"
#include "simulator/executor/barrier.h"
#include "simulator/executor/call.h"
#include "simulator/executor/flow.h"
#include "simulator/executor/code/moved.h"
#include "simulator/executor/code/operand.h"
#include "simulator/executor/path.h"
#include "simulator/executor/code/table.h"
#include "simulator/executor/operation/video.h"

#define PARAMS_MOST 32764

/* Names the instruction, and the special register that a mov reads. */
static bool refuse(struct exec_decoder *d, const struct sc_instruction *in)
{
	const struct sc_ptx_operand *o = &d->f->operands.items[in->first];
	const char *special =
		in->opcode == SC_PTX_MOV && in->count > 1 ? exec_operand_special(d, &o[1]) : NULL;

	if (!d->problem[0])
		snprintf(d->problem, sizeof(d->problem), "%.80s%s%.40s (line %u of its PTX)",
			 d->m->names.items[in->name], special ? " of " : "", special ? special : "",
			 in->line);
	return 0;
}

/* The register, or registers, between which and memory data moves. */
static const struct sc_ptx_operand *data_operand(const struct exec_decoder *d,
						 const struct sc_instruction *in)
{
	uint32_t index = in->opcode == SC_PTX_ST;

	return index < in->count ? &d->f->operands.items[in->first + index] : NULL;
}

/* Loads and stores differ by how many bytes move, and whether they fill the register: ld.4, ld.any;
 * ld.1 and ld.s1, of bytes, have registers of 16 bits. */
static void key_access(const struct exec_decoder *d, const struct sc_instruction *in,
		       struct exec_key *key)
{
	const char *dot = strchr(key->text, '.');
	const struct sc_ptx_operand *data = data_operand(d, in);
	unsigned bits = sc_type_bits(in->type), own;
	bool is_signed = in->opcode != SC_PTX_ST && sc_type_kind(in->type) == SC_KIND_SIGNED;
	char exact[4] = {'.', (char)('0' + bits / 8), 0};

	if (in->type == SC_TYPE_B128 && key->count == 1 && data) { /* two of 64 bits */
		key->count = 2;
		bits = 64;
	}
	/* What is left must be the type, and memory must be made of whole bytes. */
	if (!dot || strchr(dot + 1, '.') || bits % 8 || !bits || bits > 64 || !data) {
		exec_key_add(key, ".?");
		return;
	}
	key->text[in->opcode == SC_PTX_LDU ? 2 : dot - key->text] = 0;
	if (in->used) {
		exec_key_add(key, ".used");
		return;
	}
	own = exec_operand_width(d, data);
	if (!own && bits > 8 &&
	    (data->kind == SC_OPERAND_INTEGER || data->kind == SC_OPERAND_FLOAT))
		own = bits / 8;
	if (key->count == 1 && own * 8 == bits && bits >= 32 && in->opcode == SC_PTX_LD &&
	    key->space == SC_SPACE_PARAM && d->f->is_kernel)
		exec_key_add(key, ".p");
	if (key->count == 1 && own == 2 && bits == 8) /* registers have at least 16 bits */
		exec_key_add(key, is_signed ? ".s1" : exact);
	else
		exec_key_add(key, key->count == 1 && own * 8 == bits
					  ? exact + (strstr(key->text, ".p") != NULL)
					  : ".any");
}

/* mov of a special register that changes, and between a register and its parts. */
static void key_mov(const struct exec_decoder *d, const struct sc_instruction *in,
		    struct exec_key *key)
{
	const struct sc_ptx_operand *o = &d->f->operands.items[in->first];
	const char *special = in->count > 1 ? exec_operand_special(d, &o[1]) : NULL;

	if (in->vector > 1 || in->type == SC_TYPE_B128)
		return;
	if (special && sc_type_bits(in->type) == 16)
		exec_key_add(key, ".special");
	if (special && (strstr(special, "clock") || strstr(special, "globaltimer") ||
			!strcmp(special, "%gridid"))) {
		exec_key_add(key, ".");
		exec_key_add(key, special);
	}
	if (in->count > 1 && o[0].kind == SC_OPERAND_VECTOR)
		exec_key_add(key, o[0].count == 2 ? ".unpack2" : ".unpack4");
	if (in->count > 1 && o[1].kind == SC_OPERAND_VECTOR)
		exec_key_add(key, o[1].count == 2 ? ".pack2" : ".pack4");
}

/* set: the type of the result is no matter of which handler runs it. */
static void key_set(struct exec_key *key)
{
	char *type = strchr(key->text, '.');
	const char *rest;

	/* Only types end with a digit: comparisons do not. */
	while (type && !isdigit((unsigned char)type[strcspn(type + 1, ".")]))
		type = strchr(type + 1, '.');
	rest = type ? strchr(type + 1, '.') : NULL;
	if (rest)
		memmove(type, rest, strlen(rest) + 1);
}

/* wgmma: how many times eight columns the result has is no matter of which handler runs it. */
static void key_wgmma(const struct sc_instruction *in, struct exec_key *key)
{
	char *shape = strstr(key->text, ".m64n"), *depth = shape ? strchr(shape, 'k') : NULL;

	if (!depth || !in->columns || in->columns % 8 || in->columns > 256)
		return;
	key->count = (uint8_t)(in->columns / 8);
	memmove(shape + 1, depth, strlen(depth) + 1);
}

static bool decode_target(struct exec_decoder *d, const struct sc_instruction *in,
			  const struct exec_flow *flow, uint32_t index,
			  struct exec_instruction *out)
{
	uint32_t target = exec_flow_target(d->f, in, 0), join = flow->join[index];

	if (target == EXEC_NOWHERE)
		return 0;
	out->target = &d->k->code[d->at[target]];
	d->k->loops |= target <= index;
	/* A join stands before the instruction where lanes meet, and is what jumps there lead to.
	 */
	out->join = join == EXEC_NOWHERE ? NULL : &d->k->code[d->at[join]];
	return 1;
}

/* The list of a branch by table. */
static bool decode_targets(struct exec_decoder *d, const struct sc_instruction *in,
			   const struct exec_flow *flow, uint32_t index,
			   struct exec_instruction *out)
{
	uint32_t count = exec_flow_target_count(d->f, in), join = flow->join[index];
	const struct exec_instruction **targets =
		sc_arena_xalloc(&d->k->arena, count + 1, sizeof(*targets));

	for (uint32_t i = 0; i < count; i++)
		targets[i] = &d->k->code[d->at[exec_flow_target(d->f, in, i)]];
	out->targets = targets;
	out->value = count;
	out->join = join == EXEC_NOWHERE ? NULL : &d->k->code[d->at[join]];
	return count != 0;
}

static enum exec_use use_of(const struct exec_decoder *d, const struct sc_instruction *in)
{
	if (in->opcode == SC_PTX_ATOM || in->opcode == SC_PTX_RED)
		return in->flags & SC_PART_CAS ? EXEC_SWAP : EXEC_ATOMIC;
	return sc_ptx_is_atomic_load(d->m, in) ? EXEC_ATOMIC_READ : EXEC_READ;
}

/* What an instruction has beside its handler and operands. */
static void fill(const struct exec_decoder *d, struct exec_instruction *out,
		 const struct sc_instruction *in, const struct exec_key *key, uint32_t index)
{
	*out = (struct exec_instruction){.guard = EXEC_SLOT_TRUE,
					 .guard_flip = in->guard_negated ? UINT32_MAX : 0,
					 .source = index,
					 .used = in->used,
					 .count = key->count,
					 .space = key->space,
					 .first_space = in->space,
					 .type = in->type == SC_TYPE_B128 ? SC_TYPE_B64 : in->type,
					 .type2 = in->type2,
					 .round = key->round,
					 .demands = key->demands,
					 .boolean = key->boolean,
					 .use = (uint8_t)use_of(d, in),
					 .polls = key->polls,
					 .order = key->order,
					 .geometry = key->geometry & 0xF,
					 .outside = key->outside & 0xF,
					 .hint = (uint8_t)(index % EXEC_HINTS)};
}

/* What others may look for while the kernel runs. */
static bool is_signal(const struct exec_key *key)
{
	static const char *const begins[] = {"atom.", "red.", "membar", "fence"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (!strncmp(key->text, begins[i], strlen(begins[i])))
			return 1;
	return key->polls && !strncmp(key->text, "st.", 3);
}

/* What a branch, a jump or a call leads to; true for all others. */
static bool decode_flow(struct exec_decoder *d, const struct exec_flow *flow, uint32_t index,
			struct exec_instruction *out)
{
	const struct sc_instruction *in = &d->f->code.items[index];
	uint32_t join = flow->join[index];

	if (in->opcode == SC_PTX_BRA)
		return decode_target(d, in, flow, index, out);
	if (in->opcode == SC_PTX_BRX)
		return decode_targets(d, in, flow, index, out);
	if (in->opcode != SC_PTX_CALL)
		return 1;
	out->join = join == EXEC_NOWHERE ? NULL : &d->k->code[d->at[join]];
	return exec_call_decode(d, in, out);
}

/* The first row that the key and the operands fit. */
static bool decode_row(struct exec_decoder *d, const struct sc_instruction *in,
		       const struct exec_key *key, uint64_t video, struct exec_instruction *out)
{
	const struct exec_row *row = NULL;

	while ((row = exec_table_find(key, row))) {
		fill(d, out, in, key, d->now);
		out->value = video;
		out->run = row->run;
		if (exec_operand_decode(d, row->form, in, out))
			return 1;
	}
	return 0;
}

static bool decode_one(struct exec_decoder *d, const struct exec_flow *flow, uint32_t index,
		       struct exec_instruction *out)
{
	const struct sc_instruction *in = &d->f->code.items[index];
	struct exec_key key;
	uint64_t video = 0;
	bool ok = 0;

	d->now = index;
	if (!exec_key_make(&key, d->m, in))
		return refuse(d, in);
	if (in->opcode == SC_PTX_LD || in->opcode == SC_PTX_LDU ||
	    (in->opcode == SC_PTX_ST && strncmp(key.text, "st.async", 8)))
		key_access(d, in, &key);
	if (in->opcode == SC_PTX_MOV)
		key_mov(d, in, &key);
	if (in->opcode == SC_PTX_WGMMA)
		key_wgmma(in, &key);
	if (!strncmp(key.text, "set.", 4))
		key_set(&key);
	if (!strncmp(key.text, "isspacep", 8) && strstr(d->m->names.items[in->name], "::cluster"))
		key.count = EXEC_OF_CLUSTER;
	if (exec_video_describe(d->m->names.items[in->name], &video))
		strcpy(key.text, EXEC_VIDEO_KEY);
	d->k->waits |= !strcmp(key.text, "griddepcontrol.wait");
	d->k->signals |= is_signal(&key);
	d->k->meets |= strstr(key.text, "bar") == key.text || in->opcode == SC_PTX_WGMMA ||
		       !strncmp(key.text, "mbarrier", 8);
	d->k->talks |= is_signal(&key) || key.order & (EXEC_ORDER_POLLS | EXEC_ORDER_UNCACHED);
	d->k->notifies |= is_signal(&key) || key.polls || !strncmp(key.text, "barrier.cluster", 15);
	if (in->opcode == SC_PTX_CALL) {
		fill(d, out, in, &key, index);
		ok = 1;
	}
	key.demands = video ? 0 : key.demands;
	if (!ok)
		ok = decode_row(d, in, &key, video, out);
	key.has_any_order = 1; /* as ptxas allows; finding it takes longer */
	if (!ok)
		ok = decode_row(d, in, &key, video, out);
	if (!ok || (in->guard && !exec_operand_guard(d, in->guard - 1, &out->guard)))
		return refuse(d, in);
	if (in->opcode == SC_PTX_RET && !d->f->is_kernel)
		out->run = exec_call_return;
	return decode_flow(d, flow, index, out) || refuse(d, in);
}

static void emit(struct exec_kernel *k, size_t at, exec_handler *run, uint32_t source)
{
	k->code[at] =
		(struct exec_instruction){.run = run, .guard = EXEC_SLOT_TRUE, .source = source};
}

static void decode_code(struct exec_decoder *d, const struct exec_flow *flow)
{
	uint32_t n = (uint32_t)d->f->code.count, at = 0;

	for (uint32_t i = 0; i <= n; i++) {
		d->at[i] = at;
		at += 1U + (i < n && flow->is_join[i]);
	}
	d->k->code_count = at;
	d->k->code = sc_arena_xalloc(&d->k->arena, at, sizeof(*d->k->code));
	for (uint32_t i = 0; i < n; i++) {
		at = d->at[i];
		if (flow->is_join[i])
			emit(d->k, at++, exec_path_join, i);
		if (!decode_one(d, flow, i, &d->k->code[at]) || d->problem[0])
			return;
	}
	emit(d->k, d->at[n], d->f->is_kernel ? exec_barrier_exit : exec_call_return, n);
}

/* The last load until each branch back tells whether one is in the loop. */
static void note_polls(struct exec_decoder *d)
{
	const struct sc_function *f = d->f;
	uint32_t last = 0; /* + 1 */

	for (uint32_t i = 0; i < f->code.count; i++) {
		const struct sc_instruction *in = &f->code.items[i];

		if (in->opcode == SC_PTX_LD &&
		    d->k->code[d->at[i + 1] - 1].order & (EXEC_ORDER_POLLS | EXEC_ORDER_UNCACHED))
			last = i + 1;
		if (in->opcode == SC_PTX_BRA || in->opcode == SC_PTX_BRX)
			for (uint32_t k = 0; k < exec_flow_target_count(f, in); k++)
				d->k->polls |= exec_flow_target(f, in, k) < last;
	}
	d->k->polls |= !f->is_kernel && last;
}

/* Where the parameters of a function lie in its frame. */
static void note_formals(struct exec_decoder *d)
{
	struct exec_kernel *k = d->k;
	const struct sc_function *f = d->f;

	if (f->odd_params || f->return_count > 1)
		strcpy(d->problem, "its parameters are in registers");
	k->formals = sc_arena_xalloc(&k->arena, f->param_count + 1, sizeof(*k->formals));
	k->formal_count = f->param_count;
	for (uint32_t i = 0; i < f->param_count; i++)
		exec_operand_variable(d, f->param_first + i, &k->formals[i]);
	if (f->return_count)
		exec_operand_variable(d, f->return_first, &k->result);
}

static void lay_out_params(struct exec_decoder *d)
{
	if (d->f->clusters == SC_CLUSTERS_COUNTED)
		strcpy(d->problem, "its launch counts clusters (.blocksareclusters)");
	for (uint32_t i = 0; i < d->f->param_count; i++) {
		const struct sc_ptx_symbol *s = &d->m->symbols.items[d->f->param_first + i];

		if (s->offset > PARAMS_MOST || s->bytes > PARAMS_MOST) {
			snprintf(d->problem, sizeof(d->problem), "its parameters are too large");
			return;
		}
		if (s->offset + s->bytes > d->k->param_bytes)
			d->k->param_bytes = (uint32_t)(s->offset + s->bytes);
	}
}

static void keep_constants(struct exec_decoder *d)
{
	size_t bytes = d->constants.count;
	unsigned char *room = sc_arena_xalloc(&d->k->arena, bytes + 64, 1);

	room += -(uintptr_t)room & 63;
	memcpy(room, d->constants.items, bytes);
	d->k->constants = room;
	d->k->constant_bytes = bytes;
	d->k->frame_register_count = d->frame_registers.count;
	d->k->frame_registers = sc_arena_xalloc(&d->k->arena, d->frame_registers.count + 1,
						sizeof(*d->k->frame_registers));
	if (d->frame_registers.count)
		memcpy(d->k->frame_registers, d->frame_registers.items,
		       d->frame_registers.count * sizeof(*d->k->frame_registers));
}

void exec_decode(struct exec_kernel *k, const struct exec_unit *unit)
{
	struct exec_decoder d = {.m = k->ptx, .f = k->function, .k = k, .unit = unit};
	struct exec_flow flow;

	exec_operand_init(&d);
	d.at = calloc(d.f->code.count + 1, sizeof(*d.at));
	exec_operand_place_symbols(&d);
	if (d.f->is_kernel)
		lay_out_params(&d);
	else
		note_formals(&d);
	if (!exec_flow_make(&flow, d.m, d.f) && !d.problem[0])
		snprintf(d.problem, sizeof(d.problem), "its branches lead nowhere");
	if ((!d.at || !d.registers) && !d.problem[0])
		snprintf(d.problem, sizeof(d.problem), "it needs more memory than there is");
	if (!d.problem[0])
		decode_code(&d, &flow);
	if (!d.problem[0])
		exec_allot(&d);
	if (!d.problem[0])
		exec_again_mark(&d);
	if (!d.problem[0])
		exec_moved_mark(&d);
	if (!d.problem[0])
		note_polls(&d);
	if (!d.problem[0])
		keep_constants(&d);
	else
		k->why = sc_arena_xtext(&k->arena, d.problem, strlen(d.problem));
	exec_flow_fini(&flow);
	exec_operand_fini(&d);
	free(d.at);
}
