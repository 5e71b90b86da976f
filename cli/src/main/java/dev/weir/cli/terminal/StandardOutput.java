package dev.weir.cli.terminal;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Standard output in UTF-8, buffered until a flush. A reader that closes early, as in {@code weir log | head}, is not
 * an error: the stream drops all further output. {@link #checkError} reports any other failure.
 */
public final class StandardOutput extends PrintStream {
    private static final Path OUTPUT = Path.of("/proc/self/fd/1");

    private final Sink sink;

    private StandardOutput(Sink sink) {
        super(new BufferedOutputStream(sink), false, StandardCharsets.UTF_8);
        this.sink = sink;
    }

    /** Returns a stream over the raw output. */
    public static StandardOutput to(OutputStream raw) {
        return new StandardOutput(new Sink(raw));
    }

    /** Returns whether the reader has closed the output. Only a write detects this. */
    public boolean isGone() {
        return sink.gone;
    }

    private static final class Sink extends OutputStream {
        private final OutputStream raw;
        private volatile boolean gone;

        Sink(OutputStream raw) {
            this.raw = raw;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[]{(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            if (gone) {
                return;
            }
            try {
                raw.write(bytes, offset, length);
                raw.flush();
            } catch (IOException e) {
                gone = isBrokenPipe(e);
                if (!gone) {
                    throw e;
                }
            }
        }

        /** Checks the message first. The system may translate it, so any failed write to a pipe counts too. */
        private static boolean isBrokenPipe(IOException e) {
            if (String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT).contains("broken pipe")) {
                return true;
            }
            try {
                return Files.readSymbolicLink(OUTPUT).toString().startsWith("pipe:");
            } catch (IOException | UnsupportedOperationException unknown) {
                return false;
            }
        }
    }
}
