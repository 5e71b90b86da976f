package dev.weir.wire.key;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class KeyFileTest {
    private static final String PUBLIC = "og3snn8s37znxz53mr5yyyzktt3d5uczxecsp3kkrs495p4iaxzy";
    private static final String SECRET = "o6wnij9r4wegqjnd46dyifwgf5gwuqguqxzntseectroq7b3gwty";

    private static void reads(String text) throws KeyFileException {
        KeyPair pair = KeyFile.parse(text);
        assertThat(pair.publicKey().base32()).isEqualTo(PUBLIC);
        assertThat(Base32.encode(pair.secret().reveal())).isEqualTo(SECRET);
        assertThat(pair.consistent()).isTrue();
    }

    @Test
    void readsAndWritesUclOfRspamadm() throws KeyFileException {
        reads("""
                keypair {
                    privkey = "%s";
                    id = "gbuk9fq7zdozxwxumguofr89jjd53m1qceq3hd3nu1j3xu8w91aj38ospastfbyf9j5qxykmtf6rm8k4gs1jc";
                    type = "kex";
                    pubkey = "%s";
                    algorithm = "curve25519";
                    encoding = "base32";
                }
                """.formatted(SECRET, PUBLIC));
    }

    @Test
    void readsAndWritesJsonOfRspamadm() throws KeyFileException {
        reads("""
                {
                    "keypair": {
                        "algorithm": "curve25519",
                        "pubkey": "%s",
                        "type": "kex",
                        "privkey": "%s",
                        "encoding": "base32"
                    }
                }""".formatted(PUBLIC, SECRET));
    }

    @ParameterizedTest
    @CsvSource({"public,private", "public_key,private_key", "pubkey,secret", "public,secret_key"})
    void acceptsEveryNameOfTheMembers(String publicName, String secretName) throws KeyFileException {
        reads(publicName + " = " + PUBLIC + "; " + secretName + " = " + SECRET + ";");
        reads("# mine\n/* a /* nested */ one */ keypair {" + publicName + " " + PUBLIC + "\n" + secretName + ": \""
                + SECRET + "\"\nextensions { name = \"x\"; limit = 12.5 }\n}");
    }

    @Test
    void acceptsOtherEncodings() throws KeyFileException {
        byte[] publicKey = PublicKey.parse(PUBLIC).orElseThrow().bytes();
        byte[] secret = Base32.decode(SECRET).orElseThrow();
        for (KeyEncoding encoding : KeyEncoding.values()) {
            reads("pubkey = \"" + encoding.encode(publicKey) + "\"; privkey = \"" + encoding.encode(secret)
                    + "\"; encoding = " + encoding + ";");
        }
    }

    private static void fails(String text, int line, String part) {
        assertThatThrownBy(() -> KeyFile.parse(text)).isInstanceOfSatisfying(KeyFileException.class, e -> {
            assertThat(e.line()).as(e.getMessage()).isEqualTo(line);
            assertThat(e).hasMessageStartingWith("line " + line + ": ").hasMessageContaining(part);
            assertThat(e.getMessage()).doesNotContain(SECRET.substring(0, 12));
        });
    }

    @Test
    void errorsContainTheLineAndNoKey() {
        String pair = "pubkey = " + PUBLIC + ";\nprivkey = " + SECRET + ";\n";
        fails("", 1, "no public key");
        fails("pubkey = " + PUBLIC + ";\n", 2, "no secret key");
        fails("keypair {\n" + pair, 1, "not closed");
        fails("\nkeypair {\n" + pair + "}\n}", 6, "expected a name");
        fails("{\n" + pair + "}\nx", 5, "text follows");
        fails(pair + "type = sign", 3, "\"sign\"");
        fails(pair + "\nalgorithm = \"nistp256\"", 4, "nistp256");
        fails("pubkey = " + PUBLIC + "\nprivkey = \"" + SECRET + "yyyy\"", 2, "\"privkey\" is not a key of 32 bytes");
        fails("pubkey = " + PUBLIC + "\nprivkey = \"" + SECRET + "\n", 2, "not closed in its line");
        fails("pubkey = " + PUBLIC + "\n" + SECRET + "\n", 3, "expected a value");
        fails("pubkey = \"\\q\"", 1, "escape sequence");
        fails("pubkey = \"\\u12g4\"", 1, "hexadecimal");
        fails("pubkey = [ a ]", 1, "expected a value");
        fails("\n/* open", 2, "comment");
        fails("a {".repeat(20), 1, "deeper");
        fails(pair + " ".repeat(KeyFile.MAX_LENGTH), 1, "longer");
        fails("pubkey { }", 1, "no public key");
    }
}
