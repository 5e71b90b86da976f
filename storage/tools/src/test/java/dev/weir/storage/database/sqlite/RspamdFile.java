package dev.weir.storage.database.sqlite;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

import dev.weir.model.Digest;

/**
 * A {@code fuzzy.db} that a real Rspamd 3.4 wrote, learning in this order (flag:weight): 1 without shingles 1:10; 2
 * 3:10 and 3:5; 3 3:20, taking slots 0..9 from 2; 4 2:-4; 5 1:1, deleted later; 6 3:10 and then 4:7; 7 1:30; 8 1:9,
 * taking slots 0..19 from 7.
 */
public final class RspamdFile {
    /** The time of the last change in the file, in seconds since the epoch. */
    public static final long WRITTEN = 1_795_240_917L;

    private RspamdFile() {}

    /** Copies the file into a folder. */
    public static Path copyTo(Path folder) throws IOException {
        Path file = folder.resolve("fuzzy.db");
        try (InputStream in = Objects
                .requireNonNull(RspamdFile.class.getResourceAsStream("rspamd-3.4-fuzzy.db"))) {
            Files.copy(in, file);
        }
        return file;
    }

    public static Digest digest(int n) {
        byte[] bytes = new byte[Digest.BYTES];
        for (int k = 0; k < bytes.length; k++) {
            bytes[k] = (byte) (n * 31 + k * 7);
        }
        return Digest.read(bytes, 0);
    }

    public static long[] shingles(int n) {
        long[] values = new long[32];
        for (int i = 0; i < values.length; i++) {
            values[i] = (n * 1_000_003L + i) * 0x9E3779B97F4A7C15L;
        }
        return values;
    }
}
