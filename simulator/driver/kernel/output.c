/* What kernels print: the queue of each context, and its way to stdout. */
#include "simulator/driver/kernel/output.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sim_printed {
	struct sim_printed *next; /* owned */
	size_t size_bytes;
	char bytes[];
};

/* Protects all queues. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Held while texts are taken and written, so that they come out in order; taken before `lock`. */
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;

static void drop_first(struct sim_output *o)
{
	struct sim_printed *text = o->first;

	o->first = text->next;
	if (!o->first)
		o->last = NULL;
	o->size_bytes -= text->size_bytes;
	free(text);
}

static void append(struct sim_output *o, struct sim_printed *text)
{
	if (o->last)
		o->last->next = text;
	else
		o->first = text;
	o->last = text;
	o->size_bytes += text->size_bytes;
}

void sim_output_add(struct sim_output *output, size_t most, const char *text, size_t bytes)
{
	struct sim_printed *new = malloc(sizeof(*new) + bytes);

	if (!new)
		return;
	new->next = NULL;
	new->size_bytes = bytes;
	memcpy(new->bytes, text, bytes);
	pthread_mutex_lock(&lock);
	output->is_used = true;
	append(output, new);
	while (output->size_bytes > most)
		drop_first(output);
	pthread_mutex_unlock(&lock);
}

bool sim_output_is_used(struct sim_output *output)
{
	bool is_used;

	pthread_mutex_lock(&lock);
	is_used = output->is_used;
	pthread_mutex_unlock(&lock);
	return is_used;
}

void sim_output_write(struct sim_output *output)
{
	struct sim_output taken;

	pthread_mutex_lock(&writing);
	pthread_mutex_lock(&lock);
	taken = *output;
	*output = (struct sim_output){.is_used = taken.is_used};
	pthread_mutex_unlock(&lock);
	for (; taken.first; drop_first(&taken))
		fwrite(taken.first->bytes, 1, taken.first->size_bytes, stdout);
	pthread_mutex_unlock(&writing);
}

void sim_output_end(struct sim_output *output)
{
	pthread_mutex_lock(&lock);
	while (output->first)
		drop_first(output);
	output->is_used = false;
	pthread_mutex_unlock(&lock);
}
