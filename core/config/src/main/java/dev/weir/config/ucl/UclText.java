package dev.weir.config.ucl;

import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import dev.weir.config.source.Origin;

/**
 * A printer of trees as readable UCL, which parses back to the same tree. A comment names the origin of each value.
 *
 * <p>The output omits two things: the priorities of values, and the values of secret keys.
 */
public final class UclText {
    private static final int INDENT = 4;

    private final StringBuilder out = new StringBuilder();
    private final Predicate<String> secret;

    private UclText(Predicate<String> secret) {
        this.secret = secret;
    }

    /**
     * Returns the tree with the origin of each value, and its priority unless that is 0.
     *
     * @param secret the keys whose values are hidden
     */
    public static String explained(UclValue root, Predicate<String> secret) {
        UclText text = new UclText(secret);
        switch (root) {
            case UclObject object -> text.members(object, 0);
            case UclArray array -> {
                text.array(array, 0);
                text.out.append('\n');
            }
            default -> {
                text.value(root, 0);
                text.out.append('\n');
            }
        }
        return text.out.toString();
    }

    private void members(UclObject object, int depth) {
        for (Map.Entry<String, List<UclValue>> member : object.members().entrySet()) {
            for (UclValue value : member.getValue()) {
                member(member.getKey(), value, depth);
            }
        }
    }

    private void member(String key, UclValue value, int depth) {
        out.repeat(" ", depth * INDENT);
        key(key);
        boolean hidden = secret.test(key);
        if (value instanceof UclObject section && !hidden) {
            out.append(" {");
            comment(section);
            out.append('\n');
            members(section, depth + 1);
            out.repeat(" ", depth * INDENT).append("}\n");
            return;
        }
        out.append(" = ");
        if (hidden) {
            out.append("\"(not shown)\"");
        } else {
            value(value, depth);
        }
        out.append(';');
        comment(value);
        out.append('\n');
    }

    private void comment(UclValue value) {
        Origin origin = value.origin();
        out.append("  # ").append(oneLine(origin.toString()));
        if (value.priority() != 0) {
            out.append(", priority ").append(value.priority());
        }
    }

    private static String oneLine(String text) {
        return text.replace('\n', ' ').replace('\r', ' ');
    }

    private void value(UclValue value, int depth) {
        switch (value) {
            case UclObject object -> {
                out.append("{\n");
                members(object, depth + 1);
                out.repeat(" ", depth * INDENT).append('}');
            }
            case UclArray array -> array(array, depth);
            case UclString string -> quoted(string.text());
            case UclInteger integer -> out.append(integer.value());
            case UclDouble number -> number(number.value());
            case UclTime time -> time(time.seconds());
            case UclBoolean bool -> out.append(bool.value());
            case UclNull nothing -> out.append("null");
        }
    }

    private void array(UclArray array, int depth) {
        if (array.items().isEmpty()) {
            out.append("[]");
            return;
        }
        out.append("[\n");
        for (UclValue item : array.items()) {
            out.repeat(" ", (depth + 1) * INDENT);
            value(item, depth + 1);
            out.append(',');
            comment(item);
            out.append('\n');
        }
        out.repeat(" ", depth * INDENT).append(']');
    }

    private void number(double value) {
        if (Double.isFinite(value)) {
            out.append(value);
        } else {
            out.append(Double.isNaN(value) ? "nan" : "inf");
        }
    }

    /** Prints a time in the largest unit that divides it without a remainder. */
    private void time(double seconds) {
        if (!Double.isFinite(seconds) || seconds != Math.rint(seconds) || Math.abs(seconds) >= 1e15) {
            number(seconds);
            out.append(Double.isFinite(seconds) ? "s" : "");
            return;
        }
        long whole = (long) seconds;
        if (whole == 0 || whole % 60 != 0) {
            out.append(whole).append('s');
        } else if (whole % 86400 == 0) {
            out.append(whole / 86400).append('d');
        } else if (whole % 3600 == 0) {
            out.append(whole / 3600).append('h');
        } else {
            out.append(whole / 60).append("min");
        }
    }

    private void key(String key) {
        boolean bare = Chars.isLetter(key.charAt(0)) || key.charAt(0) == '_';
        for (int i = 0; bare && i < key.length(); i++) {
            char c = key.charAt(i);
            bare = Chars.isLetter(c) || Chars.isDigit(c) || c == '_' || c == '-' || c == '.';
        }
        if (bare) {
            out.append(key);
        } else {
            quoted(key);
        }
    }

    private void quoted(String text) {
        // An escaped dollar sign never begins a variable.
        out.append('"').append(JsonText.escaped(text).replace("$", "\\u0024")).append('"');
    }
}
