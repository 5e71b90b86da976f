package dev.weir.hash.mime;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of delimiters that do not match the structure; every expectation is the output of Rspamd 4.1.6. */
final class UnclosedMultipartTest {
    private static String multipart(String boundary, boolean closed, String... parts) {
        return "Content-Type: multipart/mixed; boundary=\"" + boundary + "\"\n\n--" + boundary + "\n"
                + String.join("\n--" + boundary + "\n", parts) + "\n" + (closed ? "--" + boundary + "--\n" : "");
    }

    private static String text(String content) {
        return "Content-Type: text/plain\n\n" + content;
    }

    static Stream<Arguments> mails() {
        String unclosed = multipart("I", false, text("one"), text("two"));
        String closed = multipart("I", true, text("one"), text("two"));
        String rfc822 = "Content-Type: message/rfc822\n\nSubject: x\n";
        return Stream.of(
                Arguments.of(multipart("O", true, closed, text("three")), List.of("one", "two", "three")),
                Arguments.of(multipart("O", true, unclosed, text("three")), List.of("one", "two", "three")),
                Arguments.of(multipart("O", true, unclosed), List.of("one", "two")),
                Arguments.of(multipart("O", false, unclosed, text("three")), List.of("one", "two", "three")),
                Arguments.of(multipart("O", false, unclosed, text("three"), text("four")),
                        List.of("one", "two", "three", "four")),
                Arguments.of(multipart("O", true, unclosed) + "x\n--X\nbar\n", List.of("one", "two", "bar")),
                Arguments.of(multipart("O", false, unclosed, text("three\n-- \nbar")), List.of("one", "two",
                        "three\n-- \nbar", "bar")),
                Arguments.of(multipart("O", true, multipart("I", false, text("one")), text("three")), List.of("one",
                        "three")),
                Arguments.of(multipart("O", true, multipart("M", true, unclosed, text("three")), text("four")),
                        List.of("one", "two", "three", "four")),
                Arguments.of(multipart("O", true, multipart("M", false, closed, text("three")), text("four")),
                        List.of("one", "two", "three", "four")),
                Arguments.of(multipart("O", true, rfc822 + unclosed, text("three")), List.of("one", "two", "three")));
    }

    @ParameterizedTest
    @MethodSource("mails")
    void endsTheLastPartOfAnUnclosedMultipartWithTheMultipart(String mail, List<String> texts) {
        byte[] bytes = ("Subject: x\nMIME-Version: 1.0\n" + mail).getBytes(StandardCharsets.US_ASCII);
        assertThat(MimeReader.read(bytes).parts().stream().filter(part -> part.kind() == PartKind.TEXT)
                .map(part -> new String(part.body(), StandardCharsets.US_ASCII).strip())).isEqualTo(texts);
    }

    static Stream<Arguments> siblings() {
        String two = multipart("I", true, text("one"), text("two"));
        String footer = "\n-- \nfooter of the list\n";
        return Stream.of(Arguments.of(two, List.of(2, 2)), Arguments.of(two + footer, List.of(2, 2, 0)),
                Arguments.of(multipart("I", true, text("one")) + footer, List.of(1, 0)),
                Arguments.of(multipart("O", true, two) + footer, List.of(2, 2, 0)),
                Arguments.of(two.replace("boundary=\"I\"", "boundary=\"x\""), List.of(0, 0)));
    }

    /** The number of siblings determines the scope of the URL search in a part. */
    @ParameterizedTest
    @MethodSource("siblings")
    void unclaimedPartsHaveNoSiblings(String mail, List<Integer> siblings) {
        byte[] bytes = ("Subject: x\nMIME-Version: 1.0\n" + mail).getBytes(StandardCharsets.US_ASCII);
        assertThat(MimeReader.read(bytes).parts().stream().filter(part -> part.kind() == PartKind.TEXT)
                .map(MimePart::siblings)).isEqualTo(siblings);
    }
}
