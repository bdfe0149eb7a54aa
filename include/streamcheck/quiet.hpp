// A quiet stretch that lasts as long as a C++ object; included by streamcheck.h.
#ifndef STREAMCHECK_QUIET_HPP
#define STREAMCHECK_QUIET_HPP

namespace streamcheck
{
// Quiet for as long as it lives.
class quiet
{
      public:
	explicit quiet(const char *rules, const char *reason)
	{
		streamcheck_quiet_begin(rules, reason);
	}
	~quiet()
	{
		streamcheck_quiet_end();
	}
	quiet(const quiet &) = delete;
	quiet &operator=(const quiet &) = delete;
};
} // namespace streamcheck

#endif
