package dev.weir.wire.command;

/**
 * Command codes (docs/reference/protocol.md#commands). They stay plain numbers because every one of the 256 is legal on
 * the wire: a server answers codes that it does not know.
 */
public final class CommandCode {
    /** Asks for a digest or a near duplicate. */
    public static final int CHECK = 0;
    /** Adds weight to a digest. */
    public static final int WRITE = 1;
    /** Removes a digest. */
    public static final int DEL = 2;
    /** Asks for the number of stored hashes. */
    public static final int STAT = 3;
    /** Is echoed. */
    public static final int PING = 4;
    /** Highest code with a meaning on the network. */
    public static final int LAST_KNOWN = PING;

    private CommandCode() {}

    /** A name for logs and counters; codes without a meaning are given as {@code "cmd-N"}. */
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
