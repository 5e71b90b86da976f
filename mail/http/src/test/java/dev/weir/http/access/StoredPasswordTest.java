package dev.weir.http.access;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

final class StoredPasswordTest {
    private static final Pattern LINE = Pattern.compile("\\[(.*)] (\\w+) (\\S+)");

    /** A password with a hash that {@code rspamadm pw} made of it. */
    record Made(String password, String hash) {
        @Override
        public String toString() {
            return hash.substring(0, 12);
        }
    }

    static List<Made> made() throws IOException {
        try (InputStream in = Objects.requireNonNull(StoredPasswordTest.class.getResourceAsStream("passwords.txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().map(line -> {
                Matcher matcher = LINE.matcher(line);
                assertThat(matcher.matches()).isTrue();
                String password = matcher.group(1);
                return new Made(password.equals("x*100") ? "x".repeat(100) : password, matcher.group(3));
            }).toList();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void containsAllVectors() throws IOException {
        assertThat(made()).hasSizeGreaterThanOrEqualTo(5);
    }

    @ParameterizedTest
    @MethodSource("made")
    void hashesOfRspamdFitTheirPasswordsOnly(Made made) {
        StoredPassword stored = StoredPassword.parse(made.hash());
        assertThat(stored.isSlow()).isTrue();
        assertThat(stored.isDamaged()).isFalse();
        assertThat(stored.matches(bytes(made.password()))).isTrue();
        assertThat(stored.matches(bytes(made.password() + "x"))).isFalse();
        assertThat(stored.matches(bytes(""))).isFalse();
        assertThat(stored.matches(bytes(made.hash()))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"$1$", "$2$", "$1", "$2", "$1$abc$def", "$1$thrm4ecjy96ppzqmbz1o4y653u7pk69j$",
        "$1$thrm4ecjy96ppzqmbz1o4y653u7pk69j$7o4z8pebofhwrnxnm5mfs463197iq3d9jq9fgaxw4fo6x1w55tm",
        "$1$thrm4ecjy96ppzqmbz1o4y653u7pk69j$7o4z8pebofhwrnxnm5mfs463197iq3d9jq9fgaxw4fo6x1w55tmb$",
        "$1$thrm4ecjy96ppzqmbz1o4y653u7pk69J$7o4z8pebofhwrnxnm5mfs463197iq3d9jq9fgaxw4fo6x1w55tmb"})
    void damagedHashesFitNothing(String text) {
        StoredPassword stored = StoredPassword.parse(text);
        assertThat(stored.isDamaged()).isTrue();
        for (String password : List.of("", "mypassword", text)) {
            assertThat(stored.matches(bytes(password))).isFalse();
        }
    }

    @Test
    void aTextThatIsNotAHashIsAPlainPassword() {
        for (String text : List.of("secret", "$3$x$y", "$", "$1x", "geheimnis mit ü")) {
            StoredPassword stored = StoredPassword.parse(text);
            assertThat(stored.isPlain()).isTrue();
            assertThat(stored.matches(bytes(text))).isTrue();
            assertThat(stored.matches(bytes(text + " "))).isFalse();
            assertThat(stored.matches(bytes(text.substring(1)))).isFalse();
            assertThat(stored).hasToString("StoredPassword[redacted]");
        }
    }

    @Test
    void damagedHashesMatchNothing() {
        String huge = "x".repeat(StoredPassword.MAX_LENGTH + 1);
        assertThat(StoredPassword.parse(huge).matches(bytes(huge))).isFalse();
    }
}
