package dev.weir.milter.client;

import java.nio.charset.StandardCharsets;

/**
 * One packet of a filter.
 *
 * @param code its code
 * @param data what follows the code, with one character for each byte
 */
public record MilterAnswer(char code, String data) {
    static MilterAnswer of(byte[] packet) {
        return new MilterAnswer((char) (packet[0] & 0xff),
                new String(packet, 1, packet.length - 1, StandardCharsets.ISO_8859_1));
    }

    /** Returns whether the filter has more to say about the mail: this changes it. */
    public boolean isChange() {
        return "+-2abehilmpq".indexOf(code) >= 0 && code != 'a';
    }

    /** Returns a form for people: the code, then the data with {@code |} for zeros. */
    @Override
    public String toString() {
        return code + " " + data.replace('\0', '|');
    }
}
