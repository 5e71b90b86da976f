package dev.weir.http.message;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A reply. The writer adds its length and the headers of the connection.
 *
 * @param status 100..599
 * @param reason the text after the status, without the characters that a line cannot contain
 * @param type the Content-Type
 * @param headers further headers
 * @param body the bytes; not copied, and never changed
 * @param stream sends the body instead, without a known length; null for a reply with a body
 */
@SuppressWarnings("ArrayRecordComponent")
public record HttpReply(int status, String reason, String type, List<HttpHeaders.Field> headers, byte[] body,
        @Nullable ReplyStream stream) {
    /** The content type of JSON. */
    public static final String JSON = "application/json";
    /** The content type of plain text. */
    public static final String TEXT = "text/plain";

    private static final int MAX_REASON = 200;

    /** Copies the list and checks the status, so that no invalid status is sent. */
    public HttpReply {
        if (status < 100 || status > 599) {
            throw new IllegalArgumentException(status + " is not a status of HTTP");
        }
        headers = List.copyOf(headers);
    }

    /** Creates a reply with a body. */
    public HttpReply(int status, String reason, String type, List<HttpHeaders.Field> headers, byte[] body) {
        this(status, reason, type, headers, body, null);
    }

    /** Returns a success whose body is sent bit by bit until the connection ends. */
    public static HttpReply streaming(String type, ReplyStream stream) {
        return new HttpReply(200, "OK", type, List.of(), new byte[0], stream);
    }

    /** Returns a success. */
    public static HttpReply ok(String type, byte[] body) {
        return new HttpReply(200, "OK", type, List.of(), body);
    }

    /** Returns a success with a text. */
    public static HttpReply ok(String type, String body) {
        return ok(type, body.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns an error in Rspamd's form: the text in JSON, and again as the reason. */
    public static HttpReply error(int status, String text) {
        StringBuilder json = new StringBuilder("{\"error\":\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\');
            }
            json.append(c < ' ' ? ' ' : c);
        }
        return new HttpReply(status, text, JSON, List.of(),
                json.append("\"}").toString().getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a copy with one more header. */
    public HttpReply with(String name, String value) {
        List<HttpHeaders.Field> more = new ArrayList<>(headers);
        more.add(new HttpHeaders.Field(name, value));
        return new HttpReply(status, reason, type, more, body, stream);
    }

    /** Returns a copy with another body. */
    public HttpReply withBody(byte[] bytes) {
        return new HttpReply(status, reason, type, headers, bytes);
    }

    /**
     * Returns the bytes on the wire.
     *
     * @param connection the header lines of the connection, each ended by CR LF
     */
    public byte[] toBytes(String connection) {
        byte[] start = toHeadBytes(connection);
        byte[] all = new byte[start.length + body.length];
        System.arraycopy(start, 0, all, 0, start.length);
        System.arraycopy(body, 0, all, start.length, body.length);
        return all;
    }

    /** Returns the bytes on the wire without the body, which the length still describes. */
    public byte[] toHeadBytes(String connection) {
        StringBuilder head = new StringBuilder(256).append("HTTP/1.1 ").append(status).append(' ')
                .append(cleanReason()).append("\r\n").append(connection)
                .append(stream == null ? "Content-Length: " + body.length + "\r\n" : "")
                .append("Content-Type: ").append(cleanType()).append("\r\n");
        for (HttpHeaders.Field field : headers) {
            head.append(field.name()).append(": ").append(clean(field.value())).append("\r\n");
        }
        return head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the bytes on the wire for a request of RSPAMC, whose replies have no headers. */
    public byte[] toRspamcBytes() {
        if (status == 200) {
            byte[] start = "RSPAMD/1.3 0 EX_OK\r\n".getBytes(StandardCharsets.US_ASCII);
            byte[] all = new byte[start.length + body.length];
            System.arraycopy(start, 0, all, 0, start.length);
            System.arraycopy(body, 0, all, start.length, body.length);
            return all;
        }
        return ("RSPAMD/1.3 " + status + " EX_ERROR\r\nMessage: " + line(reason, MAX_REASON) + "\r\n")
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the reason as it is sent. */
    public String cleanReason() {
        return line(reason, MAX_REASON);
    }

    /** Returns the content type as it is sent. */
    public String cleanType() {
        return line(type, MAX_REASON);
    }

    /** Returns the value of a header as it is sent. */
    public static String clean(String value) {
        return line(value, Integer.MAX_VALUE);
    }

    /** Removes the characters that would end a line, so that a client cannot forge a header. */
    private static String line(String text, int most) {
        StringBuilder clean = new StringBuilder(Math.min(text.length(), most));
        for (int i = 0; i < text.length() && clean.length() < most; i++) {
            char c = text.charAt(i);
            if (c >= ' ' && c != 127) {
                clean.append(c);
            }
        }
        return clean.toString();
    }
}
