package dev.weir.storage.server;

import java.net.InetSocketAddress;
import java.util.List;

import dev.weir.net.ListenAddress;
import dev.weir.storage.server.stream.StreamLimits;

/**
 * Where a storage is reached, and what connections may take of it.
 *
 * @param binds at least one address; it may have Unix-domain sockets besides
 */
public record Listen(List<Bind> binds, StreamLimits streams) {
    /**
     * Copies the list, without what another member of it takes anyway: the same again, and {@code 0.0.0.0} beside
     * {@code ::} with the same port.
     *
     * @throws IllegalArgumentException if there is no address among them
     */
    public Listen {
        List<Bind> all = List.copyOf(binds);
        if (all.stream().noneMatch(Bind.Inet.class::isInstance)) {
            throw new IllegalArgumentException("a storage listens on one address at least");
        }
        binds = all.stream().distinct().filter(bind -> !isCovered(bind, all)).toList();
    }

    /** One address, with the usual limits. */
    static Listen on(InetSocketAddress address) {
        return new Listen(List.of(new Bind.Inet(address)), StreamLimits.DEFAULT);
    }

    private static boolean isCovered(Bind bind, List<Bind> all) {
        return bind instanceof Bind.Inet(InetSocketAddress address)
                && all.stream().anyMatch(other -> other instanceof Bind.Inet(InetSocketAddress wider)
                        && ListenAddress.covers(wider, address));
    }

    /** Returns the first of the addresses. */
    public InetSocketAddress first() {
        return binds.stream().filter(Bind.Inet.class::isInstance).map(Bind.Inet.class::cast).findFirst().orElseThrow()
                .address();
    }

    /** Returns a copy with other places. */
    public Listen withBinds(List<Bind> places) {
        return new Listen(places, streams);
    }

    /** Returns a copy with other limits of connections. */
    public Listen withStreams(StreamLimits limits) {
        return new Listen(binds, limits);
    }
}
