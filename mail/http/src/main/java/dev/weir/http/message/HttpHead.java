package dev.weir.http.message;

import java.util.Optional;
import java.util.Set;

/**
 * The request line and the headers of a request whose body is still unread.
 *
 * @param method the method as the client wrote it, such as {@code GET}
 * @param path the path of the target, with percent escapes decoded and without the query
 * @param query the arguments of the query in order
 * @param headers the headers, without the arguments of the query
 * @param outer the headers on the wire: the same as {@code headers}, or those around an encrypted request. Only they
 *            contain headers of proxies and browsers; the sender chose those inside
 * @param seal the seal of an encrypted request
 */
public record HttpHead(String method, String path, HttpHeaders query, HttpHeaders headers, HttpHeaders outer,
        Optional<Seal> seal) {
    /**
     * The methods of RSPAMC, Rspamd's protocol before HTTP, which Exim speaks (docs/reference/rspamd-http.md#rspamc).
     */
    private static final Set<String> RSPAMC = Set.of("CHECK", "SYMBOLS");

    /** Creates the head of an unencrypted request. */
    public HttpHead(String method, String path, HttpHeaders query, HttpHeaders headers) {
        this(method, path, query, headers, headers, Optional.empty());
    }

    /** Returns whether the reply has no body: it is that of GET, cut after its headers (RFC 9110, 9.3.2). */
    public boolean isForHeadersOnly() {
        return method.equals("HEAD");
    }

    /** Returns whether this is a request to scan a mail in RSPAMC, whose reply is no HTTP. */
    public boolean isRspamc() {
        return isRspamc(method);
    }

    static boolean isRspamc(String method) {
        return RSPAMC.contains(method);
    }

    /** Returns whether a body follows this head. */
    public boolean announcesBody() {
        return headers.has("transfer-encoding")
                || headers.all("content-length").stream().anyMatch(length -> !length.equals("0"));
    }

    /** Returns this head as the one inside an encrypted request with a seal. */
    public HttpHead inside(HttpHead encrypted, Seal opened) {
        return new HttpHead(method, path, query, headers, encrypted.outer(), Optional.of(opened));
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
