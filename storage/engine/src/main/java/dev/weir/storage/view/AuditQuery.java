package dev.weir.storage.view;

import java.util.Optional;

import dev.weir.model.Network;

/**
 * Conditions on recorded changes that a database checks while it searches. It always applies the revisions and the
 * digest, and may ignore the other conditions: the receiver checks each change again.
 *
 * @param after only revisions above this
 * @param before only revisions below this
 * @param since only changes from this time on, in milliseconds since 1970
 * @param until only changes before this time
 * @param digest only digests that begin with these lower-case hexadecimal digits
 * @param from the network of the sender, or of an HTTP client; empty for all
 * @param user the user who submitted the mail; empty for all
 * @param mail the Message-ID of the mail; empty for all
 * @param key the first bytes of the key of the request, in hexadecimal digits; empty for any key or none
 */
public record AuditQuery(long after, long before, long since, long until, String digest, Optional<Network> from,
        Optional<String> user, Optional<String> mail, Optional<String> key) {

    /** All changes below a revision, of digests with a beginning. */
    public static AuditQuery of(long before, String digest) {
        return new AuditQuery(-1, before, Long.MIN_VALUE, Long.MAX_VALUE, digest, Optional.empty(), Optional.empty(),
                Optional.empty(), Optional.empty());
    }
}
