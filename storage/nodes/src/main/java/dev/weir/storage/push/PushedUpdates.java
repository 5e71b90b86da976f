package dev.weir.storage.push;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.wire.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /update_v1/NAME}: a revision and commands, each with its length, little-endian
 * (docs/reference/protocol.md#pushed-updates).
 *
 * @param revision the number of the batch, 0 to 4294967295
 * @param elements the commands in their order
 */
public record PushedUpdates(long revision, List<Element> elements) {
    /** The maximum length of a body. */
    public static final int MAX_BYTES = 64 << 20;

    /** The greatest number of a batch. */
    static final long LARGEST = 0xffff_ffffL;

    /** The command that adds a value. */
    public static final int ADD = 1;
    /** The command that removes a hash. */
    public static final int DELETE = 2;
    /** The command that postpones the expiry of a hash. */
    public static final int REFRESH = 100;

    private static final int LEAST = 2 * Integer.BYTES;
    private static final int PLAIN = Integer.BYTES + Protocol.COMMAND;
    private static final int SHINGLED = Integer.BYTES + Protocol.SHINGLED_COMMAND;
    private static final int VERSION = 4;
    private static final int DIGEST_AT = 12;

    /**
     * A command.
     *
     * @param command the code; a slave ignores codes that it does not know
     * @param flag 0 to 255
     * @param value what an {@link #ADD} adds
     * @param tag the tag of the client's request
     * @param signature the shingles; null without
     */
    public record Element(int command, int flag, int value, int tag, Digest digest, @Nullable Signature signature) {}

    /** Copies the list. */
    public PushedUpdates {
        elements = List.copyOf(elements);
    }

    /**
     * Reads a body. What follows the terminator is ignored, and the terminator may be missing.
     *
     * @throws PushException if a part of it is malformed; nothing of it counts then
     */
    public static PushedUpdates read(byte[] body) throws PushException {
        ByteBuffer in = ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN);
        if (body.length < LEAST || body.length > MAX_BYTES) {
            throw new PushException("a body has " + LEAST + " to " + MAX_BYTES + " bytes, not " + body.length);
        }
        long revision = Integer.toUnsignedLong(in.getInt());
        List<Element> elements = new ArrayList<>();
        while (in.hasRemaining()) {
            if (in.remaining() < Integer.BYTES) {
                throw new PushException("the body ends inside of a length");
            }
            int length = in.getInt();
            if (length == 0) {
                break;
            }
            if (length < PLAIN || length > SHINGLED) {
                throw new PushException("element " + elements.size() + " has " + Integer.toUnsignedLong(length)
                        + " bytes; there are " + PLAIN + " to " + SHINGLED);
            }
            if (length > in.remaining()) {
                throw new PushException("the body ends inside of element " + elements.size());
            }
            int start = in.position();
            elements.add(element(in, start, length, elements.size()));
            in.position(start + length);
        }
        return new PushedUpdates(revision, elements);
    }

    private static Element element(ByteBuffer in, int start, int length, int number) throws PushException {
        boolean shingled = in.getInt(start) != 0;
        if (shingled && length != SHINGLED) {
            throw new PushException("element " + number + " has shingles and " + length + " bytes; there are "
                    + SHINGLED);
        }
        int command = start + Integer.BYTES;
        Signature signature = null;
        if (shingled) {
            long[] shingles = new long[Protocol.SHINGLES];
            for (int i = 0; i < shingles.length; i++) {
                shingles[i] = in.getLong(command + Protocol.COMMAND + i * Long.BYTES);
            }
            signature = Signature.of(shingles, 0);
        }
        return new Element(in.get(command + 1) & 0xff, in.get(command + 3) & 0xff, in.getInt(command + 4),
                in.getInt(command + 8), Digest.read(in.array(), in.arrayOffset() + command + DIGEST_AT), signature);
    }

    /** Returns the body. An incomplete signature is left out. */
    public byte[] write() {
        int size = 2 * Integer.BYTES;
        for (Element element : elements) {
            size += Integer.BYTES + (isShingled(element) ? SHINGLED : PLAIN);
        }
        ByteBuffer out = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN).putInt((int) revision);
        long[] shingles = new long[Protocol.SHINGLES];
        for (Element element : elements) {
            boolean shingled = isShingled(element);
            out.putInt(shingled ? SHINGLED : PLAIN).putInt(shingled ? 1 : 0).put((byte) VERSION)
                    .put((byte) element.command()).put((byte) (shingled ? Protocol.SHINGLES : 0))
                    .put((byte) element.flag()).putInt(element.value()).putInt(element.tag())
                    .put(element.digest().toBytes());
            if (element.signature() != null && shingled) {
                element.signature().copyTo(shingles, 0);
                for (long shingle : shingles) {
                    out.putLong(shingle);
                }
            }
        }
        return out.putInt(0).array();
    }

    private static boolean isShingled(Element element) {
        return element.signature() != null && element.signature().mask() == Signature.ALL_SLOTS;
    }
}
