package dev.weir.scan;

import dev.weir.hash.FuzzyHash;
import dev.weir.model.Digest;
import dev.weir.wire.CommandCode;
import dev.weir.wire.Protocol;

/**
 * What a storage is asked, without the tag and the version, which the client chooses.
 *
 * @param command one of the command codes of {@code dev.weir.wire}
 * @param flag the list, 0 to 255
 * @param value the weight of a write, opaque for a ping
 * @param digest 64 bytes
 * @param shingles 32 values, or none
 */
// Made for one exchange and never compared: the arrays are no more than what goes into the packet.
@SuppressWarnings("ArrayRecordComponent")
record Request(int command, int flag, int value, byte[] digest, long[] shingles) {
    private static final byte[] NO_DIGEST = new byte[Protocol.DIGEST];
    private static final long[] NO_SHINGLES = {};

    Request {
        if (flag < 0 || flag > 255) {
            throw new IllegalArgumentException("flag " + flag + " is not between 0 and 255");
        }
        if (digest.length != Protocol.DIGEST) {
            throw new IllegalArgumentException("a digest has 64 bytes, not " + digest.length);
        }
        if (shingles.length != 0 && shingles.length != Protocol.SHINGLES) {
            throw new IllegalArgumentException("a signature has 32 shingles, not " + shingles.length);
        }
    }

    /** Whether the storage changes by it, so that it must not be sent twice without need. */
    boolean isUpdate() {
        return command == CommandCode.WRITE || command == CommandCode.DEL;
    }

    static Request check(FuzzyHash hash) {
        return new Request(CommandCode.CHECK, 0, 0, hash.digest(), hash.shingles());
    }

    static Request check(Digest digest) {
        return new Request(CommandCode.CHECK, 0, 0, digest.toBytes(), NO_SHINGLES);
    }

    static Request write(FuzzyHash hash, int flag, int weight) {
        return new Request(CommandCode.WRITE, flag, weight, hash.digest(), hash.shingles());
    }

    /** With the shingles, which a storage of Rspamd on Redis needs to forget them. */
    static Request delete(FuzzyHash hash, int flag) {
        return new Request(CommandCode.DEL, flag, 0, hash.digest(), hash.shingles());
    }

    static Request delete(Digest digest, int flag) {
        return new Request(CommandCode.DEL, flag, 0, digest.toBytes(), NO_SHINGLES);
    }

    static Request stat() {
        return new Request(CommandCode.STAT, 0, 0, NO_DIGEST, NO_SHINGLES);
    }

    static Request ping() {
        return new Request(CommandCode.PING, 0, 0, NO_DIGEST, NO_SHINGLES);
    }
}
