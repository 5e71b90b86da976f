package dev.weir.hash.html.css;

import java.util.ArrayList;
import java.util.List;

import dev.weir.hash.html.css.CssTokens.Kind;
import dev.weir.hash.html.css.CssTokens.Token;
import org.jspecify.annotations.Nullable;

/**
 * The values of one property in a block of declarations. Of several values of one type the last one counts, and a value
 * of another type stays: {@code font: 12px; font: red} has a size and a color.
 */
final class Declaration {
    final Property property;
    /** Rank among the declarations of the property; only 3.4 compares it. */
    private int rank;
    private boolean marked;
    @Nullable
    Color color;
    @Nullable
    Length length;
    @Nullable
    Display display;
    @Nullable
    Float number;

    Declaration(Property property) {
        this.property = property;
    }

    /**
     * Adds a token of the value; a token that the property does not accept has no effect.
     *
     * @param arguments arguments without separators if the token is a function, else null
     */
    void add(Token token, @Nullable List<Token> arguments) {
        if (arguments != null) {
            addFunction(token.text(), arguments);
        } else {
            add(token);
        }
    }

    private void add(Token token) {
        if (token.kind() == Kind.IDENT && token.text().equals("important")) {
            rank = marked ? -1 : 1;
            return;
        }
        marked = token.is('!');
        switch (property.type) {
            case COLOR -> addColor(token);
            case LENGTH -> addLength(token);
            case FONT -> {
                addColor(token);
                addLength(token);
            }
            case DISPLAY -> {
                Display known = token.kind() == Kind.IDENT ? Keywords.display(token.text()) : null;
                display = known != null ? known : display;
            }
            case OVERFLOW -> {
                if (token.kind() == Kind.IDENT) {
                    display = isWord(token, "hidden", "clip") ? Display.HIDDEN : Display.INLINE;
                }
            }
            case NUMBER -> {
                if (token.kind() == Kind.NUMBER) {
                    number = Math.max(0, Math.min(1, Values.scaled(token, 1)));
                }
            }
            case POSITION -> {
                if (token.kind() == Kind.IDENT) {
                    number = isWord(token, "absolute", "fixed") ? 1f : 0f;
                }
            }
            case CLIP -> number = 0f;
        }
    }

    private void addFunction(String function, List<Token> arguments) {
        switch (property.type) {
            case COLOR, FONT -> {
                Color known = Values.color(function, arguments);
                color = known != null ? known : color;
            }
            case CLIP -> number = clipsAll(function, arguments) ? 1f : 0f;
            default -> {
            }
        }
    }

    private void addColor(Token token) {
        Color known = switch (token.kind()) {
            case IDENT -> Keywords.color(token.text());
            case HASH -> Values.hex(token.text());
            default -> null;
        };
        color = known != null ? known : color;
    }

    private void addLength(Token token) {
        if (token.kind() == Kind.NUMBER) {
            length = Values.length(token);
        }
    }

    private static boolean isWord(Token token, String one, String other) {
        return token.text().equals(one) || token.text().equals(other);
    }

    /** Whether the shape leaves nothing of the element. */
    private static boolean clipsAll(String function, List<Token> arguments) {
        List<Token> numbers = new ArrayList<>(arguments);
        numbers.removeIf(token -> token.kind() != Kind.NUMBER);
        if (numbers.isEmpty()) {
            return false;
        }
        Length first = Values.length(numbers.get(0));
        return switch (function) {
            case "rect" -> numbers.stream().allMatch(side -> Math.abs(Values.length(side).value()) <= 1);
            case "inset" -> first.percent() && first.value() >= 50;
            case "circle", "ellipse" -> first.value() <= 0;
            default -> false;
        };
    }

    boolean isEmpty() {
        return color == null && length == null && display == null && number == null;
    }

    /** Replaces values by those of a later declaration of the property. In 3.4 a higher rank protects them. */
    void override(Declaration later, boolean ranked) {
        if (ranked && later.rank < rank) {
            return;
        }
        rank = later.rank;
        color = later.color != null ? later.color : color;
        length = later.length != null ? later.length : length;
        display = later.display != null ? later.display : display;
        number = later.number != null ? later.number : number;
    }
}
