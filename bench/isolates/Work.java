// The works of bench/isolates on virtual threads with two carriers (see measure.py). Written so that javac 17 compiles it for a later Java.
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;

public class Work {
    interface Job { void run() throws Exception; }

    static final ThreadFactory FACTORY = factory();

    static ThreadFactory factory() {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (ThreadFactory) Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this Java has no virtual threads", e);
        }
    }

    static Thread start(Job job) {
        Thread thread = FACTORY.newThread(() -> {
            try { job.run(); }
            catch (Exception e) { throw new RuntimeException(e); }
        });
        thread.start();
        return thread;
    }

    static double per(long began, long steps) { return (double) (System.nanoTime() - began) / steps; }

    static double messages(int n) throws Exception {
        ArrayBlockingQueue<Integer> queue = new ArrayBlockingQueue<>(1024);
        long began = System.nanoTime();
        Thread producer = start(() -> { for (int i = 0; i < n; i++) queue.put(i); });
        long[] sum = {0};
        Thread consumer = start(() -> { for (int i = 0; i < n; i++) sum[0] += queue.take(); });
        producer.join();
        consumer.join();
        if (sum[0] != (long) n * (n - 1) / 2) throw new IllegalStateException("wrong sum");
        return per(began, n);
    }

    static double pingPong(int n) throws Exception {
        ArrayBlockingQueue<Integer> there = new ArrayBlockingQueue<>(1), back = new ArrayBlockingQueue<>(1);
        start(() -> { for (int i = 0; i < n; i++) back.put(there.take() + 1); });
        double[] took = {0};
        start(() -> {
            long began = System.nanoTime();
            int x = 0;
            for (int i = 0; i < n; i++) {
                there.put(x);
                x = back.take();
            }
            took[0] = per(began, n);
        }).join();
        return took[0];
    }

    static double startAndJoin(int n) throws Exception {
        long began = System.nanoTime();
        for (int i = 0; i < n; i++) start(() -> { }).join();
        return per(began, n);
    }

    static double pool(int n) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        pool.submit(() -> 0).get();
        long began = System.nanoTime();
        for (int i = 0; i < n; i++) {
            int x = i;
            pool.submit(() -> x).get();
        }
        double took = per(began, n);
        pool.shutdown();
        return took;
    }

    static long addUp(long first, long end) {
        long sum = 0;
        for (long i = first; i < end; i++) sum ^= i * 7 + (i >> 3);
        return sum;
    }

    static long mandelbrot(long first) {
        long steps = 0;
        for (int y = (int) first; y < 1600; y += 2) {
            double ci = 2.0 * y / 1600 - 1;
            for (int x = 0; x < 1600; x++) {
                double cr = 2.0 * x / 1600 - 1.5, zr = 0, zi = 0;
                int i = 0;
                while (i < 50 && zr * zr + zi * zi <= 4) {
                    double t = zr * zr - zi * zi + cr;
                    zi = 2 * zr * zi + ci;
                    zr = t;
                    i++;
                }
                steps += i;
            }
        }
        return steps;
    }

    static FutureTask<Long> begin(Callable<Long> job) {
        FutureTask<Long> task = new FutureTask<>(job);
        FACTORY.newThread(task).start();
        return task;
    }

    static long half(boolean ofSum, long n, long part) { return ofSum ? addUp(n / 2 * part, n / 2 * (part + 1)) : mandelbrot(part); }

    static double timesFaster(boolean ofSum, long n) throws Exception {
        double alone = Double.MAX_VALUE, both = Double.MAX_VALUE;
        for (int turn = 0; turn < 5; turn++) {
            long began = System.nanoTime();
            long a = begin(() -> half(ofSum, n, 0) ^ half(ofSum, n, 1)).get();
            alone = Math.min(alone, System.nanoTime() - began);
            began = System.nanoTime();
            FutureTask<Long> p = begin(() -> half(ofSum, n, 0)), q = begin(() -> half(ofSum, n, 1));
            if ((p.get() ^ q.get()) != a) throw new IllegalStateException("wrong sum");
            both = Math.min(both, System.nanoTime() - began);
        }
        return alone / both;
    }

    static double run(String work, int n) throws Exception {
        switch (work) {
            case "messages": return messages(n);
            case "ping_pong": return pingPong(n);
            case "start": return startAndJoin(n);
            case "pool": return pool(n);
            case "parallel_sum": return timesFaster(true, n);
            case "parallel_mandelbrot": return timesFaster(false, n);
            default: System.exit(3); return 0;
        }
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[1]);
        run(args[0], Math.max(2, n / 10));   // the translator has seen it
        System.out.println(run(args[0], n));
        System.exit(0);
    }
}
