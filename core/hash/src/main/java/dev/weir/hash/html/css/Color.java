package dev.weir.hash.html.css;

import java.util.Locale;

/**
 * A color with components from 0 to 255.
 *
 * @param alpha 255 is opaque
 */
public record Color(int red, int green, int blue, int alpha) {
    /** Colors closer than this look the same to a reader. */
    private static final float SIMILAR = 0.1f;
    public static final Color WHITE = opaque(255, 255, 255);
    public static final Color BLACK = opaque(0, 0, 0);

    public static Color opaque(int red, int green, int blue) {
        return new Color(red, green, blue, 255);
    }

    static Color ofArgb(int argb) {
        return new Color(argb >> 16 & 0xff, argb >> 8 & 0xff, argb & 0xff, argb >>> 24);
    }

    int argb() {
        return alpha << 24 | red << 16 | green << 8 | blue;
    }

    /** Returns the notation of CSS. */
    @Override
    public String toString() {
        String rgb = String.format(Locale.ROOT, "#%02x%02x%02x", red, green, blue);
        return alpha == 255 ? rgb : rgb + String.format(Locale.ROOT, "%02x", alpha);
    }

    /** Whether text in one color is unreadable on the other (docs/reference/hashing.md#html). */
    public boolean isSimilarTo(Color other) {
        float dr = red - other.red;
        float dg = green - other.green;
        float db = blue - other.blue;
        float meanRed = (red + other.red) / 2.0f;
        float sum = 2.0f * dr * dr + 4.0f * dg * dg + 3.0f * db * db + meanRed * (dr * dr - db * db) / 256.0f;
        return (float) Math.sqrt(sum) / 256.0f < SIMILAR;
    }
}
