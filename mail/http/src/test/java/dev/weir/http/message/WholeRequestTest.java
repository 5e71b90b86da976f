package dev.weir.http.message;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

final class WholeRequestTest {
    private static final HttpLimits LIMITS = new HttpLimits(1024, 8, 100_000);

    private static HttpRequest read(String text) throws HttpException {
        try (BodyBudget.Share share = new BodyBudget(1 << 20).share()) {
            return Requests.read(text.getBytes(StandardCharsets.ISO_8859_1), LIMITS, share);
        }
    }

    @Test
    void answersRspamcRequests() throws Exception {
        HttpRequest request = read(
                "POST /fuzzyadd HTTP/1.0\r\nContent-Length: 5\r\nFlag: 11\r\nRcpt: a@b\r\nRCPT: c@d\r\n"
                        + "\r\nhellorest");
        assertThat(request.head().method()).isEqualTo("POST");
        assertThat(request.head().path()).isEqualTo("/fuzzyadd");
        assertThat(request.headers().first("flag")).contains("11");
        assertThat(request.headers().all("Rcpt")).containsExactly("a@b", "c@d");
        assertThat(request.body()).asString().isEqualTo("hello");
    }

    @Test
    void readsARequestOfExim() throws Exception {
        HttpRequest request = read("CHECK RSPAMC/1.3\r\nContent-length: 5\r\nQueue-Id: 1\r\nFrom: <a@b>\r\n\r\nhello");
        assertThat(request.head().isRspamc()).isTrue();
        assertThat(request.head().path()).isEqualTo("/check");
        assertThat(request.headers().first("queue-id")).contains("1");
        assertThat(request.body()).asString().isEqualTo("hello");
        assertThat(read("GET / HTTP/1.0\r\n\r\n").head().isRspamc()).isFalse();
    }

    @Test
    void headersTakePrecedenceOverTheQuery() throws Exception {
        HttpRequest request = read("GET http://host/a%20b?flag=1&PassWord=x+y%26z&&empty&flag=2 HTTP/1.1\nFlag: 7\n\n");
        assertThat(request.head().path()).isEqualTo("/a b");
        assertThat(request.head().arguments().first("flag")).contains("7");
        assertThat(request.query().all("flag")).containsExactly("1", "2");
        assertThat(request.head().arguments().first("password")).contains("x y&z");
        assertThat(request.head().arguments().first("empty")).contains("");
        assertThat(read("GET /%2 HTTP/1.1\n\n").head().path()).isEqualTo("/%2");
    }

    @ParameterizedTest
    @CsvSource({"'', false", "'Content-Length: 0', false", "'Content-Length: 1', true",
        "'Transfer-Encoding: chunked', true"})
    void knowsFromTheHeadWhetherABodyFollows(String header, boolean follows) throws Exception {
        HttpHead head = WholeRequest.read(("POST / HTTP/1.1\n" + (header.isEmpty() ? "" : header + "\n") + "\n")
                .getBytes(StandardCharsets.ISO_8859_1), LIMITS).head();
        assertThat(head.announcesBody()).isEqualTo(follows);
    }

    @Test
    void joinsChunks() throws Exception {
        assertThat(
                read("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\nA\r\n, world!!!\r\n0\r\n"
                        + "Trailer: 1\r\n\r\n").body())
                .asString().isEqualTo("hello, world!!!");
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', delimiter = '|', value = {"400|GET / HTTP/1.1", "400|GET /\\n\\n",
        "505|GET / HTTP/2.0\\n\\n", "400|GET x HTTP/1.1\\n\\n", "400|CHECK / HTTP/1.1\\n\\n",
        "400|CHECK SPAMC/1.2\\n\\n", "400|POST RSPAMC/1.3\\n\\n", "400|CHECK\\n\\n",
        "400|GET / HTTP/1.1\\nno colon\\n\\n",
        "400|GET / HTTP/1.1\\na: b\\n folded\\n\\n", "400|GET / HTTP/1.1\\nx y: b\\n\\n",
        "400|GET / HTTP/1.1\\nContent-Length: -1\\n\\n",
        "400|GET / HTTP/1.1\\nContent-Length: 1\\nContent-Length: 2\\n\\nab",
        "400|GET / HTTP/1.1\\nContent-Length: 3\\n\\nab", "413|GET / HTTP/1.1\\nContent-Length: 100001\\n\\n",
        "400|GET / HTTP/1.1\\nContent-Length: 99999999999999999999999999\\n\\n",
        "400|GET / HTTP/1.1\\nContent-Length: 1\\nTransfer-Encoding: chunked\\n\\n0\\n\\n",
        "501|GET / HTTP/1.1\\nTransfer-Encoding: gzip, chunked\\n\\n",
        "400|GET / HTTP/1.1\\nTransfer-Encoding: chunked\\n\\nxyz\\n",
        "400|GET / HTTP/1.1\\nTransfer-Encoding: chunked\\n\\n1\\nab\\n",
        "400|GET / HTTP/1.1\\nTransfer-Encoding: chunked\\n\\nfffffff\\n", "400|GET / HTTP/1.1\\na: \\0\\n\\n",
        "431|GET / HTTP/1.1\\na:1\\na:1\\na:1\\na:1\\na:1\\na:1\\na:1\\na:1\\na:1\\n\\n"})
    void malformedOnesAreRefused(int status, String text) {
        assertThatExceptionOfType(HttpException.class)
                .isThrownBy(() -> read(text.replace("\\n", "\n").replace("\\0", "\0")))
                .satisfies(refused -> assertThat(refused.status()).isEqualTo(status));
    }

    @Test
    void refusesChunksThatAreTooLargeTogether() {
        String chunks = ("8000\r\n" + "x".repeat(0x8000) + "\r\n").repeat(4);
        assertThatExceptionOfType(HttpException.class)
                .isThrownBy(() -> read("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + "0\r\n\r\n"))
                .satisfies(refused -> assertThat(refused.status()).isEqualTo(413));
    }

    @Test
    void rejectsAHeadThatIsTooLong() {
        assertThatExceptionOfType(HttpException.class)
                .isThrownBy(() -> read("GET / HTTP/1.1\nx: " + "y".repeat(100_000)))
                .satisfies(refused -> assertThat(refused.status()).isEqualTo(431));
    }

    @Test
    void theBudgetCountsReceivedBytesOnly() {
        BodyBudget budget = new BodyBudget(50_000);
        try (BodyBudget.Share share = budget.share()) {
            byte[] head = "POST / HTTP/1.1\nContent-Length: 90000\n\n0123456789".getBytes(StandardCharsets.US_ASCII);
            assertThatExceptionOfType(HttpException.class)
                    .isThrownBy(() -> Requests.read(head, LIMITS, share))
                    .satisfies(refused -> assertThat(refused.status()).isEqualTo(400));
            assertThat(budget.used()).isLessThan(20_000);
        }
        assertThat(budget.used()).isZero();
    }

    @Test
    void refusesBodiesBeyondTheBudget() {
        try (BodyBudget.Share share = new BodyBudget(50_000).share()) {
            byte[] request = ("POST / HTTP/1.1\nContent-Length: 90000\n\n" + "x".repeat(90_000))
                    .getBytes(StandardCharsets.US_ASCII);
            assertThatExceptionOfType(HttpException.class)
                    .isThrownBy(
                            () -> Requests.read(request, LIMITS, share))
                    .satisfies(refused -> assertThat(refused.status()).isEqualTo(503));
        }
    }

}
