package dev.weir.cli;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Where the libraries of SQLite, zstd and LuaJIT become files before they are loaded: a folder of this process inside of one
 * that the operator may choose. A process holds a lock in its folder; what a killed one left is removed by the next.
 */
final class NativeFolder implements AutoCloseable {
    /** Environment variable with the folder; the system property {@value #PROPERTY} is the same. */
    static final String VARIABLE = "WEIR_NATIVE_DIR";
    static final String PROPERTY = "weir.native.dir";

    private static final String PREFIX = "weir-native-";
    private static final String LOCK = "lock";
    /** What SQLite's driver, zstd's and our own loader of LuaJIT ask for a folder. */
    private static final List<String> ASKED = List.of("org.sqlite.tmpdir", "ZstdTempFolder", "weir.native.folder");
    /** A folder that is younger may belong to a process that is about to lock it. */
    private static final Duration YOUNG = Duration.ofMinutes(1);
    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");

    private final Path folder;
    private final FileChannel channel;

    private NativeFolder(Path folder, FileChannel channel) {
        this.folder = folder;
        this.channel = channel;
    }

    /**
     * Makes the folder of this process and tells those who load libraries of it.
     *
     * @return empty if the operator chose none and none of the usual ones will do; then the loading of a library says why
     * @throws FailedException if the chosen one will not do
     */
    static Optional<NativeFolder> prepare(Map<String, String> environment) {
        String chosen = System.getProperty(PROPERTY, environment.getOrDefault(VARIABLE, ""));
        if (!chosen.isEmpty()) {
            Path base = Path.of(chosen).toAbsolutePath();
            try {
                if (isWithoutExecution(base)) {
                    throw new IOException("its file system is mounted noexec");
                }
                return Optional.of(open(base).announced());
            } catch (IOException e) {
                throw new FailedException(ExitCode.USAGE, VARIABLE + "=" + base
                        + ": cannot hold native libraries: " + MailFiles.reason(e));
            }
        }
        return usual(environment).stream().filter(base -> !isWithoutExecution(base)).flatMap(NativeFolder::tried)
                .findFirst().map(NativeFolder::announced);
    }

    private static Stream<NativeFolder> tried(Path base) {
        try {
            return Stream.of(open(base));
        } catch (IOException e) {
            // The next one may do.
            return Stream.empty();
        }
    }

    private static List<Path> usual(Map<String, String> environment) {
        List<Path> folders = new ArrayList<>();
        folders.add(Path.of(System.getProperty("java.io.tmpdir", "/tmp")).toAbsolutePath());
        String cache = environment.getOrDefault("XDG_CACHE_HOME", "");
        folders.add(cache.isEmpty()
                ? Path.of(System.getProperty("user.home", "/"), ".cache", "weir")
                : Path.of(cache, "weir"));
        return folders;
    }

    /** Makes a folder in another one, which is made too, and removes what ended processes left there. */
    static NativeFolder open(Path base) throws IOException {
        Files.createDirectories(base);
        Path folder = Files.createTempDirectory(base, PREFIX);
        FileChannel channel = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE);
        // Held until the process ends, however it does.
        if (channel.tryLock() == null) {
            channel.close();
            throw new IOException("files in it cannot be locked");
        }
        NativeFolder made = new NativeFolder(folder, channel);
        made.removeLeftovers(base);
        return made;
    }

    private NativeFolder announced() {
        ASKED.forEach(property -> {
            if (System.getProperty(property) == null) {
                System.setProperty(property, folder.toString());
            }
        });
        return this;
    }

    Path folder() {
        return folder;
    }

    /** Whether a place, or the nearest folder above it that exists, is on a file system from which nothing may be loaded. */
    private static boolean isWithoutExecution(Path place) {
        try {
            Path existing = place;
            while (!Files.exists(existing) && existing.getParent() != null) {
                existing = existing.getParent();
            }
            return isWithoutExecution(existing.toRealPath(), Files.readAllLines(MOUNTS, StandardCharsets.UTF_8));
        } catch (IOException e) {
            // No Linux, or not told: the loading itself will say.
            return false;
        }
    }

    /**
     * The same by a list of mounts.
     *
     * @param mounts lines of {@code /proc/self/mountinfo}: the fifth word is the place, the sixth the options
     */
    static boolean isWithoutExecution(Path place, List<String> mounts) {
        int longest = -1;
        boolean without = false;
        for (String mount : mounts) {
            List<String> words = Arrays.asList(mount.split(" ", 7));
            if (words.size() < 6) {
                continue;
            }
            Path mounted = Path.of(words.get(4).replace("\\040", " ").replace("\\011", "\t")
                    .replace("\\012", "\n").replace("\\134", "\\"));
            // Of two at one place the later one lies above.
            if (place.startsWith(mounted) && mounted.getNameCount() >= longest) {
                longest = mounted.getNameCount();
                without = Arrays.asList(words.get(5).split(",", -1)).contains("noexec");
            }
        }
        return without;
    }

    /** Only folders of this kind and of this user, whose process holds no lock any more. */
    private void removeLeftovers(Path base) {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(base, PREFIX + "*")) {
            for (Path other : folders) {
                if (!other.equals(folder)) {
                    removeIfLeft(other);
                }
            }
        } catch (IOException | java.nio.file.DirectoryIteratorException e) {
            // What cannot be listed cannot be removed; the next start tries again.
            return;
        }
    }

    private void removeIfLeft(Path other) {
        try {
            boolean young = Files.getLastModifiedTime(other, LinkOption.NOFOLLOW_LINKS).toInstant()
                    .isAfter(Instant.now().minus(YOUNG));
            if (young || !Files.isDirectory(other, LinkOption.NOFOLLOW_LINKS)
                    || !Files.getOwner(other, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(folder))) {
                return;
            }
            Path lock = other.resolve(LOCK);
            if (!Files.exists(lock, LinkOption.NOFOLLOW_LINKS)) {
                remove(other);
                return;
            }
            try (FileChannel held = FileChannel.open(lock,
                    Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
                    FileLock free = held.tryLock()) {
                if (free != null) {
                    remove(other);
                }
            }
        } catch (IOException | java.nio.channels.OverlappingFileLockException e) {
            // It stays until a start that can remove it.
            return;
        }
    }

    private static void remove(Path folder) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(folder);
    }

    /** Removes the folder. A library that was loaded needs its file no longer, except on Windows, which keeps the file. */
    @Override
    public void close() {
        try (channel) {
            remove(folder);
        } catch (IOException e) {
            // The next start removes it.
            return;
        }
    }
}
