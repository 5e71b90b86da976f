package dev.weir.storage.log;

/**
 * Durable updates that are no longer readable or no longer there, or an unreadable header.
 *
 * @param file the file that should contain them
 * @param position the byte at which the readable part ends; {@link #ABSENT} if the file does not have them at all
 * @param first revision of the first lost update
 * @param last revision of the last update known to be lost; before {@code first} if none is known, or only the header
 *            is lost
 * @param open whether more updates may be lost after the last one, because the disk fails to read the end of the log
 */
public record LogDamage(String file, long position, long first, long last, boolean open) {
    /** The position of updates that are not there, because files are missing or older than others. */
    static final long ABSENT = -1;

    /** Creates a damage of known extent. */
    public LogDamage(String file, long position, long first, long last) {
        this(file, position, first, last, false);
    }

    /** Returns the number of updates known to be lost. */
    public long count() {
        return last - first + 1;
    }

    private String what() {
        if (count() == 0) {
            return open ? "what was learned from update " + first + " on, if anything" : "its header";
        }
        return (count() == 1 ? "update " + first : "updates " + first + " to " + last)
                + (open ? " and perhaps more" : "");
    }

    @Override
    public String toString() {
        return position == ABSENT
                ? file + " lacks " + what() + ": it is lost, or older than the files beside it"
                : file + " is damaged at byte " + position + ": " + what() + (count() == 0 && open ? "," : "")
                        + " cannot be read";
    }
}
