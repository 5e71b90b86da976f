package dev.weir.trap.settings;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/**
 * A folder of an IMAP server.
 *
 * @param tls whether the connection is encrypted from its first byte; otherwise it must become encrypted before the
 *        password is sent, unless the server is on this machine
 * @param host the server
 * @param port its port
 * @param user the user
 * @param folder the folder, {@code INBOX} if the address names none
 * @param password the password, which {@link #toString} does not show
 */
public record ImapFolder(boolean tls, String host, int port, String user, String folder, String password) {
    private static final int PORT = 143;
    private static final int TLS_PORT = 993;

    /**
     * Reads an address such as {@code imaps://bait@mail.example.org/Junk}. In the user, {@code %40} stands for
     * {@code @}.
     *
     * @throws IllegalArgumentException if the text is no such address; the message says what was expected
     */
    public static ImapFolder parse(String text) {
        URI uri;
        try {
            uri = new URI(text);
        } catch (URISyntaxException e) {
            throw wrong(text);
        }
        String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
        String user = uri.getUserInfo();
        if ((!scheme.equals("imap") && !scheme.equals("imaps")) || uri.getHost() == null || user == null
                || user.isEmpty() || uri.getQuery() != null || uri.getFragment() != null) {
            throw wrong(text);
        }
        if (user.contains(":")) {
            // The text is not repeated, because it contains a password.
            throw new IllegalArgumentException("an address with a password: write it into the file imap_passwords");
        }
        boolean tls = scheme.equals("imaps");
        String path = uri.getPath() == null ? "" : uri.getPath();
        return new ImapFolder(tls, uri.getHost(), uri.getPort() < 0 ? tls ? TLS_PORT : PORT : uri.getPort(), user,
                path.length() < 2 ? "INBOX" : path.substring(1), "");
    }

    private static IllegalArgumentException wrong(String text) {
        return new IllegalArgumentException("\"" + (text.contains("@")
                ? "…" + text.substring(text.lastIndexOf('@'))
                : text) + "\" is not an address such as imaps://user@mail.example.org/Junk");
    }

    /** Returns whether the server is on this machine. */
    public boolean isLocal() {
        return host.equals("localhost") || host.equals("127.0.0.1") || host.equals("[::1]");
    }

    /** Returns the user with the server, as a file of passwords names the account. */
    public String account() {
        return user + "@" + host;
    }

    /** Returns a copy with a password. */
    public ImapFolder withPassword(String secret) {
        return new ImapFolder(tls, host, port, user, folder, secret);
    }

    /** Returns the address without the password. */
    @Override
    public String toString() {
        return (tls ? "imaps://" : "imap://") + user.replace("@", "%40") + "@" + host + ":" + port + "/" + folder;
    }
}
