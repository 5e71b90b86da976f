package dev.weir.wire.box;

import java.util.Arrays;

import dev.weir.wire.LittleEndian;
import dev.weir.wire.Protocol;
import dev.weir.wire.Vectors;
import dev.weir.wire.key.Secret;
import dev.weir.wire.key.X25519;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.bouncycastle.crypto.engines.ChaChaEngine;
import org.bouncycastle.crypto.params.KeyParameter;
import org.bouncycastle.crypto.params.ParametersWithIV;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares the primitives with known answers and with Bouncy Castle. */
final class PrimitivesTest {
    private static byte[] hex(JsonNode node, String name) {
        return Vectors.bytes(node.path(name).asString());
    }

    static int[] words(byte[] bytes) {
        int[] words = new int[bytes.length / Integer.BYTES];
        for (int i = 0; i < words.length; i++) {
            words[i] = LittleEndian.getInt(bytes, i * Integer.BYTES);
        }
        return words;
    }

    private static byte[] hchacha20(byte[] key, byte[] input) {
        int[] state = new int[ChaCha20.STATE];
        ChaCha20.key(state, key, 0);
        int[] words = words(input);
        ChaCha20.input(state, words[0], words[1], words[2], words[3]);
        int[] out = new int[ChaCha20.STATE];
        ChaCha20.derive(state, out);
        byte[] derived = new byte[Protocol.KEY];
        for (int i = 0; i < 8; i++) {
            LittleEndian.putInt(derived, i * Integer.BYTES, out[i]);
        }
        return derived;
    }

    private static byte[] poly1305(byte[] key, byte[] bytes, int offset, int length) {
        Poly1305 poly = new Poly1305();
        poly.mac(words(key), bytes, offset, length);
        byte[] tag = new byte[Protocol.MAC];
        poly.writeTag(tag, 0);
        assertThat(poly.verify(tag, 0)).isTrue();
        for (int bit = 0; bit < tag.length * 8; bit++) {
            tag[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(poly.verify(tag, 0)).isFalse();
            tag[bit / 8] ^= (byte) (1 << bit % 8);
        }
        return tag;
    }

    @Test
    void matchesTheTestVectors() {
        JsonNode all = Vectors.ROOT.path("primitives");
        int good = 0;
        for (JsonNode entry : all.path("hchacha20")) {
            assertThat(hchacha20(hex(entry, "key"), hex(entry, "input16"))).isEqualTo(hex(entry, "output"));
            good++;
        }
        for (JsonNode entry : all.path("x25519")) {
            assertThat(X25519.multiply(Secret.of(hex(entry, "scalar")), hex(entry, "u")))
                    .hasValue(hex(entry, "output"));
            good++;
        }
        for (JsonNode entry : all.path("poly1305")) {
            byte[] message = hex(entry, "message");
            assertThat(poly1305(hex(entry, "key"), message, 0, message.length)).isEqualTo(hex(entry, "tag"));
            good++;
        }
        for (JsonNode entry : all.path("blake2b512")) {
            org.bouncycastle.crypto.digests.Blake2bDigest digest = new org.bouncycastle.crypto.digests.Blake2bDigest(
                    512);
            byte[] message = hex(entry, "message");
            digest.update(message, 0, message.length);
            byte[] out = new byte[Protocol.DIGEST];
            digest.doFinal(out, 0);
            assertThat(out).isEqualTo(hex(entry, "digest"));
            good++;
        }
        int known = all.path("hchacha20").size() + all.path("x25519").size() + all.path("poly1305").size()
                + all.path("blake2b512").size();
        System.out.println("wire: primitives " + good + " of " + known);
        assertThat(good).isEqualTo(known).isEqualTo(4);
        assertThat(all.size()).isEqualTo(4);
    }

    @Property(seed = "3")
    void chacha20MatchesBouncyCastle(@ForAll @Size(32) byte[] key, @ForAll @Size(8) byte[] nonce,
            @ForAll @Size(max = 400) byte[] text, @ForAll @IntRange(max = 9) int offset) {
        ChaChaEngine engine = new ChaChaEngine();
        engine.init(true, new ParametersWithIV(new KeyParameter(key), nonce));
        byte[] expected = new byte[text.length];
        engine.processBytes(text, 0, text.length, expected, 0);

        int[] state = new int[ChaCha20.STATE];
        ChaCha20.key(state, key, 0);
        ChaCha20.input(state, 0, 0, LittleEndian.getInt(nonce, 0), LittleEndian.getInt(nonce, 4));
        byte[] buffer = new byte[offset + text.length + 3];
        System.arraycopy(text, 0, buffer, offset, text.length);
        ChaCha20.apply(state, new int[ChaCha20.STATE], buffer, offset, text.length);
        assertThat(Arrays.copyOfRange(buffer, offset, offset + text.length)).isEqualTo(expected);
        assertThat(Arrays.copyOfRange(buffer, offset + text.length, buffer.length)).containsOnly(0);
    }

    @Test
    void theBlockCounterHas64Bits() {
        int[] state = new int[ChaCha20.STATE];
        ChaCha20.input(state, -1, 7, 0, 0);
        ChaCha20.block(state, new int[ChaCha20.STATE]);
        assertThat(state[12]).isZero();
        assertThat(state[13]).isEqualTo(8);
    }

    @Property(seed = "4")
    void poly1305MatchesBouncyCastle(@ForAll @Size(32) byte[] key, @ForAll @Size(max = 200) byte[] text,
            @ForAll @IntRange(max = 17) int skip) {
        int offset = Math.min(skip, text.length);
        assertThat(poly1305(key, text, offset, text.length - offset)).isEqualTo(other(key, text, offset));
    }

    /** Numbers close to the modulus, which random input does not reach. */
    @Test
    void poly1305HandlesNumbersCloseToTheModulus() {
        int checked = 0;
        for (int fill : new int[]{0x00, 0xff}) {
            byte[] key = new byte[32];
            Arrays.fill(key, (byte) fill);
            for (int r : new int[]{0, 1, 2, 5, 0xff}) {
                key[0] = (byte) r;
                for (int length = 0; length <= 64; length++) {
                    for (int first : new int[]{0x00, 0xfa, 0xfb, 0xfc, 0xff}) {
                        byte[] text = new byte[length];
                        Arrays.fill(text, (byte) 0xff);
                        if (length > 0) {
                            text[0] = (byte) first;
                        }
                        assertThat(poly1305(key, text, 0, length)).isEqualTo(other(key, text, 0));
                        checked++;
                    }
                }
            }
        }
        assertThat(checked).isEqualTo(2 * 5 * 65 * 5);
    }

    private static byte[] other(byte[] key, byte[] text, int offset) {
        org.bouncycastle.crypto.macs.Poly1305 mac = new org.bouncycastle.crypto.macs.Poly1305();
        // Bouncy Castle also accepts an unclamped key and clamps it.
        mac.init(new KeyParameter(key));
        mac.update(text, offset, text.length - offset);
        byte[] tag = new byte[Protocol.MAC];
        mac.doFinal(tag, 0);
        return tag;
    }

    @Property(seed = "5", tries = 200)
    void x25519MatchesBouncyCastle(@ForAll @Size(32) byte[] scalar, @ForAll @Size(32) byte[] point) {
        byte[] expected = new byte[Protocol.KEY];
        org.bouncycastle.math.ec.rfc7748.X25519.scalarMult(scalar, 0, point, 0, expected, 0);
        boolean zero = Arrays.equals(expected, new byte[Protocol.KEY]);
        assertThat(X25519.multiply(Secret.of(scalar), point).isEmpty()).isEqualTo(zero);
        if (!zero) {
            assertThat(X25519.multiply(Secret.of(scalar), point)).hasValue(expected);
        }
        byte[] own = new byte[Protocol.KEY];
        org.bouncycastle.math.ec.rfc7748.X25519.scalarMultBase(scalar, 0, own, 0);
        assertThat(X25519.publicKey(Secret.of(scalar)).bytes()).isEqualTo(own);
    }

    @Test
    void coordinatesBeyondTheFieldAreReduced() {
        byte[] scalar = new byte[Protocol.KEY];
        Arrays.fill(scalar, (byte) 0x5a);
        int checked = 0;
        // 2^255 - 19 + 2 to 2^255 - 1 are equivalent to 2..18; the top bit is ignored.
        for (int low = 0xef; low <= 0xff; low++) {
            for (int top : new int[]{0x7f, 0xff}) {
                byte[] point = new byte[Protocol.KEY];
                Arrays.fill(point, (byte) 0xff);
                point[0] = (byte) low;
                point[31] = (byte) top;
                byte[] expected = new byte[Protocol.KEY];
                org.bouncycastle.math.ec.rfc7748.X25519.scalarMult(scalar, 0, point, 0, expected, 0);
                assertThat(X25519.multiply(Secret.of(scalar), point)).hasValue(expected);
                checked++;
            }
        }
        assertThat(checked).isEqualTo(34);
    }
}
