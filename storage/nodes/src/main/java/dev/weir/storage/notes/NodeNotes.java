package dev.weir.storage.notes;

import java.util.function.Predicate;

/**
 * What a node tells the other ones from time to time, and hears of them: bytes that only the writer and the reader
 * understand. A note replaces the earlier one of the same node. Thread-safe.
 */
public interface NodeNotes {
    /** The most bytes of a note. What carries notes passes longer ones on up to one byte more, to be refused. */
    int MOST_BYTES = 1 << 20;

    /**
     * Returns what to tell another node.
     *
     * @param known the names of nodes that the reader hears without this one
     */
    byte[] write(Predicate<String> known);

    /**
     * Takes the note of a node. It may come from another program, or be damaged.
     *
     * @param from the name of the node, the same each time
     * @param first whether that node, rather than this one, begins what only one of them is to do
     */
    void read(String from, boolean first, byte[] note);

    /** Notes that the other nodes were not reached. */
    void failed();
}
