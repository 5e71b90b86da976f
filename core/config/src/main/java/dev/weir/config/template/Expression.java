package dev.weir.config.template;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The evaluator of one template expression: Lua's {@code or and not == ~= < <= > >= ..}, names, fields, literals and
 * parentheses, followed by filters after {@code |}. Arithmetic and calls are rejected with a specific message. Depth
 * and length are bounded.
 */
final class Expression {
    private static final int DEEPEST = 100;
    /** The maximum length of a text that an expression yields, in characters. */
    private static final int LONGEST = 1 << 20;

    private final String text;
    private final int end;
    private final Map<String, TemplateValue> names;
    private int at;
    private int depth;

    private Expression(String text, int start, int end, Map<String, TemplateValue> names) {
        this.text = text;
        this.at = start;
        this.end = end;
        this.names = names;
    }

    static TemplateValue evaluate(String text, int start, int end, Map<String, TemplateValue> names)
            throws TemplateException {
        Expression expression = new Expression(text, start, end, names);
        TemplateValue value = expression.or();
        while (expression.takes("|")) {
            value = expression.filter(value);
        }
        expression.skip();
        if (expression.at < end) {
            throw expression.wrong("expected an operator, a filter or the end of the tag");
        }
        return value;
    }

    private TemplateValue filter(TemplateValue value) throws TemplateException {
        skip();
        int start = at;
        String name = word();
        List<TemplateValue> arguments = arguments();
        return switch (name) {
            case "default" -> {
                boolean absent = value instanceof TemplateValue.Nil
                        || (argument(arguments, 1).truth() && !value.truth());
                yield absent ? argument(arguments, 0) : value;
            }
            case "lower" -> new TemplateValue.Text(asText(value, start).toLowerCase(Locale.ROOT));
            case "upper" -> new TemplateValue.Text(asText(value, start).toUpperCase(Locale.ROOT));
            default -> throw new TemplateException(start,
                    "unknown filter \"" + name + "\", expected default, lower or upper");
        };
    }

    private static TemplateValue argument(List<TemplateValue> arguments, int index) {
        return index < arguments.size() ? arguments.get(index) : TemplateValue.Nil.NIL;
    }

    /**
     * Reads the arguments of a filter: {@code ("a", b)} directly after its name, or the same without parentheses up to
     * the next filter. A parenthesis after a blank is rejected, as in Rspamd.
     */
    private List<TemplateValue> arguments() throws TemplateException {
        boolean enclosed = at < end && text.charAt(at) == '(';
        if (enclosed) {
            at++;
        }
        List<TemplateValue> arguments = new ArrayList<>();
        skip();
        if (!enclosed && at < end && text.charAt(at) == '(') {
            throw wrong("expected no blank between the name of the filter and \"(\"");
        }
        while (at < end && text.charAt(at) != '|' && text.charAt(at) != ')') {
            arguments.add(or());
            if (!takes(",")) {
                break;
            }
            skip();
        }
        if (enclosed) {
            expect(")");
        }
        return arguments;
    }

    private TemplateValue or() throws TemplateException {
        if (++depth > DEEPEST) {
            throw wrong("the expression is nested deeper than " + DEEPEST);
        }
        TemplateValue left = and();
        while (takesWord("or")) {
            TemplateValue right = and();
            left = left.truth() ? left : right;
        }
        depth--;
        return left;
    }

    private TemplateValue and() throws TemplateException {
        TemplateValue left = comparison();
        while (takesWord("and")) {
            TemplateValue right = comparison();
            left = left.truth() ? right : left;
        }
        return left;
    }

    private TemplateValue comparison() throws TemplateException {
        TemplateValue left = concatenation();
        while (true) {
            skip();
            int start = at;
            if (takes("==")) {
                left = new TemplateValue.Bool(left.equals(concatenation()));
            } else if (takes("~=")) {
                left = new TemplateValue.Bool(!left.equals(concatenation()));
            } else if (takes("<=")) {
                left = new TemplateValue.Bool(compare(left, concatenation(), start) <= 0);
            } else if (takes(">=")) {
                left = new TemplateValue.Bool(compare(left, concatenation(), start) >= 0);
            } else if (takes("<")) {
                left = new TemplateValue.Bool(compare(left, concatenation(), start) < 0);
            } else if (takes(">")) {
                left = new TemplateValue.Bool(compare(left, concatenation(), start) > 0);
            } else {
                return left;
            }
        }
    }

    private static int compare(TemplateValue left, TemplateValue right, int start) throws TemplateException {
        if (left instanceof TemplateValue.Num a && right instanceof TemplateValue.Num b) {
            return Double.compare(a.value(), b.value());
        }
        if (left instanceof TemplateValue.Text a && right instanceof TemplateValue.Text b) {
            return a.value().compareTo(b.value());
        }
        throw new TemplateException(start, "cannot compare " + left.kind() + " with " + right.kind());
    }

    private TemplateValue concatenation() throws TemplateException {
        TemplateValue left = unary();
        StringBuilder joined = null;
        skip();
        int start = at;
        while (takes("..")) {
            joined = joined == null ? new StringBuilder(asText(left, start)) : joined;
            joined.append(asText(unary(), start));
            if (joined.length() > LONGEST) {
                throw new TemplateException(start, "the text is longer than " + LONGEST + " characters");
            }
        }
        return joined == null ? left : new TemplateValue.Text(joined.toString());
    }

    private static String asText(TemplateValue value, int start) throws TemplateException {
        return switch (value) {
            case TemplateValue.Text text -> text.value();
            case TemplateValue.Num num -> num.shown();
            default -> throw new TemplateException(start, "expected a string, but found " + value.kind());
        };
    }

    private TemplateValue unary() throws TemplateException {
        boolean negated = false;
        boolean any = false;
        while (takesWord("not")) {
            negated = !negated;
            any = true;
        }
        TemplateValue value = postfix();
        return any ? new TemplateValue.Bool(value.truth() == !negated) : value;
    }

    private TemplateValue postfix() throws TemplateException {
        TemplateValue value = primary();
        while (true) {
            skip();
            int start = at;
            if (at + 1 < end && text.charAt(at) == '.' && text.charAt(at + 1) != '.') {
                at++;
                value = field(value, word(), start);
            } else if (takes("[")) {
                TemplateValue key = or();
                expect("]");
                value = field(value, asText(key, start), start);
            } else if (at < end && (text.charAt(at) == '(' || text.charAt(at) == ':')) {
                throw wrong("calls are not supported in templates here");
            } else if (at < end && "+-*/%^".indexOf(text.charAt(at)) >= 0) {
                throw wrong("arithmetic is not supported in templates here");
            } else {
                return value;
            }
        }
    }

    private static TemplateValue field(TemplateValue value, String name, int start) throws TemplateException {
        if (value instanceof TemplateValue.Table table) {
            return table.members().getOrDefault(name, TemplateValue.Nil.NIL);
        }
        throw new TemplateException(start, value.kind() + " has no field \"" + name + "\"");
    }

    private TemplateValue primary() throws TemplateException {
        skip();
        if (at >= end) {
            throw wrong("expected a value");
        }
        char c = text.charAt(at);
        if (c == '(') {
            at++;
            TemplateValue value = or();
            expect(")");
            return value;
        }
        if (c == '\'' || c == '"') {
            return string();
        }
        if ((c >= '0' && c <= '9') || (c == '-' && at + 1 < end && Character.isDigit(text.charAt(at + 1)))) {
            return number();
        }
        if (!isNameStart(c)) {
            throw wrong("expected a value");
        }
        String name = word();
        return switch (name) {
            case "true" -> new TemplateValue.Bool(true);
            case "false" -> new TemplateValue.Bool(false);
            case "nil" -> TemplateValue.Nil.NIL;
            default -> names.getOrDefault(name, TemplateValue.Nil.NIL);
        };
    }

    private TemplateValue string() throws TemplateException {
        int start = at;
        char quote = text.charAt(at++);
        StringBuilder out = new StringBuilder();
        while (at < end && text.charAt(at) != quote) {
            char c = text.charAt(at++);
            if (c == '\\' && at < end) {
                char escaped = text.charAt(at++);
                out.append(switch (escaped) {
                    case 'n' -> '\n';
                    case 'r' -> '\r';
                    case 't' -> '\t';
                    default -> escaped;
                });
            } else {
                out.append(c);
            }
        }
        if (at >= end) {
            throw new TemplateException(start, "this string has no end in the tag");
        }
        at++;
        return new TemplateValue.Text(out.toString());
    }

    private TemplateValue number() throws TemplateException {
        int start = at;
        if (text.charAt(at) == '-') {
            at++;
        }
        while (at < end && (Character.isLetterOrDigit(text.charAt(at))
                || (text.charAt(at) == '.' && !text.startsWith("..", at)))) {
            at++;
        }
        String digits = text.substring(start, at);
        if (!digits.matches("-?[0-9]{1,30}(\\.[0-9]{0,30})?(e-?[0-9]{1,3})?")) {
            throw new TemplateException(start, "expected a decimal number");
        }
        return new TemplateValue.Num(Double.parseDouble(digits));
    }

    private void skip() {
        while (at < end && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private boolean takes(String symbol) {
        skip();
        if (at + symbol.length() <= end && text.startsWith(symbol, at)) {
            at += symbol.length();
            return true;
        }
        return false;
    }

    private boolean takesWord(String word) {
        skip();
        int after = at + word.length();
        if (after <= end && text.startsWith(word, at) && (after == end || !isNamePart(text.charAt(after)))) {
            at = after;
            return true;
        }
        return false;
    }

    private void expect(String symbol) throws TemplateException {
        if (!takes(symbol)) {
            throw wrong("expected \"" + symbol + "\"");
        }
    }

    private String word() throws TemplateException {
        skip();
        int start = at;
        if (at < end && isNameStart(text.charAt(at))) {
            while (at < end && isNamePart(text.charAt(at))) {
                at++;
            }
        }
        if (at == start) {
            throw wrong("expected a name");
        }
        return text.substring(start, at);
    }

    private static boolean isNameStart(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }

    private static boolean isNamePart(char c) {
        return isNameStart(c) || (c >= '0' && c <= '9');
    }

    private TemplateException wrong(String message) {
        return new TemplateException(Math.min(at, Math.max(0, text.length() - 1)), message);
    }
}
