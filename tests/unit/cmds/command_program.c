/* A program that does nothing, linked in several ways (test_habits.c). */
int main(void)
{
	return 0;
}
