package dev.weir.storage.log;

/**
 * Acknowledged updates that cannot be read any more, or a header that cannot.
 *
 * @param file where they should be
 * @param position byte at which what can be read ends
 * @param first revision of the first one
 * @param last revision of the last one that is known of; before the first when none is, or when it is only the header
 * @param open whether there may have been more behind the last one: the disk fails to read the end of the log
 */
public record LogDamage(String file, long position, long first, long last, boolean open) {

    /** A damage whose extent is known. */
    public LogDamage(String file, long position, long first, long last) {
        this(file, position, first, last, false);
    }

    /** How many updates are lost, as far as that is known. */
    public long count() {
        return last - first + 1;
    }

    private String what() {
        if (count() == 0) {
            return open ? "what was learned from update " + first + " on, if anything," : "its header";
        }
        return (count() == 1 ? "update " + first : "updates " + first + " to " + last)
                + (open ? " and perhaps more" : "");
    }

    @Override
    public String toString() {
        return file + " is damaged at byte " + position + ": " + what() + " cannot be read";
    }
}
