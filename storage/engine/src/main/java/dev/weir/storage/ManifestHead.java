package dev.weir.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The beginning of the manifest of a store, from any of its sound copies: enough to compare two stores before one of
 * them takes the place of the other.
 *
 * @param storageId the number of the storage
 * @param revision the store has every update up to here
 */
record ManifestHead(long storageId, long revision) {
    static final String NAME = "manifest";

    private static final byte[] MAGIC = "WEIRSTO3".getBytes(StandardCharsets.US_ASCII);
    private static final int COPY_BYTES = 2_048;
    private static final int CRC_AT = COPY_BYTES - Integer.BYTES;
    private static final int MOST_BYTES = 1 << 20;

    /** Reads the manifest of a store; empty if there is none, or if it is damaged or of another format. */
    static Optional<ManifestHead> of(Path store) throws IOException {
        Path file = store.resolve(NAME);
        if (!Files.exists(file) || Files.size(file) > MOST_BYTES) {
            return Optional.empty();
        }
        byte[] bytes = Files.readAllBytes(file);
        for (int at = 0; at + COPY_BYTES <= bytes.length; at += COPY_BYTES) {
            ByteBuffer copy = ByteBuffer.wrap(bytes, at, COPY_BYTES).slice().order(ByteOrder.LITTLE_ENDIAN);
            CRC32C sum = new CRC32C();
            sum.update(bytes, at, CRC_AT);
            if (copy.getInt(CRC_AT) == (int) sum.getValue()
                    && Arrays.equals(bytes, at, at + MAGIC.length, MAGIC, 0, MAGIC.length)) {
                return Optional.of(new ManifestHead(copy.getLong(MAGIC.length),
                        copy.getLong(MAGIC.length + 2 * Long.BYTES)));
            }
        }
        return Optional.empty();
    }

    /** Returns whether a store with this manifest has every update of the other one, and is of the same storage. */
    boolean contains(ManifestHead other) {
        return storageId == other.storageId && revision >= other.revision;
    }
}
