package dev.weir.storage.waves;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.zip.CRC32C;

import dev.weir.storage.notes.NodeNotes;

/**
 * The bytes by which a node tells others of its groups: {@value #MAGIC} as four bytes, a CRC-32C of the rest, and what
 * the file {@code waves} holds, with fewer groups.
 */
final class WaveNote {
    /** The most groups of a note. */
    static final int MOST = 1_024;

    /** "WWN" and the version. */
    private static final int MAGIC = 0x57574e31;
    private static final int HEAD = 2 * Integer.BYTES;

    private WaveNote() {}

    /**
     * Packs as many of some groups as fit, the first ones first.
     *
     * @param leftOut is told how many groups did not fit
     */
    static byte[] pack(WaveKey key, List<SavedWave> waves, IntConsumer leftOut) throws IOException {
        List<SavedWave> fitting = waves.subList(0, Math.min(MOST, waves.size()));
        byte[] content = WaveFile.pack(new WaveFile.Content(key, fitting));
        while (content.length > NodeNotes.MOST_BYTES - HEAD) {
            fitting = fitting.subList(0, fitting.size() / 2);
            content = WaveFile.pack(new WaveFile.Content(key, fitting));
        }
        leftOut.accept(waves.size() - fitting.size());
        return ByteBuffer.allocate(HEAD + content.length).putInt(MAGIC).putInt(sum(content, 0)).put(content).array();
    }

    /**
     * Reads a note.
     *
     * @param hours the hours that the table of this node keeps
     * @throws IOException with the reason, if it is none
     */
    static WaveFile.Content unpack(byte[] note, int hours) throws IOException {
        if (note.length > NodeNotes.MOST_BYTES || note.length < HEAD) {
            throw new IOException("it has " + note.length + " bytes");
        }
        ByteBuffer head = ByteBuffer.wrap(note);
        if (head.getInt() != MAGIC) {
            throw new IOException("it is no note of this version");
        }
        if (head.getInt() != sum(note, HEAD)) {
            throw new IOException("its checksum is wrong");
        }
        return WaveFile.unpack(Arrays.copyOfRange(note, HEAD, note.length), hours, MOST);
    }

    private static int sum(byte[] bytes, int from) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, from, bytes.length - from);
        return (int) sum.getValue();
    }
}
