// The works of bench/async on virtual threads, one carrier (see measure.py). Written so that javac 17 compiles it for a later Java.
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;

public class Work {
    interface Job { void run() throws Exception; }

    static final ThreadFactory FACTORY = factory();
    static long began;
    static volatile long sink;

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
            catch (InterruptedException e) { sink = 1; }
            catch (Exception e) { throw new RuntimeException(e); }
        });
        thread.start();
        return thread;
    }

    static void joinAll(List<Thread> threads) throws InterruptedException { for (Thread thread : threads) thread.join(); }

    static long cpu() { return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime(); }
    static void startClock() { began = cpu(); }
    static double per(long steps) { return (double) (cpu() - began) / steps; }

    static double spawn(int n) throws Exception {
        startClock();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            int x = i;
            all.add(start(() -> sink = x + 1));
        }
        joinAll(all);
        return per(n);
    }

    static double yields(int n) throws Exception {
        startClock();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < 1000; i++) all.add(start(() -> { for (int k = 0; k < n / 1000; k++) Thread.yield(); }));
        joinAll(all);
        return per(n);
    }

    static void deep(int depth, int n) {
        if (depth > 1) deep(depth - 1, n);
        else for (int i = 0; i < n; i++) Thread.yield();
    }

    static double wake(int depth, int n) throws Exception {
        startClock();
        start(() -> deep(depth, n)).join();
        return per(n);
    }

    static double channel(int n) throws Exception {
        ArrayBlockingQueue<Integer> there = new ArrayBlockingQueue<>(1), back = new ArrayBlockingQueue<>(1);
        startClock();
        Thread echo = start(() -> { for (int i = 0; i < n; i++) back.put(there.take()); });
        Thread asks = start(() -> { for (int i = 0; i < n; i++) { there.put(i); back.take(); } });
        joinAll(List.of(echo, asks));
        return per(2L * n);
    }

    static double timers(int n) throws Exception {
        Random random = new Random(1);
        startClock();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            long ns = random.nextInt(1_000_000_000);
            all.add(start(() -> Thread.sleep(ns / 1_000_000, (int) (ns % 1_000_000))));
        }
        joinAll(all);
        return per(n);
    }

    static long resident() throws Exception { return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[1]) * 4096; }

    static List<Thread> sleepers(int n) throws Exception {
        CountDownLatch running = new CountDownLatch(n);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < n; i++) all.add(start(() -> { running.countDown(); Thread.sleep(1_000_000); }));
        running.await();
        start(Thread::yield).join();
        return all;
    }

    static double memory(int n) throws Exception {
        System.gc();
        long before = resident();
        List<Thread> all = sleepers(n);
        System.gc();
        double each = (double) (resident() - before) / n;
        for (Thread thread : all) thread.interrupt();
        return each;
    }

    static double cancel(int n) throws Exception {
        List<Thread> all = sleepers(n);
        startClock();
        for (Thread thread : all) thread.interrupt();
        joinAll(all);
        return per(n);
    }

    static int fail(int depth, int x) {
        if (depth == 0 && x >= 0) throw new IllegalArgumentException("no");
        return fail(depth - 1, x) + 1;
    }

    static double error(int n) throws Exception {
        startClock();
        start(() -> {
            int caught = 0;
            for (int i = 0; i < n; i++)
                try { caught += fail(5, i); } catch (IllegalArgumentException e) { caught++; }
            sink = caught;
        }).join();
        return per(n);
    }

    static double semaphore(int n) throws Exception {
        Semaphore free = new Semaphore(10, true);
        startClock();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < 1000; i++)
            all.add(start(() -> {
                for (int k = 0; k < n / 1000; k++) {
                    free.acquire();
                    Thread.yield();
                    free.release();
                }
            }));
        joinAll(all);
        return per(n);
    }

    static double work(String name, int n) throws Exception {
        return switch (name) {
            case "spawn" -> spawn(n);
            case "yield" -> yields(n);
            case "wake_1" -> wake(1, n);
            case "wake_10" -> wake(10, n);
            case "wake_100" -> wake(100, n);
            case "channel" -> channel(n);
            case "timers" -> timers(n);
            case "memory" -> memory(n);
            case "cancel" -> cancel(n);
            case "error" -> error(n);
            case "semaphore" -> semaphore(n);
            default -> Double.NaN;
        };
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[1]);
        if (!args[0].equals("memory")) work(args[0], Math.max(n / 4, 1000));   // until it is compiled
        double result = work(args[0], n);
        if (Double.isNaN(result)) System.exit(1);
        System.out.printf("%.2f%n", result);
        System.exit(0);
    }
}
