package dev.weir.cli.config;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import dev.weir.config.map.MapAddress;
import dev.weir.model.failure.FailureReminders;
import dev.weir.model.failure.Reason;
import dev.weir.os.Certificates;
import dev.weir.os.FolderSync;
import dev.weir.os.HomeFolder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists from web servers, kept as files. A list is asked for again with the conditions of its last answer
 * ({@code ETag}, {@code Last-Modified}), so an unchanged one costs a few bytes. If its server cannot be reached, the
 * kept file stays in use. Weir does not read a damaged file as an empty list, which would block no one. A signed
 * list that its key has not signed is never kept. The content in use stays beside a new one until that is in use
 * ({@link #accept}), because a new one with errors ({@link #refuse}) would prevent the next start. Thread-safe.
 */
final class RemoteMaps {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteMaps.class);
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration ANSWERS = Duration.ofSeconds(20);

    /** A page begins within this number of bytes. */
    private static final int PAGE_START = 4096;

    private static final Set<String> CONDITIONS = Set.of("If-None-Match", "If-Modified-Since");

    /** The name of the checksum beside the conditions. */
    private static final String CHECKSUM = "SHA-256";

    /** The name of the checksum of a later content that has errors. */
    private static final String REFUSED = "Refused-SHA-256";

    /** The time for which a refused content is not taken again. Its error may pass: a host name gets an address. */
    private static final Duration REFUSAL = Duration.ofHours(1);

    private final Path folder;
    private final Map<MapAddress, List<byte[]>> asked = new ConcurrentHashMap<>();
    /** Held while lists are fetched. Who asks for the file of a list that is there must not wait for silent servers. */
    private final Object fetching = new Object();
    private final FailureReminders<MapAddress> failures;
    private final int limit;
    private final Duration patience;
    private final Map<String, String> environment;

    /**
     * Creates the set of lists that a folder keeps.
     *
     * @param folder created on first use
     * @param limit the maximum size of a list in bytes
     */
    RemoteMaps(Path folder, int limit) {
        this(folder, limit, ANSWERS, System.getenv(), System::nanoTime);
    }

    /**
     * As above, with another time for all answers about a list, and another clock.
     *
     * @param environment may name the certificates to trust, see {@link Certificates#system}
     */
    RemoteMaps(Path folder, int limit, Duration patience, Map<String, String> environment, LongSupplier nanoTime) {
        this(folder, limit, patience, environment, new FailureReminders<>(nanoTime));
    }

    private RemoteMaps(Path folder, int limit, Duration patience, Map<String, String> environment,
            FailureReminders<MapAddress> failures) {
        this.folder = folder;
        this.limit = limit;
        this.patience = patience;
        this.environment = Map.copyOf(environment);
        this.failures = failures;
    }

    /** Returns the same set, which fetches each list again on its first use. */
    RemoteMaps restarted() {
        return new RemoteMaps(folder, limit, patience, environment, failures);
    }

    /**
     * Returns the usual folder: that of the service manager, else that of the user.
     *
     * @param environment the environment of the process
     */
    static Path usualFolder(Map<String, String> environment) {
        String own = environment.get("CACHE_DIRECTORY");
        String user = environment.getOrDefault("XDG_CACHE_HOME", "");
        Path base = own != null && !own.isEmpty()
                ? Path.of(own)
                : (user.isEmpty() ? HomeFolder.of(environment).resolve(".cache") : Path.of(user)).resolve("weir");
        return base.resolve("maps");
    }

    /**
     * Returns the file that holds a list, fetched now unless an earlier call fetched it. The signature of a signed list
     * is beside it, see {@link MapSignatures}.
     *
     * @param keys the public keys of which one must have signed a signed list
     * @throws IOException if it was never fetched, or is damaged, and cannot be fetched now
     */
    Path file(MapAddress address, List<byte[]> keys) throws IOException {
        Path file = kept(address);
        if (asked.put(address, keys) == null || !Files.exists(file)) {
            synchronized (fetching) {
                try {
                    fetch(address, keys);
                } catch (IOException e) {
                    Kept state = state(file, conditions(notes(file)));
                    if (state != Kept.SOUND) {
                        asked.remove(address);
                        throw state == Kept.ABSENT
                                ? e
                                : new IOException(reason(e) + ", and its kept copy " + file + " is damaged", e);
                    }
                    failed(address, e);
                }
            }
        }
        return file;
    }

    /** What there is of a list. */
    private enum Kept {
        ABSENT,
        SOUND,
        DAMAGED
    }

    /** Compares a kept list with the checksum that its conditions name. Without one, the list counts. */
    private static Kept state(Path file, Properties conditions) throws IOException {
        if (!Files.exists(file)) {
            return Kept.ABSENT;
        }
        String checksum = conditions.getProperty(CHECKSUM);
        return checksum == null || checksum.equals(checksum(Files.readAllBytes(file))) ? Kept.SOUND : Kept.DAMAGED;
    }

    private static String checksum(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance(CHECKSUM).digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static Path notes(Path file) {
        return file.resolveSibling(file.getFileName() + ".conditions");
    }

    private static Path before(Path file) {
        return file.resolveSibling(file.getFileName() + ".before");
    }

    /** Records that all lists are in use as they are. None of them gives way to the content before any more. */
    void accept() {
        synchronized (fetching) {
            for (MapAddress address : asked.keySet()) {
                Path before = before(kept(address));
                try {
                    Files.deleteIfExists(before);
                    Files.deleteIfExists(signature(before));
                } catch (IOException e) {
                    LOG.warn("{} cannot be deleted: {}", before, reason(e));
                }
            }
        }
    }

    /**
     * Puts the content before in place of one that has errors, which is not taken again for an hour.
     *
     * @param error what is wrong with it
     * @return false if there is no content before, because this one was in use
     */
    boolean refuse(MapAddress address, String error) {
        synchronized (fetching) {
            Path file = kept(address);
            Path before = before(file);
            try {
                if (!Files.exists(before)) {
                    return false;
                }
                byte[] content = Files.readAllBytes(before);
                String refused = checksum(Files.readAllBytes(file));
                if (Files.deleteIfExists(notes(file))) {
                    FolderSync.force(folder);
                }
                if (address.signed()) {
                    keep(signature(file), Files.readAllBytes(signature(before)));
                }
                keep(file, content);
                keep(notes(file), (CHECKSUM + "=" + checksum(content) + "\n" + REFUSED + "=" + refused + "\n")
                        .getBytes(StandardCharsets.ISO_8859_1));
                Files.delete(before);
            } catch (IOException e) {
                LOG.warn("the content of {} before its last one cannot be used: {}", address.location(), reason(e));
                return false;
            }
            LOG.warn("the new content of {} cannot be used, the one before stays in use: {}", address.location(),
                    error);
            return true;
        }
    }

    private static boolean isRecent(Path notes) throws IOException {
        return Duration.between(Files.getLastModifiedTime(notes).toInstant(), Instant.now()).abs()
                .compareTo(REFUSAL) < 0;
    }

    private static Path signature(Path file) {
        return Path.of(MapSignatures.of(file.toString()));
    }

    /** Asks for all lists again. A list that cannot be fetched keeps its content. */
    void refresh() {
        asked.forEach((address, keys) -> {
            synchronized (fetching) {
                try {
                    fetch(address, keys);
                    if (failures.end(address)) {
                        LOG.info("{} can be fetched again", address.location());
                    }
                } catch (IOException e) {
                    failed(address, e);
                }
            }
        });
    }

    private void failed(MapAddress address, IOException e) {
        String reason = reason(e);
        if (failures.isDue(address, reason)) {
            LOG.warn("{} cannot be fetched, its last content stays in use: {}", address.location(), reason);
        }
    }

    private static String reason(IOException e) {
        return Reason.of(e);
    }

    private Path kept(MapAddress address) {
        // A list keeps one content for each key, so that nothing unsigned is taken for signed.
        String name = (address.signed() ? "sign+" + address.key().orElse("") + "+" : "") + address.location();
        return folder.resolve(UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)) + ".map");
    }

    private void fetch(MapAddress address, List<byte[]> keys) throws IOException {
        HttpClient.Builder http = HttpClient.newBuilder().connectTimeout(CONNECT)
                .followRedirects(HttpClient.Redirect.NORMAL);
        // A list without TLS does not need the authorities of the system, which may be unusable.
        if (address.location().startsWith("https:")) {
            http.sslContext(Certificates.trustedBySystem(environment));
        }
        try (HttpClient client = http.build();
                Deadline deadline = new Deadline(client, patience)) {
            try {
                fetch(client, address, keys);
            } catch (IOException e) {
                throw deadline.isOver()
                        ? new IOException("its server did not send all of it within " + patience.toSeconds() + " s", e)
                        : e;
            }
            client.shutdownNow();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private void fetch(HttpClient client, MapAddress address, List<byte[]> keys)
            throws IOException, InterruptedException {
        Path file = kept(address);
        Path notes = notes(file);
        Properties conditions = conditions(notes);
        HttpRequest.Builder request = request(address.location());
        boolean sound = state(file, conditions) == Kept.SOUND;
        if (sound) {
            conditions.stringPropertyNames().stream().filter(CONDITIONS::contains)
                    .forEach(name -> request.header(name, conditions.getProperty(name)));
        }
        Optional<Fetched> list = answer(client, request, limit);
        if (list.isPresent() && isPage(list.get().content)) {
            throw new IOException("its server sent a page in place of a list");
        }
        if (list.isPresent() && checksum(list.get().content).equals(conditions.getProperty(REFUSED))
                && isRecent(notes)) {
            throw new IOException("its content is still the one that cannot be used");
        }
        // If one of them is there, it is the last that was in use.
        if (sound && list.isPresent() && !Files.exists(before(file))
                && !Arrays.equals(list.get().content, Files.readAllBytes(file))) {
            if (address.signed()) {
                keep(signature(before(file)), Files.readAllBytes(signature(file)));
            }
            keep(before(file), Files.readAllBytes(file));
        }
        if (address.signed()) {
            // The same content may have a new signature, so this is asked for without conditions.
            byte[] signature = answer(client, request(MapSignatures.of(address.location())), MapSignatures.BYTES)
                    .orElseThrow(() -> new IOException("its signature is missing")).content;
            MapSignatures.verify(list.isPresent() ? list.get().content : Files.readAllBytes(file), signature, keys);
            keep(signature(file), signature);
        }
        if (list.isPresent()) {
            // Conditions that do not fit the content would hide a change, so they go first and come last.
            if (Files.deleteIfExists(notes)) {
                FolderSync.force(folder);
            }
            keep(file, list.get().content);
            keep(notes, list.get().conditions());
        }
    }

    /**
     * Returns whether a content is a page in HTML or XML, with which a server or a proxy may say, with status 200, that
     * it has no list now. In its place, the last content would be lost, and the next start be refused. No list begins
     * like this.
     */
    private static boolean isPage(byte[] content) {
        String text = new String(content, 0, Math.min(PAGE_START, content.length), StandardCharsets.UTF_8);
        return (text.startsWith("\uFEFF") ? text.substring(1) : text).stripLeading().startsWith("<");
    }

    /** Ends all requests of a client after some time. The time limit of a request does not cover its body. */
    private static final class Deadline implements AutoCloseable {
        private final CompletableFuture<Void> end;
        private volatile boolean over;

        Deadline(HttpClient client, Duration after) {
            end = CompletableFuture.runAsync(() -> {
                over = true;
                client.shutdownNow();
            }, CompletableFuture.delayedExecutor(after.toMillis(), TimeUnit.MILLISECONDS));
        }

        boolean isOver() {
            return over;
        }

        @Override
        public void close() {
            end.cancel(false);
        }
    }

    private static HttpRequest.Builder request(String url) throws IOException {
        try {
            return HttpRequest.newBuilder(URI.create(url)).header("User-Agent", "weir");
        } catch (IllegalArgumentException e) {
            throw new IOException("not an address: " + e.getMessage(), e);
        }
    }

    /** The answer of a web server. */
    private static final class Fetched {
        final byte[] content;

        /** The headers to ask again with, as lines of {@link Properties}. */
        private final List<String> headers;

        Fetched(byte[] content, List<String> headers) {
            this.content = content;
            this.headers = headers;
        }

        /** Returns the headers to ask again with, and the checksum of the content, as {@link Properties} read them. */
        byte[] conditions() {
            return (String.join("\n", headers) + "\n" + CHECKSUM + "=" + checksum(content) + "\n")
                    .getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    /** Returns the content behind an address; empty if it is as the conditions of the request say. */
    private static Optional<Fetched> answer(HttpClient client, HttpRequest.Builder request, int limit)
            throws IOException, InterruptedException {
        HttpRequest asked = request.build();
        HttpResponse<InputStream> answer = client.send(asked, HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream body = answer.body()) {
            int status = answer.statusCode();
            if (status == 304) {
                return Optional.empty();
            }
            if (status != 200) {
                throw new IOException("its server answers with status " + status + " for " + asked.uri().getPath());
            }
            byte[] bytes = body.readNBytes(limit);
            if (body.read() >= 0) {
                throw new IOException(asked.uri() + " is longer than " + limit + " bytes");
            }
            List<String> lines = new ArrayList<>();
            answer.headers().firstValue("ETag").ifPresent(tag -> lines.add("If-None-Match=" + escaped(tag)));
            answer.headers().firstValue("Last-Modified")
                    .ifPresent(date -> lines.add("If-Modified-Since=" + escaped(date)));
            return Optional.of(new Fetched(bytes, lines));
        }
    }

    private static Properties conditions(Path notes) {
        Properties conditions = new Properties();
        try (InputStream in = Files.newInputStream(notes)) {
            conditions.load(in);
        } catch (IOException | IllegalArgumentException e) {
            // Without conditions, the whole list comes again.
            return new Properties();
        }
        return conditions;
    }

    private void keep(Path file, byte[] bytes) throws IOException {
        Files.createDirectories(folder);
        // Under a name of its own, because weir config check may write to the folder of a running storage.
        Path fresh = Files.createTempFile(folder, "fetched", ".tmp");
        try {
            try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
                ByteBuffer left = ByteBuffer.wrap(bytes);
                while (left.hasRemaining()) {
                    channel.write(left);
                }
                channel.force(true);
            }
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            Files.deleteIfExists(fresh);
            throw e;
        }
        FolderSync.force(folder);
    }

    /** Escapes a header for {@link Properties}. */
    private static String escaped(String value) {
        return value.replace("\\", "\\\\");
    }
}
