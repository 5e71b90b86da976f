package dev.weir.hash.mime.charset;

import java.nio.charset.StandardCharsets;

import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.bytes.Utf8;
import org.jspecify.annotations.Nullable;

/** Conversion of text parts to UTF-8: chooses the charset and converts (docs/reference/hashing.md#charsets). */
public final class TextConverter {
    private static final char REPLACEMENT = '\ufffd';
    /** A text is UTF-8 if it has at least this many valid characters outside ASCII per invalid byte. */
    private static final int MANY = 3;

    private TextConverter() {}

    /**
     * Returns the text in UTF-8, or null if it cannot be converted and stays raw.
     *
     * @param charset value of the charset parameter
     */
    public static byte @Nullable [] toUtf8(byte[] body, @Nullable String charset) {
        CharsetNames.Meaning meaning = charset == null || charset.isEmpty()
                ? new CharsetNames.Meaning.Unknown()
                : CharsetNames.meaning(charset);
        return switch (meaning) {
            case CharsetNames.Meaning.Unknown() -> Utf8.isValid(body) ? body : guessed(body, false);
            case CharsetNames.Meaning.Utf8Name(),CharsetNames.Meaning.AsciiName() ->
                Utf8.isValid(body) ? body : guessed(body, true);
            case CharsetNames.Meaning.Known(var known, var asciiStays) ->
                asciiStays && !Ascii.hasHighBytes(body) ? body : Conversion.toUtf8(body, known);
        };
    }

    private static byte @Nullable [] guessed(byte[] body, boolean declaredUtf8) {
        if (isMostlyUtf8(body)) {
            return body;
        }
        String guess = CharsetGuess.guess(body);
        if (guess == null) {
            return declaredUtf8 ? Utf8.replaceInvalid(body, (byte) '?') : null;
        }
        return switch (CharsetNames.meaning(guess)) {
            case CharsetNames.Meaning.Known(var known, _) -> Conversion.toUtf8(body, known);
            case CharsetNames.Meaning.Utf8Name(),CharsetNames.Meaning.AsciiName() ->
                Utf8.replaceInvalid(body, (byte) '?');
            case CharsetNames.Meaning.Unknown() -> null; // binary data, or a charset without a converter
        };
    }

    /**
     * Whether valid characters outside ASCII far outnumber the invalid bytes. Rspamd detects nearly all such texts as
     * UTF-8 and leaves them unchanged.
     */
    private static boolean isMostlyUtf8(byte[] body) {
        String text = new String(body, StandardCharsets.UTF_8);
        int valid = 0;
        int invalid = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            invalid += c == REPLACEMENT ? 1 : 0;
            valid += c >= 0x80 && c != REPLACEMENT && !Character.isLowSurrogate(c) ? 1 : 0;
        }
        return valid >= MANY * invalid;
    }
}
