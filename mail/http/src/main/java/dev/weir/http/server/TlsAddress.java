package dev.weir.http.server;

import java.net.InetSocketAddress;

/** An address where a server speaks TLS. */
public final class TlsAddress extends InetSocketAddress {
    private static final long serialVersionUID = 1;

    /** Creates the address from one without TLS. */
    public TlsAddress(InetSocketAddress address) {
        super(address.getAddress(), address.getPort());
    }

    @Override
    public String toString() {
        return super.toString() + " ssl";
    }
}
