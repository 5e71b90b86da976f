package dev.weir.os;

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
 * The folder to which this process unpacks native libraries (SQLite, zstd, LuaJIT) before it loads them. It lies in a
 * folder that the operator may choose. A process holds a lock in its folder; the next process removes what a killed one
 * left.
 */
public final class NativeFolder implements AutoCloseable {
    /** The environment variable with the parent folder; the system property {@value #PROPERTY} overrides it. */
    public static final String VARIABLE = "WEIR_NATIVE_DIR";
    static final String PROPERTY = "weir.native.dir";

    private static final String PREFIX = "weir-native-";
    private static final String LOCK = "lock";
    /** The system properties in which the loaders of SQLite, zstd and LuaJIT look for a folder. */
    private static final List<String> PROPERTIES = List.of("org.sqlite.tmpdir", "ZstdTempFolder", "weir.native.folder");
    /** A younger folder may belong to a process that has not locked it yet. */
    private static final Duration YOUNG = Duration.ofMinutes(1);
    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");

    private final Path folder;
    private final FileChannel channel;

    private NativeFolder(Path folder, FileChannel channel) {
        this.folder = folder;
        this.channel = channel;
    }

    /** Returns the parent folder that the operator chose. */
    public static Optional<Path> chosen(Map<String, String> environment) {
        String chosen = System.getProperty(PROPERTY, environment.getOrDefault(VARIABLE, ""));
        return chosen.isEmpty() ? Optional.empty() : Optional.of(Path.of(chosen).toAbsolutePath());
    }

    /**
     * Creates the folder of this process and announces it to the loaders of native libraries.
     *
     * @return empty if the operator chose none and no default is usable; the loaders then report the reason
     * @throws IOException if the chosen folder is not usable
     */
    public static Optional<NativeFolder> prepare(Map<String, String> environment) throws IOException {
        Optional<Path> chosen = chosen(environment);
        if (chosen.isPresent()) {
            if (isWithoutExecution(chosen.get())) {
                throw new IOException("its file system is mounted noexec");
            }
            return Optional.of(open(chosen.get()).announced());
        }
        return usual(environment).stream().filter(base -> !isWithoutExecution(base)).flatMap(NativeFolder::tried)
                .findFirst().map(NativeFolder::announced);
    }

    private static Stream<NativeFolder> tried(Path base) {
        try {
            return Stream.of(open(base));
        } catch (IOException e) {
            // The next one may be usable.
            return Stream.empty();
        }
    }

    private static List<Path> usual(Map<String, String> environment) {
        List<Path> folders = new ArrayList<>();
        folders.add(Path.of(System.getProperty("java.io.tmpdir", "/tmp")).toAbsolutePath());
        String cache = environment.getOrDefault("XDG_CACHE_HOME", "");
        folders.add(cache.isEmpty()
                ? HomeFolder.of(environment).resolve(Path.of(".cache", "weir"))
                : Path.of(cache, "weir"));
        return folders;
    }

    /** Creates a folder inside of {@code base}, creating that too, and removes what dead processes left there. */
    static NativeFolder open(Path base) throws IOException {
        Files.createDirectories(base);
        Path folder = Files.createTempDirectory(base, PREFIX);
        FileChannel channel = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE);
        // The process holds the lock until it ends, even by a crash.
        if (channel.tryLock() == null) {
            channel.close();
            throw new IOException("files in it cannot be locked");
        }
        NativeFolder made = new NativeFolder(folder, channel);
        made.removeLeftovers(base);
        return made;
    }

    private NativeFolder announced() {
        PROPERTIES.forEach(property -> {
            if (System.getProperty(property) == null) {
                System.setProperty(property, folder.toString());
            }
        });
        return this;
    }

    /** Returns the folder. */
    public Path folder() {
        return folder;
    }

    /** Whether a folder, or its nearest existing parent, is on a file system that forbids loading libraries. */
    private static boolean isWithoutExecution(Path place) {
        try {
            Path existing = place;
            while (!Files.exists(existing) && existing.getParent() != null) {
                existing = existing.getParent();
            }
            return isWithoutExecution(existing.toRealPath(), Files.readAllLines(MOUNTS, StandardCharsets.UTF_8));
        } catch (IOException e) {
            // Not Linux, or unreadable: the loader reports the reason.
            return false;
        }
    }

    /**
     * Decides by a list of mounts.
     *
     * @param mounts lines of {@code /proc/self/mountinfo}: the fifth word is the mount point, the sixth the options
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
            // Of two mounts at one place, the later one hides the earlier one.
            if (place.startsWith(mounted) && mounted.getNameCount() >= longest) {
                longest = mounted.getNameCount();
                without = Arrays.asList(words.get(5).split(",", -1)).contains("noexec");
            }
        }
        return without;
    }

    /** Removes only folders of this kind and this user whose process no longer holds the lock. */
    private void removeLeftovers(Path base) {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(base, PREFIX + "*")) {
            for (Path other : folders) {
                if (!other.equals(folder)) {
                    removeIfLeft(other);
                }
            }
        } catch (IOException | java.nio.file.DirectoryIteratorException e) {
            // The next start tries again.
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
            // The next start tries again.
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

    /** Removes the folder. A loaded library no longer needs its file, except on Windows, where the file stays. */
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
