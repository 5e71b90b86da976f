package dev.weir.hash.mime.content;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of types that depend on more than one pattern (docs/reference/hashing.md#content-detection). */
final class MimeSignaturesTest {
    /** As Rspamd 4.1.6 decides. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            <svg width=1>                  | true
            text <p> <SVG>                 | true
            <!DOCTYPE svg>                 | true
            <svgs>                         | false
            <html><svg>                    | false
            <head ><svg>                   | false
            <BODY class=a><svg>            | false
            <meta charset=utf-8><svg>      | false
            <!doctype HTML><svg>           | false
            <header><svg>                  | true
            <metadata><svg>                | true
            <svg></svg><html>              | true
            """)
    void aPictureHasNoTagOfADocumentBefore(String text, boolean picture) {
        String found = MimeSignatures.detect(text.getBytes(StandardCharsets.US_ASCII), null);
        assertThat("svg".equals(found)).isEqualTo(picture);
    }
}
