package dev.weir.http.message;

/**
 * A whole request.
 *
 * @param head its head
 * @param body the bytes of the body; not copied, and never changed
 */
@SuppressWarnings("ArrayRecordComponent")
public record HttpRequest(HttpHead head, byte[] body) {
    /** Returns the arguments of the query in order. */
    public HttpHeaders query() {
        return head.query();
    }

    /** Returns the headers, without the arguments of the query. */
    public HttpHeaders headers() {
        return head.headers();
    }
}
