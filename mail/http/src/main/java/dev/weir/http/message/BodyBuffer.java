package dev.weir.http.message;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/** The body of a request while it arrives. Its memory grows with its bytes. For one thread. */
public final class BodyBuffer {
    private static final byte[] NONE = {};
    private static final int MAX_LENGTH_DIGITS = 10;

    private final BodyBudget.Share share;
    private final int most;
    private final int first;
    private byte[] bytes = NONE;
    private int filled;

    private BodyBuffer(BodyBudget.Share share, int most, int first) {
        this.share = share;
        this.most = most;
        this.first = first;
    }

    /**
     * Creates the buffer for the body of a request.
     *
     * @param share the source of its memory; the caller closes it
     * @param first number of bytes that are reserved at once if the body is as long; then the memory doubles
     * @throws HttpException 413 if the announced length is more than the limit, and 501 for an unknown encoding
     */
    public static BodyBuffer of(HttpHead head, HttpLimits limits, BodyBudget.Share share, int first)
            throws HttpException {
        List<String> encodings = head.headers().all("transfer-encoding");
        if (!encodings.isEmpty()) {
            if (encodings.size() > 1 || !encodings.getFirst().equalsIgnoreCase("chunked")) {
                throw new HttpException(501, "Transfer encoding not supported");
            }
            return new BodyBuffer(share, limits.bodyBytes(), first);
        }
        String length = head.headers().first("content-length").orElse("0");
        // The parser takes digits only.
        if (length.length() > MAX_LENGTH_DIGITS || Long.parseLong(length) > limits.bodyBytes()) {
            throw tooLarge();
        }
        return new BodyBuffer(share, Integer.parseInt(length), first);
    }

    private static HttpException tooLarge() {
        return new HttpException(413, "Message is too large");
    }

    /**
     * Adds the next bytes.
     *
     * @throws HttpException 413 if the body is too large, and 503 if all bodies together would be
     */
    public void add(ByteBuffer part) throws HttpException {
        int end = filled + part.remaining();
        if (end > most) {
            throw tooLarge();
        }
        while (end > bytes.length) {
            int size = (int) Math.min(most, Math.max(first, bytes.length * 2L));
            share.take(size - bytes.length);
            bytes = Arrays.copyOf(bytes, size);
        }
        int count = part.remaining();
        part.get(bytes, filled, count);
        filled += count;
    }

    /** Returns the bytes. */
    public byte[] bytes() {
        return filled == bytes.length ? bytes : Arrays.copyOf(bytes, filled);
    }
}
