package dev.weir.model;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A block of addresses that share their leading bits. IPv4 addresses are stored in the mapped form that {@link
 * AddressBits} defines.
 *
 * @param high the upper 64 bits of the first address
 * @param low the lower 64 bits of the first address
 * @param prefix the number of shared leading bits, 0 to 128; for IPv4, 96 more than in the text form
 */
public record Network(long high, long low, int prefix) {
    private static final int IPV4_BITS = 32;
    private static final int IPV6_BITS = 128;
    private static final Pattern DOTTED = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
    private static final Pattern COLONS = Pattern.compile("[0-9a-fA-F:.]{2,45}");

    /** Clears the bits after the prefix. */
    public Network {
        if (prefix < 0 || prefix > IPV6_BITS) {
            throw new IllegalArgumentException("prefix " + prefix);
        }
        high &= highMask(prefix);
        low &= lowMask(prefix);
    }

    /**
     * Parses {@code 192.0.2.0/24}, {@code 2001:db8::/32} or an address without a prefix. Brackets are allowed. An IPv4
     * network may also have its mapped form, {@code ::ffff:192.0.2.0/120}. Host names are not resolved.
     *
     * @return empty for other text. A mapped IPv4 address with a prefix below 96 is also rejected: {@code
     * ::ffff:192.0.2.0/24} would cover all of IPv4, which is rarely intended.
     */
    public static Optional<Network> parse(String text) {
        int slash = text.indexOf('/');
        String address = slash < 0 ? text : text.substring(0, slash);
        if (address.startsWith("[") && address.endsWith("]")) {
            address = address.substring(1, address.length() - 1);
        }
        Optional<InetAddress> parsed = address(address);
        if (parsed.isEmpty()) {
            return Optional.empty();
        }
        boolean dotted = address.indexOf(':') < 0;
        int prefix = dotted ? IPV4_BITS : IPV6_BITS;
        if (slash >= 0) {
            String digits = text.substring(slash + 1);
            if (!digits.matches("\\d{1,3}") || Integer.parseInt(digits) > prefix) {
                return Optional.empty();
            }
            prefix = Integer.parseInt(digits);
        }
        if (dotted) {
            return Optional.of(of(parsed.get(), prefix));
        }
        if (parsed.get() instanceof Inet4Address && prefix < AddressBits.MAPPED_PREFIX) {
            return Optional.empty();
        }
        return Optional.of(new Network(AddressBits.high(parsed.get()), AddressBits.low(parsed.get()), prefix));
    }

    private static Optional<InetAddress> address(String text) {
        // InetAddress would also accept 127.1, 2130706433 and fe80::1%eth0.
        if (!DOTTED.matcher(text).matches() && (text.indexOf(':') < 0 || !COLONS.matcher(text).matches())) {
            return Optional.empty();
        }
        try {
            return Optional.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * Parses the text that {@link #parse} accepts, with optional blanks around it.
     *
     * @throws IllegalArgumentException if the text is not a network; the message is meant for the operator
     */
    public static Network of(String text) {
        return parse(text.strip()).orElseThrow(() -> new IllegalArgumentException("\"" + text
                + "\" is not a network; write an address such as 192.0.2.7 or a block such as 192.0.2.0/24 "
                + "or 2001:db8::/32"));
    }

    /**
     * Returns the network that contains an address.
     *
     * @param prefix the number of leading bits, 0 to 32 for IPv4, 0 to 128 for IPv6
     */
    public static Network of(InetAddress address, int prefix) {
        boolean four = address instanceof Inet4Address;
        if (prefix < 0 || prefix > (four ? IPV4_BITS : IPV6_BITS)) {
            throw new IllegalArgumentException("a prefix of " + prefix + " bits does not fit "
                    + address.getHostAddress());
        }
        return new Network(AddressBits.high(address), AddressBits.low(address),
                four ? AddressBits.MAPPED_PREFIX + prefix : prefix);
    }

    /** Returns the network that contains a single address. */
    public static Network of(InetAddress address) {
        return of(address, address.getAddress().length * Byte.SIZE);
    }

    /**
     * Returns whether this is an IPv4 network. The prefix of an IPv4 network includes the 96 bits of the mapped form.
     */
    public boolean isV4() {
        return AddressBits.isV4(high, low);
    }

    /** Returns whether this network contains an address of the same family: {@code ::/0} contains no IPv4 address. */
    public boolean contains(InetAddress address) {
        return contains(AddressBits.high(address), AddressBits.low(address));
    }

    /** Same as {@link #contains(InetAddress)}, for the two halves that {@link AddressBits} defines. */
    public boolean contains(long addressHigh, long addressLow) {
        return AddressBits.isV4(addressHigh, addressLow) == isV4() && (addressHigh & highMask(prefix)) == high
                && (addressLow & lowMask(prefix)) == low;
    }

    /** Returns the first address. */
    public InetAddress first() {
        return AddressBits.address(high, low);
    }

    /** Returns the last address. */
    public InetAddress last() {
        return AddressBits.address(lastHigh(), lastLow());
    }

    long lastHigh() {
        return high | ~highMask(prefix);
    }

    long lastLow() {
        return low | ~lowMask(prefix);
    }

    /** Returns the mask of a prefix of 0 to 128 bits for the upper half of an address. */
    public static long highMask(int bits) {
        return bits == 0 ? 0 : bits >= Long.SIZE ? -1 : -1L << (Long.SIZE - bits);
    }

    /** Returns the mask of a prefix of 0 to 128 bits for the lower half of an address. */
    public static long lowMask(int bits) {
        return bits <= Long.SIZE ? 0 : -1L << (2 * Long.SIZE - bits);
    }

    /** Returns the first address and the prefix, for example {@code 192.0.2.0/24}. */
    @Override
    public String toString() {
        return AddressBits.address(high, low).getHostAddress() + "/"
                + (isV4() ? prefix - AddressBits.MAPPED_PREFIX : prefix);
    }
}
