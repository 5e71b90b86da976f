package dev.weir.storage.server;

import java.net.InetAddress;
import java.util.Objects;

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
     * Reads {@code 192.0.2.0/24}, {@code 2001:db8::/32} or a single address. Names are not looked up.
     *
     * @throws IllegalArgumentException with a sentence for the operator
     */
    public static Network parse(String text) {
        String trimmed = text.strip();
        int slash = trimmed.indexOf('/');
        try {
            InetAddress address = InetAddress.ofLiteral(slash < 0 ? trimmed : trimmed.substring(0, slash));
            int prefix = slash < 0
                    ? address.getAddress().length * Byte.SIZE
                    : Integer.parseInt(trimmed.substring(slash + 1));
            return new Network(address, prefix);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("\"" + text + "\" is not a network; write an address such as 192.0.2.7 "
                    + "or a block such as 192.0.2.0/24 or 2001:db8::/32", e);
        }
    }

    /** Whether the address lies in this block; an address of the other family never does. */
    public boolean contains(InetAddress address) {
        byte[] mine = base.getAddress();
        byte[] other = address.getAddress();
        if (mine.length != other.length) {
            return false;
        }
        int whole = prefix / Byte.SIZE;
        for (int i = 0; i < whole; i++) {
            if (mine[i] != other[i]) {
                return false;
            }
        }
        int bits = prefix % Byte.SIZE;
        return bits == 0 || ((mine[whole] ^ other[whole]) & (0xff00 >> bits)) == 0;
    }

    @Override
    public String toString() {
        return base.getHostAddress() + "/" + prefix;
    }
}
