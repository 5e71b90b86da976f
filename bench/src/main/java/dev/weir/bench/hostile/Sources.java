package dev.weir.bench.hostile;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Addresses of this machine that are not those of the clients: all of 127.0.0.0/8 is its own. */
final class Sources {
    private Sources() {}

    /** Returns the address number {@code n}, with any free port; numbers repeat after some million. */
    static InetSocketAddress number(int n) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(
                    new byte[]{127, (byte) (1 + (n >>> 14 & 63)), (byte) (n >>> 7 & 127), (byte) (1 + (n & 127))}), 0);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }
}
