package dev.weir.storage.notes;

import java.util.function.Predicate;

/**
 * The bytes that nodes send each other from time to time. Only the writer and the reader
 * understand them. A note replaces the earlier one of the same node. Thread-safe.
 */
public interface NodeNotes {
    /** The most bytes of a note. A carrier passes on one byte more at most, so that the reader refuses longer ones. */
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

    /** Forgets all notes, because this node has another place among the others, which have other names from now on. */
    void forget();

    /** Notes that the other nodes were not reached. */
    void failed();
}
