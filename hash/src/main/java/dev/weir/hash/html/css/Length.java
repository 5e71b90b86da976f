package dev.weir.hash.html.css;

/**
 * A size.
 *
 * @param value pixels, or per cent
 * @param percent of the parent's size
 */
public record Length(float value, boolean percent) {
    /** The value without its fraction, within 16 bits. */
    public int whole() {
        return (int) Math.max(Short.MIN_VALUE, Math.min(Short.MAX_VALUE, value));
    }
}
