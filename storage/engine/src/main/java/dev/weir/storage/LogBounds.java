package dev.weir.storage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the names of the files of an update log tell about it. A start verifies their content.
 *
 * @param first the first update that the log has; 0 without a log
 * @param settled everything up to this update was on disk in the log when its last file was begun
 */
record LogBounds(long first, long settled) {
    private static final Pattern NAME = Pattern.compile("[0-9]{19}\\.log");
    private static final int DIGITS = 19;

    /** Looks at the log of a data folder. */
    static LogBounds of(Path data) throws IOException {
        Path updates = data.resolve(DataFolder.UPDATES);
        if (!Files.isDirectory(updates)) {
            return new LogBounds(0, 0);
        }
        try (Stream<Path> files = Files.list(updates)) {
            long[] found = files.map(file -> file.getFileName().toString())
                    .filter(name -> NAME.matcher(name).matches()).map(name -> name.substring(0, DIGITS))
                    .filter(digits -> digits.compareTo(Long.toString(Long.MAX_VALUE)) <= 0)
                    .mapToLong(Long::parseLong).sorted().toArray();
            return found.length == 0 ? new LogBounds(0, 0) : new LogBounds(found[0], found[found.length - 1] - 1);
        }
    }

    /** Returns whether a store has every update that this log no longer has. */
    boolean goesOnFrom(ManifestHead store) {
        return first <= store.revision() + 1;
    }

    /** Returns whether this log has every update that one store of a storage lacks and another one has. */
    boolean completes(ManifestHead store, ManifestHead other) {
        return store.storageId() == other.storageId() && first > 0 && goesOnFrom(store)
                && settled >= other.revision();
    }
}
