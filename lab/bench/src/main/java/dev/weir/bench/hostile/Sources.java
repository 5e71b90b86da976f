package dev.weir.bench.hostile;

import java.net.InetSocketAddress;

import dev.weir.model.AddressBits;

/** Loopback source addresses other than those of the clients; all of 127.0.0.0/8 is local. */
final class Sources {
    private Sources() {}

    /** Returns address number {@code n} with any free port; addresses repeat after a few million. */
    static InetSocketAddress number(int n) {
        return new InetSocketAddress(AddressBits.address(
                new byte[]{127, (byte) (1 + (n >>> 14 & 63)), (byte) (n >>> 7 & 127), (byte) (1 + (n & 127))}), 0);
    }
}
