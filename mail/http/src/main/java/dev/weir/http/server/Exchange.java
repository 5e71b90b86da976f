package dev.weir.http.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;

import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.BodyBuffer;
import dev.weir.http.message.HttpBody;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpHeaders;
import dev.weir.http.message.HttpReply;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Blocker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One request and its reply. Runs on the thread of the connection. */
final class Exchange implements HttpBody {
    private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

    private static final PreEncodedHttpField SERVER = new PreEncodedHttpField(HttpHeader.SERVER, "weir");
    private static final byte[] NOTHING = {};
    /** The longest pause between two parts of a stream. */
    private static final Duration STREAM = Duration.ofMinutes(5);
    /** The memory that is reserved at once for the body of a client with access. Few mails are larger. */
    private static final int FIRST = 1 << 18;
    /** The same without access, because anyone can announce a large body. */
    private static final int FIRST_OF_STRANGER = 1 << 14;

    private final ExchangeConnection connection;
    private final ChannelEndPoint channel;
    private final HttpServer server;
    private final Request request;
    private final Response response;
    private final HttpHead head;
    private boolean unread;

    private Exchange(ExchangeConnection connection, Request request, Response response) throws HttpException {
        this.connection = connection;
        this.channel = connection.channel();
        this.server = channel.server();
        this.request = request;
        this.response = response;
        this.head = connection.head();
        this.unread = head.announcesBody();
    }

    /**
     * Answers a request.
     *
     * @return whether the connection can have another one
     * @throws IOException if the connection is to end without a reply, or has ended
     * @throws InterruptedException if the server stops
     */
    static boolean run(ExchangeConnection connection, Request request, Response response)
            throws IOException, InterruptedException {
        Exchange exchange;
        try {
            exchange = new Exchange(connection, request, response);
        } catch (HttpException e) {
            connection.channel().refuse(HttpReply.error(e.status(), e.reason()));
            return false;
        }
        return exchange.run();
    }

    private boolean run() throws IOException, InterruptedException {
        channel.allow(server.limits().receive());
        if (!unread) {
            channel.keepPlace();
        }
        try (BodyBudget.Share share = server.budget().share()) {
            HttpReply reply = answer(share);
            channel.allowAtMost(server.limits().write());
            boolean persists = !unread && !head.isRspamc() && !isFramedForOthers() && connection.isPersistent()
                    && server.hasRoom();
            if (!persists && !unread) {
                channel.last();
            }
            if (head.isRspamc()) {
                channel.send(reply.toRspamcBytes());
            } else {
                write(reply, persists);
            }
            if (unread) {
                channel.discard();
            }
            return persists;
        }
    }

    /** Returns whether a reader of HTTP/1.0, which knows no chunks, sees another end of the body (RFC 9112, 6.1). */
    private boolean isFramedForOthers() {
        return connection.getHttpVersion() == HttpVersion.HTTP_1_0 && head.headers().has("transfer-encoding");
    }

    @SuppressWarnings("CatchAndPrintStackTrace")
    private HttpReply answer(BodyBudget.Share share) throws IOException, InterruptedException {
        try {
            return server.handler().handle(head, this, channel.client(), share);
        } catch (HttpException e) {
            return HttpReply.error(e.status(), e.reason());
        } catch (OutOfMemoryError e) {
            server.counters().defect();
            return HttpReply.error(503, "Out of memory");
        } catch (RuntimeException | Error e) {
            // A defect of this program must end neither the process nor the client's wait. The log names the place.
            server.counters().defect();
            LOG.error("a request for {} from {} could not be answered", head.path(), channel.client(), e);
            return HttpReply.error(500, "Internal error");
        }
    }

    @Override
    public byte[] read(BodyBudget.Share share) throws IOException, HttpException {
        channel.keepPlace();
        return receive(share, FIRST);
    }

    @Override
    public byte[] readOfStranger(BodyBudget.Share share) throws IOException, HttpException {
        byte[] body = receive(share, FIRST_OF_STRANGER);
        channel.keepPlace();
        return body;
    }

    private byte[] receive(BodyBudget.Share share, int first) throws IOException, HttpException {
        try {
            BodyBuffer body = BodyBuffer.of(head, server.limits().request(), share, first);
            if (unread) {
                askForBody();
                receive(body);
                unread = false;
            }
            channel.allow(server.limits().answer());
            return body.bytes();
        } catch (HttpException e) {
            server.counters().malformedOne();
            throw e;
        }
    }

    /** Sends the interim reply that a client may wait for before it sends its body. */
    private void askForBody() throws IOException {
        if (connection.awaitsBody() && connection.getHttpVersion() == HttpVersion.HTTP_1_1
                && head.headers().first("expect").orElse("").equalsIgnoreCase("100-continue")) {
            try {
                response.writeInterim(100, HttpFields.EMPTY).get();
            } catch (Exception e) {
                throw new EofException(e);
            }
        }
    }

    private void receive(BodyBuffer body) throws IOException, HttpException {
        while (true) {
            // There are none yet if TLS has a part of a record, or had only something to say to itself.
            Content.Chunk chunk = request.read();
            if (channel.isCut()) {
                throw new ClosedChannelException();
            }
            if (connection.failure() != null) {
                throw connection.failure();
            }
            if (chunk == null) {
                if (!channel.isOpen() || channel.isInputShutdown()) {
                    throw new ClosedChannelException();
                }
                channel.readAhead();
                continue;
            }
            if (Content.Chunk.isFailure(chunk)) {
                throw new EofException(chunk.getFailure());
            }
            try {
                body.add(chunk.getByteBuffer());
            } finally {
                chunk.release();
            }
            if (chunk.isLast()) {
                return;
            }
        }
    }

    private void write(HttpReply reply, boolean persists) throws IOException, InterruptedException {
        connection.reason(reply.cleanReason());
        response.setStatus(reply.status());
        HttpFields.Mutable fields = response.getHeaders();
        if (!persists) {
            fields.put(HttpFields.CONNECTION_CLOSE);
        }
        fields.put(SERVER);
        if (reply.stream() == null) {
            fields.put(HttpHeader.CONTENT_LENGTH, reply.body().length);
        }
        fields.put(HttpHeader.CONTENT_TYPE, reply.cleanType());
        for (HttpHeaders.Field field : reply.headers()) {
            String value = HttpReply.clean(field.value());
            boolean secret = channel.isTls() && field.name().equalsIgnoreCase(HttpHeader.SET_COOKIE.asString());
            fields.add(field.name(), secret ? value + "; Secure" : value);
        }
        if (channel.isTls() && server.hsts().isPositive()) {
            fields.put(HttpHeader.STRICT_TRANSPORT_SECURITY, "max-age=" + server.hsts().toSeconds());
        }
        if (reply.stream() == null || head.isForHeadersOnly()) {
            send(true, reply.body());
        } else {
            send(false, NOTHING);
            reply.stream().writeTo(part -> {
                channel.allow(server.limits().write());
                send(false, part);
                // Until the next part, only the sender of the stream decides how long to wait.
                channel.allow(STREAM);
            });
            send(true, NOTHING);
        }
    }

    private void send(boolean last, byte[] bytes) throws IOException {
        try (Blocker.Callback written = Blocker.callback()) {
            response.write(last, ByteBuffer.wrap(bytes), written);
            written.block();
        }
    }
}
