package dev.weir.hash.mime;

import java.nio.charset.StandardCharsets;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * Tests of mails designed to be expensive. Each has about a megabyte and must be read well within the limit, which is
 * generous for CI.
 */
final class HostileMailTest {
    private record Hostile(String name, String mail, int mostParts) {}

    private static String repeat(int times, IntFunction<String> part) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < times; i++) {
            out.append(part.apply(i));
        }
        return out.toString();
    }

    private static String multipart(String boundary) {
        return "Content-Type: multipart/mixed; boundary=" + boundary + "\n\n";
    }

    @TestFactory
    Stream<DynamicTest> readsHostileMailsInTime() {
        String message = "Content-Type: message/rfc822\n\n";
        String bytes = "x".repeat(500_000);
        return Stream.of(new Hostile("delimiters only", multipart("a") + "--a\n".repeat(250_000), 10_000),
                new Hostile("foreign delimiters", multipart("a") + "--b\n\nx\n".repeat(120_000), 10_000),
                new Hostile("nested multiparts",
                        multipart("b0") + repeat(2000, i -> "--b" + i + "\n" + multipart("b" + (i
                                + 1))) + bytes,
                        10_000),
                new Hostile("nested mails", message.repeat(2000) + bytes, 200),
                new Hostile("one boundary for all", repeat(30_000, i -> multipart("a") + "--a\n"), 10_000),
                new Hostile("encoded words without end", "Subject: " + "=?a?Q?x".repeat(150_000) + "\n\nx", 1),
                new Hostile("encoded words", "Subject: " + "=?utf-8?Q?x?= ".repeat(70_000) + "\n\nx", 1),
                new Hostile("headers", "A: b\n".repeat(200_000) + "\nx", 1),
                new Hostile("folds", "A: b" + "\n ".repeat(400_000) + "\n\nx", 1),
                new Hostile("comments", "Content-Type: " + "(".repeat(900_000) + "\n\nx", 1),
                new Hostile("parameters", "Content-Type: text/plain" + ";a".repeat(400_000) + "\n\nx", 1),
                new Hostile("continuations",
                        "Content-Type: text/plain" + repeat(40_000, i -> ";n*" + i + "=x") + "\n\nx",
                        1),
                new Hostile("dashes", "--".repeat(500_000), 1),
                new Hostile("at signs", "x\n\n" + "@ echo ".repeat(150_000), 1)).map(
                        hostile -> DynamicTest.dynamicTest(
                                hostile.name(), () -> {
                                    byte[] mail = hostile.mail().getBytes(StandardCharsets.US_ASCII);
                                    MimeMessage read = assertTimeoutPreemptively(ofSeconds(20),
                                            () -> MimeReader.read(mail));
                                    assertThat(read.parts()).hasSizeBetween(1, hostile.mostParts());
                                }));
    }
}
