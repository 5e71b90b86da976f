package dev.weir.hash.mime.charset.detect;

import dev.weir.hash.bytes.Ascii;

/** Evidence for encodings that switch their mode by marks: ISO-2022, HZ, UTF-7, and three-byte EUC-JP. */
final class EscapeEvidence {
    private enum Mode {
        NONE, ERROR, ONE_BYTE, TWO_BYTE
    }

    private static final int ESCAPE = 0x1b;
    private static final int SHIFT_OUT = 0x0e;
    private static final int SHIFT_IN = 0x0f;
    private static final int LAST_CONTROL = 0x1f;
    private static final int THREE_BYTE_MARK = 0x8f;
    private static final int MANY_STARTS = 8;

    private final byte[] text;
    private Mode iso2022 = Mode.NONE;
    private Mode hz = Mode.NONE;
    private boolean oddPhase;
    private int utf7Starts;
    private int utf7End;

    EscapeEvidence(byte[] text) {
        this.text = text;
    }

    /** Scores the pairs that begin with a plus sign or a tilde. */
    void addAscii(PairList pairs, Candidates candidates) {
        for (int i = pairs.scored(); i < pairs.size(); i++) {
            if (pairs.first(i) == '+') {
                addPlus(pairs.offset(i), pairs.second(i), candidates);
            } else if (pairs.first(i) == '~') {
                switch (pairs.second(i)) {
                    case '{', '}' -> candidates.add(Encodings.HZ, Weights.STRONG);
                    case '~', '\n' -> {
                    }
                    default -> candidates.add(Encodings.HZ, -Weights.STRONG);
                }
            }
        }
        if (utf7Starts >= MANY_STARTS && utf7End == 0) {
            candidates.add(Encodings.UTF_7, -8 * Weights.STRONG);
        }
    }

    private void addPlus(int offset, int second, Candidates candidates) {
        if (offset < utf7End) {
            return;
        }
        utf7Starts++;
        if (second == '-') {
            return;
        }
        int start = offset + 1;
        int length = isBase64(second) ? Base64Run.length(text, start) : 1;
        if (length == 3 || length == 6) {
            return;
        }
        int rest = length & 7;
        if ((rest == 0 || rest == 3 || rest == 6) && Base64Run.isUnicode(text, start, length)) {
            candidates.add(Encodings.UTF_7, Weights.STRONG);
            utf7End = start + length;
        } else {
            candidates.add(Encodings.UTF_7, -Weights.STRONG);
        }
    }

    private static boolean isBase64(int b) {
        return Ascii.isAlphanumeric((byte) b) || b == '+' || b == '/';
    }

    void addIso2022(PairList pairs, Candidates candidates) {
        for (int i = pairs.scored(); i < pairs.size(); i++) {
            switch (pairs.first(i)) {
                case ESCAPE -> addEscape(pairs.second(i), candidates);
                case SHIFT_OUT -> addShift(false, candidates);
                case SHIFT_IN -> addShift(true, candidates);
                // Bytes beyond ASCII count as control characters, too.
                default -> {
                    if ((byte) pairs.first(i) <= LAST_CONTROL && !isLayout(pairs.first(i))) {
                        addIso2022(-Weights.STRONG, candidates);
                    }
                }
            }
        }
        if (iso2022 == Mode.NONE) {
            candidates.capAtZero(Encodings.ISO_2022_CN);
            candidates.capAtZero(Encodings.ISO_2022_KR);
            candidates.capAtZero(Encodings.ISO_2022_JP);
        }
    }

    private static boolean isLayout(int b) {
        return b == '\t' || b == '\n' || b == '\f' || b == '\r';
    }

    private static void addIso2022(int amount, Candidates candidates) {
        candidates.add(amount, Encodings.ISO_2022_JP, Encodings.ISO_2022_CN, Encodings.ISO_2022_KR);
    }

    private void addEscape(int second, Candidates candidates) {
        switch (second) {
            case '$' -> iso2022 = Mode.TWO_BYTE;
            case '(' -> {
                if (iso2022 == Mode.TWO_BYTE) {
                    candidates.add(Encodings.ISO_2022_JP, Weights.GENTLE);
                } else if (iso2022 == Mode.ONE_BYTE) {
                    candidates.add(Encodings.ISO_2022_JP, -Weights.GENTLE);
                }
                iso2022 = Mode.ONE_BYTE;
            }
            default -> {
                addIso2022(-Weights.STRONG, candidates);
                iso2022 = Mode.ERROR;
            }
        }
    }

    /** Scores a shift character, which needs an escape sequence before it and does not exist in ISO-2022-JP. */
    private void addShift(boolean in, Candidates candidates) {
        candidates.add(Encodings.ISO_2022_JP, -Weights.STRONG);
        if (iso2022 == Mode.NONE) {
            candidates.add(-4 * Weights.STRONG, Encodings.ISO_2022_CN, Encodings.ISO_2022_KR);
            iso2022 = Mode.ERROR;
            return;
        }
        if (in && iso2022 == Mode.TWO_BYTE) {
            candidates.add(Weights.GENTLE, Encodings.ISO_2022_CN, Encodings.ISO_2022_KR);
        } else if (in && iso2022 == Mode.ONE_BYTE) {
            candidates.add(-Weights.GENTLE, Encodings.ISO_2022_CN, Encodings.ISO_2022_KR);
        }
        iso2022 = in ? Mode.ONE_BYTE : Mode.TWO_BYTE;
    }

    void addHz(PairList pairs, Candidates candidates) {
        for (int i = pairs.scored(); i < pairs.size(); i++) {
            if (pairs.first(i) != '~') {
                continue;
            }
            if (pairs.second(i) == '{') {
                hz = Mode.TWO_BYTE;
            } else if (pairs.second(i) == '}') {
                if (hz == Mode.TWO_BYTE) {
                    candidates.add(Encodings.HZ, Weights.GENTLE);
                } else if (hz == Mode.ONE_BYTE) {
                    candidates.add(Encodings.HZ, -Weights.GENTLE);
                }
                hz = Mode.ONE_BYTE;
            }
        }
        if (hz == Mode.NONE) {
            candidates.capAtZero(Encodings.HZ);
        }
    }

    /** After a three-byte character of EUC-JP, the pairs begin in the middle of characters. */
    void addEucPhase(PairList pairs, Candidates candidates) {
        for (int i = pairs.scored(); i < pairs.size(); i++) {
            if (oddPhase) {
                candidates.add(Encodings.EUC_JP, 2 * Weights.GENTLE);
            }
            changePhase(pairs.first(i));
            changePhase(pairs.second(i));
        }
    }

    private void changePhase(int b) {
        if (b < 0x80) {
            oddPhase = false;
        } else if (b == THREE_BYTE_MARK) {
            oddPhase = !oddPhase;
        }
    }

    /** The first escape sequence tells the forms of ISO-2022 apart. */
    void end(PairList pairs, Candidates candidates) {
        if (pairs.size() == 0 || pairs.first(0) != ESCAPE || pairs.second(0) != '$') {
            return;
        }
        int offset = pairs.offset(0);
        if (offset >= text.length - 3) {
            addIso2022(-Weights.STRONG, candidates);
            return;
        }
        byte third = text[offset + 2];
        byte fourth = text[offset + 3];
        int found = third == '@' || third == 'B'
                ? Encodings.ISO_2022_JP
                : third == ')' && fourth == 'C'
                        ? Encodings.ISO_2022_KR
                        : third == ')' && (fourth == 'A' || fourth == 'G') ? Encodings.ISO_2022_CN : Encodings.NONE;
        if (found != Encodings.NONE) {
            addIso2022(-Weights.STRONG, candidates);
            candidates.add(found, 2 * Weights.STRONG);
        }
    }
}
