package dev.weir.http.server;

import java.nio.ByteBuffer;

import dev.weir.http.message.HeadBuilder;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpReply;
import dev.weir.http.message.Malformed;
import dev.weir.http.message.RequestParser;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Jetty's connection of HTTP/1.1, with what Rspamd's clients need: requests as {@link RequestParser} reads them, and a
 * reason phrase of our own. Jetty gets to know of a request only what decides on the connection; the rest goes to a
 * {@link HeadBuilder}. For one thread.
 */
// Jetty's constructor calls the methods that set the fields.
@SuppressWarnings("NullAway.Init")
final class ExchangeConnection extends HttpConnection {
    private final ChannelEndPoint channel;
    private Requests requests;
    private RequestParser parser;
    private @Nullable HeadBuilder head;
    private boolean inBody;
    private @Nullable HttpException failure;
    private String reason = "";

    ExchangeConnection(HttpConfiguration configuration, Connector connector, EndPoint endPoint,
            ChannelEndPoint channel) {
        super(configuration, connector, endPoint);
        this.channel = channel;
    }

    @Override
    protected RequestHandler newRequestHandler() {
        requests = new Requests();
        return requests;
    }

    @Override
    protected HttpParser newHttpParser(HttpCompliance compliance) {
        parser = new RequestParser(requests, getHttpConfiguration().getRequestHeaderSize());
        return parser;
    }

    @Override
    protected HttpStreamOverHTTP1 newHttpStream(String method, String uri, HttpVersion version) {
        return new Stream(method, uri, version);
    }

    ChannelEndPoint channel() {
        return channel;
    }

    /**
     * Returns the head of the present request.
     *
     * @throws HttpException 400 if it cannot be used
     */
    HttpHead head() throws HttpException {
        if (head == null) {
            throw new IllegalStateException("there is no request");
        }
        return head.build();
    }

    /** Returns what is wrong with the body of the present request; null if nothing is so far. */
    @Nullable
    HttpException failure() {
        return failure;
    }

    /** Returns whether no byte of the body is here yet. */
    boolean awaitsBody() {
        return isRequestBufferEmpty() && !channel.hasAhead();
    }

    /** Ends the requests after the present one. */
    void finish() {
        parser.finish();
    }

    /** Sets the text after the status of the next reply. */
    void reason(String text) {
        reason = text;
    }

    /** What Jetty's parser finds. */
    private final class Requests extends RequestHandler {
        @Override
        public void startRequest(String method, String uri, HttpVersion version) {
            inBody = false;
            failure = null;
            head = new HeadBuilder(method, uri, parser.isRspamc(),
                    channel.server().limits().request().headers());
            // Jetty must know HEAD, whose reply has no body, and would treat others in ways that no endpoint has.
            super.startRequest(method.equals("HEAD") ? method : "POST", "/", parser.version(version));
        }

        @Override
        public void parsedHeader(HttpField field) {
            if (head != null) {
                head.add(field);
            }
            HttpHeader header = field.getHeader();
            // Jetty would refuse any other expectation, which means nothing here.
            if (header == HttpHeader.CONNECTION || header == HttpHeader.CONTENT_LENGTH
                    || (header == HttpHeader.EXPECT && HttpHeaderValue.CONTINUE.is(field.getValue()))) {
                super.parsedHeader(field);
            }
        }

        @Override
        public boolean headerComplete() {
            boolean begins = super.headerComplete();
            inBody = true;
            return begins;
        }

        @Override
        public void badMessage(org.eclipse.jetty.http.HttpException bad) {
            refuse(Malformed.of(bad, head != null));
        }

        @Override
        public void earlyEOF() {
            refuse(new HttpException(400, "Incomplete request"));
        }

        private void refuse(HttpException refusal) {
            getGenerator().setPersistent(false);
            if (inBody) {
                // The exchange that reads the body replies.
                failure = refusal;
            } else {
                channel.refuse(HttpReply.error(refusal.status(), refusal.reason()));
            }
        }
    }

    /** A reply on its way. */
    private final class Stream extends HttpStreamOverHTTP1 {
        Stream(String method, String uri, HttpVersion version) {
            super(method, uri, version);
        }

        @Override
        public void send(MetaData.Request request, MetaData.@Nullable Response response, boolean last,
                @Nullable ByteBuffer content, Callback callback) {
            super.send(request, response == null || response.getStatus() < 200
                    ? response
                    : new MetaData.Response(response.getStatus(), reason, response.getHttpVersion(),
                            response.getHttpFields(), response.getContentLength(), response.getTrailersSupplier()),
                    last, content, callback);
        }
    }
}
