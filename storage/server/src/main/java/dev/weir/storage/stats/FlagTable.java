package dev.weir.storage.stats;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A table of counts by flag, allocated in pieces because most clients see few flags. One thread counts; any thread may
 * read.
 */
final class FlagTable {
    /** The key for all flags that cannot come from the network, only from imported files. */
    static final int OTHER = -1;

    private static final int SMALL = 256;
    private static final int PIECE = 16;

    private volatile @Nullable Cells[] pieces = new Cells[SMALL / PIECE + 1];

    void increment(int flag, int field) {
        int place = flag >= 0 && flag < SMALL ? flag : SMALL;
        Cells piece = pieces[place / PIECE];
        if (piece == null) {
            piece = new Cells(PIECE * Counts.FIELDS);
            @Nullable
            Cells[] copy = pieces.clone();
            copy[place / PIECE] = piece;
            pieces = copy;
        }
        piece.increment(place % PIECE * Counts.FIELDS + field);
    }

    void addTo(Map<Integer, Counts> target) {
        @Nullable
        Cells[] now = pieces;
        for (int place = 0; place <= SMALL; place++) {
            Cells piece = now[place / PIECE];
            if (piece != null) {
                Counts counts = Counts.read(piece, place % PIECE * Counts.FIELDS);
                if (!counts.equals(Counts.NONE)) {
                    target.merge(place < SMALL ? place : OTHER, counts, Counts::plus);
                }
            }
        }
    }
}
