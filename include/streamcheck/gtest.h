/* streamcheck and GoogleTest: findings say in which test they are.
 *
 *	int main(int argc, char **argv)
 *	{
 *		testing::InitGoogleTest(&argc, argv);
 *		streamcheck::name_tests();
 *		return RUN_ALL_TESTS();
 *	}
 *
 * Each test is a range (streamcheck.h): `in "test: Upload.KeepsOrder"`, in JSON `range`, and a case
 * of the JUnit report. What a fixture does for its whole suite is in the range of the suite. The
 * analysis comes after the program's
 * end: findings fail the program, by its exit code, not the test. See docs/user/declarations.md.
 */
#pragma once

#include <gtest/gtest.h>
#include <string>
#include "streamcheck.h"

namespace streamcheck
{
/* Names the suites and tests, and listens to nothing else. */
class test_names : public ::testing::EmptyTestEventListener
{
      public:
	void OnTestStart(const ::testing::TestInfo &test) override
	{
		const std::string name =
			std::string("test: ") + test.test_suite_name() + "." + test.name();

		streamcheck_range_end(suite_);
		suite_ = 0;
		test_ = streamcheck_range_begin(name.c_str());
	}
	void OnTestEnd(const ::testing::TestInfo &test) override
	{
		streamcheck_range_end(test_);
		suite_ = streamcheck_range_begin(test.test_suite_name());
	}
	void OnTestSuiteStart(const ::testing::TestSuite &suite) override
	{
		suite_ = streamcheck_range_begin(suite.name());
	}
	void OnTestSuiteEnd(const ::testing::TestSuite &) override
	{
		streamcheck_range_end(suite_);
		suite_ = 0;
	}

      private:
	unsigned suite_ = 0, test_ = 0;
};

/* To be called once, after InitGoogleTest. GoogleTest owns the listener. */
inline void name_tests()
{
	if (streamcheck_is_active())
		::testing::UnitTest::GetInstance()->listeners().Append(new test_names);
}
} // namespace streamcheck
