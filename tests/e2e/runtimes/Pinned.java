import java.nio.ByteBuffer;

// Java's runtime turns faults of compiled code into exceptions and stops threads by faults, while
// copies fill memory that the guard protects.
public class Pinned {
	static native ByteBuffer begin();
	static native int fill();
	static native int await();
	static native int end();

	static class Node {
		int value;
	}

	static final int TURNS = 20, THREADS = 8, FAULTS = 50;
	static volatile int sum;
	static int bad;

	static void count(boolean ok) {
		if (!ok)
			bad++;
	}

	static int value(Node node) {
		return node.value;
	}

	static boolean recovers(Node node) {
		try {
			return value(node) == -1;
		} catch (NullPointerException e) {
			return true;
		}
	}

	static void fault() {
		for (int i = 0; i < FAULTS; i++)
			count(recovers(null));
	}

	static void add(ByteBuffer data) {
		int total = 0;
		for (int i = 0; i < data.capacity(); i += 64)
			total += data.get(i);
		sum = total;
	}

	static void touch(ByteBuffer data) throws InterruptedException {
		Thread[] all = new Thread[THREADS];
		for (int i = 0; i < THREADS; i++) {
			all[i] = new Thread(() -> add(data));
			all[i].start();
		}
		for (Thread thread : all)
			thread.join();
	}

	// So often that it is compiled, without a test for null.
	static void warmUp() {
		Node node = new Node();
		for (int i = 0; i < 200000; i++) {
			node.value = i;
			sum = value(node);
		}
	}

	public static void main(String[] arguments) throws InterruptedException {
		System.load(arguments[0]);
		ByteBuffer data = begin();
		warmUp();
		for (int i = 0; i < TURNS; i++) {
			count(fill() == 0);
			fault();
			if (arguments.length > 1)
				touch(data);
			System.gc();
			fault();
			count(await() == 0);
			touch(data);
		}
		count(end() == 0);
		System.out.println("bad " + bad);
	}
}
