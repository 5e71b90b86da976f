package dev.weir.wire.key;

import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;

import dev.weir.wire.Protocol;

/** The encoding of keys in a key file (docs/reference/protocol.md#key-files). */
public enum KeyEncoding {
    /** {@link Base32}, the default. All tools write this encoding. */
    BASE32,
    /** Hexadecimal of either case. */
    HEX,
    /** Base64 (RFC 4648), with or without padding. */
    BASE64;

    /** Returns the encoding with a name of any case. As in Rspamd, every other name means base32. */
    public static KeyEncoding named(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "hex" -> HEX;
            case "base64" -> BASE64;
            default -> BASE32;
        };
    }

    /** Encodes bytes. */
    public String encode(byte[] bytes) {
        return switch (this) {
            case BASE32 -> Base32.encode(bytes);
            case HEX -> HexFormat.of().formatHex(bytes);
            case BASE64 -> Base64.getEncoder().encodeToString(bytes);
        };
    }

    /** Decodes a text. Returns empty if the text is not in this encoding. */
    public Optional<byte[]> decode(String text) {
        return switch (this) {
            case BASE32 -> Base32.decode(text);
            case HEX -> hex(text);
            case BASE64 -> base64(text);
        };
    }

    /** Decodes hexadecimal digits. As in Rspamd, an odd last digit is ignored. */
    private static Optional<byte[]> hex(String text) {
        byte[] bytes = new byte[text.length() / 2];
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!HexFormat.isHexDigit(c)) {
                return Optional.empty();
            }
            if (i / 2 < bytes.length) {
                bytes[i / 2] = (byte) (bytes[i / 2] << 4 | HexFormat.fromHexDigit(c));
            }
        }
        return Optional.of(bytes);
    }

    private static Optional<byte[]> base64(String text) {
        try {
            return Optional.of(Base64.getDecoder().decode(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Decodes a key of exactly 32 bytes. Returns empty for every other text. */
    Optional<byte[]> key(String text) {
        Optional<byte[]> bytes = decode(text);
        Optional<byte[]> key = bytes.filter(it -> it.length == Protocol.KEY);
        if (key.isEmpty()) {
            bytes.ifPresent(it -> Arrays.fill(it, (byte) 0));
        }
        return key;
    }
}
