package dev.weir.hash.mime.header;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.bytes.Utf8;
import dev.weir.hash.effort.Effort;
import dev.weir.hash.mime.charset.CharsetNames;
import dev.weir.hash.mime.encoding.LenientBase64;
import org.jspecify.annotations.Nullable;

/** A decoder for the encoded words of RFC 2047, as lenient as Rspamd (docs/reference/hashing.md#header-values). */
public final class HeaderText {
    /** Cost of one word, in units of {@link Effort#spend}. */
    private static final int STEPS = 2_000;

    private final String value;
    private final Effort effort;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    /** Payload of adjacent words, which are converted together. */
    private final ByteArrayOutputStream pending = new ByteArrayOutputStream();
    private String pendingCharset = "";
    private int noWordsFrom = Integer.MAX_VALUE;

    private HeaderText(String value, Effort effort) {
        this.value = value;
        this.effort = effort;
    }

    /** One encoded word, from {@code =?} to {@code ?=}. */
    private record Word(String charset, boolean base64, int payloadStart, int payloadEnd, int end) {}

    /** Returns the decoded value as valid UTF-8 without control characters. */
    public static byte[] decode(String value, Effort effort) {
        effort.spend(value.length());
        HeaderText text = new HeaderText(value, effort);
        text.run();
        byte[] decoded = text.out.toByteArray();
        for (int i = 0; i < decoded.length; i++) {
            byte b = decoded[i];
            if (Ascii.isSpace(b)) {
                decoded[i] = ' ';
            } else if ((b >= 0 && b < ' ') || b == 0x7f) {
                decoded[i] = '?';
            }
        }
        return Utf8.replaceInvalid(decoded, (byte) '?');
    }

    private void run() {
        int at = 0;
        int plainStart = 0;
        boolean afterWord = false;
        while (at < value.length()) {
            Word word = value.charAt(at) == '=' ? wordAt(at) : null;
            if (word == null) {
                at++;
                continue;
            }
            if (!(afterWord && isBlank(plainStart, at))) {
                flush();
                plain(plainStart, at);
            }
            take(word);
            afterWord = true;
            at = word.end();
            plainStart = at;
        }
        flush();
        // White space after a word counts neither before the next word nor at the end.
        if (!(afterWord && isBlank(plainStart, value.length()))) {
            plain(plainStart, value.length());
        }
    }

    private @Nullable Word wordAt(int at) {
        if (!value.startsWith("=?", at)) {
            return null;
        }
        int charsetEnd = value.indexOf('?', at + 2);
        if (charsetEnd <= at + 2 || charsetEnd + 2 >= value.length() || value.charAt(charsetEnd + 2) != '?') {
            return null;
        }
        char encoding = value.charAt(charsetEnd + 1);
        boolean base64 = encoding == 'B' || encoding == 'b';
        if (!base64 && encoding != 'Q' && encoding != 'q') {
            return null;
        }
        int payload = charsetEnd + 3;
        int end = payload >= noWordsFrom ? -1 : value.indexOf("?=", payload);
        if (end < 0) {
            // Remember the failure, so that many openings without an end cost only one search.
            noWordsFrom = Math.min(noWordsFrom, payload);
        }
        if (end <= payload) {
            return null;
        }
        String charset = Ascii.lower(value.substring(at + 2, charsetEnd));
        int language = charset.indexOf('*');
        return new Word(language > 0 ? charset.substring(0, language) : charset, base64, payload, end, end + 2);
    }

    private void take(Word word) {
        effort.spend(STEPS);
        byte[] payload = Ascii.bytes(value.substring(word.payloadStart(), word.payloadEnd()));
        byte[] decoded = word.base64() ? LenientBase64.decode(payload, 0, payload.length) : decodeQ(payload);
        // Adjacent words form one text, even if their charsets differ; the charset of the last one applies. In
        // iso-2022-jp the shift state ends with each word, so words are converted one by one.
        if (word.charset().equals("iso-2022-jp")) {
            flush();
        }
        pendingCharset = word.charset();
        pending.writeBytes(decoded);
    }

    private static byte[] decodeQ(byte[] payload) {
        byte[] out = new byte[payload.length];
        int length = 0;
        for (int i = 0; i < payload.length; i++) {
            byte b = payload[i];
            if (b == '_') {
                out[length++] = ' ';
            } else if (b == '=' && i + 2 < payload.length && Ascii.hex(payload[i + 1]) >= 0
                    && Ascii.hex(payload[i + 2]) >= 0) {
                out[length++] = (byte) (Ascii.hex(payload[i + 1]) << 4 | Ascii.hex(payload[i + 2]));
                i += 2;
            } else {
                out[length++] = b;
            }
        }
        return Arrays.copyOf(out, length);
    }

    /** Converts and emits the words collected so far. */
    private void flush() {
        if (pending.size() == 0) {
            return;
        }
        byte[] bytes = pending.toByteArray();
        pending.reset();
        switch (CharsetNames.meaning(pendingCharset)) {
            case CharsetNames.Meaning.Utf8Name(),CharsetNames.Meaning.AsciiName() -> out.writeBytes(bytes);
            case CharsetNames.Meaning.Unknown() -> {
                // Drop the word.
            }
            case CharsetNames.Meaning.Known known -> {
                byte[] converted = known.toUtf8(bytes);
                out.writeBytes(converted != null ? converted : bytes);
            }
        }
    }

    private void plain(int from, int to) {
        byte[] bytes = Ascii.bytes(value.substring(from, to));
        for (int i = 0; i < bytes.length;) {
            int length = Utf8.sequence(bytes, i, bytes.length);
            if (length == 0) {
                out.writeBytes(Utf8.bytes("\ufffd"));
                i++;
            } else {
                out.write(bytes, i, length);
                i += length;
            }
        }
    }

    private boolean isBlank(int from, int to) {
        for (int i = from; i < to; i++) {
            if (!Ascii.isSpace(value.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    /** Converts {@code bytes} from the named charset to UTF-8; returns null for an unknown charset. */
    static byte @Nullable [] toUtf8(byte[] bytes, String charset) {
        return switch (CharsetNames.meaning(charset)) {
            case CharsetNames.Meaning.Utf8Name(),CharsetNames.Meaning.AsciiName() -> bytes;
            case CharsetNames.Meaning.Known known -> known.toUtf8(bytes);
            case CharsetNames.Meaning.Unknown() -> null;
        };
    }
}
