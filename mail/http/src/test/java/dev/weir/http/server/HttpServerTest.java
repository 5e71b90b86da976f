package dev.weir.http.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpLimits;
import dev.weir.http.message.HttpReply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@Timeout(60)
final class HttpServerTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final SocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final HttpHandler ECHO = (_, body, _, share) -> HttpReply.ok("text/plain", body.read(share));

    private static ServerLimits connections(int most) {
        return new ServerLimits(HttpLimits.DEFAULT, most, most, MINUTE, MINUTE, MINUTE);
    }

    private static HttpServer server(ServerLimits limits, HttpHandler handler) {
        return new HttpServer(List.of(ANY), limits, new BodyBudget(10 << 20), handler);
    }

    private static Socket connect(SocketAddress address) throws IOException {
        Socket socket = new Socket();
        socket.connect(address, 5000);
        socket.setSoTimeout(30_000);
        return socket;
    }

    private static String ask(SocketAddress address, String request) throws IOException {
        try (Socket socket = connect(address)) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return rest(socket.getInputStream());
        }
    }

    private static String rest(InputStream in) throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    private static CompletableFuture<String> restLater(Socket socket) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return rest(socket.getInputStream());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }, task -> Thread.ofPlatform().start(task));
    }

    @Test
    void answersRspamcWithoutHeaders() throws Exception {
        try (HttpServer server = server(ServerLimits.DEFAULT, ECHO)) {
            SocketAddress address = server.start().getFirst();
            assertThat(ask(address, "CHECK RSPAMC/1.3\r\nContent-length: 5\r\n\r\nhello"))
                    .isEqualTo("RSPAMD/1.3 0 EX_OK\r\nhello");
        }
    }

    /** The protocol of SpamAssassin's client (docs/reference/rspamd-http.md#rspamc). */
    @ParameterizedTest
    @ValueSource(strings = {"CHECK", "SYMBOLS", "REPORT", "PROCESS", "HEADERS", "PING", "SKIP", "TELL"})
    void refusesSpamc(String word) throws Exception {
        AtomicBoolean asked = new AtomicBoolean();
        try (HttpServer server = server(ServerLimits.DEFAULT, (_, body, _, share) -> {
            asked.set(true);
            return HttpReply.ok("text/plain", body.read(share));
        })) {
            SocketAddress address = server.start().getFirst();
            assertThat(ask(address, word + " SPAMC/1.2\r\nContent-length: 5\r\nUser: a\r\n\r\nhello"))
                    .startsWith("HTTP/1.1 400 Malformed request line\r\nConnection: close\r\n")
                    .endsWith("{\"error\":\"Malformed request line\"}");
            assertThat(asked).isFalse();
        }
    }

    @Test
    void closesAfterOneExchange() throws IOException {
        try (HttpServer server = server(ServerLimits.DEFAULT, ECHO)) {
            SocketAddress address = server.start().getFirst();
            String reply = ask(address, "POST /x HTTP/1.0\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.0\r\n\r\n");
            assertThat(reply).startsWith("HTTP/1.1 200 OK\r\nDate: ")
                    .contains("\r\nServer: weir\r\n", "\r\nContent-Length: 3\r\n", "\r\nConnection: close\r\n")
                    .endsWith("\r\n\r\nabc");
            assertThat(server.counters().connections()).isEqualTo(1);
        }
    }

    /** Pipelined, with and without bodies, and without a Host, which Rspamd's proxy leaves out. */
    @Test
    void aConnectionPersistsForThoseWhoWantIt() throws Exception {
        try (HttpServer server = server(ServerLimits.DEFAULT, ECHO)) {
            SocketAddress address = server.start().getFirst();
            String first = "POST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc";
            String chunks = "POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n1\r\nf\r\n0\r\n\r\n";
            String old = "POST /x HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\ng";
            String last = "GET /x HTTP/1.1\r\nConnection: close\r\n\r\n";
            String replies = ask(address, first + chunks + old + "HEAD /x HTTP/1.1\r\n\r\n" + last + first);
            assertThat(replies.split("HTTP/1.1 200 OK\r\n", -1)).hasSize(6);
            assertThat(replies).containsSubsequence("\r\n\r\nabc", "\r\n\r\ndef", "\r\n\r\ng",
                    "Connection: close\r\n").endsWith("\r\n\r\n");
            assertThat(server.counters().connections()).isEqualTo(1);
            await().until(() -> server.open() == 0);
        }
    }

    @Test
    void aRestingConnectionGivesUpItsPlaceAndAStopEndsIt() throws Exception {
        HttpServer server = server(connections(2), ECHO);
        try (server) {
            SocketAddress address = server.start().getFirst();
            try (Socket one = connect(address); Socket two = connect(address)) {
                for (Socket socket : List.of(one, two)) {
                    socket.getOutputStream().write("GET /x HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    assertThat(socket.getInputStream().readNBytes(15)).asString().isEqualTo("HTTP/1.1 200 OK");
                }
                await().until(() -> ask(address, "GET /x HTTP/1.0\r\n\r\n").startsWith("HTTP/1.1 200 "));
                // The one that rested first; on a busy machine, that can be either.
                List<CompletableFuture<String>> rests = Stream.of(one, two).map(HttpServerTest::restLater).toList();
                CompletableFuture.anyOf(rests.getFirst(), rests.getLast()).join();
                assertThat(server.counters().displaced()).isOne();
                assertThat(rests).filteredOn(CompletableFuture::isDone).hasSize(1);
                CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> server.close(Duration.ofMinutes(5)));
                assertThat(rests).extracting(CompletableFuture::join).allSatisfy(
                        rest -> assertThat(rest).doesNotContain("Connection: close", "HTTP/1.1"));
                closing.join();
            }
        }
    }

    /** There are more failures than places: each must free its place. */
    @Test
    void survivesFailuresToAccept() throws Exception {
        ScriptedListener listener = new ScriptedListener(ServerSocketChannel.open().bind(ANY), (channel, number) -> {
            if (number >= 40) {
                return channel.accept();
            }
            if (number % 2 == 0) {
                throw new IOException("Too many open files");
            }
            throw new OutOfMemoryError("unable to create native thread");
        });
        ServerLimits few = connections(32);
        try (HttpServer server = server(few, ECHO)) {
            SocketAddress address = server.start(ListenSockets.of(listener)).getFirst();
            assertThat(ask(address, "GET / HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 200 ");
            assertThat(listener.accepts).hasValueGreaterThan(40);
            assertThat(server.counters().acceptFailures()).isEqualTo(40);
        }
    }

    @Test
    void errorsOfHandlersBecomeReplies() throws IOException {
        HttpHandler handler = (request, _, _, _) -> {
            switch (request.path()) {
                case "/refused" -> throw new HttpException(400, "No hash defined");
                case "/defect" -> throw new IllegalStateException("a defect");
                default -> throw new StackOverflowError();
            }
        };
        try (HttpServer server = server(ServerLimits.DEFAULT, handler)) {
            SocketAddress address = server.start().getFirst();
            assertThat(ask(address, "GET /refused HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 400 No hash defined\r\n");
            assertThat(ask(address, "GET /defect HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 500 Internal error\r\n")
                    .doesNotContain("a defect");
            assertThat(ask(address, "GET /deep HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 500 ");
            assertThat(server.counters().defects()).isEqualTo(2);
        }
    }

    @Test
    void theClientReadsTheRefusalOfATooLargeBody() throws IOException {
        ServerLimits limits = new ServerLimits(new HttpLimits(64 << 10, 1024, 1000), 1024, 512, MINUTE, MINUTE, MINUTE);
        try (HttpServer server = server(limits, ECHO)) {
            SocketAddress address = server.start().getFirst();
            assertThat(ask(address, "POST /x HTTP/1.0\r\nContent-Length: 500000\r\n\r\n" + "x".repeat(500_000)))
                    .startsWith("HTTP/1.1 413 Message is too large\r\n");
            assertThat(server.counters().malformed()).isEqualTo(1);
        }
    }

    @Test
    void refusesByTheHeadBeforeTheBodyUsesMemory() throws IOException {
        BodyBudget budget = new BodyBudget(10 << 20);
        HttpHandler refusing = (_, _, _, _) -> HttpReply.error(401, "Unauthorized");
        try (HttpServer server = new HttpServer(List.of(ANY), ServerLimits.DEFAULT, budget, refusing)) {
            SocketAddress address = server.start().getFirst();
            // More than the budget has, and as much as no socket buffers.
            assertThat(ask(address, "POST /x HTTP/1.0\r\nContent-Length: 20000000\r\n\r\n" + "x".repeat(20_000_000)))
                    .startsWith("HTTP/1.1 401 Unauthorized\r\n");
            try (Socket socket = connect(address)) {
                socket.getOutputStream().write(
                        "POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: 20\r\nExpect: 100-continue\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
                assertThat(rest(socket.getInputStream())).as("nothing of the body was sent, nor asked for")
                        .startsWith("HTTP/1.1 401 ");
                assertThat(budget.used()).isZero();
            }
            assertThat(server.counters().malformed()).isZero();
        }
    }

    /** A connection that ends with unread bytes is reset. */
    private static boolean isOver(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException e) {
            return String.valueOf(e.getMessage()).contains("reset");
        }
    }

    @Test
    void endsSlowSendersAndSlowReaders() throws IOException {
        ServerLimits limits = new ServerLimits(HttpLimits.DEFAULT, 1024, 512, Duration.ofMillis(300),
                Duration.ofMillis(300), Duration.ofMillis(300));
        HttpHandler large = (_, _, _, _) -> HttpReply.ok("text/plain", new byte[64 << 20]);
        try (HttpServer server = server(limits, large)) {
            SocketAddress address = server.start().getFirst();
            try (Socket silent = connect(address); Socket deaf = connect(address)) {
                silent.getOutputStream().write("POST / HTT".getBytes(StandardCharsets.US_ASCII));
                deaf.getOutputStream().write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(isOver(silent)).isTrue();
                await("both connections have ended").until(() -> server.open() == 0);
                // Ended by the server while it wrote: the rest of the reply never comes.
                long got = 0;
                byte[] part = new byte[1 << 16];
                try {
                    for (int n; (n = deaf.getInputStream().read(part)) > 0;) {
                        got += n;
                    }
                } catch (SocketException e) {
                    assertThat(e).hasMessageContaining("reset");
                }
                assertThat(got).isLessThan(64 << 20);
            }
            assertThat(server.counters().timedOut()).isEqualTo(2);
            assertThat(server.counters().malformed()).isZero();
        }
    }

    @Test
    void connectionsBeyondTheMaximumWait() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch inside = new CountDownLatch(2);
        HttpHandler waiting = (_, _, _, _) -> {
            inside.countDown();
            go.await();
            return HttpReply.ok("text/plain", "done");
        };
        try (HttpServer server = server(connections(2), waiting)) {
            SocketAddress address = server.start().getFirst();
            byte[] request = "GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
            try (Socket one = connect(address); Socket two = connect(address)) {
                one.getOutputStream().write(request);
                two.getOutputStream().write(request);
                // From here on, no other connection can take their places.
                inside.await();
                try (Socket three = connect(address)) {
                    three.getOutputStream().write(request);
                    await("the third waits").until(() -> server.waiting() > 0);
                    assertThat(server.open()).isEqualTo(2);
                    go.countDown();
                    for (Socket socket : List.of(one, two, three)) {
                        assertThat(rest(socket.getInputStream())).endsWith("done");
                    }
                }
            }
        }
    }

    @Test
    void displacesIdleConnectionsForActiveOnes() throws Exception {
        try (HttpServer server = server(connections(8), ECHO)) {
            SocketAddress address = server.start().getFirst();
            List<Socket> idle = new ArrayList<>();
            try {
                for (int i = 0; i < 200; i++) {
                    idle.add(connect(address));
                }
                // Half a request is as idle as none.
                idle.getLast().getOutputStream().write("GET / HTTP/1.0\r\n".getBytes(StandardCharsets.US_ASCII));
                for (int i = 0; i < 20; i++) {
                    assertThat(ask(address, "POST /x HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc")).endsWith("abc");
                }
                assertThat(server.counters().displaced()).isGreaterThanOrEqualTo(192);
                assertThat(idle.getFirst().getInputStream().read()).isEqualTo(-1);
            } finally {
                for (Socket socket : idle) {
                    socket.close();
                }
            }
        }
    }

    @Test
    void aConnectionThatSendsItsBodyKeepsItsPlace() throws Exception {
        try (HttpServer server = server(connections(2), ECHO)) {
            SocketAddress address = server.start().getFirst();
            try (Socket slow = connect(address)) {
                slow.getOutputStream()
                        .write(("POST /x HTTP/1.1\r\nConnection: close\r\n"
                                + "Expect: 100-continue\r\nContent-Length: 4\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
                // The interim reply: from here on the head is read.
                assertThat(slow.getInputStream().readNBytes("HTTP/1.1 100 Continue\r\n\r\n".length())).hasSize(25);
                for (int i = 0; i < 10; i++) {
                    connect(address).close();
                    assertThat(ask(address, "GET / HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 200 ");
                }
                slow.getOutputStream().write("body".getBytes(StandardCharsets.US_ASCII));
                assertThat(rest(slow.getInputStream())).endsWith("body");
            }
        }
    }

    /** The handlers answer before the body, as for everyone, or read it before they know whether there is access. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aConnectionWithoutAccessKeepsNoPlaceByWithholdingItsBody(boolean read) throws Exception {
        HttpHandler handler = (_, body, _, share) -> HttpReply.ok("text/plain",
                read ? body.readOfStranger(share) : new byte[0]);
        try (HttpServer server = server(connections(8), handler)) {
            SocketAddress address = server.start().getFirst();
            List<Socket> withholding = new ArrayList<>();
            try {
                for (int i = 0; i < 12; i++) {
                    Socket socket = connect(address);
                    withholding.add(socket);
                    socket.getOutputStream()
                            .write(("POST /x HTTP/1.1\r\nConnection: close\r\n"
                                    + "Expect: 100-continue\r\nContent-Length: 1\r\n\r\n")
                                    .getBytes(StandardCharsets.US_ASCII));
                    // The reply or the interim reply: from here on the head is read.
                    assertThat(socket.getInputStream().readNBytes(9)).asString().isEqualTo("HTTP/1.1 ");
                }
                assertThat(ask(address, "GET / HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 200 ");
                assertThat(server.counters().displaced()).isPositive();
            } finally {
                for (Socket socket : withholding) {
                    socket.close();
                }
            }
        }
    }

    @Test
    void endsAWaitingConnectionAtItsDeadline() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        HttpHandler waiting = (_, body, _, share) -> {
            // From here on the time to answer counts.
            assertThat(body.read(share)).isEmpty();
            inside.countDown();
            go.await();
            return HttpReply.ok("text/plain", "done");
        };
        ServerLimits limits = new ServerLimits(HttpLimits.DEFAULT, 1, 1, Duration.ofSeconds(1),
                Duration.ofSeconds(50), Duration.ofSeconds(50));
        try (HttpServer server = server(limits, waiting)) {
            SocketAddress address = server.start().getFirst();
            try (Socket busy = connect(address)) {
                busy.getOutputStream().write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                inside.await();
                try (Socket late = connect(address)) {
                    assertThat(late.getInputStream().read()).isEqualTo(-1);
                }
                await("no connection waits").until(() -> server.waiting() == 0);
                assertThat(server.counters().timedOut()).isOne();
                go.countDown();
                assertThat(rest(busy.getInputStream())).endsWith("done");
            }
        }
    }

    @Test
    void answersClientsThatConnectedBeforeTheStart() throws Exception {
        ListenSockets bound = ListenSockets.bind(List.of(ANY));
        try (HttpServer server = server(ServerLimits.DEFAULT, ECHO);
                Socket early = connect(bound.addresses().getFirst())) {
            early.getOutputStream().write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            server.start(bound);
            assertThat(rest(early.getInputStream())).startsWith("HTTP/1.1 200 ");
        }
    }

    /** As over UDP: 0.0.0.0 takes IPv4 alone, and :: both; both together are one. */
    @Test
    void listensPerAddressFamily() throws Exception {
        InetAddress six = InetAddress.ofLiteral("::1");
        try (ListenSockets four = ListenSockets
                .bind(List.of(new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), 0)))) {
            int ipv4 = ((InetSocketAddress) four.addresses().getFirst()).getPort();
            connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), ipv4)).close();
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> connect(new InetSocketAddress(six, ipv4)));
        }
        int port;
        try (ListenSockets all = ListenSockets.bind(List.of(new InetSocketAddress(InetAddress.ofLiteral("::"), 0)))) {
            port = ((InetSocketAddress) all.addresses().getFirst()).getPort();
            connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)).close();
            connect(new InetSocketAddress(six, port)).close();
        }
        try (ListenSockets both = ListenSockets
                .bind(List.of(new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), port),
                        new InetSocketAddress(InetAddress.ofLiteral("::"), port)))) {
            assertThat(both.addresses()).hasSize(1);
        }
    }

    @Test
    void socketsInTheFileSystem(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("http.sock");
        UnixDomainSocketAddress bind = UnixDomainSocketAddress.of(file);
        for (int round = 0; round < 2; round++) {
            HttpHandler who = (_, _, client, _) -> HttpReply.ok("text/plain", client.toString());
            try (HttpServer server = new HttpServer(List.of(bind), ServerLimits.DEFAULT, new BodyBudget(1 << 20),
                    who)) {
                server.start();
                try (SocketChannel channel = SocketChannel.open(bind)) {
                    channel.write(ByteBuffer.wrap("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
                    assertThat(rest(Channels.newInputStream(channel))).endsWith("a Unix-domain socket");
                }
                assertThat(Files.getPosixFilePermissions(file)).hasSize(4);
            }
            assertThat(file).doesNotExist();
        }
    }

    @Test
    void namesAnAddressInUse() throws IOException {
        try (HttpServer server = server(ServerLimits.DEFAULT, ECHO)) {
            SocketAddress address = server.start().getFirst();
            try (HttpServer second = new HttpServer(List.of(ANY, address), ServerLimits.DEFAULT,
                    new BodyBudget(1 << 20), ECHO)) {
                assertThatExceptionOfType(IOException.class).isThrownBy(second::start)
                        .withMessageContaining(String.valueOf(((InetSocketAddress) address).getPort()));
            }
        }
    }

    @Test
    void aStopWaitsForExchangesInProgress() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        HttpServer server = server(ServerLimits.DEFAULT, (_, _, _, _) -> {
            inside.countDown();
            go.await();
            return HttpReply.ok("text/plain", "done");
        });
        ServerSocketChannel listener = ServerSocketChannel.open().bind(ANY);
        SocketAddress address = server.start(ListenSockets.of(listener)).getFirst();
        try (Socket socket = connect(address)) {
            socket.getOutputStream().write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            inside.await();
            Thread closing = Thread.ofPlatform().daemon().start(server::close);
            await("the stop waits").until(() -> closing.getState() == Thread.State.TIMED_WAITING);
            assertThat(listener.isOpen()).as("no new connection is taken").isFalse();
            go.countDown();
            assertThat(rest(socket.getInputStream())).endsWith("done");
            assertThat(closing.join(Duration.ofSeconds(30))).isTrue();
        }
        assertThat(server.counters().connections()).isOne();
    }

    @Test
    void aStopClosesIdleConnectionsAndLetsOthersFinish() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        HttpServer server = server(ServerLimits.DEFAULT, (_, _, _, _) -> {
            inside.countDown();
            go.await();
            return HttpReply.ok("text/plain", "done");
        });
        SocketAddress address = server.start().getFirst();
        try (Socket idle = connect(address); Socket slow = connect(address); Socket running = connect(address)) {
            slow.getOutputStream().write("GET / HT".getBytes(StandardCharsets.US_ASCII));
            running.getOutputStream().write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            inside.await();
            await().until(() -> server.open() == 3);
            CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> server.close(Duration.ofMinutes(5)));
            assertThat(idle.getInputStream().read()).as("an idle connection").isNegative();
            assertThat(slow.getInputStream().read()).as("a part of a request").isNegative();
            assertThat(closing).isNotDone();
            go.countDown();
            assertThat(rest(running.getInputStream())).endsWith("done");
            closing.join();
        }
    }

    /** A reply is written outside of the handler. */
    @Test
    void anErrorWhileAReplyIsWrittenIsCountedAndEndsOneConnection() throws Exception {
        HttpHandler handler = (_, _, _, _) -> HttpReply.streaming("text/plain", _ -> {
            throw new OutOfMemoryError("as if");
        });
        try (HttpServer server = server(ServerLimits.DEFAULT, handler)) {
            SocketAddress address = server.start().getFirst();
            assertThat(ask(address, "GET / HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 200 ");
            await().until(() -> server.counters().defects() == 1 && server.open() == 0);
        }
    }

    @Test
    void anyErrorOfAHandlerBecomesAReply() throws IOException {
        try (HttpServer server = server(ServerLimits.DEFAULT, (_, _, _, _) -> {
            throw new NoClassDefFoundError("as if");
        })) {
            SocketAddress address = server.start().getFirst();
            assertThat(ask(address, "GET / HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 500 ");
            assertThat(server.counters().defects()).isOne();
        }
    }

    /** The kernel can answer an accept while another thread closes the listener. */
    @Test
    void aStopWaitsForAnAcceptInProgress() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CompletableFuture<Thread> closing = new CompletableFuture<>();
        AtomicBoolean waited = new AtomicBoolean();
        try (ServerSocketChannel queue = ServerSocketChannel.open().bind(ANY);
                Socket socket = connect(queue.getLocalAddress())) {
            socket.getOutputStream().write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            ScriptedListener listener = new ScriptedListener(ServerSocketChannel.open().bind(ANY), (_, number) -> {
                if (number > 0) {
                    throw new ClosedChannelException();
                }
                inside.countDown();
                Thread stop = closing.join();
                await("the stop waits or ends")
                        .until(() -> !stop.isAlive() || stop.getState() == Thread.State.TIMED_WAITING);
                waited.set(stop.isAlive());
                return queue.accept();
            });
            HttpServer server = server(ServerLimits.DEFAULT, ECHO);
            server.start(ListenSockets.of(listener));
            inside.await();
            Thread stop = Thread.ofPlatform().start(server::close);
            closing.complete(stop);
            assertThat(rest(socket.getInputStream())).startsWith("HTTP/1.1 200 ");
            stop.join();
            assertThat(waited).isTrue();
            assertThat(server.counters().connections()).isOne();
        }
    }
}
