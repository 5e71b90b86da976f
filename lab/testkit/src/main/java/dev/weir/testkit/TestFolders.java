package dev.weir.testkit;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Makes the folders of tests in memory. A start of a storage syncs a dozen files, and no test takes the power away: a
 * disk would only take most of the time. With {@code -Dweir.test.folders=disk}, as in the profile {@code long}, or
 * without enough memory for files, the folders are where the system has its temporary files.
 */
public final class TestFolders implements TempDirFactory {
    private static final Path MEMORY = Path.of("/dev/shm");
    /** Far more than the tests that run at a time write. A container often has 64 MiB. */
    private static final long LEAST_BYTES = 4L << 30;
    private static final boolean HAS_MEMORY = hasMemory();
    private static final boolean IN_MEMORY = HAS_MEMORY && !"disk".equals(System.getProperty("weir.test.folders"));

    /** The same for a test that writes too much for a disk: always in memory, if there is enough. */
    public static final class InMemory implements TempDirFactory {
        @Override
        public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext extension)
                throws IOException {
            return make("junit-", HAS_MEMORY);
        }
    }

    private static boolean hasMemory() {
        if (!Files.isWritable(MEMORY)) {
            return false;
        }
        try {
            FileStore store = Files.getFileStore(MEMORY);
            return store.type().equals("tmpfs") && store.getUsableSpace() >= LEAST_BYTES;
        } catch (IOException e) {
            return false;
        }
    }

    private static Path make(String prefix, boolean inMemory) throws IOException {
        return inMemory ? Files.createTempDirectory(MEMORY, prefix) : Files.createTempDirectory(prefix);
    }

    /** Makes a folder that the caller deletes. */
    public static Path make(String prefix) throws IOException {
        return make(prefix, IN_MEMORY);
    }

    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext extension) throws IOException {
        return make("junit-");
    }
}
