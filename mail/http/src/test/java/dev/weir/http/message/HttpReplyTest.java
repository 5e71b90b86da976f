package dev.weir.http.message;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

final class HttpReplyTest {
    @Test
    void errorsAreInBodyAndReason() {
        String text = new String(
                HttpReply.error(404, "No fuzzy rules matched for flag 99").with("Cache-Control", "no-store")
                        .toBytes("Connection: close\r\n"),
                StandardCharsets.UTF_8);
        assertThat(text).isEqualTo("HTTP/1.1 404 No fuzzy rules matched for flag 99\r\nConnection: close\r\n"
                + "Content-Length: 46\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n\r\n"
                + "{\"error\":\"No fuzzy rules matched for flag 99\"}");
    }

    @Test
    void clientTextCannotForgeAHeader() {
        String text = new String(HttpReply.error(400, "x\r\nSet-Cookie: a\"\\").toBytes(""), StandardCharsets.UTF_8);
        assertThat(text).startsWith("HTTP/1.1 400 xSet-Cookie: a\"\\\r\nContent-Length")
                .endsWith("{\"error\":\"x  Set-Cookie: a\\\"\\\\\"}");
    }

    @Test
    void rejectsInvalidStatuses() {
        assertThatIllegalArgumentException().isThrownBy(() -> HttpReply.error(17, "write socket error"));
    }
}
