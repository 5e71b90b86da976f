package dev.weir.storage.server;

import java.net.InetSocketAddress;
import java.util.List;

import dev.weir.net.ListenAddress;
import dev.weir.storage.server.stream.StreamLimits;

/**
 * The addresses of a storage, with the limits of connections.
 *
 * @param binds at least one Internet address, and optional Unix-domain sockets
 * @param streams the limits of connections
 */
public record Listen(List<Bind> binds, StreamLimits streams) {
    /**
     * Copies the list without duplicates and without addresses that another one covers, such as {@code 0.0.0.0} next to
     * {@code ::} with the same port.
     *
     * @throws IllegalArgumentException if the list contains no Internet address
     */
    public Listen {
        List<Bind> all = List.copyOf(binds);
        if (all.stream().noneMatch(Bind.Inet.class::isInstance)) {
            throw new IllegalArgumentException("a storage must listen on at least one address");
        }
        binds = all.stream().distinct().filter(bind -> !isCovered(bind, all)).toList();
    }

    /** Returns a single address with the default limits. */
    static Listen on(InetSocketAddress address) {
        return new Listen(List.of(new Bind.Inet(address)), StreamLimits.DEFAULT);
    }

    private static boolean isCovered(Bind bind, List<Bind> all) {
        return bind instanceof Bind.Inet(InetSocketAddress address)
                && all.stream().anyMatch(other -> other instanceof Bind.Inet(InetSocketAddress wider)
                        && ListenAddress.covers(wider, address));
    }

    /** Returns the first Internet address. */
    public InetSocketAddress first() {
        return binds.stream().filter(Bind.Inet.class::isInstance).map(Bind.Inet.class::cast).findFirst().orElseThrow()
                .address();
    }

    /** Returns a copy with other addresses and sockets. */
    public Listen withBinds(List<Bind> places) {
        return new Listen(places, streams);
    }

    /** Returns a copy with other limits of connections. */
    public Listen withStreams(StreamLimits limits) {
        return new Listen(binds, limits);
    }
}
