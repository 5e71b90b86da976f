package dev.weir.http.message;

/**
 * One whole request.
 *
 * @param method as it was written, such as {@code GET}
 * @param path what the target names, with percent escapes resolved and without its query
 * @param query the arguments of the query in order
 * @param headers the headers, without those of the query
 * @param body the bytes of the body; not copied, and not changed by anybody
 */
@SuppressWarnings("ArrayRecordComponent")
public record HttpRequest(String method, String path, HttpHeaders query, HttpHeaders headers, byte[] body) {
    /** Headers, and the arguments of the query for names that no header has. */
    public HttpHeaders arguments() {
        return headers.withFallback(query);
    }

    /** The same with another body. */
    public HttpRequest withBody(byte[] bytes) {
        return new HttpRequest(method, path, query, headers, bytes);
    }
}
