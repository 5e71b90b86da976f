package dev.weir.bench.hostile;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import dev.weir.bench.http.ScanLoad;
import dev.weir.bench.http.Scanners;
import dev.weir.bench.peer.WeirProcess;
import dev.weir.bench.peer.Workspace;
import dev.weir.bench.report.Table;
import org.HdrHistogram.Histogram;

/**
 * Mails that take seconds to hash, and what others see beside them: the paths of monitors, and the scan of a small
 * mail.
 */
final class HeavyMails {
    private static final int TIMEOUT_MILLIS = 60_000;
    private static final long PAUSE_MILLIS = 10;
    private static final Duration WARM_UP = Duration.ofSeconds(15);
    private static final Duration QUIET = Duration.ofSeconds(5);
    private static final String SMALL = "small scan";
    private static final List<String> PATHS = List.of("/ping", "/healthz", "/metrics", "/");

    private final Duration longest;
    private final List<String> complaints = new ArrayList<>();
    private final Table table = new Table("beside", "request", "number", "failed", "p50", "p99", "longest");

    /**
     * Creates a run.
     *
     * @param longest the longest time that a monitor may wait
     */
    HeavyMails(Duration longest) {
        this.longest = longest;
    }

    /** Runs all loads. Returns what was too slow or failed. */
    List<String> run(Workspace workspace, List<String> command, Path data) throws IOException, InterruptedException {
        try (WeirProcess storage = WeirProcess.start(workspace, command, data)) {
            InetSocketAddress http = Scanners.weir(workspace, command, storage.address().getPort()).address();
            List<byte[]> small = List.of(mail(8 << 10, 0));
            new ScanLoad(http, small, Scanners.SYMBOL).run(4, WARM_UP);
            new ScanLoad(http, List.of(mail(2 << 20, 1)), Scanners.SYMBOL).run(2, WARM_UP);
            beside("nothing", http, small, List.of(), 0);
            beside("2 mails of 20 MB", http, small, List.of(mail(20_000_000, 2), mail(20_000_000, 3)), 2);
            List<byte[]> many = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                many.add(mail(1_900_000, 10 + i));
            }
            beside("40 mails of 1.9 MB", http, small, many, many.size());
        }
        return complaints;
    }

    /** Returns the report. */
    Table table() {
        return table;
    }

    private void beside(String name, InetSocketAddress http, List<byte[]> small, List<byte[]> heavy, int connections)
            throws InterruptedException {
        Map<String, Probe> probes = new LinkedHashMap<>();
        PATHS.forEach(path -> probes.put(path, new Probe(http,
                ("GET " + path + " HTTP/1.0\r\n\r\n").getBytes(StandardCharsets.US_ASCII))));
        probes.put(SMALL, new Probe(http, ScanLoad.request(small.getFirst())));
        probes.values().forEach(probe -> probe.thread.start());
        if (heavy.isEmpty()) {
            Thread.sleep(QUIET);
        } else {
            long failed = new ScanLoad(http, heavy, Scanners.SYMBOL).once(connections);
            if (failed > 0) {
                complaints.add(failed + " of " + heavy.size() + " large scans failed");
            }
        }
        for (Map.Entry<String, Probe> probe : probes.entrySet()) {
            row(name, probe.getKey(), probe.getValue().finish());
        }
    }

    private void row(String name, String request, Probe probe) {
        Histogram latency = probe.latency;
        table.row(name, request, Table.number(latency.getTotalCount()), Table.number(probe.failed),
                Table.time(latency, 50), Table.time(latency, 99), Table.time(latency, 100));
        if (probe.failed > 0) {
            complaints.add(probe.failed + " requests for " + request + " failed beside " + name);
        }
        if (!request.equals(SMALL) && latency.getMaxValue() > longest.toNanos()) {
            complaints.add(request + " took up to " + TimeUnit.NANOSECONDS.toMillis(latency.getMaxValue())
                    + " ms beside " + name);
        }
    }

    /** Returns a page of HTML with many words, all of them different from those of another seed. */
    private static byte[] mail(int size, int seed) {
        StringBuilder text = new StringBuilder(size + 200)
                .append("Subject: a page\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html><body>");
        for (int i = 0; text.length() < size; i++) {
            text.append("<p class=\"c").append(i % 97).append("\">word").append(seed).append('x').append(i)
                    .append(" some <b>bold</b> text <a href=\"http://example.com/").append(i)
                    .append("\">link</a></p>\r\n");
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** One client that repeats a request. */
    private static final class Probe {
        private final InetSocketAddress address;
        private final byte[] request;
        private final Thread thread = Thread.ofPlatform().daemon().unstarted(this::ask);
        private final Histogram latency = new Histogram(TimeUnit.MINUTES.toNanos(2), 3);
        private volatile boolean over;
        private long failed;

        Probe(InetSocketAddress address, byte[] request) {
            this.address = address;
            this.request = request;
        }

        private void ask() {
            while (!over) {
                long start = System.nanoTime();
                if (!succeeds()) {
                    failed++;
                }
                latency.recordValue(Math.min(System.nanoTime() - start, latency.getHighestTrackableValue()));
                try {
                    Thread.sleep(PAUSE_MILLIS);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        private boolean succeeds() {
            try (Socket socket = new Socket()) {
                socket.setTcpNoDelay(true);
                socket.setSoTimeout(TIMEOUT_MILLIS);
                socket.connect(address, TIMEOUT_MILLIS);
                socket.getOutputStream().write(request);
                return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1)
                        .matches("(?s)HTTP/1\\.[01] 200 .*");
            } catch (IOException e) {
                return false;
            }
        }

        Probe finish() throws InterruptedException {
            over = true;
            thread.join();
            return this;
        }
    }
}
