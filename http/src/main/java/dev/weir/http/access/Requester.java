package dev.weir.http.access;

/**
 * The author of a request that was granted, for the audit trail and the log.
 *
 * @param client the address of the client, which behind a trusted proxy is the one that the proxy names, or {@code a
 *        Unix-domain socket}
 * @param credential what granted the request: {@code secure_ip}, {@code password}, {@code enable_password}, or {@code
 *        no password} where none is configured
 */
public record Requester(String client, String credential) {}
