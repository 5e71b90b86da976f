package dev.weir.hash;

/**
 * What a learning request wants left out.
 *
 * @param images no image hashes
 * @param texts no text hashes
 */
public record Skip(boolean images, boolean texts) {
    /** All hashes. */
    public static final Skip NOTHING = new Skip(false, false);
}
