package dev.weir.milter.protocol;

import java.nio.ByteBuffer;

/**
 * What a filter and a mail server agree on at the start of a connection
 * (docs/reference/milter-protocol.md#negotiation). The mail server offers, and the filter takes the part that it wants.
 *
 * @param version the version
 * @param actions what the filter may do to a mail, a set of bits
 * @param steps what is left out, a set of bits
 */
public record MilterOffer(int version, int actions, int steps) {
    /** The version that this filter speaks. */
    public static final int VERSION = 6;
    /** The first version with the commands that this filter needs. */
    public static final int OLDEST = 2;

    /** The filter may add header fields. */
    public static final int ADD_HEADERS = 0x01;
    /** The filter may change and delete header fields. */
    public static final int CHANGE_HEADERS = 0x10;
    /** The filter may have a mail held back. */
    public static final int QUARANTINE = 0x20;

    /** The mail server need not send unknown commands of SMTP. */
    public static final int NO_UNKNOWN = 0x100;
    /** The mail server need not send DATA. */
    public static final int NO_DATA = 0x200;
    /** The filter may skip the rest of a body. */
    public static final int SKIP = 0x400;
    /** The filter does not answer header fields. */
    public static final int SILENT_HEADER = 0x80;
    /** The filter does not answer the client's name and address. */
    public static final int SILENT_CONNECT = 0x1000;
    /** The filter does not answer HELO. */
    public static final int SILENT_HELO = 0x2000;
    /** The filter does not answer senders. */
    public static final int SILENT_MAIL = 0x4000;
    /** The filter does not answer recipients. */
    public static final int SILENT_RCPT = 0x8000;
    /** The filter does not answer DATA. */
    public static final int SILENT_DATA = 0x10000;
    /** The filter does not answer unknown commands. */
    public static final int SILENT_UNKNOWN = 0x20000;
    /** The filter does not answer the end of the header. */
    public static final int SILENT_END_OF_HEADERS = 0x40000;
    /** Header fields keep the space after the colon, in both directions. */
    public static final int LEADING_SPACE = 0x100000;

    private static final int WANTED_ACTIONS = ADD_HEADERS | CHANGE_HEADERS | QUARANTINE;
    private static final int WANTED_STEPS = NO_UNKNOWN | NO_DATA | SKIP | SILENT_HEADER | SILENT_CONNECT | SILENT_HELO
            | SILENT_MAIL | SILENT_RCPT | SILENT_DATA | SILENT_UNKNOWN | SILENT_END_OF_HEADERS | LEADING_SPACE;

    /** What is agreed on before the negotiation: nothing. */
    public static final MilterOffer NOTHING = new MilterOffer(0, 0, 0);

    /**
     * Returns what this filter takes of an offer.
     *
     * @throws MilterException if the mail server is too old
     */
    public static MilterOffer of(MilterCommand.Negotiate offer) throws MilterException {
        if (offer.version() < OLDEST) {
            throw new MilterException("the mail server speaks version " + offer.version() + " of the milter protocol;"
                    + " this filter needs " + OLDEST + " or later");
        }
        return new MilterOffer(Math.min(offer.version(), VERSION), offer.actions() & WANTED_ACTIONS,
                offer.steps() & WANTED_STEPS);
    }

    /** Returns whether there was no negotiation yet. */
    public boolean isNothing() {
        return version == 0;
    }

    /** Returns whether the filter may do something. */
    public boolean allows(int action) {
        return (actions & action) != 0;
    }

    /** Returns whether a step is left out. */
    public boolean has(int step) {
        return (steps & step) != 0;
    }

    byte[] bytes() {
        return ByteBuffer.allocate(12).putInt(version).putInt(actions).putInt(steps).array();
    }
}
