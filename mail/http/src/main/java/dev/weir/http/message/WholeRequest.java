package dev.weir.http.message;

import java.nio.ByteBuffer;

import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/**
 * A request that is in memory as a whole: the content of an encrypted body. Its body is copied only when it is asked
 * for, after the head has decided on access. For one thread.
 */
public final class WholeRequest {
    private final ByteBuffer bytes;
    private final HttpLimits limits;
    private final Parts parts = new Parts();
    private final RequestParser parser;
    private final HttpHead head;

    private WholeRequest(byte[] bytes, HttpLimits limits) throws HttpException {
        this.bytes = ByteBuffer.wrap(bytes);
        this.limits = limits;
        this.parser = new RequestParser(parts, limits.headBytes());
        if (!parser.parseNext(this.bytes) || parts.head == null) {
            end();
        }
        if (parts.head == null) {
            throw new HttpException(400, "Incomplete request");
        }
        this.head = parts.head.build();
    }

    /**
     * Reads the head of a request.
     *
     * @throws HttpException if the reply can only be an error
     */
    public static WholeRequest read(byte[] bytes, HttpLimits limits) throws HttpException {
        return new WholeRequest(bytes, limits);
    }

    /** Returns the head. */
    public HttpHead head() {
        return head;
    }

    /**
     * Reads the body, once. Empty if absent.
     *
     * @param share the source of its memory; the caller closes it
     * @throws HttpException if the body is malformed or too large
     */
    public byte[] body(BodyBudget.Share share) throws HttpException {
        BodyBuffer body = BodyBuffer.of(head, limits, share, bytes.remaining());
        while (!parts.complete) {
            if (parser.parseNext(bytes) && parts.content != null) {
                body.add(parts.content);
                parts.content = null;
            } else if (!parts.complete && !bytes.hasRemaining()) {
                end();
            }
            if (parts.failure != null) {
                throw parts.failure;
            }
        }
        return body.bytes();
    }

    private void end() throws HttpException {
        parser.atEOF();
        parser.parseNext(ByteBuffer.allocate(0));
        if (parts.failure != null) {
            throw parts.failure;
        }
    }

    private final class Parts implements HttpParser.RequestHandler {
        private @Nullable HeadBuilder builder;
        private @Nullable HeadBuilder head;
        private @Nullable ByteBuffer content;
        private @Nullable HttpException failure;
        private boolean complete;

        @Override
        public void startRequest(String method, String uri, HttpVersion version) {
            builder = new HeadBuilder(method, uri, parser.isRspamc(), limits.headers());
        }

        @Override
        public void parsedHeader(HttpField field) {
            if (builder != null) {
                builder.add(field);
            }
        }

        @Override
        public boolean headerComplete() {
            head = builder;
            return true;
        }

        @Override
        public boolean content(ByteBuffer part) {
            content = part;
            return true;
        }

        @Override
        public boolean contentComplete() {
            return false;
        }

        @Override
        public boolean messageComplete() {
            complete = true;
            return true;
        }

        @Override
        public void earlyEOF() {
            failure = new HttpException(400, "Incomplete request");
        }

        @Override
        public void badMessage(org.eclipse.jetty.http.HttpException bad) {
            failure = Malformed.of(bad, builder != null);
        }
    }
}
