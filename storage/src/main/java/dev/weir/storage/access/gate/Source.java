package dev.weir.storage.access.gate;

import java.net.InetAddress;

import dev.weir.model.AddressBits;
import dev.weir.model.Networks;

/**
 * Where the request in hand came from. One object serves one thread and is filled in again for each request, so that
 * asking the rules makes no objects.
 */
public final class Source {
    private long high;
    private long low;
    private boolean stream;
    private boolean local;
    private boolean firstOver;

    /** A source that is to be filled in. */
    public Source() {}

    /** A host of the internet. */
    public void set(InetAddress address, boolean stream) {
        set(AddressBits.high(address), AddressBits.low(address), stream);
    }

    /**
     * A host of the internet.
     *
     * @param high first half of the address, as {@link AddressBits} has it
     * @param low second half of the address
     * @param stream whether the request came over a connection, which shows that the address is not made up
     */
    public void set(long high, long low, boolean stream) {
        this.high = high;
        this.low = low;
        this.stream = stream;
        this.local = false;
        this.firstOver = false;
    }

    /** A process of this machine, through a Unix-domain socket; counts as the unspecified address. */
    public void setUnixSocket() {
        set(0, 0, true);
        this.local = true;
    }

    /** First half of the address, as {@link AddressBits} has it. */
    public long high() {
        return high;
    }

    /** Second half of the address. */
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

    /** Returns whether a network of the set contains the address; a client of the Unix-domain socket is in none. */
    boolean isIn(Networks networks) {
        return !local && networks.contains(high, low);
    }

    void markFirstOver() {
        firstOver = true;
    }

    /** Returns whether this request is the first one of its network that was over the limit. */
    public boolean isFirstOver() {
        return firstOver;
    }

    @Override
    public String toString() {
        return local ? "unix socket" : AddressBits.address(high, low).getHostAddress();
    }
}
