package dev.weir.storage.settings;

import java.net.InetSocketAddress;

import dev.weir.net.ListenAddress;
import dev.weir.net.UnixPlace;
import dev.weir.storage.server.Bind;
import dev.weir.storage.server.StorageConfig;

/** Parser for the listening addresses in {@code bind_socket}. */
public final class BindAddress {
    private BindAddress() {}

    /**
     * Parses one address: {@code host}, {@code host:port}, {@code [::1]:port}, {@code *:port} for all addresses
     * ({@code *v4} or {@code *v6} for one family, see {@link ListenAddress}), or {@code /path/of/socket mode=0660
     * owner=USER group=GROUP}. The default port is {@value StorageConfig#DEFAULT_PORT}. Host names are resolved.
     *
     * @throws IllegalArgumentException if the address is invalid; the message is for the operator
     */
    public static Bind parse(String text) {
        String place = text.strip();
        return UnixPlace.isPath(place)
                ? socket(place)
                : new Bind.Inet(inet(place, StorageConfig.DEFAULT_PORT));
    }

    private static Bind.Unix socket(String text) {
        UnixPlace place = UnixPlace.parse(text);
        return new Bind.Unix(place.path(), place.mode().orElse(Bind.Unix.OWN_USER), place.owner(), place.group());
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
