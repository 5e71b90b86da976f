package dev.weir.storage.push;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import dev.weir.storage.state.StateFiles;
import org.jspecify.annotations.Nullable;

/**
 * The counters of the old replication, in a file of the data folder: what was applied of each source, how far each
 * slave has come, and where the storage began. Every change is durable when the method returns. Thread-safe.
 */
final class PushState {
    /** The maximum number of sources, whose names the masters choose. */
    static final int MAX_SOURCES = 1_000;

    /** The source that is the storage itself, in Rspamd's table of sources. */
    static final String LOCAL = "local";

    private final StateFiles files;
    private final long storage;
    private final Map<SourceKey, PushedSource> sources = new TreeMap<>();
    private final Map<String, SlaveProgress> slaves = new LinkedHashMap<>();
    private OptionalLong copied = OptionalLong.empty();
    private boolean forgotten;

    private PushState(StateFiles files, long storage) {
        this.files = files;
        this.storage = storage;
    }

    /**
     * Reads the file, which need not exist. A file that is damaged, or of another storage, is kept aside.
     *
     * @param storage the number of the storage
     * @throws StorageException if it cannot be read
     */
    static PushState open(StateFiles files, long storage) throws StorageException {
        PushState state = new PushState(files, storage);
        boolean there = Files.exists(files.place(PushFile.FORMAT));
        Optional<PushFile> old = PushFile.readOld(files, storage);
        Optional<byte[]> content = old.isPresent() ? Optional.empty() : files.read(PushFile.FORMAT, storage);
        Optional<PushFile> file = old.isPresent() ? old : content.flatMap(PushFile::parse);
        if (content.isPresent() && file.isEmpty()) {
            files.setAside(PushFile.FORMAT, "a line of it cannot be understood");
        }
        state.forgotten = there && file.isEmpty();
        file.ifPresent(known -> {
            state.sources.putAll(known.sources());
            state.slaves.putAll(known.slaves());
            state.copied = known.copied();
        });
        return state;
    }

    /** Returns whether the file was there at the start, and could not be used. */
    boolean isForgotten() {
        return forgotten;
    }

    /** Returns what is known of a source. */
    synchronized Optional<PushedSource> source(SourceKey key) {
        return Optional.ofNullable(sources.get(key));
    }

    /** Returns the number of the last batch under a name, of any storage; empty if there was none. */
    synchronized OptionalLong last(String name) {
        return sources.entrySet().stream().filter(known -> known.getKey().name().equals(name))
                .mapToLong(known -> known.getValue().number()).max();
    }

    /** Returns all sources. */
    synchronized Map<SourceKey, PushedSource> sources() {
        return new TreeMap<>(sources);
    }

    /** Returns the last batch under each name. */
    synchronized Map<String, Long> numbers() {
        Map<String, Long> numbers = new HashMap<>();
        sources.forEach((key, source) -> numbers.merge(key.name(), source.number(), Math::max));
        return Map.copyOf(numbers);
    }

    /**
     * Returns the last batch of the storage that wrote the database with which this one began: the master, if it is a
     * copy of its database.
     */
    synchronized OptionalLong copied() {
        return copied;
    }

    /**
     * Begins with the counters of a database.
     *
     * @param versions by source; {@value #LOCAL} is the storage that wrote the database
     */
    synchronized void begin(Map<String, Long> versions) throws StorageException {
        sources.clear();
        versions.forEach((name, version) -> {
            if (!name.equals(LOCAL)) {
                sources.put(SourceKey.ofRspamd(name), PushedSource.numbered(version));
            }
        });
        Long last = versions.get(LOCAL);
        copied = last == null ? OptionalLong.empty() : OptionalLong.of(last);
        save();
    }

    /** Counts on from a database that Rspamd used meanwhile, where it has come further. */
    synchronized void raise(Map<String, Long> versions) throws StorageException {
        Map<SourceKey, PushedSource> before = Map.copyOf(sources);
        versions.forEach((name, version) -> {
            OptionalLong known = last(name);
            if (!name.equals(LOCAL) && version > 0 && (known.isEmpty() || known.getAsLong() < version)) {
                sources.put(SourceKey.ofRspamd(name), PushedSource.numbered(version));
            }
        });
        if (!sources.equals(before)) {
            save();
        }
    }

    /** Returns how far a slave has come, or null if nothing is known of it. */
    synchronized @Nullable SlaveProgress slave(String name) {
        return slaves.get(name);
    }

    /** Sets what is known of a source. */
    synchronized void source(SourceKey key, PushedSource source) throws StorageException {
        List<SourceKey> replaced = new ArrayList<>(List.of(key));
        if (key.storage() != 0 && source.place().isPresent()) {
            // The counter of an earlier version, of which this one goes on.
            replaced.add(SourceKey.ofRspamd(key.name()));
        }
        Map<SourceKey, PushedSource> before = new TreeMap<>(sources);
        replaced.forEach(sources::remove);
        sources.put(key, source);
        saveOr(() -> {
            sources.clear();
            sources.putAll(before);
        });
    }

    /** Sets how far a slave has come. */
    synchronized void slave(String name, SlaveProgress progress) throws StorageException {
        SlaveProgress before = slaves.put(name, progress);
        if (progress.equals(before)) {
            return;
        }
        saveOr(() -> {
            if (before == null) {
                slaves.remove(name);
            } else {
                slaves.put(name, before);
            }
        });
    }

    private void saveOr(Runnable undo) throws StorageException {
        try {
            save();
        } catch (StorageException e) {
            undo.run();
            throw e;
        }
    }

    private void save() throws StorageException {
        try {
            files.write(PushFile.FORMAT, storage,
                    new PushFile(copied, sources, slaves).text().getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new StorageException(files.place(PushFile.FORMAT) + " cannot be written: " + Reason.of(e), e);
        }
    }
}
