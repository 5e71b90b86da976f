package dev.weir.hash.kind;

/**
 * A hash of one kind.
 *
 * @param kind the kind
 * @param digest 64 bytes
 * @param shingles 32 values in wire order, or none for kinds that match exactly
 */
@SuppressWarnings("ArrayRecordComponent") // carries the content of a packet, and is never compared
public record KindHash(HashKind kind, byte[] digest, long[] shingles) {}
