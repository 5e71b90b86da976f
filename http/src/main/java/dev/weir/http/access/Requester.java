package dev.weir.http.access;

/**
 * Who made a request that was let in, for the audit trail and the log.
 *
 * @param client the address that counts, behind a trusted proxy the one that it names, or {@code a Unix-domain socket}
 * @param credential what let the request in: {@code secure_ip}, {@code password}, {@code enable_password}, or
 *            {@code no password} where none is configured
 */
public record Requester(String client, String credential) {}
