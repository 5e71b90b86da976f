package dev.weir.storage;

import java.net.InetAddress;

import org.jspecify.annotations.Nullable;

/**
 * When and from whom an update of a client came: what the audit trail keeps of it.
 *
 * @param millis milliseconds since the epoch
 * @param address of the sender
 * @param key first bytes of the server's public key that the request was encrypted for; null for a plain request
 * @param submission who submitted the mail; null where that is not known
 */
// Made for one transaction and never compared.
@SuppressWarnings("ArrayRecordComponent")
public record Arrival(long millis, InetAddress address, byte @Nullable [] key, @Nullable Submission submission) {}
