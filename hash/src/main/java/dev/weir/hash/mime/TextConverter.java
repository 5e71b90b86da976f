package dev.weir.hash.mime;

import org.jspecify.annotations.Nullable;

/** Decides in which charset a text part is and converts it (specification 1.9). */
final class TextConverter {
    private TextConverter() {}

    /**
     * The text in UTF-8, or null if it cannot be converted and stays raw.
     *
     * @param charset the charset parameter
     */
    static byte @Nullable [] toUtf8(byte[] body, @Nullable String charset) {
        boolean valid = Utf8.isValid(body);
        CharsetNames.Meaning meaning = charset == null || charset.isEmpty()
                ? new CharsetNames.Meaning.Unknown()
                : CharsetNames.meaning(charset);
        return switch (meaning) {
            case CharsetNames.Meaning.Unknown() -> valid ? body : guessed(body, false);
            case CharsetNames.Meaning.Utf8Name(),CharsetNames.Meaning.AsciiName() -> valid ? body : guessed(body, true);
            case CharsetNames.Meaning.Known(var known) -> Conversion.toUtf8(body, known);
        };
    }

    private static byte @Nullable [] guessed(byte[] body, boolean declaredUtf8) {
        String guess = CharsetGuess.guess(body);
        if (guess == null) {
            return declaredUtf8 ? Utf8.replaceInvalid(body, (byte) '?') : null;
        }
        return switch (CharsetNames.meaning(guess)) {
            case CharsetNames.Meaning.Known(var known) -> Conversion.toUtf8(body, known);
            case CharsetNames.Meaning.Utf8Name(),CharsetNames.Meaning.AsciiName() ->
                Utf8.replaceInvalid(body, (byte) '?');
            case CharsetNames.Meaning.Unknown() -> declaredUtf8 ? Utf8.replaceInvalid(body, (byte) '?') : null;
        };
    }
}
