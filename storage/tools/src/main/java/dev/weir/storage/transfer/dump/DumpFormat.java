package dev.weir.storage.transfer.dump;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The constants of the format (docs/reference/dump.md). */
final class DumpFormat {
    /** The first bytes of every dump. */
    static final byte[] MAGIC = "WEIRDUMP".getBytes(StandardCharsets.US_ASCII);

    /** The oldest version that is read. */
    static final int OLDEST = 1;

    /** The version that is written. Version 1 had no side hashes. */
    static final int VERSION = 2;

    /** Magic, version u16, reserved u16, id u64, time i64, CRC32C of all that. */
    static final int HEADER = 8 + 2 + 2 + 8 + 8 + 4;

    /** Kind u8, method u8, records u32, raw length u32, stored length u32, CRC32C of that and the stored bytes. */
    static final int BLOCK_HEADER = 1 + 1 + 4 + 4 + 4 + 4;

    static final byte BLOCK = 'B';
    static final byte END = 'E';

    static final byte PLAIN = 0;
    static final byte DEFLATED = 1;

    /** The size at which a writer ends a block. */
    static final int BLOCK_TARGET = 256 * 1024;

    /** The most that a reader takes for one block, so that no input makes it ask for more memory. */
    static final int BLOCK_LIMIT = 4 * 1024 * 1024;

    /** The most flags of one hash: every flag that can come from the network, with room. */
    static final int FLAGS_LIMIT = 4096;

    /** Records u64 and SHA-256 of all raw bytes. */
    static final int END_BYTES = 8 + 32;

    private DumpFormat() {}

    static MessageDigest contentDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
