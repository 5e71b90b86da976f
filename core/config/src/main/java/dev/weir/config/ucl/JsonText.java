package dev.weir.config.ucl;

import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * A printer of trees as JSON. Repeated values of a key become one array, with the items of arrays flattened into it.
 * Numbers that JSON cannot express (infinite or not a number) become null.
 */
public final class JsonText {
    private static final String HEX = "0123456789abcdef";

    private final StringBuilder out = new StringBuilder();
    private final boolean pretty;

    private JsonText(boolean pretty) {
        this.pretty = pretty;
    }

    /** Returns the tree on one line. */
    public static String compact(UclValue value) {
        JsonText text = new JsonText(false);
        text.value(value, 0);
        return text.out.toString();
    }

    /** Returns the tree with indentation and a final newline. */
    public static String pretty(UclValue value) {
        JsonText text = new JsonText(true);
        text.value(value, 0);
        return text.out.append('\n').toString();
    }

    private void value(UclValue value, int depth) {
        switch (value) {
            case UclObject object -> object(object, depth);
            case UclArray array -> array(array.items(), depth);
            case UclString string -> quoted(string.text());
            case UclInteger integer -> out.append(integer.value());
            case UclDouble number -> number(number.value());
            case UclTime time -> number(time.seconds());
            case UclBoolean bool -> out.append(bool.value());
            case UclNull nothing -> out.append("null");
        }
    }

    private void object(UclObject object, int depth) {
        out.append('{');
        Iterator<Map.Entry<String, List<UclValue>>> members = object.members().entrySet().iterator();
        while (members.hasNext()) {
            Map.Entry<String, List<UclValue>> member = members.next();
            newline(depth + 1);
            quoted(member.getKey());
            out.append(pretty ? ": " : ":");
            List<UclValue> values = member.getValue();
            if (values.size() == 1) {
                value(values.getFirst(), depth + 1);
            } else {
                array(values.getFirst() instanceof UclArray ? UclObject.flat(values) : values, depth + 1);
            }
            out.append(members.hasNext() ? "," : "");
        }
        if (!object.members().isEmpty()) {
            newline(depth);
        }
        out.append('}');
    }

    private void array(List<UclValue> items, int depth) {
        out.append('[');
        for (int i = 0; i < items.size(); i++) {
            out.append(i > 0 ? "," : "");
            newline(depth + 1);
            value(items.get(i), depth + 1);
        }
        if (!items.isEmpty()) {
            newline(depth);
        }
        out.append(']');
    }

    private void newline(int depth) {
        if (pretty) {
            out.append('\n').repeat("    ", depth);
        }
    }

    private void number(double value) {
        out.append(Double.isFinite(value) ? Double.toString(value) : "null");
    }

    private void quoted(String text) {
        out.append('"');
        escape(text, out);
        out.append('"');
    }

    /** Returns the text in the escaped form that JSON has between quotes. */
    static String escaped(String text) {
        StringBuilder out = new StringBuilder(text.length() + 16);
        escape(text, out);
        return out.toString();
    }

    private static void escape(String text, StringBuilder out) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                case '\b' -> out.append("\\b");
                case '\f' -> out.append("\\f");
                default -> {
                    // UTF-8 cannot express an unpaired surrogate.
                    if (c < 0x20 || c == 0x7f || isLoneSurrogate(text, i)) {
                        unicode(c, out);
                    } else {
                        out.append(c);
                    }
                }
            }
        }
    }

    static void unicode(char c, StringBuilder out) {
        out.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
            out.append(HEX.charAt(c >> shift & 15));
        }
    }

    static boolean isLoneSurrogate(String text, int at) {
        char c = text.charAt(at);
        if (Character.isHighSurrogate(c)) {
            return at + 1 == text.length() || !Character.isLowSurrogate(text.charAt(at + 1));
        }
        return Character.isLowSurrogate(c) && (at == 0 || !Character.isHighSurrogate(text.charAt(at - 1)));
    }
}
