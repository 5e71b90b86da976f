package dev.weir.hash.html.css;

/**
 * A CSS length.
 *
 * @param value pixels or percent
 * @param percent whether the value is a percentage of the parent's size
 */
public record Length(float value, boolean percent) {
    /** Returns the integer part of the value, limited to 16 bits. */
    public int whole() {
        return (int) Math.max(Short.MIN_VALUE, Math.min(Short.MAX_VALUE, value));
    }
}
