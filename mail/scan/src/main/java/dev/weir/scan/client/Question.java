package dev.weir.scan.client;

import java.util.List;

import dev.weir.wire.Protocol;
import dev.weir.wire.command.AskedThreshold;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.Extension;

/**
 * A command to a storage.
 *
 * @param command one of the command codes of {@code dev.weir.wire}
 * @param flag the flag, 0 to 2147483647; one beyond 255 travels in an extension of Weir
 * @param value the weight of an update; of a check, 0 or the threshold that it asks for
 * @param digest 64 bytes
 * @param shingles 32 values, or none
 * @param tag the tag that matches the reply to its question; it is the same for every attempt of an update, so that a
 *            storage can recognize a repetition. With 0, the client draws a tag
 * @param extensions facts about the sender, which are only sent encrypted, and extensions of Weir
 */
// Made for one exchange and never compared; the arrays only carry the content of the packet.
@SuppressWarnings("ArrayRecordComponent")
public record Question(int command, int flag, int value, byte[] digest, long[] shingles, int tag,
        List<Extension> extensions) {
    /** The largest flag that fits into a command without an extension. */
    public static final int LARGEST_PLAIN_FLAG = 255;

    private static final byte[] NO_DIGEST = new byte[Protocol.DIGEST];
    private static final long[] NO_SHINGLES = {};

    /** Checks the sizes. */
    public Question {
        if (flag < 0) {
            throw new IllegalArgumentException("flag " + flag + " is negative");
        }
        if (digest.length != Protocol.DIGEST) {
            throw new IllegalArgumentException("a digest has 64 bytes, not " + digest.length);
        }
        if (shingles.length != 0 && shingles.length != Protocol.SHINGLES) {
            throw new IllegalArgumentException("a signature has 32 shingles, not " + shingles.length);
        }
        extensions = List.copyOf(extensions);
    }

    /** Returns a check of a hash. */
    public static Question check(byte[] digest, long[] shingles, List<Extension> extensions) {
        return check(digest, shingles, AskedThreshold.USUAL, extensions);
    }

    /**
     * Returns a check of a hash that takes near hashes from fewer equal shingles on than usual, if the storage can.
     *
     * @param threshold how many shingles of 32 a near hash must share
     */
    public static Question check(byte[] digest, long[] shingles, int threshold, List<Extension> extensions) {
        return new Question(CommandCode.CHECK, 0, shingles.length == 0 ? 0 : AskedThreshold.value(threshold), digest,
                shingles, 0, extensions);
    }

    /** Returns an update that adds weight to a flag of a hash. */
    public static Question write(byte[] digest, long[] shingles, int flag, int weight) {
        return new Question(CommandCode.WRITE, flag, weight, digest, shingles, 0, List.of());
    }

    /**
     * Returns an update that removes a flag of a hash. It carries the shingles, because Rspamd's storage on Redis needs
     * them to remove them.
     */
    public static Question delete(byte[] digest, long[] shingles, int flag) {
        return new Question(CommandCode.DEL, flag, 0, digest, shingles, 0, List.of());
    }

    /** Returns an update that removes a flag of a hash that is known only by its digest. */
    public static Question delete(byte[] digest, int flag) {
        return delete(digest, NO_SHINGLES, flag);
    }

    /** Returns a check of a hash that is known only by its digest. */
    public static Question check(byte[] digest) {
        return check(digest, NO_SHINGLES, List.of());
    }

    /** Returns a request for the number of hashes. */
    public static Question count() {
        return new Question(CommandCode.STAT, 0, 0, NO_DIGEST, NO_SHINGLES, 0, List.of());
    }

    /** Returns a ping. */
    public static Question ping() {
        return new Question(CommandCode.PING, 0, 0, NO_DIGEST, NO_SHINGLES, 0, List.of());
    }

    /** Returns a ping that asks which extensions of Weir the storage knows. */
    static Question capabilities() {
        return new Question(CommandCode.PING, 0, 0, NO_DIGEST, NO_SHINGLES, 0,
                List.of(new Extension.Capabilities()));
    }

    /** Returns whether the flag needs the extension for it. */
    boolean hasWideFlag() {
        return flag > LARGEST_PLAIN_FLAG;
    }

    /** Returns whether the question has extensions of Weir that a storage may miss without harm. */
    boolean isEnriched() {
        return extensions.stream().anyMatch(Question::isDispensable);
    }

    /** Returns the question without these extensions. */
    Question reduced() {
        return new Question(command, flag, value, digest, shingles, tag,
                extensions.stream().filter(extension -> !isDispensable(extension)).toList());
    }

    private static boolean isDispensable(Extension extension) {
        return extension instanceof Extension.Sides || extension instanceof Extension.Protectors;
    }

    boolean isUpdate() {
        return command == CommandCode.WRITE || command == CommandCode.DEL;
    }

    boolean isCheck() {
        return command == CommandCode.CHECK;
    }
}
