/* Kernels are executed, copies and fills move bytes, host functions are called. */
#include "simulator/driver/schedule/engine.h"

#include "simulator/driver/tool/activity.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/graph/decision.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/kernel/execute.h"
#include "simulator/driver/stream/memop.h"
#include "simulator/driver/schedule/pair.h"
#include "simulator/driver/module/program.h"
#include "simulator/driver/kernel/tally.h"
#include "simulator/driver/context/thread.h"

#define KERNEL_NS 2000

static void occupy(uint64_t end_ns)
{
	while (sim_now_ns() < end_ns)
		;
}

/* A kernel occupies its engine for a moment at least, whether it is executed or not, unless it is
 * passed. */
static enum exec_progress perform_kernel(const struct sim_kernel *kernel, CUresult *result)
{
	uint64_t end_ns = sim_now_ns() + KERNEL_NS;
	enum exec_progress progress = EXEC_ENDED;

	if (kernel->run) {
		progress = sim_run_execute(kernel->run, result);
	} else {
		sim_tally_skipped(kernel->tally);
		*result = kernel->outcome;
	}
	if (progress == EXEC_ENDED)
		occupy(end_ns);
	return progress;
}

/* The function runs with the callback mark set, so that CUDA calls in it are refused (C-4). */
static void call_host(const struct sim_host *host, CUresult status)
{
	struct sim_thread *thread = sim_thread_self();

	thread->is_in_callback = true;
	thread->is_untold = host->callback != NULL;
	if (host->callback)
		host->callback(host->stream, status, host->data);
	else
		host->fn(host->data);
	thread->is_in_callback = thread->is_untold = false;
}

static bool is_unmapped(const struct sim_operand *operand)
{
	return operand->alloc && operand->alloc->is_unmapped;
}

/* A copy, or one of a batch, uses memory that is not there any more. */
static bool is_lost(const struct sim_copy *copy)
{
	for (; copy; copy = copy->next)
		if (is_unmapped(&copy->dst) || is_unmapped(&copy->src) || copy->is_gone)
			return true;
	return false;
}

static CUresult perform(const struct sim_work *work, CUresult status)
{
	switch (work->kind) {
	case SIM_WORK_EMPTY:
	case SIM_WORK_DECISION:
	case SIM_WORK_KERNEL: return CUDA_SUCCESS;
	case SIM_WORK_COPY:
		if (is_lost(&work->copy))
			return CUDA_ERROR_LAUNCH_FAILED;
		return sim_work_copy(&work->copy) ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
	case SIM_WORK_FILL:
		if (is_unmapped(&work->fill.dst))
			return CUDA_ERROR_LAUNCH_FAILED;
		return sim_work_fill(&work->fill) ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
	case SIM_WORK_MEMOP:
		return sim_memop_perform(&work->memop) ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
	case SIM_WORK_HOST: call_host(&work->host, status); return CUDA_SUCCESS;
	}
	return CUDA_ERROR_UNKNOWN;
}

/* After an error only stream callbacks still run, and get the error (C-6). */
static bool is_skipped(const struct sim_op *op)
{
	if (op->context->error == CUDA_SUCCESS)
		return false;
	return op->work.kind != SIM_WORK_HOST || !op->work.host.callback;
}

enum exec_progress sim_engine_run(struct sim_op *op)
{
	CUresult result, status = op->context->error;
	enum exec_progress progress = EXEC_ENDED;

	if (is_skipped(op)) {
		if (op->work.kind == SIM_WORK_KERNEL && !op->waits)
			sim_tally_skipped(sim_tally_of("other kernels", "an earlier error"));
		return EXEC_ENDED;
	}
	if (op->work.kind == SIM_WORK_HOST && op->work.host.callback)
		sim_context_print(op->context);
	if (!op->waits)
		sim_pair_begin(op);
	sim_unlock();
	if (op->work.kind == SIM_WORK_DECISION)
		occupy(sim_now_ns() + KERNEL_NS);
	else if (op->work.kind == SIM_WORK_KERNEL)
		progress = perform_kernel(&op->work.kernel, &result);
	else
		result = perform(&op->work, status);
	sim_lock();
	if (op->work.kind == SIM_WORK_DECISION)
		progress = sim_decision_take(op, &result);
	if (progress != EXEC_ENDED || op->blockers)
		return progress;
	sim_pair_end(op);
	if (op->work.kind == SIM_WORK_DECISION && result == CUDA_SUCCESS)
		sim_decision_end(op->work.decision);
	if (result == CUDA_SUCCESS || op->context->error != CUDA_SUCCESS)
		return EXEC_ENDED;
	op->context->error = result;
	/* Calls that would print are refused from now on. */
	sim_context_print(op->context);
	return EXEC_ENDED;
}

bool sim_engine_is_passed(const struct sim_op *op)
{
	return op->work.kind == SIM_WORK_KERNEL && !op->work.kernel.run && !sim_program_is_on() &&
	       op->work.kernel.outcome == CUDA_SUCCESS && op->context->error == CUDA_SUCCESS &&
	       !sim_pair_is_on() && !sim_activity_has_kernels();
}

void sim_engine_pass(struct sim_op *op)
{
	sim_tally_skipped(op->work.kernel.tally);
}
