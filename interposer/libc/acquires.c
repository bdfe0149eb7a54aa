/* Calls that wait for what other threads write: the rows of the tables, of which only ACQUIRES
 * counts.
 */
#include "interposer/libc/acquires.h"

/* The file is always the first argument: there is no name for another one. */
#define ACQUIRED_a0(after) after
#define ACQUIRES(fd)	   | ACQUIRED_##fd(SC_AFTER_ACQUIRE)
#define ACQUIRES_ANY(fd)   | ACQUIRED_##fd(SC_AFTER_ACQUIRE_ANY)

#define IN(address, bytes)
#define OUT(address, bytes)
#define STREAM_IN(address, bytes, unit)
#define STREAM_OUT(address, bytes, unit)
#define DATA_IN(address, bytes, unit)
#define DATA_OUT(address, bytes, unit)
#define RECEIVED(address, bytes, flags)
#define TEXT(address, bytes)
#define STRING(address)
#define STRINGS(address)
#define VECTOR_IN(address, count)
#define VECTOR_OUT(address, count)
#define MESSAGE_IN(address)
#define MESSAGE_OUT(address)
#define MESSAGES_IN(address, count)
#define MESSAGES_OUT(address, count)
#define OPEN(address, bytes)
#define BELONGS(address, bytes)
#define SETS(count, x, y, z)
#define EVENTS(address, most)
#define OTHER(function)
#define RELEASES(fd, bytes)
#define CLOSES(fd)
#define CLOSES_STREAM(stream)
#define BECOMES(from, fd)
#define MAKES
#define MAKES_PAIR(address)
#define WORDS(format)
#define LIST(format, list)
#define CONTEXT(context)
#define MASK_OF(context)
#define ENVIRONMENT

enum {
#define CALL(number, name, effects) CALL_##name = 0 effects,
#define FILE			    CALL
#define PLAIN(number, name)	    CALL_##name = 0,
#define GONE			    PLAIN
#include "interposer/libc/system.def"
#undef CALL
#undef PLAIN
};

const uint8_t sc_acquires_libc[SC_REALS] = {
#define SAME(name, call)     [SC_REAL_##name] = CALL_##call,
#define OWN(name, effects)   [SC_REAL_##name] = 0 effects,
#define COUNT(name, effects) [SC_REAL_##name] = 0 effects,
#define CODE(name, effects)  [SC_REAL_##name] = 0 effects,
#define JUMP(name, effects)  [SC_REAL_##name] = 0 effects,
#define NONE(name, why)
#include "interposer/libc/libc.def"
};

enum sc_after sc_acquires_call(uint64_t number)
{
	static const uint8_t calls[] = {
#define CALL(number, name, effects) [number] = 0 effects,
#define PLAIN(number, name)
#include "interposer/libc/system.def"
#undef CALL
#undef FILE
#undef PLAIN
#undef GONE
	};

	return number < sizeof(calls) ? (enum sc_after)calls[number] : SC_AFTER_NOTHING;
}
