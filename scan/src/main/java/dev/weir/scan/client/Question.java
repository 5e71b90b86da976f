package dev.weir.scan.client;

import java.util.List;

import dev.weir.wire.Protocol;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.Extension;

/**
 * One command to a storage.
 *
 * @param command one of the command codes of {@code dev.weir.wire}
 * @param flag the list, 0 to 255
 * @param value the weight of a write
 * @param digest 64 bytes
 * @param shingles 32 values, or none
 * @param tag what the reply is recognised by; the same for every attempt of an update, so that a storage can tell a
 *            repetition. 0: the client draws one
 * @param extensions facts about the sender, only ever sent encrypted
 */
// Made for one exchange and never compared: the arrays are no more than what goes into the packet.
@SuppressWarnings("ArrayRecordComponent")
public record Question(int command, int flag, int value, byte[] digest, long[] shingles, int tag,
        List<Extension> extensions) {
    private static final byte[] NO_DIGEST = new byte[Protocol.DIGEST];
    private static final long[] NO_SHINGLES = {};

    /** Checks the sizes. */
    public Question {
        if (flag < 0 || flag > 255) {
            throw new IllegalArgumentException("flag " + flag + " is not between 0 and 255");
        }
        if (digest.length != Protocol.DIGEST) {
            throw new IllegalArgumentException("a digest has 64 bytes, not " + digest.length);
        }
        if (shingles.length != 0 && shingles.length != Protocol.SHINGLES) {
            throw new IllegalArgumentException("a signature has 32 shingles, not " + shingles.length);
        }
        extensions = List.copyOf(extensions);
    }

    /** Asks for a hash. */
    public static Question check(byte[] digest, long[] shingles, List<Extension> extensions) {
        return new Question(CommandCode.CHECK, 0, 0, digest, shingles, 0, extensions);
    }

    /** Adds weight to a hash on one list. */
    public static Question write(byte[] digest, long[] shingles, int flag, int weight) {
        return new Question(CommandCode.WRITE, flag, weight, digest, shingles, 0, List.of());
    }

    /** Takes a hash off one list, with its shingles: a storage of Rspamd on Redis needs them to forget them. */
    public static Question delete(byte[] digest, long[] shingles, int flag) {
        return new Question(CommandCode.DEL, flag, 0, digest, shingles, 0, List.of());
    }

    /** Takes a hash off one list of which only the digest is known. */
    public static Question delete(byte[] digest, int flag) {
        return delete(digest, NO_SHINGLES, flag);
    }

    /** Asks for a hash of which only the digest is known. */
    public static Question check(byte[] digest) {
        return check(digest, NO_SHINGLES, List.of());
    }

    /** Asks how many hashes there are. */
    public static Question count() {
        return new Question(CommandCode.STAT, 0, 0, NO_DIGEST, NO_SHINGLES, 0, List.of());
    }

    /** Asks only for an answer. */
    public static Question ping() {
        return new Question(CommandCode.PING, 0, 0, NO_DIGEST, NO_SHINGLES, 0, List.of());
    }

    boolean isUpdate() {
        return command == CommandCode.WRITE || command == CommandCode.DEL;
    }

    boolean isCheck() {
        return command == CommandCode.CHECK;
    }
}
