package dev.weir.interop;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.transfer.Expiry;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Omissions;
import dev.weir.storage.transfer.Transfer;
import dev.weir.storage.transfer.storage.StorageTarget;
import dev.weir.testkit.FreePort;
import dev.weir.testkit.WeirProgram;
import dev.weir.wire.command.CommandCode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The pages with a storage of ten million hashes that clients ask at the same time: every answer that a page asks for
 * comes within {@link #BOUND}, the commands end within {@link #COMMAND_BOUND}, and each page in the browser is complete
 * within {@link #PAGE_BOUND}. Meanwhile no check waits longer than {@link SteadyChecks#MOST_MILLIS}.
 *
 * <p>{@code -Dweir.page.hashes=N} takes another number, and {@code -Dweir.page.folder=DIR} keeps the filled folder for
 * the next run.
 */
@Tag("long")
@Timeout(1800)
class TenMillionHashesTest {
    private static final long HASHES = Long.getLong("weir.page.hashes", 10_000_000);
    private static final Duration BOUND = Duration.ofSeconds(5);
    private static final Duration PAGE_BOUND = Duration.ofSeconds(10);

    /** With the start of a program, whose compiler is as slow as that of a test. */
    private static final Duration COMMAND_BOUND = Duration.ofSeconds(20);
    private static final int ROUNDS = 5;
    private static final String MAIL = "From: a@example.org\r\nMessage-ID: <ten@example.org>\r\nSubject: offer\r\n\r\n"
            + "dear friend we have a wonderful offer of the very best watches for you today only\r\n".repeat(12);

    /** Artificial hashes with 32 shingles each, learned now; hash {@code n} is at position {@code n}. */
    private record Artificial(long count, long now) implements HashSource {
        static Digest digest(long n) {
            return Digest.ofWords(new SplittableRandom(n).longs(Digest.BYTES / Long.BYTES).toArray(), 0);
        }

        private StoredHash hash(long n) {
            return new StoredHash(digest(n), List.of(new FlagValue(11, n % 100 + 1, now)),
                    Signature.of(new SplittableRandom(~n).longs(Signature.SLOTS).toArray(), 0));
        }

        @Override
        public String name() {
            return "artificial hashes";
        }

        @Override
        public long remaining(long after) {
            return count - Math.max(0, after);
        }

        @Override
        public long fingerprint() {
            return count;
        }

        @Override
        public void read(long after, Sink sink, Omissions omissions) throws StorageException {
            for (long n = Math.max(0, after) + 1; n <= count; n++) {
                sink.accept(n, hash(n));
            }
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    /** The program that fills a folder, with more memory than a test has. */
    static final class Filling implements Transfer.Progress {
        private Filling() {}

        /** Fills the folder of the first argument with the number of hashes of the second one. */
        public static void main(String[] arguments) throws StorageException {
            try (HashSource source = new Artificial(Long.parseLong(arguments[1]),
                    InstantSource.system().millis() / 1000);
                    StorageTarget target = StorageTarget.open(Path.of(arguments[0]), InstantSource.system())) {
                new Transfer(source, target, Merge.MAX, Expiry.NONE, false).run(new Filling());
            }
        }

        @Override
        public void preparing(long done) {
            // There is nothing to prepare.
        }

        @Override
        public void moving(long done, long total) {
            if (done % 1_000_000 == 0) {
                System.out.println(done);
            }
        }

        @Override
        public void finishing() {
            System.out.println("finishing");
        }
    }

    /** A client that asks again and again, and notes how long the longest answer took. */
    private static final class SteadyChecks implements AutoCloseable {
        /** A storage that stops for a collection of garbage or for a lock takes longer than this. */
        static final int MOST_MILLIS = 1_000;

        private static final int PAUSE_MILLIS = 5;

        private final DatagramSocket socket;
        private final Thread thread;
        private volatile boolean ended;

        // Read only after the thread has ended.
        private long longest;
        private long answers;
        private long silent;

        SteadyChecks(int port) throws IOException {
            socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
            socket.connect(InetAddress.getLoopbackAddress(), port);
            socket.setSoTimeout(MOST_MILLIS);
            thread = Thread.ofPlatform().name("checks").start(this::run);
        }

        private void run() {
            byte[] request = RawClient.command(CommandCode.CHECK, 0, 0, 77);
            DatagramPacket reply = new DatagramPacket(new byte[2048], 2048);
            while (!ended) {
                long begun = System.nanoTime();
                try {
                    socket.send(new DatagramPacket(request, request.length));
                    socket.receive(reply);
                    answers++;
                    longest = Math.max(longest, System.nanoTime() - begun);
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
                } catch (IOException late) {
                    silent++;
                }
            }
        }

        /** Ends it. Every check must have been answered. */
        void allAnswered() throws InterruptedException {
            ended = true;
            thread.join();
            System.out.printf(Locale.ROOT, "%d checks answered meanwhile, the slowest after %.1f ms, %d not%n", answers,
                    longest / 1e6, silent);
            assertThat(answers).isGreaterThan(100);
            assertThat(silent).as("checks without an answer in " + MOST_MILLIS + " ms").isZero();
        }

        @Override
        public void close() {
            ended = true;
            socket.close();
        }
    }

    private final HttpClient http = HttpClient.newHttpClient();
    private String server = "";

    private JsonNode ask(String path, String body) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server + path));
        HttpResponse<String> reply = http.send(body.isEmpty()
                ? request.build()
                : request.POST(HttpRequest.BodyPublishers.ofString(body)).build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(reply.statusCode()).as("%s: %s", path, reply.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(reply.body());
    }

    /** Asks a few times and returns the longest time. */
    private Duration longest(String path, String body) throws IOException, InterruptedException {
        Duration longest = Duration.ZERO;
        for (int i = 0; i < ROUNDS; i++) {
            long begun = System.nanoTime();
            ask(path, body);
            Duration time = Duration.ofNanos(System.nanoTime() - begun);
            longest = time.compareTo(longest) > 0 ? time : longest;
        }
        System.out.printf(Locale.ROOT, "%s within %d ms%n", path.length() > 60 ? path.substring(0, 60) : path,
                longest.toMillis());
        return longest;
    }

    /** Runs a command and returns how long it took. */
    private static Duration command(Path scratch, String... arguments) throws Exception {
        long begun = System.nanoTime();
        Weir.run(scratch, arguments).succeeded();
        Duration time = Duration.ofNanos(System.nanoTime() - begun);
        System.out.printf(Locale.ROOT, "weir %s %s ends after %d ms%n", arguments[0], arguments[1], time.toMillis());
        return time;
    }

    private static void fill(Path scratch, Path data) throws Exception {
        if (!Files.exists(data)) {
            Programs.run(scratch, 1200, Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx6g",
                    "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                    Filling.class.getName(), data.toString(), Long.toString(HASHES)).succeeded();
        }
    }

    @Test
    void eachAnswerForThePagesComesInTime(@TempDir Path scratch) throws Exception {
        Path data = Path.of(System.getProperty("weir.page.folder", scratch.resolve("db").toString()));
        fill(scratch, data);
        int storage = FreePort.find();
        Path configuration = Files.writeString(scratch.resolve("weir.conf"), """
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:%1$d"; hash_file = "%2$s/fuzzy.db"; backend = "store";
                  allow_update = ["127.0.0.1"];
                }
                worker "controller" { bind_socket = "127.0.0.1:0"; }
                fuzzy_check { rule "local" {
                  algorithm = "mumhash"; servers = "127.0.0.1:%1$d"; symbol = "LOCAL"; mime_types = ["*"];
                  max_score = 20; read_only = false; fuzzy_map = { LOCAL_DENIED { flag = 11; max_score = 20; } }
                } }
                """.formatted(storage, data));
        try (WeirHttp weir = WeirHttp.configured(scratch, configuration)) {
            server = "http://127.0.0.1:" + weir.port();
            Process load = new ProcessBuilder(WeirProgram.command(List.of("bench", "127.0.0.1:" + storage,
                    "--hashes", "500", "--preload", "--mix", "exact=3,fuzzy24=2,miss=5", "--rate", "200", "--learns",
                    "2", "--duration", "1200"))).redirectErrorStream(true)
                    .redirectOutput(scratch.resolve("load.log").toFile()).start();
            try (SteadyChecks checks = new SteadyChecks(storage)) {
                ask("/fuzzyadd?flag=11&weight=10", MAIL);
                // The load has begun when its hashes are a campaign.
                await("a campaign").atMost(Duration.ofMinutes(10)).until(() -> {
                    assertThat(load.isAlive()).as("the load runs: %s", scratch.resolve("load.log")).isTrue();
                    return !ask("/api/campaigns?by=day", "").path("families").isEmpty();
                });
                assertThat(ask("/api/now", "").path("hashes").asLong(0)).isGreaterThan(HASHES);
                String known = Artificial.digest(HASHES / 2).hex();
                assertThat(ask("/api/find?q=" + known, "").path("hashes").path(0).path("stored").asBoolean(false))
                        .isTrue();
                List<String> late = new ArrayList<>();
                answers(known, late);
                commands(scratch, data, known, late);
                inTheBrowser(Mails.in(scratch), late);
                checks.allAnswered();
                assertThat(late).isEmpty();
            } finally {
                load.destroy();
                load.waitFor();
            }
        }
    }

    private void answers(String known, List<String> late) throws IOException, InterruptedException {
        for (String path : List.of("/api/now", "/api/history?span=hour", "/api/history?span=day",
                "/api/history?span=quarter", "/api/campaigns?by=hour", "/api/campaigns?by=day",
                "/api/find?q=" + known, "/api/find?q=" + known.substring(0, 10), "/api/find?q=" + "0".repeat(4),
                "/api/find?q=ten@example.org", "/api/find?q=11:" + known.substring(0, 10) + ":0.94:txt",
                "/api/rehearse?mail=ten@example.org", "/api/rehearse?from=127.0.0.1", "/api/rehearse?user=alice",
                "/api/rehearse?digests=" + known, "/api/access", "/api/keys", "/api/settings", "/api/doctor")) {
            if (longest(path, "").compareTo(BOUND) > 0) {
                late.add(path);
            }
        }
        for (String path : List.of("/api/why", "/api/compare?first=" + MAIL.length(), "/fuzzyadd?flag=11&weight=1")) {
            if (longest(path, path.startsWith("/api/compare") ? MAIL + MAIL : MAIL).compareTo(BOUND) > 0) {
                late.add(path);
            }
        }
    }

    private static void commands(Path scratch, Path data, String known, List<String> late) throws Exception {
        for (List<String> words : List.of(List.of("find", known), List.of("find", known.substring(0, 10)),
                List.of("find", "ten@example.org"), List.of("undo", known, "--dry-run"),
                List.of("undo", "--mail=ten@example.org", "--dry-run"), List.of("top", "--day"))) {
            List<String> all = new ArrayList<>(words);
            all.addAll(List.of("--data", data.toString()));
            if (command(scratch, all.toArray(String[]::new)).compareTo(COMMAND_BOUND) > 0) {
                late.add("weir " + words);
            }
        }
        // All that the log has is brought back or forgotten at once: the largest undo that this storage can have.
        Duration all = command(scratch, "undo", "--since=2020-01-01", "--dry-run", "--data", data.toString());
        if (all.compareTo(COMMAND_BOUND) > 0) {
            late.add("weir undo --since");
        }
    }

    /** Fills each page in the browser, twice because the first time loads the scripts. */
    private void inTheBrowser(Mails mails, List<String> late) throws IOException {
        try (Browser browser = Browser.start()) {
            browser.load(server + "/");
            browser.element("nav");
            PageTour tour = new PageTour(browser, mails);
            for (int round = 0; round < 2; round++) {
                for (String page : PageTour.PAGES) {
                    long begun = System.nanoTime();
                    tour.fill(page);
                    Duration time = Duration.ofNanos(System.nanoTime() - begun);
                    System.out.printf(Locale.ROOT, "page %s complete after %d ms%n", page, time.toMillis());
                    if (time.compareTo(PAGE_BOUND) > 0) {
                        late.add("page " + page);
                    }
                }
            }
        }
    }
}
