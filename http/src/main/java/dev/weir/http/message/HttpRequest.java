package dev.weir.http.message;

/**
 * One whole request.
 *
 * @param head its first part
 * @param body the bytes of the body; not copied, and not changed by anybody
 */
@SuppressWarnings("ArrayRecordComponent")
public record HttpRequest(HttpHead head, byte[] body) {
    /** The arguments of the query in order. */
    public HttpHeaders query() {
        return head.query();
    }

    /** The headers, without those of the query. */
    public HttpHeaders headers() {
        return head.headers();
    }
}
