/* Paths of a warp: dividing at branches, meeting at joins, waiting, ending. */
#pragma once

#include "simulator/executor/warp.h"

/* One path of all live lanes, at the kernel's first instruction. */
void exec_path_start(struct exec_warp *w, uint32_t lanes);

/* Goes on with a path that is ready; false: there is none (the warp waits or has ended). */
bool exec_path_resume(struct exec_warp *w);

/* The running path waits from now on; another one goes on if it can. */
void exec_path_wait(struct exec_warp *w, enum exec_path_state state);

/* The path of these lanes waits no longer. */
void exec_path_wake(struct exec_warp *w, uint32_t path);

/*
 * For instructions in which lanes take part together, those of each lane's `members` (NULL: all
 * lanes): the lanes of the running path and of those paths that wait here for some of them, when
 * all have arrived. 0: some have not, so that the path waits.
 */
uint32_t exec_path_gather(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
			  const uint32_t *members);

/* Lets one path that gathers go on without the lanes that never came; false: none gathers. */
bool exec_path_force(struct exec_warp *w);

/* Some lanes of the running path, not all, become a path that goes on at `target`, until both meet
 * at the instruction's join. */
void exec_path_divide(struct exec_warp *w, const struct exec_instruction *in,
		      const struct exec_instruction *target, uint32_t lanes);

/* So many instructions more were run, of calls; false: the launch has ended. */
bool exec_path_count(struct exec_warp *w, const struct exec_instruction *in, uint64_t count);

/* The running path calls a function, whose frame is new. */
void exec_path_call(struct exec_warp *w, struct exec_frame *frame);

/* These lanes of the running path return; the running path is another one then if none is left. */
void exec_path_return(struct exec_warp *w, uint32_t lanes);

/* These lanes of the running path exit. If none is left, the caller resumes another path. */
void exec_path_end(struct exec_warp *w, uint32_t lanes);

exec_handler exec_path_branch, exec_path_jump, exec_path_join;
