package dev.weir.storage.transfer.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

import dev.weir.storage.StorageException;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.ImportProgress;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.NewFile;
import org.jspecify.annotations.Nullable;

/**
 * A small file with the progress of imports. Each line has the rule of merging, the fingerprint of the source, the
 * position after which the batch in progress begins, and the last update of the log before this batch. The file is on
 * disk before the first update of the batch, so what the log has after that update tells which part was done.
 */
final class ImportJournal {
    private static final int WORDS = 4;

    private final Path file;
    private final String name;
    private final boolean keepWhenDone;
    private final Map<String, Entry> entries;

    /** The beginning of a batch. */
    record Entry(long position, long revision) {}

    private ImportJournal(Path file, String name, boolean keepWhenDone, Map<String, Entry> entries) {
        this.file = file;
        this.name = name;
        this.keepWhenDone = keepWhenDone;
        this.entries = entries;
    }

    /**
     * Reads the file, which may be missing.
     *
     * @throws StorageException if it cannot be read
     */
    static ImportJournal open(Path file, Merge merge, long fingerprint) throws StorageException {
        Map<String, Entry> entries = new TreeMap<>();
        try {
            if (Files.exists(file)) {
                for (String line : Files.readAllLines(file)) {
                    String[] words = line.split(" ", -1);
                    if (words.length != WORDS) {
                        throw new StorageException(file + " is damaged; without it, repeat the import with --restart");
                    }
                    entries.put(words[0] + " " + words[1],
                            new Entry(Long.parseLong(words[2]), Long.parseLong(words[3])));
                }
            }
        } catch (IOException | NumberFormatException e) {
            throw new StorageException("cannot read " + file + ": " + e, e);
        }
        return new ImportJournal(file, ImportProgress.name(merge, fingerprint), merge == Merge.ADD, entries);
    }

    /**
     * Begins an import.
     *
     * @param restart whether to ignore the progress of an earlier run
     * @return the position to continue from
     * @throws StorageException if an {@code add} of other content is incomplete
     */
    long begin(boolean restart) throws StorageException {
        Map<String, Long> positions = new HashMap<>();
        entries.forEach((known, entry) -> positions.put(known, entry.position()));
        ImportProgress progress = ImportProgress.of(positions, name, restart);
        if (!progress.obsolete().isEmpty()) {
            entries.keySet().removeAll(progress.obsolete());
            save();
        }
        return progress.position();
    }

    /** Returns the batch that was in progress when an earlier run ended, or null. */
    @Nullable
    Entry interrupted() {
        return entries.get(name);
    }

    /** Records the beginning of a batch. It is on disk when this returns. */
    void put(long position, long revision) throws StorageException {
        entries.put(name, new Entry(position, revision));
        save();
    }

    /** Records the completion. */
    void done() throws StorageException {
        if (keepWhenDone) {
            put(HashTarget.DONE, 0);
        } else if (entries.remove(name) != null) {
            save();
        }
    }

    private void save() throws StorageException {
        StringBuilder text = new StringBuilder();
        entries.forEach((known, entry) -> text.append(known).append(' ').append(entry.position()).append(' ')
                .append(entry.revision()).append('\n'));
        NewFile next = NewFile.at(file, true);
        try {
            Files.writeString(next.draft(), text);
        } catch (IOException e) {
            throw new StorageException("cannot write " + next.draft() + ": " + e, e);
        }
        next.commit();
    }
}
