package dev.weir.bench.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.HdrHistogram.Histogram;

/**
 * A closed loop of scan requests to {@code /checkv2} over several connections at a time, as {@code rspamc -n} and mail
 * servers send them. Each connection carries one request, because Rspamd's server closes it after the reply.
 */
public final class ScanLoad {
    private static final int TIMEOUT_MILLIS = 60_000;
    private static final byte[] OK = "HTTP/1.1 200 ".getBytes(StandardCharsets.US_ASCII);

    /** The marker in Weir's reply for a scan that lacks the answer of a storage. */
    private static final byte[] UNANSWERED = "\"unanswered\"".getBytes(StandardCharsets.US_ASCII);

    private final InetSocketAddress address;
    private final List<byte[]> requests;
    private final byte[] symbol;
    private final AtomicInteger next = new AtomicInteger();

    /**
     * The requests to send.
     *
     * @param mails the mails, sent in this order and repeatedly
     * @param symbol the symbol to count in replies
     */
    public ScanLoad(InetSocketAddress address, List<byte[]> mails, String symbol) {
        this.address = address;
        this.requests = mails.stream().map(ScanLoad::request).toList();
        this.symbol = ('"' + symbol + '"').getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * The outcome of a run.
     *
     * @param seconds duration of the run
     * @param answered number of replies with status 200
     * @param hits number of those with the symbol
     * @param failed number of requests with another reply or none
     * @param latency in nanoseconds, including the connection setup
     */
    public record Outcome(double seconds, long answered, long hits, long failed, Histogram latency) {
        /** Returns the replies per second. */
        public double rate() {
            return answered / seconds;
        }
    }

    /** Returns the request to scan a mail. */
    public static byte[] request(byte[] mail) {
        byte[] head = ("POST /checkv2 HTTP/1.0\r\nContent-Length: " + mail.length
                + "\r\nContent-Type: text/plain\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] request = new byte[head.length + mail.length];
        System.arraycopy(head, 0, request, 0, head.length);
        System.arraycopy(mail, 0, request, head.length, mail.length);
        return request;
    }

    /** Runs the load for a period. */
    public Outcome run(int connections, Duration time) throws InterruptedException {
        List<Worker> workers = new ArrayList<>();
        long start = System.nanoTime();
        long end = start + time.toNanos();
        for (int i = 0; i < connections; i++) {
            Worker worker = new Worker(end);
            workers.add(worker);
            worker.thread.start();
        }
        Histogram latency = histogram();
        long answered = 0;
        long hits = 0;
        long failed = 0;
        for (Worker worker : workers) {
            worker.thread.join();
            latency.add(worker.latency);
            answered += worker.answered;
            hits += worker.hits;
            failed += worker.failed;
        }
        return new Outcome((System.nanoTime() - start) / 1e9, answered, hits, failed, latency);
    }

    /** Sends every mail once over so many connections at a time. Returns the number of scans that failed. */
    public long once(int connections) throws InterruptedException {
        AtomicInteger failed = new AtomicInteger();
        AtomicInteger left = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            threads.add(Thread.ofPlatform().daemon().start(() -> {
                for (int mail = left.getAndIncrement(); mail < requests.size(); mail = left.getAndIncrement()) {
                    try {
                        failed.addAndGet(startsWith(exchange(requests.get(mail)), OK) ? 0 : 1);
                    } catch (IOException e) {
                        failed.incrementAndGet();
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return failed.get();
    }

    /** Sends every mail once, one after the other, and returns which ones have the symbol. */
    public List<Boolean> each() throws IOException {
        List<Boolean> marked = new ArrayList<>();
        for (byte[] request : requests) {
            byte[] reply = exchange(request);
            if (!startsWith(reply, OK)) {
                throw new IOException("a scan failed: " + new String(reply, StandardCharsets.UTF_8));
            }
            marked.add(contains(reply, symbol));
        }
        return marked;
    }

    /** Sends a mail; returns false if the scan failed or a storage did not answer. */
    public boolean isAnswered(int mail) throws IOException {
        byte[] reply = exchange(requests.get(Math.floorMod(mail, requests.size())));
        return startsWith(reply, OK) && !contains(reply, UNANSWERED);
    }

    private static Histogram histogram() {
        return new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
    }

    private byte[] exchange(byte[] request) throws IOException {
        try (Socket socket = new Socket()) {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.connect(address, TIMEOUT_MILLIS);
            socket.getOutputStream().write(request);
            ByteArrayOutputStream reply = new ByteArrayOutputStream(2048);
            socket.getInputStream().transferTo(reply);
            return reply.toByteArray();
        }
    }

    private static boolean startsWith(byte[] text, byte[] start) {
        return text.length >= start.length
                && Arrays.equals(text, 0, start.length, start, 0, start.length);
    }

    private static boolean contains(byte[] text, byte[] part) {
        for (int i = 0; i + part.length <= text.length; i++) {
            if (Arrays.equals(text, i, i + part.length, part, 0, part.length)) {
                return true;
            }
        }
        return false;
    }

    private final class Worker {
        private final Thread thread = Thread.ofPlatform().daemon().unstarted(this::work);
        private final Histogram latency = histogram();
        private final long end;
        private long answered;
        private long hits;
        private long failed;

        Worker(long end) {
            this.end = end;
        }

        private void work() {
            for (long start = System.nanoTime(); start < end; start = System.nanoTime()) {
                try {
                    byte[] reply = exchange(requests.get(Math.floorMod(next.getAndIncrement(), requests.size())));
                    latency.recordValue(Math.min(System.nanoTime() - start, latency.getHighestTrackableValue()));
                    if (startsWith(reply, OK)) {
                        answered++;
                        hits += contains(reply, symbol) ? 1 : 0;
                    } else {
                        failed++;
                    }
                } catch (IOException e) {
                    failed++;
                }
            }
        }
    }
}
