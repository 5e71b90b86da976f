package dev.weir.milter.protocol;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The packets of a filter, collected until they are sent (docs/reference/milter-protocol.md#replies). A text keeps the
 * low byte of each character, and may have no zero. For one thread.
 */
public final class MilterAnswers {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(64);

    /** Creates an empty collection. */
    public MilterAnswers() {}

    /** Accepts an offer. */
    public void agree(MilterOffer offer) {
        packet('O', offer.bytes());
    }

    /** Goes on. After the end of a mail, this accepts the mail with the changes before. */
    public void proceed() {
        packet('c');
    }

    /** Asks for no more pieces of the body. */
    public void skip() {
        packet('s');
    }

    /** Accepts the mail and drops it. */
    public void discard() {
        packet('d');
    }

    /**
     * Refuses the mail with a reply of SMTP.
     *
     * @param reply a status, an extended status and a text, such as {@code 550 5.7.1 Spam}; one line of ASCII
     */
    public void refuse(String reply) {
        // Mail servers take a percent sign for the start of a directive.
        packet('y', text(reply.replace("%", "%%")));
    }

    /** Appends a header field to the header. */
    public void addHeader(String name, String value) {
        packet('h', text(name), text(value));
    }

    /**
     * Replaces a header field.
     *
     * @param number the number among the fields of that name, from 1
     * @param value an empty value deletes the field
     */
    public void changeHeader(int number, String name, String value) {
        packet('m', ByteBuffer.allocate(Integer.BYTES).putInt(number).array(), text(name), text(value));
    }

    /** Has the mail server hold back the mail, for a reason. */
    public void quarantine(String reason) {
        packet('q', text(reason));
    }

    private static byte[] text(String text) {
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a text with a zero");
        }
        byte[] bytes = new byte[text.length() + 1];
        System.arraycopy(text.getBytes(StandardCharsets.ISO_8859_1), 0, bytes, 0, text.length());
        return bytes;
    }

    private void packet(char code, byte[]... parts) {
        int length = 1;
        for (byte[] part : parts) {
            length += part.length;
        }
        bytes.writeBytes(ByteBuffer.allocate(Integer.BYTES + 1).putInt(length).put((byte) code).array());
        for (byte[] part : parts) {
            bytes.writeBytes(part);
        }
    }

    /** Returns whether there is nothing to send. */
    public boolean isEmpty() {
        return bytes.size() == 0;
    }

    /** Sends everything and becomes empty. */
    public void writeTo(OutputStream out) throws IOException {
        bytes.writeTo(out);
        bytes.reset();
    }
}
