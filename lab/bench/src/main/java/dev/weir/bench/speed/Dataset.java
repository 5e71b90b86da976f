package dev.weir.bench.speed;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import dev.weir.load.population.DumpFile;
import dev.weir.load.population.Population;

/**
 * Storages filled with a population. {@code weir import} fills each of them once, and later runs reuse it; delete the
 * folders when the storage format changes.
 */
public final class Dataset {
    /** The seed of all populations. */
    public static final long SEED = 1;

    private final Path home;
    private final List<String> weir;
    private final Pinning pinning;
    private final PrintWriter progress;

    /**
     * Uses the data in a folder.
     *
     * @param weir the command line that runs weir
     */
    public Dataset(Path home, List<String> weir, Pinning pinning, PrintWriter progress) {
        this.home = home;
        this.weir = weir;
        this.pinning = pinning;
        this.progress = progress;
    }

    /** Returns the hashes. */
    public static Population population(long hashes) {
        return new Population(SEED, hashes);
    }

    /** Returns the data folder of a Weir storage with this many hashes. A run that writes uses a {@link #copy}. */
    public Path weir(long hashes, boolean shingles) throws IOException, InterruptedException {
        Path folder = home.resolve("data-" + hashes + (shingles ? "" : "-plain"));
        Path mark = folder.resolve("complete");
        if (Files.exists(mark)) {
            return folder;
        }
        delete(folder);
        Files.createDirectories(folder);
        if (hashes > 0) {
            progress.println("bench: preparing " + hashes + " hashes in " + folder);
            progress.flush();
            Path dump = home.resolve("data-" + hashes + ".dump");
            DumpFile.write(dump, population(hashes), shingles, Instant.now().getEpochSecond(), _ -> {});
            run("import", dump.toString(), "--data", folder.toString());
            Files.delete(dump);
        }
        Files.createFile(mark);
        return folder;
    }

    /** Returns the database of an Rspamd storage with this many hashes. */
    public Path rspamd(long hashes) throws IOException, InterruptedException {
        Path file = home.resolve("rspamd-" + hashes + ".db");
        if (Files.notExists(file)) {
            Path part = home.resolve("rspamd-" + hashes + ".part.db");
            run("export", part.toString(), "--overwrite", "--data", weir(hashes, true).toString());
            Files.move(part, file);
        }
        return file;
    }

    /** Copies a file or folder into a folder and returns the copy. */
    public Path copy(Path original, Path into) throws IOException {
        Path target = into.resolve(original.getFileName());
        try (Stream<Path> files = Files.walk(original)) {
            for (Path file : files.toList()) {
                // A killed storage leaves its control socket.
                if (Files.isDirectory(file) || Files.isRegularFile(file)) {
                    // Times are kept, because a storage uses them to tell whether its index matches the database.
                    Files.copy(file, target.resolve(original.relativize(file).toString()),
                            StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
        return target;
    }

    private void run(String... arguments) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(weir);
        words.addAll(List.of(arguments));
        Process process = new ProcessBuilder(pinning.everywhere(words)).redirectErrorStream(true)
                .redirectOutput(home.resolve("prepare.log").toFile()).start();
        int status = process.waitFor();
        if (status != 0) {
            throw new IOException(String.join(" ", words) + " ended with " + status + ":\n"
                    + Files.readString(home.resolve("prepare.log")));
        }
    }

    private static void delete(Path folder) throws IOException {
        if (Files.notExists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
