package dev.weir.storage.push;

import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

import dev.weir.storage.StorageException;
import dev.weir.storage.log.FolderDisk;
import org.jspecify.annotations.Nullable;

/**
 * The counters of the old replication, in a file of the data folder: for each source the last batch that was applied,
 * for each slave how far it has come, and where the storage began. Every change is durable when the method returns.
 * Thread-safe.
 */
final class PushState {
    /** The maximum number of sources, whose names the masters choose. */
    static final int MAX_SOURCES = 1_000;

    /** The source that is the storage itself, in Rspamd's table of sources. */
    static final String LOCAL = "local";

    private static final String HEADER = "weir pushes 1";
    private static final int MAX_FILE = 1 << 20;

    private final Path file;
    private final Map<String, Long> sources = new TreeMap<>();
    private final Map<String, Progress> slaves = new LinkedHashMap<>();
    private OptionalLong copied = OptionalLong.empty();

    /**
     * How far a slave has come.
     *
     * @param storage the number of the storage whose update log counts
     * @param position the last update of the log that the slave has
     * @param revision the number of the last batch
     * @param end the last update of the batch after it that was sent perhaps; 0 for none
     */
    record Progress(long storage, long position, long revision, long end) {
        /** Returns the state before the next batch is sent. */
        Progress sending(long last) {
            return new Progress(storage, position, revision, last);
        }

        /** Returns the state after the batch was taken. */
        Progress taken(long number, long last) {
            return new Progress(storage, last, number, 0);
        }
    }

    private PushState(Path file) {
        this.file = file;
    }

    /**
     * Reads the file, which need not exist.
     *
     * @throws StorageException if it cannot be read or understood: a guess could add updates twice
     */
    static PushState open(Path file) throws StorageException {
        PushState state = new PushState(file);
        if (!Files.exists(file)) {
            return state;
        }
        try {
            if (Files.size(file) > MAX_FILE) {
                throw new StorageException(file + " is too long to be a file of counters");
            }
            List<String> lines = Files.readAllLines(file, StandardCharsets.US_ASCII);
            if (lines.isEmpty() || !lines.getFirst().equals(HEADER)) {
                throw state.malformed(1);
            }
            for (int i = 1; i < lines.size(); i++) {
                state.line(lines.get(i), i + 1);
            }
            return state;
        } catch (IOException e) {
            throw new StorageException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    private void line(String line, int number) throws StorageException {
        String[] words = line.split(" ", -1);
        try {
            if (words.length == 3 && words[0].equals("source")) {
                sources.put(decoded(words[1]), Long.parseLong(words[2]));
            } else if (words.length == 2 && words[0].equals("copied")) {
                copied = OptionalLong.of(Long.parseLong(words[1]));
            } else if (words.length == 6 && words[0].equals("slave")) {
                slaves.put(decoded(words[1]), new Progress(Long.parseLong(words[2]), Long.parseLong(words[3]),
                        Long.parseLong(words[4]), Long.parseLong(words[5])));
            } else {
                throw malformed(number);
            }
        } catch (IllegalArgumentException e) {
            throw malformed(number);
        }
    }

    private StorageException malformed(int line) {
        return new StorageException(file + ":" + line + " cannot be understood: restore it from a backup, or delete it "
                + "and start the mirrors with fresh copies");
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    /** Returns the last batch of a source; empty if there was none. */
    synchronized OptionalLong source(String name) {
        Long known = sources.get(name);
        return known == null ? OptionalLong.empty() : OptionalLong.of(known);
    }

    /** Returns the last batch of each source. */
    synchronized Map<String, Long> sources() {
        return Map.copyOf(sources);
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
        sources.putAll(versions);
        Long last = sources.remove(LOCAL);
        copied = last == null ? OptionalLong.empty() : OptionalLong.of(last);
        save();
    }

    /** Counts on from a database that Rspamd used meanwhile, where it has come further. */
    synchronized void raise(Map<String, Long> versions) throws StorageException {
        Map<String, Long> before = Map.copyOf(sources);
        versions.forEach((name, version) -> {
            if (!name.equals(LOCAL) && version > 0) {
                sources.merge(name, version, Math::max);
            }
        });
        if (!sources.equals(before)) {
            save();
        }
    }

    /** Returns how far a slave has come, or null if nothing was ever sent. */
    synchronized @Nullable Progress slave(String name) {
        return slaves.get(name);
    }

    /** Sets the last batch of a source. */
    synchronized void source(String name, long revision) throws StorageException {
        Long before = sources.put(name, revision);
        try {
            save();
        } catch (StorageException e) {
            if (before == null) {
                sources.remove(name);
            } else {
                sources.put(name, before);
            }
            throw e;
        }
    }

    /** Sets how far a slave has come. */
    synchronized void slave(String name, Progress progress) throws StorageException {
        Progress before = slaves.put(name, progress);
        if (progress.equals(before)) {
            return;
        }
        try {
            save();
        } catch (StorageException e) {
            if (before == null) {
                slaves.remove(name);
            } else {
                slaves.put(name, before);
            }
            throw e;
        }
    }

    private void save() throws StorageException {
        StringBuilder text = new StringBuilder(HEADER).append('\n');
        copied.ifPresent(last -> text.append("copied ").append(last).append('\n'));
        sources.forEach((name, revision) -> text.append("source ").append(encoded(name)).append(' ').append(revision)
                .append('\n'));
        slaves.forEach((name, progress) -> text.append("slave ").append(encoded(name)).append(' ')
                .append(progress.storage()).append(' ').append(progress.position()).append(' ')
                .append(progress.revision()).append(' ').append(progress.end()).append('\n'));
        try {
            FolderDisk.replace(file, text.toString().getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new StorageException(file + " cannot be written: " + e.getMessage(), e);
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
