package dev.weir.storage.access.gate;

import java.net.InetAddress;

import dev.weir.model.AddressBits;
import dev.weir.model.Networks;

/**
 * The source of the current request. Each thread reuses one instance for all requests, so that evaluating the rules
 * does not allocate.
 */
public final class Source {
    private long high;
    private long low;
    private boolean stream;
    private boolean local;
    private boolean firstOver;

    /** Creates a source to be set for each request. */
    public Source() {}

    /** Sets the address of an Internet host. */
    public void set(InetAddress address, boolean stream) {
        set(AddressBits.high(address), AddressBits.low(address), stream);
    }

    /**
     * Sets the address of an Internet host.
     *
     * @param high the first half of the address, as in {@link AddressBits}
     * @param low the second half of the address
     * @param stream whether the request came over a connection, which proves that the address is not forged
     */
    public void set(long high, long low, boolean stream) {
        this.high = high;
        this.low = low;
        this.stream = stream;
        this.local = false;
        this.firstOver = false;
    }

    /** Sets the source to a local process on a Unix-domain socket. Its address is the unspecified address. */
    public void setUnixSocket() {
        set(0, 0, true);
        this.local = true;
    }

    /** Returns the first half of the address, as in {@link AddressBits}. */
    public long high() {
        return high;
    }

    /** Returns the second half of the address. */
    public long low() {
        return low;
    }

    /** Returns whether the request came over a connection. */
    public boolean isStream() {
        return stream;
    }

    /** Returns whether the request came through a Unix-domain socket. */
    public boolean isUnixSocket() {
        return local;
    }

    /** Returns whether a network of the set contains the address. Never true for a Unix-domain socket. */
    boolean isIn(Networks networks) {
        return !local && networks.contains(high, low);
    }

    void markFirstOver() {
        firstOver = true;
    }

    /** Returns whether this request was the first of its network over the limit. */
    public boolean isFirstOver() {
        return firstOver;
    }

    @Override
    public String toString() {
        return local ? "unix socket" : AddressBits.address(high, low).getHostAddress();
    }
}
