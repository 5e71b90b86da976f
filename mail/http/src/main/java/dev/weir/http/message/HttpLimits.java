package dev.weir.http.message;

/**
 * The limits of one request. A request that exceeds them gets an error before more of it is kept in memory.
 *
 * @param headBytes bytes of request line and headers together
 * @param headers number of headers; each recipient of a mail is one
 * @param bodyBytes bytes of the body as sent, and again of its unpacked form
 */
public record HttpLimits(int headBytes, int headers, int bodyBytes) {
    /** 64 KiB and 1024 headers, enough for a thousand recipients; 50 MiB, Rspamd's own limit of a message. */
    public static final HttpLimits DEFAULT = new HttpLimits(64 << 10, 1024, 50 << 20);

    /** Checks that all of them are usable. */
    public HttpLimits {
        if (headBytes < 64 || headers < 1 || bodyBytes < 0 || bodyBytes > 1 << 30) {
            throw new IllegalArgumentException("limits of " + headBytes + " bytes of head, " + headers
                    + " headers and " + bodyBytes + " bytes of body");
        }
    }
}
