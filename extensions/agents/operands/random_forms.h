/* Random forms: the parameters of cuRAND's functions. Who includes this defines
 * NOTED_RANDOM(name, parameters, arguments). */
#pragma once

#define NUMBERS(name, T) \
	NOTED_RANDOM(name, (void *generator, T *out, size_t count), (generator, out, count))
#define MOMENTS(name, T)                                                                 \
	NOTED_RANDOM(name, (void *generator, T *out, size_t count, T mean, T deviation), \
		     (generator, out, count, mean, deviation))
#define MEAN(name, T)                                                            \
	NOTED_RANDOM(name, (void *generator, T *out, size_t count, double mean), \
		     (generator, out, count, mean))
