package dev.weir.wire.key;

import java.util.List;
import java.util.Optional;

import dev.weir.wire.Vectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

final class Base32Test {
    @Test
    void encodesLikeRspamd() {
        List<JsonNode> entries = Vectors.list("base32");
        int good = 0;
        for (JsonNode entry : entries) {
            byte[] bytes = Vectors.bytes(entry.path("hex").asString());
            String text = entry.path("base32").asString();
            assertThat(Base32.encode(bytes)).isEqualTo(text);
            assertThat(Base32.decode(text)).hasValue(bytes);
            good++;
        }
        System.out.println("wire: base32 " + good + " of " + entries.size());
        assertThat(good).isEqualTo(17);
    }

    @Test
    void decodesLikeRspamd() {
        List<JsonNode> entries = Vectors.list("base32_decode");
        int good = 0;
        for (JsonNode entry : entries) {
            String text = entry.path("base32").asString();
            Optional<String> decoded = Base32.decode(text).map(Vectors::hex);
            if (entry.path("hex").isNull()) {
                assertThat(decoded).as(text).isEmpty();
            } else {
                assertThat(decoded).as(text).hasValue(entry.path("hex").asString());
            }
            good++;
        }
        System.out.println("wire: base32_decode " + good + " of " + entries.size());
        assertThat(good).isEqualTo(22);
    }

    @Property(seed = "1")
    void decodesItsOwnOutput(@ForAll @Size(max = 100) byte[] bytes) {
        assertThat(Base32.decode(Base32.encode(bytes))).hasValue(bytes);
    }

    @Test
    void rejectsCharactersBeyondAscii() {
        assertThat(Base32.decode("y\u0179")).isEmpty();
        assertThat(Base32.decode("\uff59")).isEmpty();
    }
}
