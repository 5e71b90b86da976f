package dev.weir.trap.folder;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/**
 * A scanner of an mbox file (RFC 4155). A mail begins with a line {@code From } at the start of the file or after an
 * empty line. One {@code >} before {@code From } within a mail is removed. For one thread.
 */
public final class MboxScanner {
    private static final byte[] FROM = {'F', 'r', 'o', 'm', ' '};
    /** Longer lines are copied in pieces. */
    private static final int PIECE = 64 << 10;

    private final InputStream in;
    private final int mostBytes;
    private final byte[] piece = new byte[PIECE];
    private int length;
    private boolean pieceStartsLine;
    private boolean nextStartsLine = true;
    private long position;
    /** Whether the piece in hand is the separator of the next mail. */
    private boolean separator;
    private boolean begun;

    /**
     * Creates a scanner.
     *
     * @param in the file, or its rest from the end of a mail on
     * @param mostBytes the largest mail
     */
    public MboxScanner(InputStream in, int mostBytes) {
        this.in = in;
        this.mostBytes = mostBytes;
    }

    /**
     * A mail.
     *
     * @param bytes the mail; empty if it is too large
     * @param end the offset of its end from the start of the stream
     */
    public record Mail(Optional<byte[]> bytes, long end) {}

    /** Returns the next mail; empty at the end. Bytes before the first separator are passed over. */
    public Optional<Mail> next() throws IOException {
        while (!separator) {
            if (!readPiece()) {
                return Optional.empty();
            }
            separator = !begun && pieceStartsLine && startsWithFrom(0);
        }
        begun = true;
        skipLine();
        separator = false;
        ByteArrayOutputStream mail = new ByteArrayOutputStream();
        boolean tooLarge = false;
        boolean afterEmpty = false;
        long end = position;
        while (readPiece()) {
            if (pieceStartsLine && afterEmpty && startsWithFrom(0)) {
                separator = true;
                break;
            }
            int skipped = pieceStartsLine && isQuotedFrom() ? 1 : 0;
            tooLarge |= mail.size() + (long) length > mostBytes;
            if (!tooLarge) {
                mail.write(piece, skipped, length - skipped);
            }
            afterEmpty = pieceStartsLine && ((length == 1 && piece[0] == '\n')
                    || (length == 2 && piece[0] == '\r' && piece[1] == '\n'));
            end = position;
        }
        return Optional.of(new Mail(tooLarge ? Optional.empty() : Optional.of(mail.toByteArray()), end));
    }

    private void skipLine() throws IOException {
        // The rest of the separator has no meaning here.
        boolean more = true;
        while (!nextStartsLine && more) {
            more = readPiece();
        }
    }

    private boolean readPiece() throws IOException {
        pieceStartsLine = nextStartsLine;
        length = 0;
        while (length < PIECE) {
            int b = in.read();
            if (b < 0) {
                break;
            }
            piece[length++] = (byte) b;
            if (b == '\n') {
                break;
            }
        }
        position += length;
        nextStartsLine = length > 0 && piece[length - 1] == '\n';
        return length > 0;
    }

    private boolean isQuotedFrom() {
        int at = 0;
        while (at < length && piece[at] == '>') {
            at++;
        }
        return at > 0 && startsWithFrom(at);
    }

    private boolean startsWithFrom(int at) {
        if (length - at < FROM.length) {
            return false;
        }
        for (int i = 0; i < FROM.length; i++) {
            if (piece[at + i] != FROM[i]) {
                return false;
            }
        }
        return true;
    }
}
