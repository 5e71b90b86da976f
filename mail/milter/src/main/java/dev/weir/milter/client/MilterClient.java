package dev.weir.milter.client;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import dev.weir.milter.protocol.MilterOffer;

/** A connection to a filter, like that of a mail server. For one thread. */
public final class MilterClient implements AutoCloseable {
    /** What Postfix allows a filter to do. */
    public static final int ALL_ACTIONS = 0x1ff;
    /** The steps that Postfix can leave out. */
    public static final int ALL_STEPS = 0x1fffff;
    private static final int CHUNK = 65_535;

    private final SocketChannel channel;
    private final InputStream in;
    private final OutputStream out;
    private MilterOffer agreed = MilterOffer.NOTHING;

    private MilterClient(SocketChannel channel) {
        this.channel = channel;
        this.in = new BufferedInputStream(Channels.newInputStream(channel));
        this.out = new BufferedOutputStream(Channels.newOutputStream(channel), CHUNK + 16);
    }

    /** Connects to a filter without a word. */
    public static MilterClient connect(SocketAddress place) throws IOException {
        return new MilterClient(SocketChannel.open(place));
    }

    /** Offers a version, actions and steps. Returns what the filter takes. */
    public MilterOffer negotiate(int version, int actions, int steps) throws IOException {
        send('O', ByteBuffer.allocate(12).putInt(version).putInt(actions).putInt(steps).array());
        MilterAnswer answer = answer();
        if (answer.code() != 'O' || answer.data().length() < 12) {
            throw new IOException("expected an answer to the offer, but got " + answer);
        }
        ByteBuffer data = ByteBuffer.wrap(answer.data().getBytes(StandardCharsets.ISO_8859_1));
        agreed = new MilterOffer(data.getInt(), data.getInt(), data.getInt());
        return agreed;
    }

    /** Sends a packet without waiting. */
    public void send(char code, byte[]... parts) throws IOException {
        write(code, parts);
        out.flush();
    }

    /** Sends a packet of texts, each with a zero at its end. */
    public void send(char code, String... texts) throws IOException {
        write(code, texts);
        out.flush();
    }

    private void write(char code, String... texts) throws IOException {
        write(code, (String.join("\0", texts) + "\0").getBytes(StandardCharsets.ISO_8859_1));
    }

    private void write(char code, byte[]... parts) throws IOException {
        int length = 1;
        for (byte[] part : parts) {
            length += part.length;
        }
        out.write(ByteBuffer.allocate(5).putInt(length).put((byte) code).array());
        for (byte[] part : parts) {
            out.write(part);
        }
    }

    /** Waits for a packet. */
    public MilterAnswer answer() throws IOException {
        out.flush();
        byte[] head = in.readNBytes(4);
        if (head.length < 4) {
            throw new EOFException("the filter closed the connection");
        }
        int length = ByteBuffer.wrap(head).getInt();
        if (length < 1 || length > 1 << 20) {
            throw new IOException("a packet of " + length + " bytes");
        }
        byte[] packet = in.readNBytes(length);
        if (packet.length < length) {
            throw new EOFException("the filter closed the connection in a packet");
        }
        return MilterAnswer.of(packet);
    }

    private void step(int silent, char code, String... texts) throws IOException {
        write(code, texts);
        if (!agreed.has(silent)) {
            MilterAnswer answer = answer();
            if (answer.code() != 'c') {
                throw new IOException("expected 'c' after '" + code + "', but got " + answer);
            }
        }
    }

    /** Introduces the client of the mail server. */
    public void client(String host, String address) throws IOException {
        step(MilterOffer.SILENT_CONNECT, 'C', host, (address.contains(":") ? "6" : "4") + "\0\31" + address);
        step(MilterOffer.SILENT_HELO, 'H', host);
    }

    /** Begins a mail with its sender and recipients. */
    public void envelope(String queueId, String sender, List<String> recipients) throws IOException {
        write('D', "M" + "i", queueId);
        step(MilterOffer.SILENT_MAIL, 'M', "<" + sender + ">");
        for (String recipient : recipients) {
            step(MilterOffer.SILENT_RCPT, 'R', "<" + recipient + ">");
        }
        out.flush();
    }

    /** Sends a header field. The value begins behind the colon. */
    public void field(String name, String value) throws IOException {
        boolean space = agreed.has(MilterOffer.LEADING_SPACE);
        step(MilterOffer.SILENT_HEADER, 'L', name, space ? value : value.stripLeading());
    }

    /**
     * Sends the fields and the body of a mail, and waits for the decision.
     *
     * @param mail a mail whose lines end in CRLF or LF
     * @return the changes and, last, the decision
     */
    public List<MilterAnswer> mail(byte[] mail) throws IOException {
        int body = header(mail);
        step(MilterOffer.SILENT_END_OF_HEADERS, 'N');
        for (int from = body; from < mail.length; from += CHUNK) {
            write('B', Arrays.copyOfRange(mail, from, Math.min(mail.length, from + CHUNK)));
            MilterAnswer answer = answer();
            if (answer.code() == 's') {
                break;
            }
            if (answer.code() != 'c') {
                return List.of(answer);
            }
        }
        return end();
    }

    /** Ends a mail and waits for the decision. */
    public List<MilterAnswer> end() throws IOException {
        write('E', new byte[0]);
        List<MilterAnswer> answers = new ArrayList<>();
        MilterAnswer answer;
        do {
            answer = answer();
            answers.add(answer);
        } while (answer.isChange());
        return answers;
    }

    /** Sends the fields and returns where the body begins. */
    private int header(byte[] mail) throws IOException {
        String text = new String(mail, StandardCharsets.ISO_8859_1);
        int at = 0;
        while (at < text.length() && text.charAt(at) != '\r' && text.charAt(at) != '\n') {
            int end = at;
            do {
                int line = text.indexOf('\n', end);
                end = line < 0 ? text.length() : line + 1;
            } while (end < text.length() && (text.charAt(end) == ' ' || text.charAt(end) == '\t'));
            String field = text.substring(at, end).stripTrailing().replace("\r", "");
            int colon = field.indexOf(':');
            if (colon > 0) {
                field(field.substring(0, colon), field.substring(colon + 1));
            }
            at = end;
        }
        int blank = text.indexOf('\n', at);
        return blank < 0 ? text.length() : blank + 1;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
