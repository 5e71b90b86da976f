package dev.weir.hash.text;

import java.util.Arrays;

import dev.weir.hash.bytes.EightBytes;

/**
 * A line joiner that follows Rspamd's rules (docs/reference/hashing.md#line-breaks). A line break and the spaces after
 * it become one space. In plain text they disappear if an open {@code <} continues past the end of its line, so that a
 * long URL in angle brackets stays in one piece. Zero-width characters are removed, with Rspamd's exceptions.
 */
final class NewlineStripper {
    private enum State {
        NORMAL, SEEN_CR, SEEN_LF
    }

    private final byte[] in;
    private final boolean html;
    private final byte[] out;
    private int[] newlines = new int[64];
    private final int maxNewlines;
    private int outLength;
    private int newlineCount;

    private NewlineStripper(byte[] in, boolean html, int maxNewlines) {
        this.in = in;
        this.html = html;
        // Every emitted byte corresponds to at least one input byte.
        this.out = new byte[in.length];
        this.maxNewlines = maxNewlines;
    }

    /**
     * @param utf8 the text; zero-width characters are removed only if it is UTF-8
     * @param html whether the text was HTML
     * @param isUtf8 false for a raw part
     * @param maxNewlines maximum number of recorded line ends
     */
    static StrippedText strip(byte[] utf8, boolean html, boolean isUtf8, int maxNewlines) {
        NewlineStripper stripper = new NewlineStripper(utf8, html, maxNewlines);
        stripper.run(isUtf8);
        byte[] text = Arrays.copyOf(stripper.out, stripper.outLength);
        return new StrippedText(text, Arrays.copyOf(stripper.newlines, stripper.newlineCount));
    }

    private void run(boolean isUtf8) {
        State state = State.NORMAL;
        boolean added = false;
        boolean bracket = false;
        int length = in.length;
        for (int i = 0; i < length; i++) {
            byte b = in[i];
            if (b < 0 && isUtf8 && zeroWidth(i) > 0) {
                int width = zeroWidth(i);
                int run = zeroWidthRun(i);
                // A single one stays at the start of a line or of the text, and at the end of the text.
                if (run > i + width || (state == State.NORMAL && i > 0 && run < length)) {
                    i = run - 1;
                    continue;
                }
            }
            switch (b) {
                case '\r' -> {
                    switch (state) {
                        case NORMAL -> {
                            added = false;
                            state = State.SEEN_CR;
                        }
                        case SEEN_CR -> {
                            if (!added) {
                                space();
                                added = true;
                            }
                        }
                        case SEEN_LF -> state = State.SEEN_CR;
                    }
                    bracket = false;
                }
                case '\n' -> {
                    switch (state) {
                        case NORMAL -> {
                            if (!html && bracket) {
                                added = false;
                            } else {
                                space();
                                added = true;
                            }
                        }
                        case SEEN_CR -> {
                            if (!added) {
                                if (html || !bracket) {
                                    space();
                                } else {
                                    newline();
                                }
                                added = true;
                            }
                        }
                        case SEEN_LF -> {
                            if (!added) {
                                space();
                                added = true;
                            }
                        }
                    }
                    state = State.SEEN_LF;
                    bracket = false;
                }
                default -> {
                    if (state != State.NORMAL) {
                        state = State.NORMAL;
                        if (b == ' ') {
                            if (!added) {
                                space();
                            }
                            while (i + 1 < length && in[i + 1] == ' ') {
                                i++;
                            }
                            int after = i + 1 < length && isUtf8 ? zeroWidth(i + 1) : 0;
                            if (after > 0 && zeroWidthRun(i + 1) == i + 1 + after) {
                                System.arraycopy(in, i + 1, out, outLength, after);
                                outLength += after;
                                i += after;
                            }
                            continue;
                        }
                        if (!added) {
                            newline();
                        }
                    }
                    if (b == '<') {
                        bracket = true;
                    } else if (b == '>') {
                        bracket = false;
                    }
                    out[outLength++] = b;
                    i = plain(i + 1) - 1;
                }
            }
        }
    }

    /**
     * Emits the unchanged input from {@code from} on.
     *
     * @return position at which it ends
     */
    private int plain(int from) {
        int i = from;
        int to = outLength;
        while (i + EightBytes.WIDTH <= in.length) {
            long eight = EightBytes.at(in, i);
            if (!EightBytes.isAllAbove(eight, '\r', '<', '>')) {
                break;
            }
            EightBytes.put(out, to, eight);
            i += EightBytes.WIDTH;
            to += EightBytes.WIDTH;
        }
        while (i < in.length && in[i] > '>') {
            out[to++] = in[i++];
        }
        outLength = to;
        return i;
    }

    private void space() {
        out[outLength++] = ' ';
        newline();
    }

    private void newline() {
        if (newlineCount >= maxNewlines) {
            return;
        }
        if (newlineCount == newlines.length) {
            newlines = Arrays.copyOf(newlines, Math.min(maxNewlines, newlineCount * 2));
        }
        newlines[newlineCount++] = outLength;
    }

    /** Returns the end of the zero-width characters at {@code i}. */
    private int zeroWidthRun(int i) {
        int end = i;
        int width = zeroWidth(end);
        while (width > 0) {
            end += width;
            width = end < in.length ? zeroWidth(end) : 0;
        }
        return end;
    }

    /** Returns the length of the zero-width character at {@code i} (U+200B, U+200C, U+200D, U+FEFF, U+00AD), or 0. */
    private int zeroWidth(int i) {
        return switch (in[i] & 0xff) {
            case 0xc2 -> i + 1 < in.length && in[i + 1] == (byte) 0xad ? 2 : 0;
            case 0xe2 -> i + 2 < in.length && in[i + 1] == (byte) 0x80 && in[i + 2] >= (byte) 0x8b
                    && in[i + 2] <= (byte) 0x8d ? 3 : 0;
            case 0xef -> i + 2 < in.length && in[i + 1] == (byte) 0xbb && in[i + 2] == (byte) 0xbf ? 3 : 0;
            default -> 0;
        };
    }
}
