package dev.weir.hash.mime;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import dev.weir.hash.MessageVectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of the parts of 102 mails against Rspamd's part lists: order, types, classes, decoded length, digest. */
final class PartVectorsTest {
    private final MessageVectors vectors = MessageVectors.load();

    @TestFactory
    Stream<DynamicTest> parts() {
        List<DynamicTest> tests = new ArrayList<>();
        for (String name : vectors.names()) {
            tests.add(DynamicTest.dynamicTest(name, () -> check(name)));
        }
        return tests.stream();
    }

    private void check(String name) {
        JsonNode mail = vectors.mail(name);
        MimeMessage message = MimeReader.read(MessageVectors.bytes(name));
        List<String> expected = new ArrayList<>();
        for (JsonNode part : mail.get("parts")) {
            expected.add(describe(text(part, "kind"), text(part, "ct"), text(part, "det"), text(part,
                    "fname"), part.path("attachment").asBoolean(), part.path("html").asBoolean(),
                    part.get("len").asInt(),
                    text(part, "digest"), part.path("w").asLong(), part.path("h").asLong()));
        }
        List<String> actual = new ArrayList<>();
        for (MimePart part : message.parts()) {
            String kind = part.kind() == PartKind.SPECIAL ? "specific" : part.kind().name().toLowerCase(Locale.ROOT);
            actual.add(describe(kind, part.mediaType(), orEmpty(part.detectedMediaType()), orEmpty(part
                    .fileName()), part.isAttachment(), part.isHtml(), part.body().length, HexFormat.of().formatHex(
                            part
                                    .digest()),
                    part.width(), part.height()));
        }
        assertThat(actual).isEqualTo(expected);
        byte[] subject = message.subject();
        assertThat(subject == null ? "" : new String(subject, StandardCharsets.UTF_8)).isEqualTo(text(mail, "subject"));
    }

    private static String describe(String kind, String type, String detected, String fileName, boolean attachment,
            boolean html, int length, String digest, long width, long height) {
        return "%s %s detected=%s name=%s attachment=%s html=%s %d bytes %s %dx%d".formatted(kind, type, detected,
                fileName, attachment, html, length, digest, width, height);
    }

    private static String text(JsonNode node, String field) {
        JsonNode value = node.path(field);
        return value.isMissingNode() || value.isNull() ? "" : value.asString();
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    @Test
    void mailOverTheLimitHasNoParts() {
        byte[] mail = new byte[MimeReader.MAXIMUM_SIZE + 1];
        assertThat(MimeReader.read(mail).parts()).isEmpty();
    }
}
