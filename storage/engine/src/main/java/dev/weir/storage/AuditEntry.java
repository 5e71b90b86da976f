package dev.weir.storage;

import java.net.InetAddress;

import org.jspecify.annotations.Nullable;

/**
 * The time and origin of a client's update, as recorded in the audit trail.
 *
 * @param millis the time in milliseconds since the epoch
 * @param address the sender's address
 * @param key the first bytes of the server's public key that the request was encrypted for; null for a plain request
 * @param submission who submitted the mail, or null if unknown
 */
// Instances live for one transaction and are never compared.
@SuppressWarnings("ArrayRecordComponent")
public record AuditEntry(long millis, InetAddress address, byte @Nullable [] key,
        @Nullable UpdateSubmitter submission) {}
