package dev.weir.cli.config;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists from web servers, kept as files. A list is asked for again with the conditions of its last answer
 * ({@code ETag}, {@code Last-Modified}), so an unchanged one costs a few bytes. If its server cannot be reached, the
 * kept file stays in use. Thread-safe.
 */
final class RemoteMaps {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteMaps.class);
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration ANSWER = Duration.ofSeconds(20);

    private final Path folder;
    private final Set<String> asked = new LinkedHashSet<>();
    private final int limit;

    /**
     * Creates the set of lists that a folder keeps.
     *
     * @param folder created on first use
     * @param limit the maximum size of a list in bytes
     */
    RemoteMaps(Path folder, int limit) {
        this.folder = folder;
        this.limit = limit;
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
                : (user.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(user)).resolve("weir");
        return base.resolve("maps");
    }

    /** Returns whether a name is the address of a list on a web server. */
    static boolean isRemote(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.startsWith("http://") || lower.startsWith("https://");
    }

    /**
     * Returns the file that holds a list, fetched now unless an earlier call fetched it.
     *
     * @throws IOException if it was never fetched and cannot be fetched now
     */
    synchronized Path file(String url) throws IOException {
        Path file = kept(url);
        if (asked.add(url) || !Files.exists(file)) {
            try {
                fetch(url);
            } catch (IOException e) {
                if (!Files.exists(file)) {
                    asked.remove(url);
                    throw e;
                }
                LOG.warn("{} cannot be fetched, its last content stays in use: {}", url, reason(e));
            }
        }
        return file;
    }

    /** Asks for all lists again. A list that cannot be fetched keeps its content. */
    synchronized void refresh() {
        for (String url : asked) {
            try {
                fetch(url);
            } catch (IOException e) {
                LOG.warn("{} cannot be fetched, its last content stays in use: {}", url, reason(e));
            }
        }
    }

    private static String reason(IOException e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    private Path kept(String url) {
        return folder.resolve(UUID.nameUUIDFromBytes(url.getBytes(StandardCharsets.UTF_8)) + ".map");
    }

    private void fetch(String url) throws IOException {
        Path file = kept(url);
        Path notes = file.resolveSibling(file.getFileName() + ".conditions");
        Properties conditions = Files.exists(file) ? conditions(notes) : new Properties();
        HttpRequest.Builder request;
        try {
            request = HttpRequest.newBuilder(URI.create(url)).timeout(ANSWER).header("User-Agent", "weir");
        } catch (IllegalArgumentException e) {
            throw new IOException("not an address: " + e.getMessage(), e);
        }
        conditions.stringPropertyNames().forEach(name -> request.header(name, conditions.getProperty(name)));
        try (HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT)
                .followRedirects(HttpClient.Redirect.NORMAL).build()) {
            HttpResponse<InputStream> answer = client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream body = answer.body()) {
                switch (answer.statusCode()) {
                    case 200 -> keep(file, notes, body, answer);
                    case 304 -> {
                        // The kept file is current.
                    }
                    default -> throw new IOException("its server answers with status " + answer.statusCode());
                }
            }
            client.shutdownNow();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
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

    private void keep(Path file, Path notes, InputStream body, HttpResponse<?> answer) throws IOException {
        byte[] bytes = body.readNBytes(limit);
        if (body.read() >= 0) {
            throw new IOException("it is longer than " + limit + " bytes");
        }
        Files.createDirectories(folder);
        // Conditions that do not fit the content would hide a change, so they go first and come last.
        Files.deleteIfExists(notes);
        Path fresh = Files.createTempFile(folder, "fetched", ".tmp");
        Files.write(fresh, bytes);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        List<String> lines = new ArrayList<>();
        answer.headers().firstValue("ETag").ifPresent(tag -> lines.add("If-None-Match=" + escaped(tag)));
        answer.headers().firstValue("Last-Modified").ifPresent(date -> lines.add("If-Modified-Since=" + escaped(date)));
        Files.write(notes, lines);
    }

    /** Escapes a header for {@link Properties}. */
    private static String escaped(String value) {
        return value.replace("\\", "\\\\");
    }
}
