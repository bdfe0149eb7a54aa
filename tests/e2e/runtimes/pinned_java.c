/* What Pinned.java calls. */
#include <jni.h>
#include "pinned.h"

JNIEXPORT jobject JNICALL Java_Pinned_begin(JNIEnv *env, jclass class)
{
	void *memory = pinned_begin();

	(void)class;
	return memory ? (*env)->NewDirectByteBuffer(env, memory, PINNED_BYTES) : NULL;
}

#define PLAIN(java, function)                                                \
	JNIEXPORT jint JNICALL Java_Pinned_##java(JNIEnv *env, jclass class) \
	{                                                                    \
		(void)env;                                                   \
		(void)class;                                                 \
		return function();                                           \
	}
PLAIN(fill, pinned_fill)
PLAIN(await, pinned_wait)
PLAIN(end, pinned_end)
