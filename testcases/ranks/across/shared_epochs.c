// A wait for a window comes after the complete of those that used it; a complete comes after the
// post of those from which it got data, not of those to which it only put some. That all is over in
// time is hidden from streamcheck.
// expect: SC-175 at=fill possible doubt=other_channel
// expect: SC-175 at=completed possible doubt=other_channel
// expect: SC-175 at=more possible doubt=other_channel
// expect: SC-175 at=waited possible doubt=other_channel
// expect[FIXED]: clean
#include "testcases/ranks/shared.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = shared_memory(r, BYTES);
	int words[2] = {0}, word = 0, other = 1 - r.rank;
	MPI_Comm unseen = unfollowed();
	cudaStream_t s = stream();
	MPI_Group world, group;
	MPI_Win win;

	MPI_Win_create(words, sizeof(words), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &other, &group);
	if (r.rank == 1)
		PUT(s, data, PART, 1); // @fill
	complete_unseen(r, 1, s, unseen);
	if (r.rank == 1) {
		MPI_Win_post(group, 0, win);
		PUT(s, data + PART, PART, 1); // @more
		MPI_Win_wait(win);
	} else {
		MPI_Win_start(group, 0, win);
#ifdef FIXED
		MPI_Get(&word, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
#else
		MPI_Put(&word, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
#endif
		MPI_Win_complete(win);
		PUT(s, data, PART, 2); // @completed
	}
	complete_unseen(r, 1, s, unseen);
#ifdef FIXED
	if (r.rank == 1) {
		MPI_Win_start(group, 0, win);
		MPI_Win_complete(win);
	} else {
		MPI_Win_post(group, 0, win);
		MPI_Win_wait(win);
	}
#endif
	if (r.rank == 0)
		PUT(s, data + PART, PART, 2); // @waited
	MPI_Group_free(&world);
	MPI_Group_free(&group);
	MPI_Win_free(&win);
	return end_shared(r, data);
}
