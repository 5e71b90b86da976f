package dev.weir.hash.mime.charset;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;

import dev.weir.hash.bytes.Utf8;
import org.jspecify.annotations.Nullable;

/** Conversion of bytes from a charset to UTF-8. Malformed input becomes U+FFFD. */
final class Conversion {
    private Conversion() {}

    /** Returns the text in UTF-8, or null if the converter fails. */
    static byte @Nullable [] toUtf8(byte[] data, Charset charset) {
        try {
            CharBuffer text = charset.newDecoder().onMalformedInput(CodingErrorAction.REPLACE).onUnmappableCharacter(
                    CodingErrorAction.REPLACE).replaceWith("\ufffd").decode(ByteBuffer.wrap(data));
            return Utf8.bytes(text.toString());
        } catch (CharacterCodingException | RuntimeException e) {
            // Some stateful converters of ICU4J overrun their buffers on garbage; such text is unreadable.
            return null;
        }
    }
}
