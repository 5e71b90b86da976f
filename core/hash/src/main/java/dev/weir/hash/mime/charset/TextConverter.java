package dev.weir.hash.mime.charset;

import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.bytes.Utf8;
import org.jspecify.annotations.Nullable;

/** Conversion of text parts to UTF-8: chooses the charset and converts (docs/reference/hashing.md#charsets). */
public final class TextConverter {
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
            case CharsetNames.Meaning.Known known ->
                known.asciiStays() && !Ascii.hasHighBytes(body) ? body : known.toUtf8(body);
        };
    }

    private static byte @Nullable [] guessed(byte[] body, boolean declaredUtf8) {
        String guess = CharsetGuess.guess(body);
        if (guess == null) {
            return declaredUtf8 ? Utf8.replaceInvalid(body, (byte) '?') : null;
        }
        return switch (CharsetNames.detected(guess)) {
            case CharsetNames.Meaning.Known known -> known.toUtf8(body);
            case CharsetNames.Meaning.Utf8Name(),CharsetNames.Meaning.AsciiName() -> body; // with its invalid bytes
            case CharsetNames.Meaning.Unknown() -> null; // binary data, or a charset without a converter
        };
    }
}
