package dev.weir.bench.speed;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Open pages as the server sees them: a stream of events each, and requests every few seconds. */
final class OpenPages implements AutoCloseable {
    /** The pause between two requests for curves or campaigns, as in now.js and campaigns.js. */
    private static final int PAUSE_SECONDS = 10;
    private static final int PATIENCE_SECONDS = 60;

    private final HttpClient client = HttpClient.newHttpClient();
    private final ScheduledExecutorService asking = Executors.newSingleThreadScheduledExecutor();
    private final List<Thread> readers = new ArrayList<>();
    private final AtomicLong events = new AtomicLong();
    private final String server;

    private OpenPages(int port) {
        this.server = "http://127.0.0.1:" + port;
    }

    /** Opens pages and waits until each has its first event. */
    static OpenPages on(int port, int pages) throws IOException, InterruptedException {
        OpenPages open = new OpenPages(port);
        CountDownLatch begun = new CountDownLatch(pages);
        for (int i = 0; i < pages; i++) {
            open.readers.add(Thread.ofVirtual().start(() -> open.read(begun)));
            var _ = open.asking.scheduleAtFixedRate(open::ask, (long) i * PAUSE_SECONDS * 1000 / pages,
                    PAUSE_SECONDS * 1000L, TimeUnit.MILLISECONDS);
        }
        if (!begun.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            open.close();
            throw new IOException("the server sends no events");
        }
        return open;
    }

    /**
     * Asks for as many figures as a page that is open for an hour gets, so that the server has compiled what makes
     * them.
     */
    static void hour(int port) throws IOException, InterruptedException {
        try (OpenPages one = new OpenPages(port)) {
            for (int second = 0; second < 3600; second++) {
                one.client.send(one.request("/api/now"), HttpResponse.BodyHandlers.discarding());
            }
        }
    }

    private HttpRequest request(String path) {
        return HttpRequest.newBuilder(URI.create(server + path)).build();
    }

    private void read(CountDownLatch begun) {
        boolean first = true;
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
                client.send(request("/api/events"), HttpResponse.BodyHandlers.ofInputStream()).body(),
                StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith("data:")) {
                    events.incrementAndGet();
                    if (first) {
                        begun.countDown();
                        first = false;
                    }
                }
            }
        } catch (IOException | InterruptedException closed) {
            // The measurement is over, or the count of events shows that they ceased.
        }
    }

    private void ask() {
        for (String path : List.of("/api/history?span=hour", "/api/campaigns?by=hour")) {
            var _ = client.sendAsync(request(path), HttpResponse.BodyHandlers.discarding());
        }
    }

    /** Returns the number of events that all pages received. */
    long events() {
        return events.get();
    }

    @Override
    public void close() {
        asking.shutdownNow();
        readers.forEach(Thread::interrupt);
        client.shutdownNow();
    }
}
