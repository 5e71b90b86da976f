package dev.weir.wire.command;

/**
 * The command codes (docs/reference/protocol.md#commands). They are plain numbers rather than an enum because any of
 * the 256 may occur: a server also replies to unknown codes.
 */
public final class CommandCode {
    /** Checks a digest, and its shingles if present. */
    public static final int CHECK = 0;
    /** Adds a weight to a flag of a hash. */
    public static final int WRITE = 1;
    /** Removes a flag of a hash. */
    public static final int DEL = 2;
    /** Requests the number of stored hashes. */
    public static final int STAT = 3;
    /** Requests an echo. */
    public static final int PING = 4;

    private CommandCode() {}

    /** Returns a name for logs and counters; {@code "cmd-N"} for unknown codes. */
    public static String name(int code) {
        return switch (code) {
            case CHECK -> "check";
            case WRITE -> "write";
            case DEL -> "del";
            case STAT -> "stat";
            case PING -> "ping";
            default -> "cmd-" + code;
        };
    }
}
