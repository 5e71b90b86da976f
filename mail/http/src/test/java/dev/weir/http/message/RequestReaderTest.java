package dev.weir.http.message;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

final class RequestReaderTest {
    private static final HttpLimits LIMITS = new HttpLimits(1024, 8, 100_000);

    private static Optional<HttpRequest> read(InputStream in) throws IOException, HttpException {
        try (BodyBudget.Share share = new BodyBudget(1 << 20).share()) {
            return Requests.read(in, LIMITS, share, () -> {});
        }
    }

    private static HttpRequest read(String text) throws IOException, HttpException {
        return read(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1))).orElseThrow();
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
        RequestReader reader = new RequestReader(new ByteArrayInputStream(("POST / HTTP/1.1\n"
                + (header.isEmpty() ? "" : header + "\n") + "\n").getBytes(StandardCharsets.ISO_8859_1)), LIMITS,
                () -> {});
        assertThat(reader.head()).isPresent();
        assertThat(reader.hasUnread()).isEqualTo(follows);
    }

    @Test
    void joinsChunks() throws Exception {
        assertThat(
                read("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\nA\r\n, world!!!\r\n0\r\n"
                        + "Trailer: 1\r\n\r\n").body())
                .asString().isEqualTo("hello, world!!!");
    }

    @Test
    void anEmptyStreamHasNoRequest() throws Exception {
        assertThat(read(new ByteArrayInputStream(new byte[0]))).isEmpty();
        assertThat(read(new ByteArrayInputStream(new byte[]{'\r', '\n'}))).isEmpty();
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
        "413|GET / HTTP/1.1\\nContent-Length: 99999999999999999999999999\\n\\n",
        "400|GET / HTTP/1.1\\nContent-Length: 1\\nTransfer-Encoding: chunked\\n\\n0\\n\\n",
        "501|GET / HTTP/1.1\\nTransfer-Encoding: gzip, chunked\\n\\n",
        "400|GET / HTTP/1.1\\nTransfer-Encoding: chunked\\n\\nxyz\\n",
        "400|GET / HTTP/1.1\\nTransfer-Encoding: chunked\\n\\n1\\nab\\n",
        "413|GET / HTTP/1.1\\nTransfer-Encoding: chunked\\n\\nfffffff\\n", "400|GET / HTTP/1.1\\na: \\0\\n\\n",
        "431|GET / HTTP/1.1\\na:1\\na:1\\na:1\\na:1\\na:1\\na:1\\na:1\\na:1\\na:1\\n\\n"})
    void malformedOnesAreRefused(int status, String text) {
        assertThatExceptionOfType(HttpException.class)
                .isThrownBy(() -> read(text.replace("\\n", "\n").replace("\\0", "\0")))
                .satisfies(refused -> assertThat(refused.status()).isEqualTo(status));
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
                    .isThrownBy(() -> Requests.read(new ByteArrayInputStream(head), LIMITS, share, () -> {}))
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
                            () -> Requests.read(new ByteArrayInputStream(request), LIMITS, share, () -> {}))
                    .satisfies(refused -> assertThat(refused.status()).isEqualTo(503));
        }
    }

    @Test
    void sendsTheInterimReplyToAClientThatExpectsIt() throws Exception {
        StringBuilder sent = new StringBuilder();
        // Like a client that waits: the body is not there with the head.
        InputStream in = new SequenceInputStream(
                new ByteArrayInputStream("POST / HTTP/1.1\nExpect: 100-continue\nContent-Length: 2\n\n"
                        .getBytes(StandardCharsets.US_ASCII)),
                new ByteArrayInputStream("ok".getBytes(StandardCharsets.US_ASCII)));
        try (BodyBudget.Share share = new BodyBudget(1 << 20).share()) {
            HttpRequest request = Requests.read(in, LIMITS, share, () -> sent.append("go")).orElseThrow();
            assertThat(request.body()).asString().isEqualTo("ok");
        }
        assertThat(sent).hasToString("go");
    }

    @Property(seed = "7")
    void howItArrivesDoesNotMatter(@ForAll @Size(max = 60_000) byte[] body,
            @ForAll @IntRange(min = 1, max = 700) int step)
            throws Exception {
        byte[] head = ("POST /x HTTP/1.1\r\nContent-Length: " + body.length + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] all = new byte[head.length + body.length];
        System.arraycopy(head, 0, all, 0, head.length);
        System.arraycopy(body, 0, all, head.length, body.length);
        InputStream slow = new ByteArrayInputStream(all) {
            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                return super.read(target, offset, Math.min(length, step));
            }
        };
        assertThat(read(slow).orElseThrow().body()).isEqualTo(body);
    }
}
