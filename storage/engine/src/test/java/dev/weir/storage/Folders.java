package dev.weir.storage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Whole folders with the files of a storage. */
public final class Folders {
    private Folders() {}

    /** Copies a folder to one that does not exist. */
    public static void copy(Path from, Path to) throws IOException {
        for (Path file : files(from)) {
            Files.copy(file, to.resolve(from.relativize(file).toString()));
        }
    }

    /** Deletes a folder with its content. */
    public static void delete(Path folder) throws IOException {
        for (Path file : files(folder).reversed()) {
            Files.delete(file);
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.sorted(Comparator.naturalOrder()).toList();
        }
    }
}
