package dev.weir.hash.html.css;

import java.util.List;

import dev.weir.hash.html.css.CssTokens.Kind;
import dev.weir.hash.html.css.CssTokens.Token;
import org.jspecify.annotations.Nullable;

/** A parser for the colors, sizes and keywords in the tokens of a value. */
final class Values {
    private Values() {}

    /** Parses three, six or eight hexadecimal digits; any other character counts as zero. */
    static @Nullable Color hex(String digits) {
        return switch (digits.length()) {
            case 3 -> Color.opaque(17 * nibble(digits, 0), 17 * nibble(digits, 1), 17 * nibble(digits, 2));
            case 6 -> Color.opaque(octet(digits, 0), octet(digits, 2), octet(digits, 4));
            case 8 -> new Color(octet(digits, 0), octet(digits, 2), octet(digits, 4), octet(digits, 6));
            default -> null;
        };
    }

    private static int nibble(String digits, int at) {
        char c = digits.charAt(at);
        return c < 0x80 ? Math.max(0, Character.digit(c, 16)) : 0;
    }

    private static int octet(String digits, int at) {
        return 16 * nibble(digits, at) + nibble(digits, at + 1);
    }

    /** Returns the color of a function, or null. */
    static @Nullable Color color(String function, List<Token> arguments) {
        // The name fixes the number of arguments: rgba(0, 0, 0) is invalid, and so is rgb(0 0 0 / 1).
        if (arguments.size() != (function.endsWith("a") ? 4 : 3)) {
            return null;
        }
        int alpha = arguments.size() > 3 ? alpha(arguments.get(3)) : 255;
        return switch (function) {
            case "rgb", "rgba" ->
                new Color(component(arguments.get(0)), component(arguments.get(1)), component(arguments.get(2)), alpha);
            case "hsl", "hsla" ->
                hsl(arguments.get(0).value(), share(arguments.get(1)), share(arguments.get(2)), alpha);
            default -> null;
        };
    }

    private static int component(Token number) {
        return clamp(scaled(number, 255));
    }

    /** A word instead of a number is opaque. */
    private static int alpha(Token number) {
        return number.kind() == Kind.NUMBER ? (int) (share(number) * 255) : 255;
    }

    private static float share(Token number) {
        return Math.max(0, Math.min(1, scaled(number, 1)));
    }

    /** Returns the number; a percentage is that share of {@code whole}. */
    static float scaled(Token number, float whole) {
        return number.text().equals("%") ? number.value() / 100 * whole : number.value();
    }

    private static Color hsl(float hue, float saturation, float lightness, int alpha) {
        if (saturation == 0) {
            // Rspamd does not scale grays, so all of them are nearly black.
            return new Color(clamp(lightness), clamp(lightness), clamp(lightness), alpha);
        }
        float h = ((hue % 360) + 360) % 360 / 60;
        float chroma = (1 - Math.abs(2 * lightness - 1)) * saturation;
        float x = chroma * (1 - Math.abs(h % 2 - 1));
        float m = lightness - chroma / 2;
        float[] rgb = switch ((int) h) {
            case 0 -> new float[]{chroma, x, 0};
            case 1 -> new float[]{x, chroma, 0};
            case 2 -> new float[]{0, chroma, x};
            case 3 -> new float[]{0, x, chroma};
            case 4 -> new float[]{x, 0, chroma};
            default -> new float[]{chroma, 0, x};
        };
        return new Color(clamp((rgb[0] + m) * 255), clamp((rgb[1] + m) * 255), clamp((rgb[2] + m) * 255), alpha);
    }

    private static int clamp(float component) {
        return (int) Math.max(0, Math.min(255, component));
    }

    static Length length(Token number) {
        if (number.text().equals("%")) {
            return new Length(number.value(), true);
        }
        Float unit = Keywords.unit(number.text());
        return new Length(unit == null ? number.value() : number.value() * unit, false);
    }
}
