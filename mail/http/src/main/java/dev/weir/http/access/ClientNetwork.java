package dev.weir.http.access;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;

import dev.weir.http.server.Client;

/**
 * The group of clients whose failures are counted together: an IPv4 address, an IPv6 network of 64 bits (which one
 * customer usually has), or all clients behind Unix-domain sockets.
 *
 * @param near whether the clients are on this machine
 */
record ClientNetwork(long bits, Family family, boolean near) {
    enum Family {
        UNIX, FOUR, SIX
    }

    static ClientNetwork of(Client client) {
        if (client.address().isEmpty()) {
            return new ClientNetwork(0, Family.UNIX, true);
        }
        InetAddress address = client.address().get();
        byte[] bytes = address.getAddress();
        // ::1 shares its 64 bits with nothing that is routed.
        return address instanceof Inet6Address
                ? new ClientNetwork(number(Arrays.copyOf(bytes, Long.BYTES)), Family.SIX, address.isLoopbackAddress())
                : new ClientNetwork(number(bytes), Family.FOUR, address.isLoopbackAddress());
    }

    private static long number(byte[] bytes) {
        long number = 0;
        for (byte b : bytes) {
            number = number << 8 | (b & 0xff);
        }
        return number;
    }
}
