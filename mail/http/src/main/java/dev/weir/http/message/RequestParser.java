package dev.weir.http.message;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpVersion;

/**
 * Jetty's parser of HTTP/1.0 and HTTP/1.1 (RFC 9112), which also takes what two clients send instead: a request of
 * HTTP/1.1 without a Host header (Rspamd's proxy), and the request line of RSPAMC ({@link HttpHead#isRspamc}), which
 * Exim sends. Lines of a head may end in a bare LF. For one connection and one thread.
 *
 * <p>It collects the request line and passes on another one. Jetty's parser gets each request as one of HTTP/1.0, in
 * which Host is optional. Nothing else in the parser depends on the version.
 */
public final class RequestParser extends HttpParser {
    private static final HttpCompliance COMPLIANCE = HttpCompliance.RFC9110.with("WEIR",
            HttpCompliance.Violation.LF_HEADER_TERMINATION);

    private static final int USUAL_LINE = 64;
    private static final byte[] VERSION = " HTTP/1.1".getBytes(StandardCharsets.US_ASCII);
    /** The part of a version before its first digit. */
    private static final int KIND = " HTTP/".length();
    private static final byte[] RSPAMC = " RSPAMC/".getBytes(StandardCharsets.US_ASCII);
    /** What follows the method for Jetty's parser. RSPAMC names no path. */
    private static final String RSPAMC_TARGET = " /check HTTP/1.0\r\n";

    private final int headBytes;
    private byte[] line = new byte[USUAL_LINE];
    private int length;
    private boolean isNew;
    private boolean rspamc;
    private boolean finished;

    /**
     * Creates a parser.
     *
     * @param handler receives the parts of requests
     * @param headBytes maximum number of bytes of request line and headers together
     */
    public RequestParser(RequestHandler handler, int headBytes) {
        super(handler, headBytes, COMPLIANCE);
        this.headBytes = headBytes;
    }

    /** Returns whether the request line of the present request was one of RSPAMC. */
    public boolean isRspamc() {
        return rspamc;
    }

    /** Returns the version of the present request instead of the one that the handler got. */
    public HttpVersion version(HttpVersion parsed) {
        return isNew ? HttpVersion.HTTP_1_1 : parsed;
    }

    /** Ends the requests. What follows is discarded. */
    public void finish() {
        finished = true;
    }

    /** Returns whether Jetty must throw an exception for what follows, whose stack trace would cost each connection. */
    @Override
    public boolean isTerminated() {
        return !finished && super.isTerminated();
    }

    @Override
    public boolean parseNext(ByteBuffer buffer) {
        if (finished) {
            buffer.position(buffer.limit());
            return false;
        }
        if (isStart() && buffer.hasRemaining() && !readLine(buffer)) {
            return false;
        }
        if (isStart() && length > 0 && isAtEOF()) {
            pass(line, length);
        }
        return super.parseNext(buffer);
    }

    /** Collects the request line, and passes it on. Returns false if it is incomplete. */
    private boolean readLine(ByteBuffer buffer) {
        while (buffer.hasRemaining()) {
            byte next = buffer.get();
            if (length == 0 && (next == '\r' || next == '\n')) {
                // Empty lines before a request (RFC 9112, 2.2).
                continue;
            }
            if (length == line.length) {
                if (length >= headBytes) {
                    length = 0;
                    badMessage(new HttpException.RuntimeException(HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE_431));
                    return true;
                }
                line = Arrays.copyOf(line, Math.min(headBytes, 2 * length));
            }
            line[length++] = next;
            if (next == '\n') {
                passLine();
                return true;
            }
        }
        return false;
    }

    private void passLine() {
        int end = length - (length > 1 && line[length - 2] == '\r' ? 2 : 1);
        int version = end - VERSION.length;
        isNew = version > 0 && Arrays.equals(line, version, end, VERSION, 0, VERSION.length);
        rspamc = false;
        if (isNew) {
            line[end - 1] = '0';
        } else if (version > 0 && Arrays.equals(line, version, version + KIND, VERSION, 0, KIND)
                && line[version + KIND] > '1') {
            length = 0;
            badMessage(new HttpException.RuntimeException(HttpStatus.HTTP_VERSION_NOT_SUPPORTED_505));
            return;
        } else if (isRspamc(end)) {
            rspamc = true;
            byte[] other = (new String(line, 0, blank(end), StandardCharsets.US_ASCII) + RSPAMC_TARGET)
                    .getBytes(StandardCharsets.US_ASCII);
            pass(other, other.length);
            return;
        }
        if (hasTwoBlanks(end)) {
            length = 0;
            badMessage(new HttpException.RuntimeException(HttpStatus.BAD_REQUEST_400));
            return;
        }
        pass(line, length);
    }

    /** Returns whether a blank follows another one. Jetty's parser takes both for one (RFC 9112, 3). */
    private boolean hasTwoBlanks(int end) {
        for (int i = 1; i < end; i++) {
            if (line[i] == ' ' && line[i - 1] == ' ') {
                return true;
            }
        }
        return false;
    }

    private int blank(int end) {
        int blank = 0;
        while (blank < end && line[blank] != ' ') {
            blank++;
        }
        return blank;
    }

    private boolean isRspamc(int end) {
        int word = blank(end);
        int version = word + RSPAMC.length;
        if (version > end || !Arrays.equals(line, word, version, RSPAMC, 0, RSPAMC.length)
                || !HttpHead.isRspamc(new String(line, 0, word, StandardCharsets.US_ASCII))) {
            return false;
        }
        for (int i = version; i < end; i++) {
            if (line[i] <= ' ') {
                return false;
            }
        }
        return true;
    }

    private void pass(byte[] bytes, int count) {
        length = 0;
        super.parseNext(ByteBuffer.wrap(bytes, 0, count));
        if (line.length > USUAL_LINE) {
            line = new byte[USUAL_LINE];
        }
    }
}
