package dev.weir.http.message;

/**
 * The request line and the headers of a request whose body is still unread.
 *
 * @param method as the client wrote it, such as {@code GET}
 * @param path the path of the target, with percent escapes decoded and without the query
 * @param query the arguments of the query in order
 * @param headers the headers, without the arguments of the query
 * @param outer the headers of the request on the wire: the same as {@code headers}, or those around an encrypted
 *        request. Only they carry what proxies and browsers say; the sender chose those inside
 */
public record HttpHead(String method, String path, HttpHeaders query, HttpHeaders headers, HttpHeaders outer) {
    /** A request that came as it is. */
    public HttpHead(String method, String path, HttpHeaders query, HttpHeaders headers) {
        this(method, path, query, headers, headers);
    }

    /** Returns the same, found inside of an encrypted request. */
    public HttpHead inside(HttpHead encrypted) {
        return new HttpHead(method, path, query, headers, encrypted.outer());
    }

    /** Headers, and the arguments of the query for names that no header has. */
    public HttpHeaders arguments() {
        return headers.withFallback(query);
    }

    /** Returns the whole request. */
    public HttpRequest with(byte[] body) {
        return new HttpRequest(this, body);
    }
}
