package dev.weir.cli.config;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

import dev.weir.wire.key.Base32;

/**
 * The signatures of lists, as {@code rspamadm signtool} writes them (docs/reference/configuration-language.md#maps):
 * Ed25519 (RFC 8032) over the content, 64 bytes in a file beside it.
 */
final class MapSignatures {
    /** The size of a signature. */
    static final int BYTES = 64;

    /** The size of a public key in bytes. */
    private static final int KEY = 32;

    /** What precedes an Ed25519 public key in a SubjectPublicKeyInfo (RFC 8410). */
    private static final byte[] KEY_INFO = HexFormat.of().parseHex("302a300506032b6570032100");

    private MapSignatures() {}

    /** Returns the place of the signature of a list. */
    static String of(String location) {
        return location + ".sig";
    }

    /** Reads a public key in Rspamd's base32 or in hexadecimal digits; empty if it is not one of 32 bytes. */
    static Optional<byte[]> key(String text) {
        Optional<byte[]> key = text.length() == 2 * KEY && text.chars().allMatch(HexFormat::isHexDigit)
                ? Optional.of(HexFormat.of().parseHex(text))
                : Base32.decode(text);
        return key.filter(bytes -> bytes.length == KEY);
    }

    /**
     * Checks that one of the keys has signed a content.
     *
     * @throws IOException if none has
     */
    static void verify(byte[] content, byte[] signature, List<byte[]> keys) throws IOException {
        if (signature.length != BYTES) {
            throw new IOException("its signature has " + signature.length + " bytes, not " + BYTES);
        }
        for (byte[] key : keys) {
            if (verify(content, signature, key)) {
                return;
            }
        }
        throw new IOException(keys.isEmpty()
                ? "no key is trusted: write sign+key=KEY+, or trusted_keys in the section options"
                : "its signature is not that of a trusted key");
    }

    private static boolean verify(byte[] content, byte[] signature, byte[] key) {
        byte[] info = new byte[KEY_INFO.length + KEY];
        System.arraycopy(KEY_INFO, 0, info, 0, KEY_INFO.length);
        System.arraycopy(key, 0, info, KEY_INFO.length, KEY);
        try {
            PublicKey known = KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(info));
            Signature check = Signature.getInstance("Ed25519");
            check.initVerify(known);
            check.update(content);
            return check.verify(signature);
        } catch (GeneralSecurityException e) {
            // The key is no point of the curve, or the signature is malformed: neither proves anything.
            return false;
        }
    }
}
