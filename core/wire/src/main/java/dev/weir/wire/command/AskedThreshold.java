package dev.weir.wire.command;

/**
 * How many shingles of 32 a near hash must share to be the answer to a check, as the client asks for it
 * (docs/reference/protocol.md#asked-threshold). The number travels in the value of the check, which Rspamd and earlier
 * versions of Weir ignore: they go on with {@link #USUAL}.
 */
public final class AskedThreshold {
    /** What a near hash must share if the client asks for nothing else: more than half. */
    public static final int USUAL = 17;

    /** The least number that a client may ask for. */
    public static final int LEAST = 8;

    /** The upper 24 bits of a value that carries a number, so that no other value is taken for one. */
    private static final int MARK = 0x5745_4900;
    private static final int NUMBER = 0xff;

    private AskedThreshold() {}

    /**
     * Returns the value of a check that asks for a number of shingles; 0, which asks for nothing, if the number is not
     * from {@link #LEAST} to 16.
     */
    public static int value(int shingles) {
        return isAsked(shingles) ? MARK | shingles : 0;
    }

    /** Returns the number that the value of a check asks for; {@link #USUAL} if it asks for none. */
    public static int of(int value) {
        int number = value & NUMBER;
        return (value & ~NUMBER) == MARK && isAsked(number) ? number : USUAL;
    }

    private static boolean isAsked(int shingles) {
        return shingles >= LEAST && shingles < USUAL;
    }
}
