package dev.weir.http.message;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A reader of one HTTP/1.0 or HTTP/1.1 request (RFC 9112) from a stream. For one thread.
 *
 * <p>It returns the head first, so that a request can be refused before its body takes memory.
 *
 * <p>It is laxer than the RFC where real clients need it: lines may end in a bare LF, the Host header is optional, and
 * any method may have a body. It is stricter where laxness is dangerous: it refuses a request with both a length and
 * chunks, with two lengths, with folded headers, or with a NUL. Memory grows only with the bytes that arrive.
 *
 * <p>It reads requests of RSPAMC as well ({@link HttpHead#isRspamc}).
 */
public final class RequestReader {
    private static final int FIRST_HEAD = 1024;
    private static final int FIRST_BODY = 16 << 10;
    private static final int MAX_CHUNK_LINE = 256;
    private static final int MAX_LENGTH_DIGITS = 10;
    /** The path of a request in RSPAMC, which names none. */
    private static final String RSPAMC_PATH = "/check";
    private static final Pattern BLANKS = Pattern.compile(" +");

    private final InputStream in;
    private final HttpLimits limits;
    private final Continue continues;

    private byte[] buffer = new byte[FIRST_HEAD];
    private int from;
    private int to;
    private HttpHeaders headers = HttpHeaders.NONE;
    private boolean unread;

    /**
     * The sender of the interim reply that a client expects before it sends its body ({@code Expect: 100-continue}).
     */
    @FunctionalInterface
    public interface Continue {
        /** Sends the interim reply. */
        void send() throws IOException;
    }

    /** Creates a reader of one request. */
    public RequestReader(InputStream in, HttpLimits limits, Continue continues) {
        this.in = in;
        this.limits = limits;
        this.continues = continues;
    }

    /**
     * Reads request line and headers.
     *
     * @return empty if the stream ends before its first byte
     * @throws HttpException if the reply can only be an error; the rest of the request is unread
     * @throws IOException if the stream fails
     */
    public Optional<HttpHead> head() throws IOException, HttpException {
        int end = endOfHead();
        if (end < 0) {
            return Optional.empty();
        }
        List<String> lines = lines(end);
        String[] words = BLANKS.split(lines.getFirst().strip(), -1);
        boolean rspamc = HttpHead.isRspamc(words[0]);
        if (rspamc ? words.length != 2 || !words[1].startsWith("RSPAMC/") : words.length != 3 || words[0].isEmpty()) {
            throw new HttpException(400, "Malformed request line");
        }
        if (!rspamc && !words[2].equals("HTTP/1.0") && !words[2].equals("HTTP/1.1")) {
            throw words[2].startsWith("HTTP/")
                    ? new HttpException(505, "HTTP version not supported")
                    : new HttpException(400, "Malformed request line");
        }
        headers = headers(lines);
        unread = headers.has("transfer-encoding")
                || headers.all("content-length").stream().anyMatch(length -> !length.equals("0"));
        if (rspamc) {
            return Optional.of(new HttpHead(words[0], RSPAMC_PATH, HttpHeaders.NONE, headers));
        }
        String target = target(words[1]);
        int mark = target.indexOf('?');
        String path = Percent.decode(mark < 0 ? target : target.substring(0, mark), false);
        HttpHeaders query = mark < 0 ? HttpHeaders.NONE : Percent.query(target.substring(mark + 1), limits.headers());
        return Optional.of(new HttpHead(words[0], path, query, headers));
    }

    /** Returns whether a part of the body is unread. */
    public boolean hasUnread() {
        return unread;
    }

    /** Reads up to the empty line and returns its end in the buffer; -1 if the stream is empty. */
    private int endOfHead() throws IOException, HttpException {
        int scanned = 0;
        while (true) {
            // Skips empty lines before a request (RFC 9112, 2.2).
            while (scanned == 0 && from < to && (buffer[from] == '\r' || buffer[from] == '\n')) {
                from++;
            }
            for (int i = Math.max(scanned, from); i < to; i++) {
                if (buffer[i] == '\n' && endsHead(i)) {
                    return i + 1;
                }
                scanned = i + 1;
            }
            if (to >= limits.headBytes()) {
                throw new HttpException(431, "Request header fields too large");
            }
            if (to == buffer.length) {
                buffer = Arrays.copyOf(buffer, Math.min(buffer.length * 4, limits.headBytes()));
            }
            int read = in.read(buffer, to, buffer.length - to);
            if (read < 0) {
                if (to == from) {
                    return -1;
                }
                throw new HttpException(400, "Incomplete request");
            }
            to += read;
        }
    }

    private boolean endsHead(int lineFeed) {
        int before = lineFeed - 1;
        if (before >= from && buffer[before] == '\r') {
            before--;
        }
        return before >= from && buffer[before] == '\n';
    }

    private List<String> lines(int end) throws HttpException {
        List<String> lines = new ArrayList<>();
        int start = from;
        for (int i = from; i < end; i++) {
            if (buffer[i] == 0) {
                throw new HttpException(400, "Malformed request");
            }
            if (buffer[i] == '\n') {
                int stop = i > start && buffer[i - 1] == '\r' ? i - 1 : i;
                if (stop > start) {
                    lines.add(new String(buffer, start, stop - start, StandardCharsets.UTF_8));
                }
                start = i + 1;
            }
        }
        from = end;
        return lines;
    }

    private static String target(String text) throws HttpException {
        if (text.startsWith("/")) {
            return text;
        }
        if (text.equals("*")) {
            return "/";
        }
        int scheme = text.indexOf("://");
        if (scheme <= 0) {
            throw new HttpException(400, "Malformed request target");
        }
        int slash = text.indexOf('/', scheme + 3);
        return slash < 0 ? "/" : text.substring(slash);
    }

    private HttpHeaders headers(List<String> lines) throws HttpException {
        if (lines.size() - 1 > limits.headers()) {
            throw new HttpException(431, "Too many request headers");
        }
        List<HttpHeaders.Field> fields = new ArrayList<>(lines.size());
        for (String line : lines.subList(1, lines.size())) {
            int colon = line.indexOf(':');
            if (colon < 1 || !isToken(line, colon)) {
                throw new HttpException(400, "Malformed request header");
            }
            fields.add(new HttpHeaders.Field(line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip()));
        }
        return new HttpHeaders(fields);
    }

    private static boolean isToken(String line, int end) {
        for (int i = 0; i < end; i++) {
            char c = line.charAt(i);
            if (c <= ' ' || c >= 127) {
                return false;
            }
        }
        return true;
    }

    /**
     * Reads the body, once, after the head. Empty if absent.
     *
     * @param share the source of its memory; the caller closes it
     * @throws HttpException as {@link #head}, and 503 if all bodies together would be too large
     * @throws IOException if the stream fails
     */
    public byte[] body(BodyBudget.Share share) throws IOException, HttpException {
        List<String> encodings = headers.all("transfer-encoding");
        List<String> lengths = headers.all("content-length");
        if (!encodings.isEmpty()) {
            if (encodings.size() > 1 || !encodings.getFirst().equalsIgnoreCase("chunked")) {
                throw new HttpException(501, "Transfer encoding not supported");
            }
            if (!lengths.isEmpty()) {
                throw new HttpException(400, "Both a length and a transfer encoding");
            }
            askForBody();
            byte[] body = chunks(share);
            unread = false;
            return body;
        }
        if (lengths.isEmpty()) {
            return new byte[0];
        }
        if (new HashSet<>(lengths).size() > 1) {
            throw new HttpException(400, "More than one length");
        }
        int length = length(lengths.getFirst());
        if (length > 0) {
            askForBody();
        }
        byte[] body = fixed(length, share);
        unread = false;
        return body;
    }

    private void askForBody() throws IOException {
        if (from == to && headers.first("expect").orElse("").equalsIgnoreCase("100-continue")) {
            continues.send();
        }
    }

    private int length(String text) throws HttpException {
        if (text.isEmpty() || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new HttpException(400, "Malformed length");
        }
        if (text.length() > MAX_LENGTH_DIGITS || Long.parseLong(text) > limits.bodyBytes()) {
            throw tooLarge();
        }
        return Integer.parseInt(text);
    }

    private static HttpException tooLarge() {
        return new HttpException(413, "Message is too large");
    }

    private byte[] fixed(int length, BodyBudget.Share share) throws IOException, HttpException {
        byte[] body = allocate(Math.min(length, FIRST_BODY), share);
        int filled = 0;
        while (filled < length) {
            if (filled == body.length) {
                body = grow(body, length, share);
            }
            filled += some(body, filled, body.length - filled);
        }
        return body;
    }

    private static byte[] allocate(int size, BodyBudget.Share share) throws HttpException {
        share.take(size);
        return new byte[size];
    }

    private static byte[] grow(byte[] body, int most, BodyBudget.Share share) throws HttpException {
        int size = (int) Math.min(most, Math.max(FIRST_BODY, body.length * 2L));
        share.take(size - body.length);
        return Arrays.copyOf(body, size);
    }

    private int some(byte[] target, int offset, int length) throws IOException, HttpException {
        if (from < to) {
            int taken = Math.min(length, to - from);
            System.arraycopy(buffer, from, target, offset, taken);
            from += taken;
            return taken;
        }
        int read = in.read(target, offset, length);
        if (read < 0) {
            throw new HttpException(400, "Incomplete request");
        }
        return read;
    }

    private byte[] chunks(BodyBudget.Share share) throws IOException, HttpException {
        byte[] body = allocate(0, share);
        int filled = 0;
        while (true) {
            int size = chunkSize(line());
            if (size == 0) {
                break;
            }
            if (size > limits.bodyBytes() - filled) {
                throw tooLarge();
            }
            int end = filled + size;
            while (filled < end) {
                if (filled == body.length) {
                    body = grow(body, limits.bodyBytes(), share);
                }
                filled += some(body, filled, Math.min(body.length, end) - filled);
            }
            if (!line().isEmpty()) {
                throw new HttpException(400, "Malformed chunk");
            }
        }
        for (int trailers = 0; !line().isEmpty(); trailers++) {
            if (trailers == limits.headers()) {
                throw new HttpException(431, "Too many request headers");
            }
        }
        return filled == body.length ? body : Arrays.copyOf(body, filled);
    }

    private static int chunkSize(String line) throws HttpException {
        int semicolon = line.indexOf(';');
        String digits = (semicolon < 0 ? line : line.substring(0, semicolon)).strip();
        if (digits.isEmpty() || !digits.chars().allMatch(c -> Character.digit(c, 16) >= 0 && c < 128)) {
            throw new HttpException(400, "Malformed chunk");
        }
        if (digits.length() > 7) {
            throw tooLarge();
        }
        return Integer.parseInt(digits, 16);
    }

    /** Returns a line between chunks, without its end. */
    private String line() throws IOException, HttpException {
        StringBuilder line = new StringBuilder();
        byte[] one = new byte[1];
        while (true) {
            if (from == to) {
                from = 0;
                to = Math.max(0, in.read(buffer, 0, buffer.length));
                if (to == 0) {
                    throw new HttpException(400, "Incomplete request");
                }
            }
            some(one, 0, 1);
            if (one[0] == '\n') {
                int length = line.length();
                return length > 0 && line.charAt(length - 1) == '\r' ? line.substring(0, length - 1) : line.toString();
            }
            if (line.length() == MAX_CHUNK_LINE) {
                throw new HttpException(400, "Malformed chunk");
            }
            line.append((char) (one[0] & 0xff));
        }
    }
}
