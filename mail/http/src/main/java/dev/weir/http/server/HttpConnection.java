package dev.weir.http.server;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpBody;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpReply;
import dev.weir.http.message.RequestReader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection with one exchange: read, answer, write, close. Runs on its own thread. */
final class HttpConnection implements Runnable, Deadlines.Timed {
    private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);

    /**
     * The time for reading and discarding the rest of a request after an early reply, such as a refusal, so that the
     * client reads the reply before a reset.
     */
    private static final Duration LINGER = Duration.ofSeconds(2);
    /** The number of bytes to discard, or the maximum size of a body if that is more. */
    private static final int MIN_LEFTOVER = 1 << 20;
    /** The longest pause between two parts of a stream. */
    private static final Duration STREAM = Duration.ofMinutes(5);
    private static final Duration LATE_HEAD = Duration.ofSeconds(1);

    private final SocketChannel channel;
    private final byte[] begun;
    private final Client client;
    private final HttpServer server;
    private volatile long deadline;
    private volatile Ending ending = Ending.ITS_OWN;

    /** The reasons for the end of a connection. */
    enum Ending {
        /** The exchange is complete, or the client closed the connection. */
        ITS_OWN,
        TIMED_OUT,
        /** No request with access arrived, and another connection needed the place. */
        DISPLACED
    }

    /**
     * Creates a connection.
     *
     * @param begun what was read from it already
     */
    HttpConnection(SocketChannel channel, byte[] begun, Client client, HttpServer server) {
        this.channel = channel;
        this.begun = begun;
        this.client = client;
        this.server = server;
        this.deadline = server.after(server.limits().receive());
    }

    @Override
    public long deadline() {
        return deadline;
    }

    @Override
    public void expire() {
        end(Ending.TIMED_OUT);
        server.dismiss(this);
    }

    /** Closes the connection because another one needs its place. Any thread may call this. */
    void displace() {
        end(Ending.DISPLACED);
    }

    /** Gives the connection a place after a wait. Its request has been sent by now, and others wait. */
    void enterLate() {
        deadline = server.after(LATE_HEAD);
    }

    Client client() {
        return client;
    }

    private void end(Ending why) {
        ending = why;
        close();
    }

    @Override
    public void run() {
        try (BodyBudget.Share share = server.budget().share()) {
            exchange(share);
        } catch (ClosedChannelException e) {
            switch (ending) {
                case TIMED_OUT -> server.counters().timeOut();
                case DISPLACED, ITS_OWN -> {
                    // The server counted it, or there is nothing to count.
                }
            }
        } catch (IOException e) {
            server.counters().lostOne();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            // Outside of the handler, too: the log must name what ends a connection, and a metric must count it.
            server.counters().defect();
            LOG.error("a connection of {} ended because of a bug or a lack of memory", client, e);
        } finally {
            close();
            server.ended(this);
        }
    }

    private void exchange(BodyBudget.Share share) throws IOException, InterruptedException {
        InputStream in = Channels.newInputStream(channel);
        if (begun.length > 0) {
            in = new SequenceInputStream(new ByteArrayInputStream(begun), in);
        }
        RequestReader reader = new RequestReader(in, server.limits().request(), this::sendContinue);
        Optional<HttpHead> head;
        try {
            head = reader.head();
        } catch (HttpException e) {
            server.counters().malformedOne();
            write(bytes(HttpReply.error(e.status(), e.reason())));
            discard(in);
            return;
        }
        if (head.isPresent()) {
            deadline = server.after(server.limits().receive());
            if (!reader.hasUnread()) {
                keepPlace();
            }
            HttpReply reply = answer(head.get(), reader, share);
            long end = server.after(server.limits().write());
            if (end - deadline < 0) {
                deadline = end;
            }
            boolean headersOnly = head.get().isForHeadersOnly();
            write(head.get().isRspamc()
                    ? reply.toRspamcBytes()
                    : headersOnly ? reply.toHeadBytes(connectionHeaders()) : bytes(reply));
            if (reply.stream() != null && !headersOnly) {
                reply.stream().writeTo(this::send);
            }
            if (reader.hasUnread()) {
                discard(in);
            }
        }
    }

    /** The body of the request. A connection without access keeps no place by withholding a body. */
    private final class Body implements HttpBody {
        private final RequestReader reader;

        Body(RequestReader reader) {
            this.reader = reader;
        }

        @Override
        public byte[] read(BodyBudget.Share share) throws IOException, HttpException {
            keepPlace();
            return receive(share);
        }

        @Override
        public byte[] readOfStranger(BodyBudget.Share share) throws IOException, HttpException {
            byte[] body = receive(share);
            keepPlace();
            return body;
        }

        private byte[] receive(BodyBudget.Share share) throws IOException, HttpException {
            try {
                byte[] body = reader.body(share);
                deadline = server.after(server.limits().answer());
                return body;
            } catch (HttpException e) {
                server.counters().malformedOne();
                throw e;
            }
        }
    }

    private void keepPlace() throws ClosedChannelException {
        if (!server.asks(this)) {
            throw new ClosedChannelException();
        }
    }

    @SuppressWarnings("CatchAndPrintStackTrace")
    private HttpReply answer(HttpHead head, RequestReader reader, BodyBudget.Share share)
            throws IOException, InterruptedException {
        try {
            return server.handler().handle(head, new Body(reader), client, share);
        } catch (HttpException e) {
            return HttpReply.error(e.status(), e.reason());
        } catch (OutOfMemoryError e) {
            server.counters().defect();
            return HttpReply.error(503, "Out of memory");
        } catch (RuntimeException | Error e) {
            // A defect of this program must end neither the process nor the client's wait. The log names the place.
            server.counters().defect();
            LOG.error("a request for {} from {} could not be answered", head.path(), client, e);
            return HttpReply.error(500, "Internal error");
        }
    }

    private void sendContinue() throws IOException {
        write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    private byte[] bytes(HttpReply reply) {
        return reply.toBytes(connectionHeaders());
    }

    private String connectionHeaders() {
        return "Connection: close\r\nServer: weir\r\nDate: " + server.date() + "\r\n";
    }

    private void write(byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    /** Sends a part of a stream, which has the time limit of a reply. */
    private void send(byte[] bytes) throws IOException {
        deadline = server.after(server.limits().write());
        write(bytes);
        // Until the next part, only the sender of the stream decides how long to wait.
        deadline = server.after(STREAM);
    }

    private void discard(InputStream in) throws IOException {
        deadline = server.after(LINGER);
        channel.shutdownOutput();
        byte[] waste = new byte[8192];
        int most = Math.max(MIN_LEFTOVER, server.limits().request().bodyBytes());
        int read = 0;
        for (int total = 0; read >= 0 && total < most; total += read) {
            read = in.read(waste);
        }
    }

    private void close() {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("closing a connection of {}", client, e);
        }
    }
}
