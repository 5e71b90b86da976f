package dev.weir.milter.protocol;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpException;

/**
 * A reader of the packets of a mail server (docs/reference/milter-protocol.md#packets). A packet has a limited size,
 * and takes memory only for the bytes that arrived. For one thread.
 */
public final class CommandReader {
    /** The maximum size of a packet with its code, in bytes. Mail servers send at most 64 KiB of a body at a time. */
    public static final int MAX_PACKET = 1 << 20;
    /**
     * The maximum size of another packet than one of a body or a header field. What mail servers say in them has at
     * most the length of a line of SMTP.
     */
    public static final int MAX_ENVELOPE = 1 << 16;
    /** A packet up to this size takes no memory from the budget; connections are limited in number. */
    private static final int SMALL = 4096;
    private static final int LENGTH_BYTES = 4;
    private static final int OFFER_BYTES = 12;
    private static final int MAX_TEXTS = 4096;

    private final InputStream in;
    private final BodyBudget.Share share;

    /**
     * Creates a reader.
     *
     * @param in a stream that should be buffered
     * @param share the memory for one packet, until the next one is read
     */
    public CommandReader(InputStream in, BodyBudget.Share share) {
        this.in = in;
        this.share = share;
    }

    /**
     * Reads the next packet.
     *
     * @return empty if the mail server closed the connection
     * @throws MilterException if the packet is malformed or too large, or if its command is unknown
     * @throws HttpException if there is no memory for the packet
     * @throws EOFException if the connection ends inside of a packet
     */
    public Optional<MilterCommand> next() throws IOException, HttpException {
        share.close();
        byte[] head = in.readNBytes(LENGTH_BYTES);
        if (head.length == 0) {
            return Optional.empty();
        }
        if (head.length < LENGTH_BYTES) {
            throw new EOFException("the connection ended in the length of a packet");
        }
        int length = ByteBuffer.wrap(head).getInt();
        if (length < 1 || length > MAX_PACKET) {
            throw new MilterException("a packet of " + Integer.toUnsignedString(length) + " bytes; expected 1 to "
                    + MAX_PACKET);
        }
        int code = in.read();
        if (code < 0) {
            throw new EOFException("the connection ended after the length of a packet");
        }
        if (length > MAX_ENVELOPE && code != 'B' && code != 'E' && code != 'L') {
            throw new MilterException("a packet '" + (char) code + "' of " + length + " bytes; expected 1 to "
                    + MAX_ENVELOPE);
        }
        if (length > SMALL) {
            share.take(length);
        }
        byte[] data = in.readNBytes(length - 1);
        if (data.length < length - 1) {
            throw new EOFException("the connection ended after " + (data.length + 1) + " of " + length
                    + " bytes of a packet");
        }
        return Optional.of(parse((char) code, ByteBuffer.wrap(data)));
    }

    private static MilterCommand parse(char code, ByteBuffer data) throws MilterException {
        return switch (code) {
            case 'O' -> negotiate(data);
            case 'D' -> macros(data);
            case 'C' -> connect(data);
            case 'H' -> new MilterCommand.Helo(only(code, data));
            case 'M' -> new MilterCommand.MailFrom(several(code, data));
            case 'R' -> new MilterCommand.RcptTo(several(code, data));
            case 'L' -> header(data);
            case 'B' -> new MilterCommand.Body(data);
            case 'E' -> new MilterCommand.EndOfBody(data);
            case 'T' -> MilterCommand.Bare.DATA;
            case 'N' -> MilterCommand.Bare.END_OF_HEADERS;
            case 'A' -> MilterCommand.Bare.ABORT;
            case 'Q' -> MilterCommand.Bare.QUIT;
            case 'K' -> MilterCommand.Bare.QUIT_CLIENT;
            case 'U' -> MilterCommand.Bare.UNKNOWN;
            default -> throw new MilterException(String.format(Locale.ROOT, "unknown command 0x%02x", (int) code));
        };
    }

    private static MilterCommand negotiate(ByteBuffer data) throws MilterException {
        if (data.remaining() < OFFER_BYTES) {
            throw malformed('O', "has " + data.remaining() + " bytes instead of " + OFFER_BYTES);
        }
        return new MilterCommand.Negotiate(data.getInt(), data.getInt(), data.getInt());
    }

    private static MilterCommand macros(ByteBuffer data) throws MilterException {
        if (!data.hasRemaining()) {
            throw malformed('D', "names no command");
        }
        char stage = (char) (data.get() & 0xff);
        List<String> texts = texts('D', data);
        if (texts.size() % 2 != 0) {
            throw malformed('D', "has a name without a value");
        }
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < texts.size(); i += 2) {
            String name = texts.get(i);
            values.put(name.startsWith("{") && name.endsWith("}") && name.length() > 1
                    ? name.substring(1, name.length() - 1)
                    : name, texts.get(i + 1));
        }
        return new MilterCommand.Macros(stage, values);
    }

    private static MilterCommand connect(ByteBuffer data) throws MilterException {
        String host = text('C', data);
        if (!data.hasRemaining()) {
            throw malformed('C', "has no family of addresses");
        }
        char family = (char) (data.get() & 0xff);
        if (family == 'U' || family == 'L') {
            return new MilterCommand.Connect(host, Optional.empty());
        }
        if ((family != '4' && family != '6') || data.remaining() < Short.BYTES) {
            throw malformed('C', "has an unknown family of addresses or no port");
        }
        data.getShort();
        return new MilterCommand.Connect(host, address(text('C', data)));
    }

    /** Returns an address. A mail is scanned without it rather than not at all. */
    private static Optional<InetAddress> address(String text) {
        boolean prefixed = text.regionMatches(true, 0, "IPv6:", 0, 5);
        try {
            InetAddress address = InetAddress.ofLiteral(prefixed ? text.substring(5) : text);
            return Optional.of(address instanceof Inet4Address
                    ? address
                    : InetAddress.getByAddress(address.getAddress()));
        } catch (IllegalArgumentException | java.net.UnknownHostException e) {
            return Optional.empty();
        }
    }

    private static MilterCommand header(ByteBuffer data) throws MilterException {
        String name = text('L', data);
        return new MilterCommand.Header(name, text('L', data));
    }

    private static String only(char code, ByteBuffer data) throws MilterException {
        return text(code, data);
    }

    private static List<String> several(char code, ByteBuffer data) throws MilterException {
        List<String> texts = texts(code, data);
        if (texts.isEmpty()) {
            throw malformed(code, "has no address");
        }
        return texts;
    }

    private static List<String> texts(char code, ByteBuffer data) throws MilterException {
        List<String> texts = new ArrayList<>();
        while (data.hasRemaining()) {
            if (texts.size() == MAX_TEXTS) {
                throw malformed(code, "has more than " + MAX_TEXTS + " texts");
            }
            texts.add(text(code, data));
        }
        return texts;
    }

    /** Reads a text that ends with a zero byte. */
    private static String text(char code, ByteBuffer data) throws MilterException {
        byte[] bytes = data.array();
        int from = data.arrayOffset() + data.position();
        int end = data.arrayOffset() + data.limit();
        for (int i = from; i < end; i++) {
            if (bytes[i] == 0) {
                data.position(data.position() + i - from + 1);
                return new String(Arrays.copyOfRange(bytes, from, i), StandardCharsets.ISO_8859_1);
            }
        }
        throw malformed(code, "has a text without an end");
    }

    private static MilterException malformed(char code, String what) {
        return new MilterException("the packet '" + code + "' " + what);
    }
}
