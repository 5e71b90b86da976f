package dev.weir.config.map;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An address with the number of its leading bits that count. IPv4 lies in IPv6 at {@code ::ffff:0:0/96}, where Java puts
 * the two together as well.
 *
 * @param high the upper 64 bits of the first address
 * @param low the lower 64 bits of the first address
 * @param prefix bits that count, 0 to 128; for IPv4 96 more than written
 */
public record Network(long high, long low, int prefix) {
    static final long IPV4 = 0xffffL << 32;
    private static final int IPV4_BITS = 96;
    private static final Pattern DOTTED = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
    private static final Pattern COLONS = Pattern.compile("[0-9a-fA-F:.]{2,45}");

    /** Clears the bits that do not count. */
    public Network {
        if (prefix < 0 || prefix > 128) {
            throw new IllegalArgumentException("prefix " + prefix);
        }
        high &= mask(prefix);
        low &= mask(prefix - 64);
    }

    /** A mask with the given number of leading ones, all of them from 64 on, none up to 0. */
    private static long mask(int ones) {
        return ones <= 0 ? 0 : ones >= 64 ? -1L : -1L << (64 - ones);
    }

    /**
     * Reads {@code 192.0.2.0/24}, {@code 2001:db8::/32} or an address without a prefix; brackets are allowed. An IPv4 network
     * may also be written as IPv6, {@code ::ffff:192.0.2.0/120}.
     *
     * @return empty for anything else, such as a mapped IPv4 address with fewer than 96 bits: it would be all of IPv4, which
     *         few mean by {@code ::ffff:192.0.2.0/24}
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
        int prefix = dotted ? 32 : 128;
        if (slash >= 0) {
            String digits = text.substring(slash + 1);
            if (!digits.matches("\\d{1,3}") || Integer.parseInt(digits) > prefix) {
                return Optional.empty();
            }
            prefix = Integer.parseInt(digits);
        }
        if (!dotted && parsed.get() instanceof Inet4Address && prefix < IPV4_BITS) {
            return Optional.empty();
        }
        return Optional.of(of(parsed.get(), dotted ? prefix + IPV4_BITS : prefix));
    }

    private static Optional<InetAddress> address(String text) {
        // Java would also take 127.1, 2130706433 and fe80::1%eth0.
        if (!DOTTED.matcher(text).matches() && (text.indexOf(':') < 0 || !COLONS.matcher(text).matches())) {
            return Optional.empty();
        }
        try {
            return Optional.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    static Network of(InetAddress address, int prefix) {
        return switch (address) {
            case Inet4Address four -> new Network(0, low(four), prefix);
            case Inet6Address six -> new Network(bits(six.getAddress(), 0), bits(six.getAddress(), 8), prefix);
            default -> throw new IllegalArgumentException(address.toString());
        };
    }

    static long low(Inet4Address address) {
        long low = IPV4;
        byte[] bytes = address.getAddress();
        for (int i = 0; i < 4; i++) {
            low |= (bytes[i] & 0xffL) << (24 - 8 * i);
        }
        return low;
    }

    static long bits(byte[] bytes, int from) {
        long bits = 0;
        for (int i = from; i < from + 8; i++) {
            bits = (bits << 8) | (bytes[i] & 0xff);
        }
        return bits;
    }

    long lastHigh() {
        return high | ~mask(prefix);
    }

    long lastLow() {
        return low | ~mask(prefix - 64);
    }
}
