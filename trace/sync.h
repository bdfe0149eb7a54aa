/* What host threads synchronize on: `value` of the ops SYNC_RELEASE, SYNC_ACQUIRE, SYNC_HOLD. */
#pragma once

enum sc_sync_object {
	SC_SYNC_OTHER,
	SC_SYNC_LOCK, /* mutex, rwlock, spin lock: who holds it keeps others out */
	SC_SYNC_CONDITION,
	SC_SYNC_SEMAPHORE,
	SC_SYNC_BARRIER,
	SC_SYNC_ONCE,
	SC_SYNC_THREAD,	     /* its beginning or its end */
	SC_SYNC_SHARED_LOCK, /* a lock taken by a reader: it keeps writers out only */
	SC_SYNC_CHANNEL	     /* pipe, pair of sockets, eventfd: it is read, or written to */
};
