package dev.weir.hash.mime.charset.detect;

import java.nio.charset.StandardCharsets;

/** Evidence in the first four bytes of a text: byte order marks, ASCII in UTF-16 or UTF-32, signatures of files. */
final class FirstBytes {
    private static final int CERTAIN = 12 * Weights.STRONG;
    private static final int LIKELY = 4 * Weights.STRONG;
    private static final int HEAD = 4;

    private FirstBytes() {}

    /** Scores the first bytes and returns the encoding that a byte order mark names, or {@link Encodings#NONE}. */
    static int score(byte[] text, Candidates candidates) {
        if (text.length < HEAD) {
            return Encodings.NONE;
        }
        int four = ((text[0] & 0xff) << 24) | ((text[1] & 0xff) << 16) | ((text[2] & 0xff) << 8) | (text[3] & 0xff);
        int marked = mark(four);
        if (marked != Encodings.NONE) {
            candidates.add(marked, isUtf16(marked) ? 3 * Weights.STRONG : 2 * Weights.STRONG);
        } else if (!scoreWide(four, candidates)) {
            candidates.add(Encodings.BINARY, signature(text, four));
        }
        boolean utf16 = candidates.score(Encodings.UTF_16BE) > 0 || candidates.score(Encodings.UTF_16LE) > 0;
        boolean utf32 = candidates.score(Encodings.UTF_32BE) > 0 || candidates.score(Encodings.UTF_32LE) > 0;
        if (!utf16) {
            candidates.add(Encodings.UTF_16BE, -8 * Weights.STRONG);
            candidates.add(Encodings.UTF_16LE, -16 * Weights.STRONG);
        }
        if (!utf32) {
            candidates.add(-8 * Weights.STRONG, Encodings.UTF_32BE, Encodings.UTF_32LE);
        }
        candidates.add(Encodings.UTF_8_MIXED, -8 * Weights.STRONG);
        return marked;
    }

    private static int mark(int four) {
        if (four >>> 8 == 0xefbbbf) {
            return Encodings.UTF_8;
        }
        if (four == 0x0000feff) {
            return Encodings.UTF_32BE;
        }
        if (four == 0xfffe0000) {
            return Encodings.UTF_32LE;
        }
        return switch (four >>> 16) {
            case 0xfeff -> Encodings.UTF_16BE;
            case 0xfffe -> Encodings.UTF_16LE;
            default -> Encodings.NONE;
        };
    }

    private static boolean isUtf16(int encoding) {
        return encoding == Encodings.UTF_16BE || encoding == Encodings.UTF_16LE;
    }

    /** Scores ASCII with zero bytes between, and bytes that UTF-16 and UTF-32 forbid. Returns whether there are any. */
    private static boolean scoreWide(int four, Candidates candidates) {
        int first = four >>> 24;
        int second = (four >>> 16) & 0xff;
        if (four >>> 8 == 0 && isPrintable(four)) {
            candidates.add(Encodings.UTF_32BE, Weights.STRONG);
            candidates.add(Encodings.UTF_32LE, -Weights.STRONG);
        } else if ((four & 0xffffff) == 0 && isPrintable(first)) {
            candidates.add(Encodings.UTF_32LE, Weights.STRONG);
            candidates.add(Encodings.UTF_32BE, -Weights.STRONG);
        } else if (first == 0 && isPrintable(second)) {
            candidates.add(Encodings.UTF_16BE, Weights.STRONG);
        } else if (second == 0 && isPrintable(first)) {
            candidates.add(Encodings.UTF_16LE, Weights.STRONG);
        } else if (four == 0 || four == -1) {
            candidates.add(-Weights.STRONG, Encodings.UTF_32BE, Encodings.UTF_32LE, Encodings.UTF_16BE,
                    Encodings.UTF_16LE);
        } else if (four >>> 16 == 0 || four >>> 16 == 0xffff) {
            candidates.add(-Weights.STRONG, Encodings.UTF_16BE, Encodings.UTF_16LE);
        } else {
            return false;
        }
        return true;
    }

    /** Whether a byte is printable ASCII, a tab or a line break. */
    static boolean isPrintable(int b) {
        return (b >= ' ' && b <= '~') || b == '\t' || b == '\n' || b == '\r';
    }

    /** Returns how much the signature of a file speaks for binary data. */
    private static int signature(byte[] text, int four) {
        if (four >>> 8 == 0xffd8ff || four >>> 8 == 0x1f8b08 || four >>> 16 == 0x78da) {
            return CERTAIN; // JPEG, gzip, zlib
        }
        if ((four & 0xffffff1f) == 0x66535700 || (four & 0xffffff1f) == 0x63535700) {
            return CERTAIN; // Flash
        }
        return switch (four) {
            // PNG, GIF, ZIP, PDF, ELF, TIFF in both byte orders, Final Cut
            case 0x89504e47, 0x47494638, 0x504b0304, 0x25504446, 0x7f454c46, 0x4d4d002a, 0x2a004d4d, 0x01666370 ->
                CERTAIN;
            // Images of astronomy (CCSD, SIMPLE), Photoshop
            case 0x43435344, 0x53494d50, 0x38425053 -> CERTAIN;
            // Hangul word processor, planetary data
            case 0x48575020 ->
                startsWith(text, "HWP.Document.File.V") || startsWith(text, "HWP Document File V") ? CERTAIN : LIKELY;
            case 0x5044535f -> startsWith(text, "PDS_VERSION_ID") ? CERTAIN : LIKELY;
            default -> 0;
        };
    }

    private static boolean startsWith(byte[] text, String word) {
        return text.length >= word.length()
                && new String(text, 0, word.length(), StandardCharsets.ISO_8859_1).equals(word);
    }
}
