package dev.weir.lua;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

import org.jspecify.annotations.Nullable;

/**
 * The regular expressions of a script. They match bytes as characters 0 to 255, or as UTF-8 with the flag u.
 *
 * <p>Scripts write them for PCRE, and {@link java.util.regex} runs them. It supports nearly all of PCRE; other syntax
 * is rejected at compile time. A match that exceeds the script's time limit ends with an error.
 *
 * <p>Scripts often create the same expression on each call, and some make expressions of what they receive. So the
 * table keeps those used last and compiles others again when they match.
 */
final class RegexTable {
    /** Maximum number of compiled expressions, so that a script cannot fill the heap of the JVM. */
    static final int MOST = 1000;
    private static final int LONGEST = 10_000;
    /**
     * Maximum repetition count, as in PCRE. Repeating an empty group reads no input and therefore never checks the
     * clock.
     */
    private static final int MOST_REPEATS = 65_535;
    private static final Pattern COUNT = Pattern.compile("\\{([0-9]*)(?:,([0-9]*))?\\}");

    private record Expression(String pattern, String flags) {}

    private record Compiled(Pattern pattern, Charset charset) {}

    /** An expression that cannot be compiled; the message says why. */
    private static final class UnusableException extends Exception {
        private static final long serialVersionUID = 1;

        UnusableException(String message) {
            super(message);
        }
    }

    /** In the order of their last use. */
    private final SequencedMap<Expression, Compiled> compiled = new LinkedHashMap<>(16, 0.75f, true);
    private long deadline;

    void deadline(long nanoTime) {
        deadline = nanoTime;
    }

    /**
     * Compiles {@code pattern}, either bare or as {@code /pattern/flags}.
     *
     * @return null, or the reason why it cannot be used
     */
    @Nullable
    String check(String pattern, String flags) {
        try {
            compiled(new Expression(pattern, flags));
            return null;
        } catch (UnusableException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private Compiled compiled(Expression expression) throws UnusableException {
        Compiled known = compiled.get(expression);
        if (known != null) {
            return known;
        }
        Compiled added = compile(expression.pattern(), expression.flags());
        if (compiled.size() == MOST) {
            compiled.pollFirstEntry();
        }
        compiled.put(expression, added);
        return added;
    }

    private static Compiled compile(String pattern, String moreFlags) throws UnusableException {
        if (pattern.length() > LONGEST) {
            throw new UnusableException("longer than " + LONGEST + " characters");
        }
        String body = pattern;
        String flags = moreFlags;
        if (pattern.length() > 1 && pattern.startsWith("/")) {
            int end = pattern.lastIndexOf('/');
            if (end == 0) {
                throw new UnusableException("no closing /");
            }
            body = pattern.substring(1, end);
            flags = pattern.substring(end + 1) + moreFlags;
        }
        if (COUNT.matcher(body).results().anyMatch(count -> tooLarge(count.group(1)) || tooLarge(count.group(2)))) {
            throw new UnusableException("a count above " + MOST_REPEATS);
        }
        int bits = 0;
        boolean utf8 = false;
        for (int i = 0; i < flags.length(); i++) {
            char flag = flags.charAt(i);
            switch (flag) {
                case 'i' -> bits |= Pattern.CASE_INSENSITIVE;
                case 'm' -> bits |= Pattern.MULTILINE;
                case 's' -> bits |= Pattern.DOTALL;
                case 'x' -> bits |= Pattern.COMMENTS;
                case 'u' -> utf8 = true;
                // These flags only control how Rspamd runs an expression; the result is the same.
                case 'O', 'r', 'L', 'U' -> {
                }
                default -> throw new UnusableException("unknown flag " + flag);
            }
        }
        try {
            bits |= utf8 ? Pattern.UNICODE_CASE : 0;
            return new Compiled(Pattern.compile(body, bits),
                    utf8 ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1);
        } catch (PatternSyntaxException | StackOverflowError e) {
            throw new UnusableException(String.valueOf(e.getMessage()));
        }
    }

    /** Returns an expression that a script holds, so {@link #check} accepted it. */
    private Compiled checked(String pattern, String flags) {
        try {
            return compiled(new Expression(pattern, flags));
        } catch (UnusableException e) {
            throw new IllegalStateException("the regular expression cannot be used: " + e.getMessage(), e);
        }
    }

    private static boolean tooLarge(@Nullable String digits) {
        return digits != null
                && (digits.length() > 9 || (!digits.isEmpty() && Integer.parseInt(digits) > MOST_REPEATS));
    }

    /**
     * Returns the next match at or after {@code from} (in characters of the subject, from 0).
     *
     * @return null, or a list of start, end and the groups from 0 on; false stands for a group without a match
     */
    @Nullable
    List<Object> find(String pattern, String flags, byte[] subject, int from) {
        Compiled expression = checked(pattern, flags);
        String text = new String(subject, expression.charset());
        if (from < 0 || from > text.length()) {
            return null;
        }
        Matcher matcher = expression.pattern().matcher(new Watched(text, deadline));
        if (!matcher.find(from)) {
            return null;
        }
        List<Object> found = new ArrayList<>();
        found.add(matcher.start());
        found.add(matcher.end());
        for (int i = 0; i <= matcher.groupCount(); i++) {
            String group = matcher.start(i) < 0 ? null : text.substring(matcher.start(i), matcher.end(i));
            found.add(group == null ? false : group.getBytes(expression.charset()));
        }
        return found;
    }

    /**
     * Returns a range of the subject, in positions as in {@link #find}; null if it is empty.
     *
     * @param to -1 for the end
     */
    byte @Nullable [] slice(String pattern, String flags, byte[] subject, int from, int to) {
        Charset charset = checked(pattern, flags).charset();
        String text = new String(subject, charset);
        int end = to < 0 ? text.length() : Math.min(to, text.length());
        return from < 0 || from >= end ? null : text.substring(from, end).getBytes(charset);
    }

    /** Text that is readable only until a deadline, which stops a matcher that backtracks without end. */
    private static final class Watched implements CharSequence {
        private static final int LOOK_EVERY = 4096;
        private final String text;
        private final long deadline;
        private int reads;

        Watched(String text, long deadline) {
            this.text = text;
            this.deadline = deadline;
        }

        @Override
        public char charAt(int index) {
            if (++reads % LOOK_EVERY == 0 && System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("the regular expression ran longer than the script may");
            }
            return text.charAt(index);
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.subSequence(start, end);
        }

        @Override
        public String toString() {
            return text;
        }
    }
}
