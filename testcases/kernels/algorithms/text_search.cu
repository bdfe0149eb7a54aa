// Texts on the device: words counted where a space ends them, a pattern found by each thread's own
// comparison (early exits), a histogram of letters in local memory, upper case in place.
// expect: clean
#include "testcases/compute.h"

#include <string>

static const char *const TEXT = "the quick brown fox jumps over the lazy dog while the other foxes "
				"watch the dog and then the dog watches the fox; ";
static const int REPEATS = 12, CHUNK = 32;

struct counts {
	int words, found, vowels, longest;
};

__device__ static bool matches(const char *at, const char *end, const char *pattern)
{
	for (; *pattern; at++, pattern++)
		if (at == end || *at != *pattern)
			return false;
	return true;
}

__global__ void count(const char *text, int n, const char *pattern, counts *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	if (text[i] != ' ' && (i + 1 == n || text[i + 1] == ' '))
		atomicAdd(&out->words, 1);
	if (matches(text + i, text + n, pattern))
		atomicAdd(&out->found, 1);
	if (i == 0 || text[i - 1] == ' ') {
		int length = 0;

		while (i + length < n && text[i + length] != ' ')
			length++;
		atomicMax(&out->longest, length);
	}
}

// A table in local memory for each thread, whose chunk of letters chooses where it counts.
__global__ void count_vowels(const char *text, int n, counts *out)
{
	int letters[26] = {0}, first = (blockIdx.x * blockDim.x + threadIdx.x) * CHUNK;

	for (int i = first; i < first + CHUNK && i < n; i++)
		if (text[i] >= 'a' && text[i] <= 'z')
			letters[text[i] - 'a']++;
	int sum = letters['a' - 'a'] + letters['e' - 'a'] + letters['i' - 'a'] +
		  letters['o' - 'a'] + letters['u' - 'a'];
	if (sum)
		atomicAdd(&out->vowels, sum);
}

__global__ void to_upper(char *text, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n && text[i] >= 'a' && text[i] <= 'z')
		text[i] ^= 0x20;
}

int main()
{
	need_kernels();
	std::string text, pattern = "the ", upper;
	counts want = {}, *got = host_array<counts>(1), *d_counts = device_zeros<counts>(1);
	int length = 0;

	for (int i = 0; i < REPEATS; i++)
		text += TEXT;
	const int n = (int)text.size();
	char *d_text = device_copy(text.data(), n);
	char *d_pattern = device_copy(pattern.c_str(), pattern.size() + 1),
	     *result = host_array<char>(n);

	for (int i = 0; i < n; i++) {
		length = text[i] == ' ' ? 0 : length + 1;
		want.longest = length > want.longest ? length : want.longest;
		want.words += text[i] != ' ' && (i + 1 == n || text[i + 1] == ' ');
		want.found += text.compare(i, pattern.size(), pattern) == 0;
		want.vowels += strchr("aeiou", text[i]) != NULL;
		upper += (char)(text[i] >= 'a' && text[i] <= 'z' ? text[i] - 32 : text[i]);
	}
	count<<<(n + 127) / 128, 128>>>(d_text, n, d_pattern, d_counts);
	count_vowels<<<1, (n + CHUNK - 1) / CHUNK>>>(d_text, n, d_counts);
	to_upper<<<(n + 127) / 128, 128>>>(d_text, n);
	read_back(got, d_counts, 1);
	read_back(result, d_text, n);
	printf("%d words, %d times \"%s\", %d vowels, longest %d\n", got->words, got->found,
	       pattern.c_str(), got->vowels, got->longest);
	expect_equal("counts", &got->words, &want.words, 4);
	expect_equal("upper case", result, upper.data(), n);
	free_device(d_text, d_pattern, d_counts);
	free_host(got, result);
	return 0;
}
