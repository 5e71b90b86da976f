package dev.weir.trap.smtp;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import dev.weir.model.Network;
import dev.weir.trap.decision.TrapCounters.Event;

/**
 * The places for connections. One address that is not near, or one /64 of IPv6, has a tenth of them, so that idle
 * connections of one host do not keep out all others. Thread-safe.
 */
final class TrapPlaces {
    private static final int SHARE = 10;
    private static final int V4_PREFIX = 32;
    private static final int V6_PREFIX = 64;

    private final Map<Object, Optional<Network>> taken = new HashMap<>();

    /**
     * Takes a place.
     *
     * @param guest who takes it
     * @param near whether the address is of this machine or of a relay, which delivers for many hosts
     * @param most the number of places
     * @return why there is no place; empty if there is one
     */
    synchronized Optional<Event> take(Object guest, InetAddress address, boolean near, int most) {
        if (taken.size() >= most) {
            return Optional.of(Event.OVERFLOW);
        }
        Optional<Network> network = near
                ? Optional.empty()
                : Optional.of(Network.of(address, address instanceof Inet4Address ? V4_PREFIX : V6_PREFIX));
        if (network.isPresent()
                && taken.values().stream().filter(network::equals).count() >= Math.max(1, most / SHARE)) {
            return Optional.of(Event.TOO_MANY);
        }
        taken.put(guest, network);
        return Optional.empty();
    }

    /** Gives a place back, if the guest has one. */
    synchronized void leave(Object guest) {
        taken.remove(guest);
    }
}
