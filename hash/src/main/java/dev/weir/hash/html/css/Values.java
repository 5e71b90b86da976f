package dev.weir.hash.html.css;

import java.util.ArrayList;
import java.util.List;

import dev.weir.hash.html.css.CssTokens.Kind;
import dev.weir.hash.html.css.CssTokens.Token;
import org.jspecify.annotations.Nullable;

/** A parser for the colors, sizes and keywords in the tokens of a value. */
final class Values {
    private Values() {}

    /**
     * Returns the last color among the tokens. Function arguments do not count, but the first closing parenthesis ends
     * all functions: the color of {@code linear-gradient(white, rgb(1, 2, 3), black)} is black.
     */
    static @Nullable Color color(List<Token> value) {
        Color last = null;
        boolean enclosed = false;
        for (int i = 0; i < value.size(); i++) {
            Token token = value.get(i);
            Color color = switch (token.kind()) {
                case IDENT -> enclosed ? null : Keywords.color(token.text());
                case HASH -> enclosed ? null : hex(token.text());
                case FUNCTION -> function(token.text(), arguments(value, i + 1));
                default -> null;
            };
            if (color != null) {
                last = color;
            }
            enclosed = token.kind() == Kind.FUNCTION || (enclosed && !token.is(')'));
        }
        return last;
    }

    /** Parses three, six or eight hexadecimal digits. */
    static @Nullable Color hex(String digits) {
        if (!digits.chars().allMatch(c -> Character.digit(c, 16) >= 0)) {
            return null;
        }
        return switch (digits.length()) {
            case 3 -> Color.opaque(17 * nibble(digits, 0), 17 * nibble(digits, 1), 17 * nibble(digits, 2));
            case 6 -> Color.opaque(octet(digits, 0), octet(digits, 2), octet(digits, 4));
            case 8 -> new Color(octet(digits, 0), octet(digits, 2), octet(digits, 4), octet(digits, 6));
            default -> null;
        };
    }

    private static int nibble(String digits, int at) {
        return Character.digit(digits.charAt(at), 16);
    }

    private static int octet(String digits, int at) {
        return 16 * nibble(digits, at) + nibble(digits, at + 1);
    }

    private static @Nullable Color function(String name, List<Token> numbers) {
        // The name fixes the number of arguments: rgba(0, 0, 0) is invalid, and so is rgb(0 0 0 / 1).
        if (numbers.size() != (name.endsWith("a") ? 4 : 3)) {
            return null;
        }
        int alpha = numbers.size() > 3 ? clamp(scaled(numbers.get(3), 1) * 255) : 255;
        return switch (name) {
            case "rgb", "rgba" -> new Color(clamp(scaled(numbers.get(0), 255)), clamp(scaled(numbers.get(1), 255)),
                    clamp(scaled(numbers.get(2), 255)), alpha);
            case "hsl", "hsla" ->
                hsl(numbers.get(0).value(), scaled(numbers.get(1), 1), scaled(numbers.get(2), 1), alpha);
            default -> null;
        };
    }

    /** Returns the number; a percentage is that share of {@code whole}. */
    private static float scaled(Token number, float whole) {
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

    /** Returns the numbers from {@code from} to the closing parenthesis. */
    static List<Token> arguments(List<Token> value, int from) {
        List<Token> numbers = new ArrayList<>(4);
        for (int i = from; i < value.size() && !value.get(i).is(')'); i++) {
            if (value.get(i).kind() == Kind.NUMBER) {
                numbers.add(value.get(i));
            }
        }
        return numbers;
    }

    /** Returns the last size among the tokens outside of functions: 1.5 for {@code font: 12px/1.5 x}. */
    static @Nullable Length length(List<Token> value) {
        Length last = null;
        int depth = 0;
        for (Token token : value) {
            if (token.kind() == Kind.FUNCTION) {
                depth++;
            } else if (token.is(')')) {
                depth--;
            } else if (token.kind() == Kind.NUMBER && depth <= 0) {
                last = length(token);
            }
        }
        return last;
    }

    static Length length(Token number) {
        if (number.text().equals("%")) {
            return new Length(number.value(), true);
        }
        Float unit = Keywords.unit(number.text());
        return new Length(unit == null ? number.value() : number.value() * unit, false);
    }

    /** Returns the last display keyword among the tokens. */
    static @Nullable Display display(List<Token> value) {
        Display last = null;
        for (Token token : value) {
            Display display = token.kind() == Kind.IDENT ? Keywords.display(token.text()) : null;
            if (display != null) {
                last = display;
            }
        }
        return last;
    }

    /** Whether the tokens contain one of the words. */
    static boolean has(List<Token> value, String one, String other) {
        for (Token token : value) {
            if (token.kind() == Kind.IDENT && (token.text().equals(one) || token.text().equals(other))) {
                return true;
            }
        }
        return false;
    }
}
