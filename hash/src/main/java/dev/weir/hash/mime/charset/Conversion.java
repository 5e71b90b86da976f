package dev.weir.hash.mime.charset;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;

import dev.weir.hash.bytes.Utf8;
import org.jspecify.annotations.Nullable;

/** Bytes in some charset to UTF-8, bad input becoming U+FFFD. */
public final class Conversion {
    private Conversion() {}

    /** The text in UTF-8, or null if the converter fails on it. */
    public static byte @Nullable [] toUtf8(byte[] data, Charset charset) {
        try {
            CharBuffer text = charset.newDecoder().onMalformedInput(CodingErrorAction.REPLACE).onUnmappableCharacter(
                    CodingErrorAction.REPLACE).replaceWith("\ufffd").decode(ByteBuffer.wrap(data));
            return Utf8.bytes(text.toString());
        } catch (CharacterCodingException | RuntimeException e) {
            // Some of ICU4J's stateful converters overrun their buffers on garbage; for us that is text we cannot read.
            return null;
        }
    }
}
