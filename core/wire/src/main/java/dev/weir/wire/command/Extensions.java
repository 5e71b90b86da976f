package dev.weir.wire.command;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

import dev.weir.model.AddressBits;
import dev.weir.model.HtmlSides;
import dev.weir.wire.LittleEndian;

/** The type-length-value tail of a command (docs/reference/protocol.md#extensions). */
final class Extensions {
    static final int DOMAIN = 'd';
    static final int IPV4 = '4';
    static final int IPV6 = '6';
    static final int SENDER_FACTS = 0x80;
    private static final int MAX_CONTENT = 255;

    /** The type of all extensions of Weir. The first byte of the content is the kind. */
    static final int WEIR = 0xf7;
    static final int SIDES = 1;
    static final int WIDE_FLAG = 2;
    static final int CAPABILITIES = 3;
    static final int PROTECTORS = 4;
    static final int MAX_PROTECTORS = 8;
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
    static int size(byte[] bytes, int at, int end) {
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
            case IPV4, IPV6 ->
                new Extension.SenderIp(AddressBits.address(Arrays.copyOfRange(bytes, at + 1, at + size)));
            case SENDER_FACTS -> new Extension.SenderFacts(Integer.reverseBytes(LittleEndian.getInt(bytes, at + 2)));
            case WEIR -> ofWeir(bytes, at, size - 2);
            default -> new Extension.Unknown(type, text(bytes, at + 2, size - 2));
        };
    }

    private static Extension ofWeir(byte[] bytes, int at, int length) {
        int content = at + 3;
        return switch (kind(bytes, at)) {
            case SIDES -> new Extension.Sides(new HtmlSides(LittleEndian.getLong(bytes, content + Long.BYTES),
                    LittleEndian.getLong(bytes, content), LittleEndian.getLong(bytes, content + 2 * Long.BYTES)));
            case WIDE_FLAG -> new Extension.WideFlag(LittleEndian.getInt(bytes, content));
            case CAPABILITIES -> new Extension.Capabilities();
            case PROTECTORS -> {
                List<Integer> flags = new ArrayList<>();
                for (int i = 0; i < (length - 1) / Integer.BYTES; i++) {
                    flags.add(LittleEndian.getInt(bytes, content + i * Integer.BYTES));
                }
                yield new Extension.Protectors(flags);
            }
            default -> new Extension.Unknown(WEIR, text(bytes, at + 2, length));
        };
    }

    /**
     * Returns the kind of an extension of Weir, or 0 if the kind is unknown or its content is not valid. Later versions
     * may have other kinds, so these are skipped.
     */
    static int kind(byte[] bytes, int at) {
        int length = bytes[at + 1] & 0xff;
        int kind = length == 0 ? 0 : bytes[at + 2];
        int content = at + 3;
        return switch (kind) {
            case SIDES -> length == 1 + HtmlSides.BYTES && LittleEndian.getLong(bytes, content + 2 * Long.BYTES) != 0
                    ? kind
                    : 0;
            case WIDE_FLAG -> length == 1 + Integer.BYTES && LittleEndian.getInt(bytes, content) > 0xff ? kind : 0;
            case CAPABILITIES -> length == 1 ? kind : 0;
            case PROTECTORS -> length % Integer.BYTES == 1 && length <= 1 + MAX_PROTECTORS * Integer.BYTES ? kind : 0;
            default -> 0;
        };
    }

    private static String text(byte[] bytes, int offset, int length) {
        return new String(bytes, offset, length, StandardCharsets.ISO_8859_1);
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
            case Extension.Sides(HtmlSides sides) -> {
                begin(SIDES, HtmlSides.BYTES, out, at);
                LittleEndian.putLong(out, at + 3, sides.ctaDomains());
                LittleEndian.putLong(out, at + 3 + Long.BYTES, sides.allDomains());
                LittleEndian.putLong(out, at + 3 + 2 * Long.BYTES, sides.features());
                yield 3 + HtmlSides.BYTES;
            }
            case Extension.WideFlag(int flag) -> {
                if (flag <= 0xff) {
                    throw new IllegalArgumentException("flag " + flag + " fits into the command");
                }
                begin(WIDE_FLAG, Integer.BYTES, out, at);
                LittleEndian.putInt(out, at + 3, flag);
                yield 3 + Integer.BYTES;
            }
            case Extension.Capabilities() -> {
                begin(CAPABILITIES, 0, out, at);
                yield 3;
            }
            case Extension.Protectors(List<Integer> flags) -> {
                if (flags.size() > MAX_PROTECTORS) {
                    throw new IllegalArgumentException(flags.size() + " flags are more than " + MAX_PROTECTORS);
                }
                begin(PROTECTORS, flags.size() * Integer.BYTES, out, at);
                for (int i = 0; i < flags.size(); i++) {
                    LittleEndian.putInt(out, at + 3 + i * Integer.BYTES, flags.get(i));
                }
                yield 3 + flags.size() * Integer.BYTES;
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

    private static void begin(int kind, int content, byte[] out, int at) {
        out[at] = (byte) WEIR;
        out[at + 1] = (byte) (1 + content);
        out[at + 2] = (byte) kind;
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
