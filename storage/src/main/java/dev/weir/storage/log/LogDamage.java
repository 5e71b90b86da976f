package dev.weir.storage.log;

/**
 * Acknowledged updates that cannot be read any more, or a header that cannot.
 *
 * @param file where they should be
 * @param position byte at which what can be read ends
 * @param first revision of the first one
 * @param last revision of the last one; before the first when it is only the header
 */
public record LogDamage(String file, long position, long first, long last) {

    /** How many updates are lost. */
    public long count() {
        return last - first + 1;
    }

    @Override
    public String toString() {
        String what = count() == 0
                ? "its header"
                : count() == 1 ? "update " + first : "updates " + first + " to " + last;
        return file + " is damaged at byte " + position + ": " + what + " cannot be read";
    }
}
