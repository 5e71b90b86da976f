package dev.weir.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import dev.weir.http.socket.StorageCommands.Reloaded;
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
    private final String path;
    private final Map<String, String> variables;
    private final ScheduledExecutorService looks = Executors
            .newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("weir-maps").factory());
    private final String started;
    private ConfigFile current;
    private Map<String, String> seen;

    /**
     * Begins to look after the maps.
     *
     * @param current what the storage was started with
     */
    Reloader(StorageServer server, String path, Map<String, String> variables, ConfigFile current) {
        this.server = server;
        this.path = path;
        this.variables = Map.copyOf(variables);
        this.current = current;
        this.started = current.rulesAndHttp();
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
        final List<String> messages = new ArrayList<>();
        // Not in force before the next start, but what is wrong with them is better known now.
        fresh.rules();
        fresh.http();
        fresh.problems().forEach(problem -> messages.add(problem.toString()));
        boolean done = !fresh.hasErrors() && config.isPresent();
        if (done) {
            try {
                server.reconfigure(config.orElseThrow())
                        .forEach(option -> messages.add(option + ": the change takes effect at the next start"));
            } catch (final StorageException e) {
                messages.add(String.valueOf(e.getMessage()));
                done = false;
            }
        }
        if (done) {
            if (!fresh.rulesAndHttp().equals(started)) {
                messages.add(
                        "fuzzy_check, its group or worker \"controller\": the change takes effect at the next start");
            }
            current = fresh;
            seen = states(fresh.maps());
            LOG.info("{} was read again and is in force", what);
        } else {
            messages.addFirst(what + " cannot be used; everything stays as it was");
        }
        messages.forEach(LOG::warn);
        return new Reloaded(done, messages);
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
