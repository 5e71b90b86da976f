package dev.weir.storage.push;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import dev.weir.storage.Folders;

/** Copies of whole folders, as a restore of a file system makes them. */
final class CopiedFolder {
    private CopiedFolder() {}

    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else if (Files.isRegularFile(file)) {
                    Files.copy(file, target);
                }
            }
        }
    }

    static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            Folders.delete(folder);
        }
    }

    /** Puts a copy in the place of a folder. */
    static void replace(Path folder, Path copy) throws IOException {
        delete(folder);
        copy(copy, folder);
    }
}
