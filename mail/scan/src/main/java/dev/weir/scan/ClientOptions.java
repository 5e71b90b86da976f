package dev.weir.scan;

import java.time.Duration;

import dev.weir.wire.key.PublicKey;
import org.jspecify.annotations.Nullable;

/**
 * The request options of a {@link StorageClient}.
 *
 * @param timeout how long each attempt waits for replies, more than zero
 * @param retransmits the number of attempts after the first, 0 or more
 * @param encryptionKey the public key of the storage, or null for plain text
 */
public record ClientOptions(Duration timeout, int retransmits, @Nullable PublicKey encryptionKey) {
    /** One second per attempt and three retransmits, as in Rspamd; plain text. */
    public static final ClientOptions DEFAULT = new ClientOptions(Duration.ofSeconds(1), 3, null);

    public ClientOptions {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("the timeout must be more than zero");
        }
        if (retransmits < 0) {
            throw new IllegalArgumentException("the number of retransmits must not be negative");
        }
    }
}
