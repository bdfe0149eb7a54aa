// Three tests of GoogleTest: one races, one waits, one reads what the fixture left unordered.
#include <cuda_runtime.h>
#include <streamcheck/gtest.h>

class Upload : public ::testing::Test
{
      protected:
	static constexpr size_t bytes = 1 << 16;
	static void *device, *host, *shared;
	static cudaStream_t stream;

	static void SetUpTestSuite()
	{
		cudaMalloc(&device, bytes);
		cudaMallocHost(&host, bytes);
		cudaMallocHost(&shared, bytes);
		cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
		cudaMemcpyAsync(shared, device, bytes, cudaMemcpyDeviceToHost, stream);
	}
	static void TearDownTestSuite()
	{
		cudaDeviceSynchronize();
	}
};

void *Upload::device, *Upload::host, *Upload::shared;
cudaStream_t Upload::stream;

TEST_F(Upload, SeesTheFixture)
{
	EXPECT_EQ(0, static_cast<volatile char *>(shared)[0]);
	cudaStreamSynchronize(stream);
}

TEST_F(Upload, Races)
{
	cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream);
	EXPECT_EQ(0, static_cast<volatile char *>(host)[0]);
	cudaStreamSynchronize(stream);
}

TEST_F(Upload, Waits)
{
	cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream);
	cudaStreamSynchronize(stream);
	EXPECT_EQ(0, static_cast<volatile char *>(host)[0]);
}

int main(int argc, char **argv)
{
	::testing::InitGoogleTest(&argc, argv);
	if (argc < 2) /* with an argument the tests have no ranges */
		streamcheck::name_tests();
	return RUN_ALL_TESTS();
}
