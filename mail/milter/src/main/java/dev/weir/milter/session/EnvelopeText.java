package dev.weir.milter.session;

import org.jspecify.annotations.Nullable;

/**
 * The bounds of what a mail server says about a mail beside the mail itself. A real mail server keeps to them, because
 * its own limits are lower.
 */
final class EnvelopeText {
    /** The longest address (RFC 5321, 4.5.3.1): 64 bytes, an at sign, 255 bytes. */
    static final int MOST_ADDRESS = 320;
    /** The longest name of a host. */
    static final int MOST_NAME = 255;
    /** Stands for a text that is too long, and is like none that is valid. */
    static final String TOO_LONG = "(too long)";

    private EnvelopeText() {}

    /** Returns an address, or what stands for one that is too long. */
    static String address(String text) {
        return text.length() > MOST_ADDRESS ? TOO_LONG : text;
    }

    /** Returns a name of a host, or what stands for one that is too long. */
    static String name(String text) {
        return text.length() > MOST_NAME ? TOO_LONG : text;
    }

    /** Returns the value of a macro, or what stands for one that is too long. */
    static @Nullable String macro(@Nullable String text) {
        return text == null ? null : address(text);
    }
}
