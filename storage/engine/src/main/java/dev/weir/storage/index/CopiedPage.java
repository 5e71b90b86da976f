package dev.weir.storage.index;

import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;

import dev.weir.model.FlagValue;
import dev.weir.model.HtmlSides;
import org.jspecify.annotations.Nullable;

/** The records of a page that {@link HashIndex#copyPage} copied. */
public final class CopiedPage {
    private final ByteBuffer content;
    /** Where the flags of each record with several or unusual flags begin. */
    private final int[] chains;
    /** Where the side hashes of each record begin behind their place in the page; 0 for none. */
    private final int[] sides;
    private final int sidesAt;

    private CopiedPage(ByteBuffer content, int[] chains, int[] sides, int sidesAt) {
        this.content = content;
        this.chains = chains;
        this.sides = sides;
        this.sidesAt = sidesAt;
    }

    /**
     * Reads a page.
     *
     * @param content the page from its position on, in little endian, which must not change
     * @param count number of records
     * @throws IllegalArgumentException if the content is not a page of this number of records
     */
    public static CopiedPage of(ByteBuffer content, int count) {
        ByteBuffer page = content.slice().order(content.order());
        if (page.remaining() < count * RecordTable.VOTES_BYTES) {
            throw new IllegalArgumentException("records are missing");
        }
        int[] chains = new int[count];
        int next = count * RecordTable.VOTES_BYTES;
        for (int i = 0; i < count; i++) {
            chains[i] = next;
            int at = i * RecordTable.VOTES_BYTES;
            if (page.getInt(at + RecordTable.VOTE) == RecordTable.CHAINED) {
                next += FlagChains.copiedBytes(page.getInt(at + RecordTable.TIME), page.limit() - next);
            }
        }
        int[] sides = new int[count];
        ByteBuffer rest = page.duplicate().order(page.order()).position(next);
        int place = -1;
        while (rest.hasRemaining()) {
            place = SignatureTable.copiedPlace(rest, place, count);
            sides[place] = rest.position();
            rest.position(rest.position() + HtmlSides.BYTES);
        }
        return new CopiedPage(page, chains, sides, next);
    }

    /** Returns whether record {@code i} of the page has no hash. */
    public boolean isFree(int i) {
        return content.getInt(i * RecordTable.VOTES_BYTES + RecordTable.VOTE) == RecordTable.FREE;
    }

    /** Returns when a record that is not free was renewed, in seconds since the epoch, or 0. */
    public long renewed(int i) {
        return content.getInt(i * RecordTable.VOTES_BYTES + RecordTable.RENEWED) & 0xffffffffL;
    }

    /** Returns the side hashes of the signature of a record that is not free, or null. */
    public @Nullable HtmlSides sides(int i) {
        return sides[i] == 0 ? null : SignatureTable.copiedSides(content.position(sides[i]));
    }

    /** Copies the page without some of its records, which become free in the copy. */
    public void copyWithout(BitSet removed, ByteBuffer target) {
        for (int i = 0; i < chains.length; i++) {
            if (removed.get(i)) {
                free(1, target);
            } else {
                target.put(content.slice(i * RecordTable.VOTES_BYTES, RecordTable.VOTES_BYTES));
            }
        }
        for (int i = 0; i < chains.length; i++) {
            int end = i + 1 < chains.length ? chains[i + 1] : sidesAt;
            if (!removed.get(i)) {
                target.put(content.slice(chains[i], end - chains[i]));
            }
        }
        for (int i = 0; i < sides.length; i++) {
            if (sides[i] != 0 && !removed.get(i)) {
                target.putInt(i).put(content.slice(sides[i], HtmlSides.BYTES));
            }
        }
    }

    /** Writes a page of free records. */
    public static void free(int count, ByteBuffer target) {
        for (int i = 0; i < count; i++) {
            target.putInt(0).putInt(0).putInt(RecordTable.FREE);
        }
    }

    /** Returns the flags of a record that is not free, the primary one first. */
    public List<FlagValue> flags(int i) {
        int at = i * RecordTable.VOTES_BYTES;
        int vote = content.getInt(at + RecordTable.VOTE);
        int time = content.getInt(at + RecordTable.TIME);
        return vote == RecordTable.CHAINED
                ? FlagChains.copied(content.position(chains[i]), time)
                : List.of(RecordTable.vote(vote, time));
    }
}
