package dev.weir.http.message;

/**
 * The request line and headers of one request; its body is still to be read.
 *
 * @param method as it was written, such as {@code GET}
 * @param path what the target names, with percent escapes resolved and without its query
 * @param query the arguments of the query in order
 * @param headers the headers, without those of the query
 * @param outer the headers of the request on the wire: the same as {@code headers}, or those around an encrypted request.
 *        What proxies and browsers say of a request stands there; what is inside of an encrypted one its sender chose
 */
public record HttpHead(String method, String path, HttpHeaders query, HttpHeaders headers, HttpHeaders outer) {
    /** A request that came as it is. */
    public HttpHead(String method, String path, HttpHeaders query, HttpHeaders headers) {
        this(method, path, query, headers, headers);
    }

    /** The same, found inside of an encrypted request. */
    public HttpHead inside(HttpHead encrypted) {
        return new HttpHead(method, path, query, headers, encrypted.outer());
    }

    /** Headers, and the arguments of the query for names that no header has. */
    public HttpHeaders arguments() {
        return headers.withFallback(query);
    }

    /** The whole request. */
    public HttpRequest with(byte[] body) {
        return new HttpRequest(this, body);
    }
}
