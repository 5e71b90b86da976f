package dev.weir.http.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpReply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two readers of the same bytes, such as a proxy and Weir, must not see different requests. Of each form that some
 * servers read in different ways, Weir makes one reading that every server must make, or refuses it and closes the
 * connection. A request follows on the same connection.
 */
@Timeout(60)
final class SmugglingTest {
    private static final SocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final String NEXT = "GET /hidden HTTP/1.1\r\nConnection: close\r\n\r\n";
    private static final String SEEN_NEXT = "GET /hidden ";
    private static final String CHUNKED = "POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";

    /** What the handler got. */
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final HttpServer server = new HttpServer(List.of(ANY), ServerLimits.DEFAULT, new BodyBudget(10 << 20),
            (head, body, _, share) -> {
                byte[] read = head.path().equals("/unread") ? new byte[0] : body.read(share);
                seen.add(head.method() + " " + head.path() + " " + new String(read, StandardCharsets.ISO_8859_1));
                return HttpReply.ok("text/plain", new byte[0]);
            });
    private SocketAddress address = ANY;

    @BeforeEach
    void start() throws IOException {
        address = server.start().getFirst();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** Sends all bytes together or one after another, and returns the replies until the end of the connection. */
    private String ask(String request, boolean whole) throws IOException {
        seen.clear();
        byte[] bytes = request.getBytes(StandardCharsets.ISO_8859_1);
        StringBuilder replies = new StringBuilder();
        try (Socket socket = new Socket()) {
            socket.connect(address, 30_000);
            socket.setSoTimeout(30_000);
            socket.setTcpNoDelay(true);
            OutputStream out = socket.getOutputStream();
            try {
                for (int i = 0; i < bytes.length; i += whole ? bytes.length : 1) {
                    out.write(bytes, i, whole ? bytes.length : 1);
                }
                InputStream in = socket.getInputStream();
                for (int next; (next = in.read()) >= 0;) {
                    replies.append((char) next);
                }
            } catch (SocketException e) {
                assertThat(e).as("it was refused before the rest came").hasMessageMatching("(?i).*(reset|pipe).*");
            }
        }
        return replies.toString();
    }

    private void assertRefused(String request) throws IOException {
        for (boolean whole : new boolean[]{true, false}) {
            String replies = ask(request + NEXT, whole);
            assertThat(seen).isEmpty();
            assertThat(replies).matches("(?s)HTTP/1.1 (400|413|431|501|505) .*").doesNotContain("200 OK");
            assertThat(replies.split("HTTP/1.1 ", -1)).hasSize(2);
        }
        assertThat(server.counters().malformed()).isEqualTo(2);
    }

    private void assertRead(String request, String... expected) throws IOException {
        List<String> all = new ArrayList<>(List.of(expected));
        all.add(SEEN_NEXT);
        for (boolean whole : new boolean[]{true, false}) {
            String replies = ask(request + NEXT, whole);
            assertThat(seen).isEqualTo(all);
            assertThat(replies.split("HTTP/1.1 200 OK\r\n", -1)).hasSize(all.size() + 1);
        }
        assertThat(server.counters().malformed()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        // Two statements about the end of the body.
        "Content-Length: 3\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 3",
        "Content-Length: 3\r\nContent-Length: 4", "Content-Length: 3\r\nContent-Length: 3", "Content-Length: 3, 4",
        "Content-Length: 3, 3", "Content-Length: 3 4", "Content-Length: 0\r\nContent-Length: 3",
        // Encodings that one reader knows.
        "Transfer-Encoding: chunked, identity", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: identity",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding: chunked\r\nTransfer-encoding: cow", "Transfer-Encoding: cow\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: xchunked", "Transfer-Encoding: chunkedx", "Transfer-Encoding: chunked;q=1",
        "Transfer-Encoding: \"chunked\"", "Transfer-Encoding: ", "Transfer-Encoding: chun ked",
        "Transfer-Encoding: ,chunked", "Transfer-Encoding:\u000bchunked", "Transfer-Encoding:\u000cchunked",
        "Transfer-Encoding: chunked\u0000", "Transfer-Encoding: \u00a0chunked",
        // Names that one reader repairs.
        "Transfer-Encoding : chunked", "Transfer-Encoding\t: chunked", "Transfer-Encoding\u0000: chunked",
        "Content-Length : 3", "Content Length: 3", ": 3", "X\u0000: 3", "X\r\nContent-Length: 3", "X(: 3",
        "\u000bContent-Length: 3", "X;: 3",
        // Lines that one reader joins or splits.
        "X: y\r\n Transfer-Encoding: chunked", "X: y\r\n\tTransfer-Encoding: chunked", " Transfer-Encoding: chunked",
        "Transfer-Encoding:\r\n chunked", "X: y\rTransfer-Encoding: chunked", "X: y\r\rTransfer-Encoding: chunked",
        "X: \u0000", "X: y\u0000\r\nContent-Length: 3",
        // Lengths that one reader takes.
        "Content-Length: +3", "Content-Length: -3", "Content-Length: 0x3", "Content-Length: 3.0",
        "Content-Length: 3e0", "Content-Length: 3;", "Content-Length: '3'", "Content-Length: \u00b3",
        "Content-Length: 1_0", "Content-Length: ", "Content-Length: 4294967299",
        "Content-Length: 18446744073709551619", "Content-Length: 99999999999999999999999999999999999999",
        // Names of the server that one reader uses.
        "Host: a\r\nHost: b", "Host: a\r\nHost: a", "Host: a b", "Host: a, b"})
    void refusesHeadersThatCouldHideARequest(String headers) throws Exception {
        assertRefused("POST /x HTTP/1.1\r\n" + headers + "\r\n\r\n0\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"+3\r\nabc", "-3\r\nabc", "0x3\r\nabc", " 3\r\nabc", "\t3\r\nabc", "g\r\nabc", "\r\nabc",
        ";a\r\nabc", "10000000000000003\r\nabc", "fffffffffffffffd\r\nabc",
        "3\r\nabcd", "3\r\nabc\n0\r\n\r\n", "3\nabc", "3;a\nabc", "3\rabc", "3\r\rabc", "3;a=\"\n\"\r\nabc",
        "3;\u0000\r\nabc", "3 3\r\nabc", "3\u0000\r\nabc", "3,3\r\nabc", "0_3\r\nabc"})
    void refusesChunksThatCouldHideARequest(String chunk) throws Exception {
        assertRefused(CHUNKED + chunk + "\r\n0\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"X : y", "X", " X: y", "X: y\r\n Z: y", "X\u0000: y", "X: \u0000"})
    void refusesTrailersThatCouldHideARequest(String trailer) throws Exception {
        assertRefused(CHUNKED + "3\r\nabc\r\n0\r\n" + trailer + "\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET /x\r\n", "GET /x HTTP/0.9\r\n", "GET /x HTTP/2.0\r\n", "GET /x HTTP/1.2\r\n",
        "GET /x HTTP/1.10\r\n", "GET /x HTTP/1\r\n", "GET /x http/1.1\r\n", "GET /x HTTP/1.1 \r\n",
        "GET  /x HTTP/1.1\r\n", "GET /x  HTTP/1.1\r\n", "GET\t/x HTTP/1.1\r\n", "GET /x\tHTTP/1.1\r\n",
        "GET /x y HTTP/1.1\r\n", "GET /x HTTP/1.1\rX: y\r\n", "GET /x HTTP/1.1\r\r\n", "GET /x\u0000 HTTP/1.1\r\n",
        "\u0000GET /x HTTP/1.1\r\n", "G(T /x HTTP/1.1\r\n", " GET /x HTTP/1.1\r\n", "GET x HTTP/1.1\r\n",
        "GET HTTP/1.1\r\n", "GET /x\u000bHTTP/1.1\r\n", "GET /x HTTP/1.1, HTTP/1.1\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n"})
    void refusesRequestLinesThatCouldHideARequest(String line) throws Exception {
        assertRefused(line + "\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Transfer-Encoding: Chunked", "transfer-encoding:chunked",
        "Transfer-Encoding: \t chunked \t",
        "Transfer_Encoding: x\r\nTransfer-Encoding: chunked",
        "Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked",
        "X: y\nTransfer-Encoding: chunked"})
    void aChunkedBodyHasOneReading(String headers) throws Exception {
        assertRead("POST /x HTTP/1.1\r\n" + headers + "\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n", "POST /x abc");
    }

    @ParameterizedTest
    @ValueSource(strings = {"3;a=b\r\nabc\r\n0\r\n\r\n", "3;a=\"x;y\"\r\nabc\r\n0;z\r\n\r\n",
        "0000003\r\nabc\r\n000\r\n\r\n", "3\r\nabc\r\n0\r\nContent-Length: 500\r\n\r\n",
        "3\r\nabc\r\n0\r\nTransfer-Encoding: chunked\r\nHost: other\r\n\r\n"})
    void extensionsAndTrailersChangeNothing(String body) throws Exception {
        assertRead(CHUNKED + body, "POST /x abc");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 3", "Content-Length: 003", "content-length:3", "Content-Length:\t3 ",
        "Connection: Content-Length\r\nContent-Length: 3", "Content_Length: 500\r\nContent-Length: 3",
        "Expect: 200-ok\r\nContent-Length: 3", "X-Content-Length: 9\r\nContent-Length: 3\r\nX: Content-Length: 9",
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nContent-Length: 3",
        "Upgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 3"})
    void aBodyWithALengthHasOneReading(String headers) throws Exception {
        for (String method : List.of("POST", "GET", "DELETE", "OPTIONS")) {
            assertRead(method + " /x HTTP/1.1\r\n" + headers + "\r\n\r\nabc", method + " /x abc");
        }
    }

    @Test
    void otherFormsWithOneReading() throws Exception {
        assertRead("\r\n\r\nGET /x HTTP/1.1\r\n\r\n", "GET /x ");
        assertRead("POST /x HTTP/1.1\nContent-Length: 3\n\nabc", "POST /x abc");
        assertRead("GET http://other.example/x HTTP/1.1\r\nHost: this.example\r\n\r\n", "GET /x ");
        assertRead("GET /x HTTP/1.1\r\nTransfer_Encoding: chunked\r\n\r\n", "GET /x ");
        assertRead("POST /x HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\na", "POST /x a");
    }

    /** Its lowest 32 bits say three bytes. */
    @Test
    void aHugeChunkIsNotAShortOne() throws Exception {
        try (Socket socket = new Socket()) {
            socket.connect(address, 30_000);
            socket.getOutputStream().write((CHUNKED + "100000003\r\nabc\r\n0\r\n\r\n" + NEXT)
                    .getBytes(StandardCharsets.US_ASCII));
            socket.shutdownOutput();
            assertThat(socket.getInputStream().readAllBytes()).asString(StandardCharsets.US_ASCII)
                    .startsWith("HTTP/1.1 400 Incomplete request\r\n");
        }
        assertThat(seen).isEmpty();
    }

    /** A reader of HTTP/1.0 knows no chunks (RFC 9112, 6.1). */
    @Test
    void chunksInAnOldRequestEndTheConnection() throws Exception {
        String replies = ask("POST /x HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3\r\nabc\r\n0\r\n\r\n" + NEXT, true);
        assertThat(seen).doesNotContain(SEEN_NEXT);
        assertThat(replies.split("HTTP/1.1 ", -1)).hasSize(2);
    }

    /** Nothing of a body becomes a request, also if no endpoint reads it. */
    @Test
    void anUnreadBodyEndsTheConnection() throws Exception {
        for (boolean whole : new boolean[]{true, false}) {
            String replies = ask("POST /unread HTTP/1.1\r\nContent-Length: " + NEXT.length() + "\r\n\r\n" + NEXT + NEXT,
                    whole);
            assertThat(seen).containsExactly("POST /unread ");
            assertThat(replies.split("HTTP/1.1 ", -1)).hasSize(2);
            assertThat(ask("POST /unread HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + NEXT, whole))
                    .contains("Connection: close");
            assertThat(seen).containsExactly("POST /unread ");
        }
    }
}
