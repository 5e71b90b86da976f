package dev.weir.http.message;

/**
 * The request line and the headers of a request whose body is still unread.
 *
 * @param method the method as the client wrote it, such as {@code GET}
 * @param path the path of the target, with percent escapes decoded and without the query
 * @param query the arguments of the query in order
 * @param headers the headers, without the arguments of the query
 * @param outer the headers on the wire: the same as {@code headers}, or those around an encrypted request. Only they
 *            contain headers of proxies and browsers; the sender chose those inside
 */
public record HttpHead(String method, String path, HttpHeaders query, HttpHeaders headers, HttpHeaders outer) {
    /** Creates the head of an unencrypted request. */
    public HttpHead(String method, String path, HttpHeaders query, HttpHeaders headers) {
        this(method, path, query, headers, headers);
    }

    /** Returns this head as the one inside an encrypted request. */
    public HttpHead inside(HttpHead encrypted) {
        return new HttpHead(method, path, query, headers, encrypted.outer());
    }

    /** Returns the headers, and the arguments of the query for names that no header has. */
    public HttpHeaders arguments() {
        return headers.withFallback(query);
    }

    /** Returns the request with this head and a body. */
    public HttpRequest with(byte[] body) {
        return new HttpRequest(this, body);
    }
}
