package dev.weir.hash.html.css;

import java.util.List;

import dev.weir.hash.html.css.CssTokens.Kind;
import dev.weir.hash.html.css.CssTokens.Token;
import org.jspecify.annotations.Nullable;

/**
 * The effect of declarations on an element without any other style. It is computed once and shared by all matching
 * elements, because a value may have many tokens and a document many elements.
 *
 * @param clips whether overflow is hidden; null if nothing is declared
 */
record Effects(@Nullable Color foreground, @Nullable Color background, @Nullable Length height, @Nullable Length width,
        @Nullable Length maxHeight, @Nullable Length maxWidth, @Nullable Length fontSize, @Nullable Display display,
        @Nullable Boolean clips) {
    private static final float LEAST_OPACITY = 0.1f;
    private static final int OFF_SCREEN = -1000;

    static Effects of(Declarations css) {
        Length size = size(css, Property.FONT_SIZE);
        List<Token> overflow = css.value(Property.OVERFLOW);
        return new Effects(first(css, Property.COLOR, Property.FONT_COLOR),
                first(css, Property.BACKGROUND_COLOR, Property.BGCOLOR, Property.BACKGROUND),
                size(css, Property.HEIGHT), size(css, Property.WIDTH), size(css, Property.MAX_HEIGHT),
                size(css, Property.MAX_WIDTH), size != null ? size : size(css, Property.FONT),
                hides(css) ? Display.HIDDEN : Values.display(css.value(Property.DISPLAY)),
                overflow.isEmpty() ? null : Values.has(overflow, "hidden", "clip"));
    }

    private static @Nullable Color first(Declarations css, Property... properties) {
        for (Property property : properties) {
            Color color = Values.color(css.value(property));
            if (color != null) {
                return color;
            }
        }
        return null;
    }

    private static @Nullable Length size(Declarations css, Property property) {
        return Values.length(css.value(property));
    }

    private static boolean hides(Declarations css) {
        return Values.display(css.value(Property.DISPLAY)) == Display.HIDDEN
                || Values.display(css.value(Property.VISIBILITY)) == Display.HIDDEN
                || (number(css, Property.OPACITY, 1) < LEAST_OPACITY) || offScreen(css) || clippedAway(css);
    }

    private static float number(Declarations css, Property property, float otherwise) {
        for (Token token : css.value(property)) {
            if (token.kind() == Kind.NUMBER) {
                return token.text().equals("%") ? token.value() / 100 : token.value();
            }
        }
        return otherwise;
    }

    private static boolean offScreen(Declarations css) {
        boolean positioned = Values.has(css.value(Property.POSITION), "absolute", "fixed");
        return (positioned && (isFarOut(css, Property.LEFT) || isFarOut(css, Property.TOP)))
                || isFarOut(css, Property.TEXT_INDENT);
    }

    private static boolean isFarOut(Declarations css, Property property) {
        Length length = size(css, property);
        return length != null && !length.percent() && length.whole() <= OFF_SCREEN;
    }

    private static boolean clippedAway(Declarations css) {
        List<Token> clip = css.value(Property.CLIP);
        if (!clip.isEmpty() && clip.get(0).kind() == Kind.FUNCTION && clip.get(0).text().equals("rect")) {
            List<Token> sides = Values.arguments(clip, 1);
            if (!sides.isEmpty() && sides.stream().allMatch(side -> Math.abs(Values.length(side).value()) <= 1)) {
                return true;
            }
        }
        List<Token> path = css.value(Property.CLIP_PATH);
        if (path.isEmpty() || path.get(0).kind() != Kind.FUNCTION) {
            return false;
        }
        List<Token> numbers = Values.arguments(path, 1);
        if (numbers.isEmpty()) {
            return false;
        }
        Length first = Values.length(numbers.get(0));
        return switch (path.get(0).text()) {
            case "inset" -> first.percent() && first.value() >= 50;
            case "circle", "ellipse" -> first.value() <= 0;
            default -> false;
        };
    }
}
