package dev.weir.wire.command;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;

import dev.weir.wire.LittleEndian;

/** The type-length-value tail of a command (docs/reference/protocol.md#extensions). */
final class Extensions {
    private static final int DOMAIN = 'd';
    private static final int IPV4 = '4';
    private static final int IPV6 = '6';
    private static final int SENDER_FACTS = 0x80;
    private static final int MAX_CONTENT = 255;
    private static final int INVALID = -1;

    private Extensions() {}

    static boolean valid(byte[] bytes, int from, int end) {
        int at = from;
        while (at < end) {
            int size = size(bytes, at, end);
            if (size == INVALID) {
                return false;
            }
            at += size;
        }
        return true;
    }

    /** Returns the size of the entry at {@code at}, including its header, or {@link #INVALID}. */
    private static int size(byte[] bytes, int at, int end) {
        int type = bytes[at] & 0xff;
        int size;
        if (type == IPV4) {
            size = 1 + 4;
        } else if (type == IPV6) {
            size = 1 + 16;
        } else if (type == DOMAIN || type >= SENDER_FACTS) {
            if (end - at < 2) {
                return INVALID;
            }
            int content = bytes[at + 1] & 0xff;
            if (type == SENDER_FACTS && content != Integer.BYTES) {
                return INVALID;
            }
            size = 2 + content;
        } else {
            return INVALID;
        }
        return size <= end - at ? size : INVALID;
    }

    /** Iterates over bytes that {@link #valid} accepted. */
    static Iterable<Extension> of(byte[] bytes, int from, int end) {
        return () -> new Iterator<>() {
            private int at = from;

            @Override
            public boolean hasNext() {
                return at < end;
            }

            @Override
            public Extension next() {
                int size = hasNext() ? size(bytes, at, end) : INVALID;
                if (size == INVALID) {
                    throw new NoSuchElementException();
                }
                Extension extension = read(bytes, at, size);
                at += size;
                return extension;
            }
        };
    }

    private static Extension read(byte[] bytes, int at, int size) {
        int type = bytes[at] & 0xff;
        return switch (type) {
            case DOMAIN -> new Extension.Domain(text(bytes, at + 2, size - 2));
            case IPV4, IPV6 -> new Extension.SenderIp(address(Arrays.copyOfRange(bytes, at + 1, at + size)));
            case SENDER_FACTS -> new Extension.SenderFacts(Integer.reverseBytes(LittleEndian.getInt(bytes, at + 2)));
            default -> new Extension.Unknown(type, text(bytes, at + 2, size - 2));
        };
    }

    private static String text(byte[] bytes, int offset, int length) {
        return new String(bytes, offset, length, StandardCharsets.ISO_8859_1);
    }

    private static InetAddress address(byte[] octets) {
        try {
            return InetAddress.getByAddress(octets);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of 4 or 16 bytes is always one", e);
        }
    }

    /** Writes one entry and returns its size. */
    static int write(Extension extension, byte[] out, int at) {
        return switch (extension) {
            case Extension.Domain(String name) -> text(DOMAIN, name, out, at);
            case Extension.Unknown(int type, String content) -> {
                if (type <= SENDER_FACTS || type > 0xff) {
                    throw new IllegalArgumentException("extension type " + type + " is not in 0x81..0xff");
                }
                yield text(type, content, out, at);
            }
            case Extension.SenderIp(InetAddress address) -> {
                byte[] octets = address.getAddress();
                out[at] = (byte) (address instanceof Inet4Address ? IPV4 : IPV6);
                System.arraycopy(octets, 0, out, at + 1, octets.length);
                yield 1 + octets.length;
            }
            case Extension.SenderFacts(int word) -> {
                out[at] = (byte) SENDER_FACTS;
                out[at + 1] = Integer.BYTES;
                LittleEndian.putInt(out, at + 2, Integer.reverseBytes(word));
                yield 2 + Integer.BYTES;
            }
        };
    }

    private static int text(int type, String content, byte[] out, int at) {
        byte[] octets = content.getBytes(StandardCharsets.ISO_8859_1);
        if (octets.length > MAX_CONTENT) {
            throw new IllegalArgumentException("an extension holds at most 255 bytes, not " + octets.length);
        }
        out[at] = (byte) type;
        out[at + 1] = (byte) octets.length;
        System.arraycopy(octets, 0, out, at + 2, octets.length);
        return 2 + octets.length;
    }
}
