package dev.weir.wire.key;

import java.io.Serializable;
import java.security.SecureRandom;
import java.util.List;

import dev.weir.wire.LittleEndian;
import dev.weir.wire.Protocol;
import dev.weir.wire.Vectors;
import dev.weir.wire.box.ClientSession;
import dev.weir.wire.box.SharedKey;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class KeyPairTest {
    @Test
    void namesKeysLikeRspamd() throws KeyFileException {
        List<JsonNode> entries = Vectors.list("keypairs");
        int good = 0;
        for (JsonNode entry : entries) {
            PublicKey key = PublicKey.of(Vectors.bytes(entry.path("pubkey_hex").asString()));
            assertThat(key.base32()).isEqualTo(entry.path("pubkey_base32").asString());
            assertThat(PublicKey.parse(key.base32())).hasValue(key);
            assertThat(PublicKey.parse(entry.path("pubkey_hex").asString(), KeyEncoding.HEX)).hasValue(key);
            assertThat(key.statName()).isEqualTo(entry.path("stat_key_name").asString());
            byte[] wireId = new byte[Long.BYTES];
            LittleEndian.putLong(wireId, 0, key.wireId());
            assertThat(Vectors.hex(wireId)).isEqualTo(entry.path("wire_key_id_hex").asString());
            if (entry.has("id_hex")) {
                assertThat(Vectors.hex(key.id())).isEqualTo(entry.path("id_hex").asString());
                assertThat(Base32.encode(key.id())).isEqualTo(entry.path("id_base32").asString());
                assertThat(key.shortId()).isEqualTo(entry.path("short_id_base32").asString());
            }
            if (entry.has("privkey_hex")) {
                byte[] secret = Vectors.bytes(entry.path("privkey_hex").asString());
                assertThat(Base32.encode(secret)).isEqualTo(entry.path("privkey_base32").asString());
                KeyPair pair = KeyPair.of(Secret.of(secret));
                assertThat(pair.publicKey()).isEqualTo(key);
                assertThat(pair.consistent()).isTrue();
                assertThat(KeyFile.parse(pair.toUcl())).isEqualTo(pair);
                assertThat(KeyFile.parse(pair.toJson())).isEqualTo(pair);
            }
            good++;
        }
        System.out.println("wire: keypairs " + good + " of " + entries.size());
        assertThat(good).isEqualTo(12);
    }

    @Test
    void aSecretIsNotShown() {
        KeyPair pair = KeyPair.generate(new SecureRandom());
        byte[] secret = pair.secret().reveal();
        for (String shown : List.of(pair.toString(), pair.secret().toString(),
                SharedKey.of(pair.secret(), pair.publicKey()).orElseThrow().toString(),
                ClientSession.of(pair, pair.publicKey()).orElseThrow().toString())) {
            assertThat(shown).doesNotContain(Base32.encode(secret)).doesNotContain(Vectors.hex(secret));
        }
        assertThat(pair.secret().toString()).isEqualTo("Secret[redacted]");
        assertThat(pair.secret()).isNotInstanceOf(Serializable.class);
        assertThat(pair).isNotInstanceOf(Serializable.class);
        assertThat(pair.secret().hashCode()).isEqualTo(Secret.generate(new SecureRandom()).hashCode());
    }

    @Test
    void aSecretCopiesItsBytesInAndOut() {
        byte[] bytes = new byte[Protocol.KEY];
        Secret secret = Secret.of(bytes);
        bytes[0] = 1;
        secret.reveal()[1] = 1;
        assertThat(secret).isEqualTo(Secret.of(new byte[Protocol.KEY])).isNotEqualTo(Secret.of(bytes));
    }

    @Test
    void generatedSecretsAreClampedAndDiffer() {
        SecureRandom random = new SecureRandom();
        KeyPair first = KeyPair.generate(random);
        byte[] secret = first.secret().reveal();
        assertThat(secret[0] & 7).isZero();
        assertThat(secret[31] & 0xc0).isEqualTo(0x40);
        assertThat(first.consistent()).isTrue();
        assertThat(KeyPair.generate(random)).isNotEqualTo(first);
    }

    @Test
    void detectsAForeignPublicKeyOnDemand() {
        KeyPair one = KeyPair.generate(new SecureRandom());
        KeyPair other = KeyPair.generate(new SecureRandom());
        assertThat(new KeyPair(one.publicKey(), other.secret()).consistent()).isFalse();
    }

    @Test
    void rejectsKeysOfAnotherLength() {
        assertThatThrownBy(() -> PublicKey.of(new byte[31])).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Secret.of(new byte[33])).isInstanceOf(IllegalArgumentException.class);
        assertThat(PublicKey.parse("y".repeat(51))).isPresent();
        assertThat(PublicKey.parse("y".repeat(50))).isEmpty();
        assertThat(PublicKey.parse("y".repeat(54))).isEmpty();
        assertThat(PublicKey.parse("Y".repeat(52))).isEmpty();
    }

    @Property(seed = "2")
    void everyEncodingDecodesItsOwnOutput(@ForAll KeyEncoding encoding, @ForAll @Size(max = 70) byte[] bytes) {
        assertThat(encoding.decode(encoding.encode(bytes))).hasValue(bytes);
    }

    @Test
    void hexIgnoresAnOddDigitLikeRspamd() {
        assertThat(KeyEncoding.HEX.decode("aBc")).hasValue(new byte[]{(byte) 0xab});
        assertThat(KeyEncoding.HEX.decode("ag")).isEmpty();
        assertThat(KeyEncoding.BASE64.decode("!")).isEmpty();
        assertThat(KeyEncoding.named("HEX")).isEqualTo(KeyEncoding.HEX);
        assertThat(KeyEncoding.named("whatever")).isEqualTo(KeyEncoding.BASE32);
    }
}
