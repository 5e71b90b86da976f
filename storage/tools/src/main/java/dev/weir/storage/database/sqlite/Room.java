package dev.weir.storage.database.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.weir.os.DiskSpace;

/**
 * The result of a check for disk space.
 *
 * @param reason why there is not enough space; empty if there is
 */
record Room(String reason) {
    /** The folders of SQLite's temporary files; it uses the first writable one. */
    private static final List<String> TEMPORARY = List.of("/var/tmp", "/usr/tmp", "/tmp");

    /**
     * Checks the space for compacting, which writes all pages in use to a temporary file and from there to the
     * write-ahead log, before the database shrinks.
     *
     * @param used size of those pages in bytes
     * @param spare bytes to leave free beside the database
     */
    static Room toCompact(Path file, long used, long spare) throws IOException {
        Optional<Path> temporary = temporary();
        if (temporary.isPresent() && !DiskSpace.areOnOneDisk(temporary.get(), file)) {
            return DiskSpace.usable(temporary.get()) < used
                    ? new Room(needs(used, temporary.get()))
                    : beside(file, used, spare);
        }
        return beside(file, 2 * used, spare);
    }

    private static Room beside(Path file, long bytes, long spare) throws IOException {
        return DiskSpace.usable(file) - bytes < spare
                ? new Room(needs(bytes, file) + ", and " + (spare >> 20)
                        + " MiB have to stay free there")
                : new Room("");
    }

    private static String needs(long bytes, Path place) throws IOException {
        return "that takes " + (bytes >> 20) + " MiB on the disk of " + place + ", where "
                + (DiskSpace.usable(place) >> 20) + " MiB are free";
    }

    private static Optional<Path> temporary() {
        List<String> folders = new ArrayList<>();
        for (String variable : List.of("SQLITE_TMPDIR", "TMPDIR")) {
            String folder = System.getenv(variable);
            if (folder != null && !folder.isEmpty()) {
                folders.add(folder);
            }
        }
        folders.addAll(TEMPORARY);
        return folders.stream().map(Path::of).filter(path -> Files.isDirectory(path) && Files.isWritable(path))
                .findFirst();
    }

    boolean isMissing() {
        return !reason.isEmpty();
    }
}
