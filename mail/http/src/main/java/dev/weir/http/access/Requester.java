package dev.weir.http.access;

/**
 * The author of a granted request, for the audit trail and the log.
 *
 * @param client the address of the client: behind a trusted proxy the one that the proxy names, or {@code a Unix-domain
 *            socket}
 * @param credential the reason for the grant: {@code secure_ip}, {@code password}, {@code enable_password}, or {@code
 *            no password} if none is configured
 */
public record Requester(String client, String credential) {}
