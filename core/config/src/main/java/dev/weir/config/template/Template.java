package dev.weir.config.template;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Problem;
import dev.weir.config.source.SourceText;

/**
 * The renderer of template files (docs/reference/configuration-language.md#templates). It supports
 * <code>{= expression =}</code>, <code>{% if %}</code> with {@code elseif} and {@code else}, <code>{% set %}</code>,
 * <code>{% raw %}</code> and <code>{# comments #}</code>. <code>{{ }}</code> has no special meaning. Loops, macros and
 * includes of the template language are rejected with a specific message.
 *
 * <p>The renderer makes one pass without building a tree. Since there are no loops, each branch is either written or
 * skipped. The length of the output is bounded, because assignments can double a text.
 */
public final class Template {
    /** The maximum length of the output in characters, far above the longest real file. */
    static final int LONGEST = 32 << 20;

    private static final int DEEPEST = 100;
    /** The maximum number of errors; after it, rendering stops. */
    private static final int MOST_WRONG = 100;
    private static final List<String> REFUSED = List.of("for", "endfor", "macro", "endmacro", "call", "endcall",
            "filter", "endfilter", "include", "import", "extends", "block", "endblock", "elif");

    private final String text;
    private final Map<String, TemplateValue> names;
    private final StringBuilder out = new StringBuilder();
    private final Deque<Branch> branches = new ArrayDeque<>();
    private int[] outputAt = new int[16];
    private int[] sourceAt = new int[16];
    private int segments;
    private final List<TemplateException> wrong = new ArrayList<>();

    private Template(SourceText source, TemplateContext context) {
        this.text = source.text();
        this.names = new HashMap<>(context.globals());
    }

    /**
     * One open {@code if}.
     *
     * @param start the offset of its tag
     * @param outer whether the surrounding text is written
     * @param taken whether a branch was taken
     * @param written whether the current branch is written
     */
    private record Branch(int start, boolean outer, boolean taken, boolean written) {}

    /**
     * Renders a text. The result maps its places back to the template.
     *
     * @throws ConfigException if the text is not a valid template or refers to unknown names; carries all wrong
     *             expressions up to the first tag after which the structure is unclear
     */
    public static SourceText render(SourceText source, TemplateContext context) throws ConfigException {
        if (!mayBeTemplate(source.text())) {
            return source;
        }
        Template template = new Template(source, context);
        try {
            template.run();
        } catch (TemplateException e) {
            template.wrong.add(e);
        }
        if (!template.wrong.isEmpty()) {
            throw new ConfigException(template.wrong.stream()
                    .map(e -> Problem.error(source.originAt(e.offset()), "template: " + e.getMessage()))
                    .toList());
        }
        return source.rendered(template.out.toString(), Arrays.copyOf(template.outputAt, template.segments),
                Arrays.copyOf(template.sourceAt, template.segments));
    }

    private static boolean mayBeTemplate(String text) {
        return text.contains("{=") || text.contains("{%") || text.contains("{#");
    }

    private void run() throws TemplateException {
        int at = 0;
        while (true) {
            int tag = nextTag(at);
            if (tag < 0) {
                literal(at, text.length());
                break;
            }
            char kind = text.charAt(tag + 1);
            int close = text.indexOf(kind + "}", tag + 2);
            if (close < 0) {
                throw new TemplateException(tag, "expected \"" + kind + "}\" after \"{" + kind + "\"");
            }
            boolean stripBefore = text.charAt(tag + 2) == '-' && tag + 2 < close;
            boolean stripAfter = close > tag + 2 && text.charAt(close - 1) == '-' && close - 1 > tag + 2;
            literal(at, stripBefore ? stripped(at, tag) : tag);
            int bodyStart = tag + 2 + (stripBefore ? 1 : 0);
            int bodyEnd = close - (stripAfter ? 1 : 0);
            at = close + 2;
            switch (kind) {
                case '=' -> output(bodyStart, bodyEnd);
                case '%' -> at = statement(bodyStart, bodyEnd, at);
                default -> {
                    // A comment.
                }
            }
            if (stripAfter) {
                while (at < text.length() && isSpace(text.charAt(at))) {
                    at++;
                }
            }
        }
        if (!branches.isEmpty()) {
            throw new TemplateException(branches.peek().start(), "expected {% endif %} for this {% if %}");
        }
    }

    /**
     * Returns the value of an expression. Returns nil for a wrong expression, so that the following ones are checked
     * too.
     */
    private TemplateValue value(int from, int to) throws TemplateException {
        try {
            return Expression.evaluate(text, from, to, names);
        } catch (TemplateException e) {
            if (wrong.size() >= MOST_WRONG) {
                throw e;
            }
            wrong.add(e);
            return TemplateValue.Nil.NIL;
        }
    }

    private int nextTag(int from) {
        for (int at = text.indexOf('{', from); at >= 0 && at + 1 < text.length(); at = text.indexOf('{', at + 1)) {
            char kind = text.charAt(at + 1);
            if (kind == '=' || kind == '%' || kind == '#') {
                return at;
            }
        }
        return -1;
    }

    private int stripped(int from, int to) {
        int stop = to;
        while (stop > from && isSpace(text.charAt(stop - 1))) {
            stop--;
        }
        return stop;
    }

    private static boolean isSpace(char c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }

    private boolean writing() {
        Branch branch = branches.peek();
        return branch == null || branch.written();
    }

    private void literal(int from, int to) throws TemplateException {
        if (writing() && to > from) {
            write(text.substring(from, to), from);
        }
    }

    private void write(String piece, int from) throws TemplateException {
        if (out.length() + piece.length() > LONGEST) {
            throw new TemplateException(from, "the result is longer than " + LONGEST + " characters");
        }
        if (segments == outputAt.length) {
            outputAt = Arrays.copyOf(outputAt, segments * 2);
            sourceAt = Arrays.copyOf(sourceAt, segments * 2);
        }
        outputAt[segments] = out.length();
        sourceAt[segments++] = from;
        out.append(piece);
    }

    private void output(int from, int to) throws TemplateException {
        if (writing() && !text.substring(from, to).isBlank()) {
            String shown = value(from, to).shown();
            if (!shown.isEmpty()) {
                write(shown, from);
            }
        }
    }

    /** Executes a tag and returns the offset where the text continues. */
    private int statement(int from, int to, int after) throws TemplateException {
        int wordStart = from;
        while (wordStart < to && isSpace(text.charAt(wordStart))) {
            wordStart++;
        }
        int wordEnd = wordStart;
        while (wordEnd < to && Character.isLetter(text.charAt(wordEnd))) {
            wordEnd++;
        }
        String word = text.substring(wordStart, wordEnd);
        switch (word) {
            case "if" -> open(wordEnd, to, wordStart);
            case "elseif" -> otherwise(wordStart, wordEnd, to, true);
            case "else" -> otherwise(wordStart, wordEnd, to, false);
            case "endif" -> {
                current(wordStart);
                branches.pop();
            }
            case "set" -> {
                if (writing()) {
                    assign(wordEnd, to);
                }
            }
            case "raw" -> {
                return raw(wordStart, after);
            }
            default -> throw new TemplateException(wordStart, REFUSED.contains(word)
                    ? "{% " + word + " %} is not supported" + (word.equals("elif") ? ", write {% elseif %}" : "")
                    : "unknown tag, expected if, elseif, else, endif, set or raw");
        }
        return after;
    }

    private void open(int from, int to, int start) throws TemplateException {
        if (branches.size() == DEEPEST) {
            throw new TemplateException(start, "conditions are nested deeper than " + DEEPEST);
        }
        boolean outer = writing();
        boolean taken = outer && value(from, to).truth();
        branches.push(new Branch(start, outer, taken, taken));
    }

    private void otherwise(int start, int from, int to, boolean conditional) throws TemplateException {
        Branch branch = current(start);
        boolean candidate = branch.outer() && !branch.taken();
        boolean taken = candidate && (!conditional || value(from, to).truth());
        branches.pop();
        branches.push(new Branch(branch.start(), branch.outer(), branch.taken() || taken, taken));
    }

    private Branch current(int start) throws TemplateException {
        Branch branch = branches.peek();
        if (branch == null) {
            throw new TemplateException(start, "there is no {% if %} before this tag");
        }
        return branch;
    }

    private void assign(int from, int to) throws TemplateException {
        int equals = text.indexOf('=', from);
        String name = equals < 0 || equals >= to ? "" : text.substring(from, equals).strip();
        if (!name.matches("[A-Za-z_][A-Za-z0-9_]{0,127}")) {
            throw new TemplateException(from, "expected {% set name = expression %}");
        }
        names.put(name, value(equals + 1, to));
    }

    private int raw(int start, int after) throws TemplateException {
        int at = nextTag(after);
        while (at >= 0) {
            // An {% endraw %} tag is short. Searching the whole rest of the text at every brace would take quadratic
            // time.
            int close = text.indexOf("%}", at + 2, Math.min(text.length(), at + 64));
            if (text.charAt(at + 1) == '%' && close >= 0
                    && text.substring(at + 2, close).replace("-", "").strip().equals("endraw")) {
                literal(after, at);
                return close + 2;
            }
            at = nextTag(at + 2);
        }
        throw new TemplateException(start, "expected {% endraw %} after {% raw %}");
    }
}
