package dev.weir.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import dev.weir.http.settings.HttpSettings;
import dev.weir.http.socket.StorageCommands.Reloaded;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.storage.StorageException;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a changed configuration in force while the storage runs: all of it when it is told to, and lists in files of their own
 * (maps, dynamic keys) by itself when they change. What is broken changes nothing, and the log says why.
 */
final class Reloader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Reloader.class);
    private static final int LOOK_SECONDS = 5;

    private final StorageServer server;
    private final StorageConfig started;
    private final Optional<Http> http;
    private final String path;
    private final Map<String, String> variables;
    private final ScheduledExecutorService looks = Executors
            .newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("weir-maps").factory());
    private ConfigFile current;
    private Map<String, String> seen;

    /**
     * The scanner and HTTP, where the command line does not switch them off.
     *
     * @param side empty if they do not run all the same
     * @param placesGiven whether the command line says where to listen
     */
    record Http(Optional<HttpSide> side, boolean placesGiven) {}

    /**
     * Begins to look after the maps.
     *
     * @param started what the storage was started with
     * @param http empty if it is switched off
     * @param current what both were started with
     */
    Reloader(StorageServer server, StorageConfig started, Optional<Http> http, String path,
            Map<String, String> variables, ConfigFile current) {
        this.server = server;
        this.started = started;
        this.http = http;
        this.path = path;
        this.variables = Map.copyOf(variables);
        this.current = current;
        this.seen = states(current.maps());
        // Nobody waits for it: it ends with the executor.
        final var _ = looks.scheduleWithFixedDelay(this::look, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
    }

    /** Reads everything again. */
    synchronized Reloaded reload() {
        return apply(ConfigFile.read(path, variables), "the configuration " + path);
    }

    private synchronized void look() {
        final Map<String, String> now = states(current.maps());
        if (!now.equals(seen)) {
            seen = now;
            apply(current.again(), "a list of " + path);
        }
    }

    private Reloaded apply(ConfigFile fresh, String what) {
        final Optional<StorageConfig> config = fresh.storage();
        final Optional<FuzzyCheckSettings> rules = http.flatMap(_ -> fresh.rules());
        final Optional<HttpSettings> settings = http.flatMap(_ -> fresh.http());
        final List<String> messages = new ArrayList<>();
        fresh.problems().forEach(problem -> messages.add(problem.toString()));
        boolean done = false;
        if (!fresh.hasErrors() && config.isPresent()) {
            try {
                replace(config.get(), settings, rules, messages);
                done = true;
            } catch (final StorageException | IllegalArgumentException e) {
                messages.add(String.valueOf(e.getMessage()));
            }
        }
        if (done) {
            current = fresh;
            seen = states(fresh.maps());
            LOG.info("{} was read again and is in force", what);
        } else {
            messages.addFirst(what + " cannot be used; everything stays as it was");
        }
        messages.forEach(LOG::warn);
        return new Reloaded(done, messages);
    }

    /** All of it or nothing: whatever can fail does so before the first change. */
    private void replace(StorageConfig config, Optional<HttpSettings> settings, Optional<FuzzyCheckSettings> rules,
            List<String> messages) throws StorageException {
        final Optional<HttpSide> side = http.flatMap(Http::side);
        if (side.isEmpty()) {
            if (settings.isPresent()) {
                messages.add("worker \"controller\": HTTP does not run; it begins at the next start");
            }
            configureStorage(config, messages);
            return;
        }
        final HttpSettings asked = settings.orElseGet(() -> {
            messages.add("worker \"controller\": HTTP runs on as it is; it ends at the next start");
            return side.get().settings();
        });
        if (!asked.binds().equals(side.get().settings().binds()) && !http.orElseThrow().placesGiven()) {
            messages.add("bind_socket of worker \"controller\"" + later(side.get().places()));
        }
        final FuzzyCheckSettings next = rules.or(() -> HttpSide.ownRule(server, config)).orElseGet(() -> {
            messages.add("there is no fuzzy_check any more: the rules stay as they are until the next start");
            return side.get().rules();
        });
        try (HttpSide.Change change = side.get().prepare(asked, next)) {
            configureStorage(config, messages);
            change.apply();
        }
    }

    private void configureStorage(StorageConfig config, List<String> messages) throws StorageException {
        server.reconfigure(config).forEach(option -> messages.add(option + later(inForce(option))));
    }

    private static String later(String inForce) {
        return ": the change takes effect at the next start; until then it is " + inForce;
    }

    /** The value, of an option that only a start changes, that the storage runs with. */
    private String inForce(String option) {
        return switch (option) {
            case "count" -> Integer.toString(started.workers());
            case "hashfile" -> started.dataDir().toString();
            case "acknowledge" -> started.acknowledge().toString().toLowerCase(Locale.ROOT);
            case "max_log" -> started.log().maxBytes() + " bytes";
            default -> started.listen().binds().stream().map(Object::toString).collect(Collectors.joining(", "));
        };
    }

    /** What tells a file that has changed from one that has not. */
    private static Map<String, String> states(List<String> files) {
        final Map<String, String> states = new HashMap<>();
        for (final String file : files) {
            try {
                final Map<String, Object> attributes = Files.readAttributes(Path.of(file),
                        "unix:lastModifiedTime,size,ino");
                states.put(file, attributes.toString());
            } catch (final IOException e) {
                states.put(file, "unreadable");
            }
        }
        return states;
    }

    @Override
    public void close() {
        looks.shutdownNow();
    }
}
