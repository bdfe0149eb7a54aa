// The distance of two texts (Levenshtein) as a wavefront: each barrier of the block ends a
// diagonal, of which three are kept in shared memory. A block for each pair of texts.
// expect: clean
#include "testcases/compute.h"

static const int LENGTH = 120, PAIRS = 6;

__global__ void distance(const char *texts, int *out)
{
	__shared__ int diagonals[3][LENGTH + 1];
	const char *a = texts + blockIdx.x * 2 * LENGTH, *b = a + LENGTH;

	// Cell (i, k) of a table with a row for each letter of a; i is the thread, i + k the
	// diagonal.
	for (int d = 0; d <= 2 * LENGTH; d++) {
		int i = threadIdx.x, k = d - i;
		int *now = diagonals[d % 3], *last = diagonals[(d + 2) % 3];
		const int *before = diagonals[(d + 1) % 3];

		if (i <= LENGTH && k >= 0 && k <= LENGTH) {
			if (i == 0 || k == 0)
				now[i] = i + k;
			else
				now[i] = min(min(last[i - 1], last[i]) + 1,
					     before[i - 1] + (a[i - 1] != b[k - 1]));
		}
		__syncthreads();
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = diagonals[2 * LENGTH % 3][LENGTH];
}

HOST_LOOP int distance_on_host(const char *a, const char *b)
{
	static int table[LENGTH + 1][LENGTH + 1];

	for (int i = 0; i <= LENGTH; i++)
		for (int k = 0; k <= LENGTH; k++) {
			if (!i || !k) {
				table[i][k] = i + k;
				continue;
			}
			int change = table[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
			int gap = (table[i - 1][k] < table[i][k - 1] ? table[i - 1][k]
								     : table[i][k - 1]) +
				  1;

			table[i][k] = change < gap ? change : gap;
		}
	return table[LENGTH][LENGTH];
}

int main()
{
	need_kernels();
	char *texts = host_array<char>(PAIRS * 2 * LENGTH);
	int *got = host_array<int>(PAIRS), want[PAIRS], *d_out = device_array<int>(PAIRS);
	unsigned state = 97;

	// The second text is the first one with some letters changed, and moved by some places.
	for (int i = 0; i < PAIRS * LENGTH; i++) {
		int pair = i / LENGTH, at = i % LENGTH;
		char *a = texts + pair * 2 * LENGTH, *b = a + LENGTH;

		a[at] = "acgt"[random_next(&state) % 4];
		b[(at + 7 * pair) % LENGTH] =
			random_next(&state) % 8 ? a[at] : "acgt"[random_next(&state) % 4];
	}
	char *d_texts = device_copy(texts, PAIRS * 2 * LENGTH);

	distance<<<PAIRS, 128>>>(d_texts, d_out);
	read_back(got, d_out, PAIRS);
	for (int i = 0; i < PAIRS; i++)
		want[i] = distance_on_host(texts + i * 2 * LENGTH, texts + i * 2 * LENGTH + LENGTH);
	expect_equal("distances", got, want, PAIRS);
	for (int i = 0; i < PAIRS; i++)
		printf("%d%c", got[i], i == PAIRS - 1 ? '\n' : ' ');
	free_device(d_texts, d_out);
	free_host(texts, got);
	return 0;
}
