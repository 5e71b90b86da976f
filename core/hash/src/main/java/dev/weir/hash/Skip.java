package dev.weir.hash;

/**
 * The kinds of hash that a learn request excludes.
 *
 * @param images whether to exclude image hashes
 * @param texts whether to exclude text hashes
 */
public record Skip(boolean images, boolean texts) {
    /** Excludes nothing. */
    public static final Skip NOTHING = new Skip(false, false);
}
