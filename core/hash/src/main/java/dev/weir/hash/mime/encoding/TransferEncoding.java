package dev.weir.hash.mime.encoding;

import java.util.List;

import dev.weir.hash.bytes.Ascii;

/** The values of Content-Transfer-Encoding (docs/reference/hashing.md#transfer-encodings). */
public enum TransferEncoding {
    /** Absent or unknown; the bytes stay unchanged. */
    UNKNOWN, SEVEN_BIT, EIGHT_BIT, QUOTED_PRINTABLE, BASE64, UUENCODE;

    private static final String TRIMMED = " \t;,.+-#!`~'";

    static TransferEncoding ofHeader(String value) {
        int from = 0;
        int to = value.length();
        while (from < to && TRIMMED.indexOf(value.charAt(from)) >= 0) {
            from++;
        }
        while (to > from && TRIMMED.indexOf(value.charAt(to - 1)) >= 0) {
            to--;
        }
        return switch (Ascii.lower(value.substring(from, to))) {
            case "7bit" -> SEVEN_BIT;
            case "8bit", "binary" -> EIGHT_BIT;
            case "quoted-printable" -> QUOTED_PRINTABLE;
            case "base64", "base-64" -> BASE64;
            case "uuencode", "x-uuencode", "x-uue" -> UUENCODE;
            default -> UNKNOWN;
        };
    }

    /** Returns the first known encoding among several headers. */
    public static TransferEncoding ofHeaders(List<String> values) {
        for (String value : values) {
            TransferEncoding encoding = ofHeader(value);
            if (encoding != UNKNOWN) {
                return encoding;
            }
        }
        return UNKNOWN;
    }

    /** Returns the decoded bytes of {@code data[from, to)} in a new array. */
    public byte[] decode(byte[] data, int from, int to) {
        return switch (this) {
            case UNKNOWN, SEVEN_BIT, EIGHT_BIT -> java.util.Arrays.copyOfRange(data, from, to);
            case QUOTED_PRINTABLE -> QuotedPrintable.decode(data, from, to);
            case BASE64 -> LenientBase64.decode(data, from, to);
            case UUENCODE -> Uuencode.decode(data, from, to);
        };
    }
}
