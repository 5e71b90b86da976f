package dev.weir.trap.smtp;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PushbackInputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A connection that makes an SMTP server speak LMTP (RFC 2033). The two differ in the first command, {@code LHLO}, and
 * in the replies to a mail, one for each recipient.
 */
final class LmtpSocket extends Socket {
    private static final int WORD = 4;

    private final Greeting greeting = new Greeting();
    private int repeats = 1;

    /** Has the next reply sent several times, once for each recipient. Used by the thread that also replies. */
    void repeatNextReply(int times) {
        repeats = times;
    }

    /** Whether a line may still be the greeting: it is not once a mail has begun. */
    private static final class Greeting {
        private boolean over;
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return new Commands(super.getInputStream(), greeting);
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        return new Replies(super.getOutputStream());
    }

    /** Replaces {@code LHLO} at the start of a line by {@code EHLO} before the first mail. */
    private static final class Commands extends FilterInputStream {
        private final PushbackInputStream source;
        private final Greeting greeting;
        private boolean lineStarts = true;

        Commands(InputStream in, Greeting greeting) {
            this(new PushbackInputStream(in, WORD), greeting);
        }

        private Commands(PushbackInputStream source, Greeting greeting) {
            super(source);
            this.source = source;
            this.greeting = greeting;
        }

        @Override
        public int read() throws IOException {
            if (!greeting.over && lineStarts) {
                translate();
            }
            int b = source.read();
            lineStarts = b == '\n';
            return b;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (greeting.over) {
                return source.read(bytes, offset, length);
            }
            // One byte at a time, because the lines of the greeting are short.
            if (length == 0) {
                return 0;
            }
            int b = read();
            if (b < 0) {
                return -1;
            }
            bytes[offset] = (byte) b;
            return 1;
        }

        private void translate() throws IOException {
            byte[] word = source.readNBytes(WORD);
            String command = new String(word, StandardCharsets.ISO_8859_1).toUpperCase(Locale.ROOT);
            greeting.over = command.equals("MAIL");
            source.unread(command.equals("LHLO") ? "EHLO".getBytes(StandardCharsets.ISO_8859_1) : word);
        }
    }

    /** Repeats the reply to a mail. */
    private final class Replies extends FilterOutputStream {
        private final ByteBuffer line = ByteBuffer.allocate(1024);

        Replies(OutputStream out) {
            super(out);
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[]{(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            if (repeats == 1) {
                out.write(bytes, offset, length);
                return;
            }
            for (int i = offset; i < offset + length; i++) {
                if (line.hasRemaining()) {
                    line.put(bytes[i]);
                }
                if (bytes[i] == '\n') {
                    for (int n = 0; n < repeats; n++) {
                        out.write(line.array(), 0, line.position());
                    }
                    line.clear();
                    repeats = 1;
                    out.write(bytes, i + 1, offset + length - i - 1);
                    return;
                }
            }
        }
    }
}
