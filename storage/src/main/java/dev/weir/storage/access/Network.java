package dev.weir.storage.access;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Objects;

import dev.weir.net.AddressBits;

/**
 * A block of addresses.
 *
 * @param base an address in it
 * @param prefix how many leading bits count, 0..32 for IPv4, 0..128 for IPv6
 */
public record Network(InetAddress base, int prefix) {

    /** Checks the prefix. */
    public Network {
        Objects.requireNonNull(base);
        if (prefix < 0 || prefix > base.getAddress().length * Byte.SIZE) {
            throw new IllegalArgumentException("a prefix of " + prefix + " bits does not fit "
                    + base.getHostAddress());
        }
    }

    /**
     * Reads a block as lists of the configuration have it, see {@link dev.weir.config.map.Network#parse}. Names are not looked
     * up.
     *
     * @throws IllegalArgumentException with a sentence for the operator
     */
    public static Network parse(String text) {
        return dev.weir.config.map.Network.parse(text.strip()).map(Network::of)
                .orElseThrow(() -> new IllegalArgumentException(
                        "\"" + text + "\" is not a network; write an address such as "
                                + "192.0.2.7 or a block such as 192.0.2.0/24 or 2001:db8::/32"));
    }

    /** A block of the configuration: one of IPv4 if it lies in the mapped addresses as a whole, otherwise one of IPv6. */
    public static Network of(dev.weir.config.map.Network block) {
        InetAddress base = AddressBits.address(block.high(), block.low());
        return new Network(base,
                base instanceof Inet4Address ? block.prefix() - AddressBits.MAPPED_PREFIX : block.prefix());
    }

    /** Whether the address lies in this block; an address of the other family never does. */
    public boolean contains(InetAddress address) {
        return contains(AddressBits.high(address), AddressBits.low(address));
    }

    /** The same of an address in two halves, as {@link AddressBits} has them. */
    boolean contains(long high, long low) {
        return AddressBits.isV4(high, low) == isV4() && ((high ^ firstHigh()) & highMask(bits())) == 0
                && ((low ^ firstLow()) & lowMask(bits())) == 0;
    }

    boolean isV4() {
        return base instanceof Inet4Address;
    }

    private int bits() {
        return isV4() ? AddressBits.MAPPED_PREFIX + prefix : prefix;
    }

    long firstHigh() {
        return AddressBits.high(base) & highMask(bits());
    }

    long firstLow() {
        return AddressBits.low(base) & lowMask(bits());
    }

    long lastHigh() {
        return firstHigh() | ~highMask(bits());
    }

    long lastLow() {
        return firstLow() | ~lowMask(bits());
    }

    /** The bits of the first half of an address that a prefix of 0..128 covers. */
    static long highMask(int bits) {
        return bits == 0 ? 0 : bits >= Long.SIZE ? -1 : -1L << (Long.SIZE - bits);
    }

    /** The bits of the second half of an address that a prefix of 0..128 covers. */
    static long lowMask(int bits) {
        return bits <= Long.SIZE ? 0 : -1L << (2 * Long.SIZE - bits);
    }

    @Override
    public String toString() {
        return base.getHostAddress() + "/" + prefix;
    }
}
