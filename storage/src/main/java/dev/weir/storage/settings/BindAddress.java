package dev.weir.storage.settings;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.net.ListenAddress;
import dev.weir.storage.server.Bind;
import dev.weir.storage.server.StorageConfig;

/** Parser for the listening addresses in {@code bind_socket}. */
public final class BindAddress {
    private static final Pattern SOCKET = Pattern.compile("([/.]\\S*)(?:\\s+mode=0?([0-7]{3}))?");

    private BindAddress() {}

    /**
     * Parses one address: {@code host}, {@code host:port}, {@code [::1]:port}, {@code *:port} for all addresses
     * ({@code *v4} or {@code *v6} for one family, see {@link ListenAddress}), or {@code /path/of/socket mode=0660}. The
     * default port is {@value StorageConfig#DEFAULT_PORT}. Host names are resolved.
     *
     * @throws IllegalArgumentException if the address is invalid; the message is for the operator
     */
    public static Bind parse(String text) {
        String place = text.strip();
        return place.startsWith("/") || place.startsWith(".")
                ? socket(place)
                : new Bind.Inet(inet(place, StorageConfig.DEFAULT_PORT));
    }

    private static Bind.Unix socket(String text) {
        Matcher matcher = SOCKET.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("\"" + text
                    + "\" is not a valid socket: write a path, and \"mode=0660\" after it if others may open it");
        }
        return new Bind.Unix(Path.of(matcher.group(1)),
                matcher.group(2) == null ? Bind.Unix.OWN_USER : mode(matcher.group(2)));
    }

    private static Set<PosixFilePermission> mode(String octal) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < octal.length(); i++) {
            int bits = octal.charAt(i) - '0';
            text.append((bits & 4) != 0 ? 'r' : '-').append((bits & 2) != 0 ? 'w' : '-')
                    .append((bits & 1) != 0 ? 'x' : '-');
        }
        return PosixFilePermissions.fromString(text.toString());
    }

    /**
     * Parses one network address like {@link #parse}, with another default port.
     *
     * @throws IllegalArgumentException if the address is invalid; the message is for the operator
     */
    static InetSocketAddress inet(String text, int usualPort) {
        return ListenAddress.parse(text, usualPort).getFirst();
    }
}
