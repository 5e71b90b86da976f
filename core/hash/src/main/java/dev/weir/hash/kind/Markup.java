package dev.weir.hash.kind;

import java.util.ArrayList;
import java.util.List;

import dev.weir.hash.effort.Effort;
import org.jspecify.annotations.Nullable;

/**
 * HTML source, read by one simple pass that knows tags, attributes, comments and the blocks {@code head}, {@code style}
 * and {@code script}, and nothing of a document's structure. In this way, broken markup changes only its own place.
 *
 * @param source source without comments and blocks, with a word in place of each address in an attribute
 * @param targets the addresses in order
 */
record Markup(String source, List<Target> targets) {
    /** Maximum number of characters of all HTML parts that are read. */
    static final int MOST_CHARS = 1 << 20;
    /** Maximum number of addresses that are kept. */
    static final int MOST_TARGETS = 2048;
    private static final int LONGEST_TARGET = 2048;

    /** The use of an address. */
    enum Role {
        LINK, IMAGE, FORM
    }

    /**
     * An address in an attribute.
     *
     * @param address the value, with entities decoded
     */
    record Target(Role role, String address) {}

    /** Reads the HTML parts of a mail. */
    static Markup of(List<String> html, Effort effort) {
        long chars = html.stream().mapToLong(String::length).sum();
        StringBuilder out = new StringBuilder((int) Math.min(chars + chars / 8 + 16, MOST_CHARS));
        List<Target> targets = new ArrayList<>();
        int left = MOST_CHARS;
        for (String part : html) {
            String text = part.length() <= left ? part : part.substring(0, left);
            left -= text.length();
            effort.spend(text.length());
            new Reader(text, out, targets).read();
            out.append(' ');
        }
        return new Markup(out.toString(), List.copyOf(targets));
    }

    private static final class Reader {
        private static final List<String> BLOCKS = List.of("head", "style", "script");

        private final String html;
        private final StringBuilder out;
        private final List<Target> targets;
        /** The position from which on no closing tag follows, for each block. Without it, time would be quadratic. */
        private final int[] unclosed = {Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE};
        private boolean openComment;
        private int at;

        Reader(String html, StringBuilder out, List<Target> targets) {
            this.html = html;
            this.out = out;
            this.targets = targets;
        }

        void read() {
            while (at < html.length()) {
                int open = html.indexOf('<', at);
                if (open < 0) {
                    out.append(html, at, html.length());
                    return;
                }
                out.append(html, at, open);
                at = open;
                if (html.startsWith("<!--", at)) {
                    comment();
                } else if (open + 1 < html.length() && isName(html.charAt(open + 1))) {
                    tag();
                } else {
                    out.append(' ');
                    at++;
                }
            }
        }

        private void comment() {
            int end = openComment ? -1 : html.indexOf("-->", at + 4);
            openComment |= end < 0;
            out.append(' ');
            at = end < 0 ? at + 4 : end + 3;
        }

        private void tag() {
            int from = at + 1;
            int to = from;
            while (to < html.length() && isName(html.charAt(to))) {
                to++;
            }
            for (int block = 0; block < BLOCKS.size(); block++) {
                if (isWord(BLOCKS.get(block), from, to) && skipBlock(block)) {
                    return;
                }
            }
            out.append(' ').append(html, from, to).append(' ');
            at = to;
            attributes();
        }

        /** Skips a block up to its closing tag. Returns false if there is none. */
        private boolean skipBlock(int block) {
            if (at >= unclosed[block]) {
                return false;
            }
            String name = BLOCKS.get(block);
            int end = at;
            while (true) {
                end = html.indexOf("</", end + 1);
                if (end < 0) {
                    unclosed[block] = at;
                    return false;
                }
                if (html.regionMatches(true, end + 2, name, 0, name.length())) {
                    int close = html.indexOf('>', end);
                    at = close < 0 ? html.length() : close + 1;
                    out.append(' ');
                    return true;
                }
            }
        }

        private void attributes() {
            while (at < html.length()) {
                char c = html.charAt(at);
                if (c == '>') {
                    out.append(' ');
                    at++;
                    return;
                }
                if (c == '<') {
                    return;
                }
                if (!isName(c)) {
                    out.append(c);
                    at++;
                    continue;
                }
                attribute();
            }
        }

        private void attribute() {
            int from = at;
            while (at < html.length() && isName(html.charAt(at))) {
                at++;
            }
            int nameEnd = at;
            out.append(html, from, nameEnd);
            int value = skipSpace(nameEnd);
            if (value >= html.length() || html.charAt(value) != '=') {
                return;
            }
            value = skipSpace(value + 1);
            if (value >= html.length()) {
                at = value;
                return;
            }
            char quote = html.charAt(value);
            int start = value;
            int end;
            if (quote == '"' || quote == '\'') {
                start = value + 1;
                end = html.indexOf(quote, start);
                if (end < 0) {
                    // The quote never ends: every later one fails as fast, because the rest is then text.
                    at = html.length();
                    out.append(' ').append(html, start, html.length());
                    return;
                }
                at = end + 1;
            } else {
                end = value;
                while (end < html.length() && html.charAt(end) > ' ' && html.charAt(end) != '>') {
                    end++;
                }
                at = end;
            }
            Role role = role(from, nameEnd);
            if (role == null) {
                out.append(' ').append(html, start, end).append(' ');
            } else {
                out.append(" url ");
                target(role, start, end);
            }
        }

        /** Returns the role of an attribute whose value is an address, or null. */
        private @Nullable Role role(int from, int to) {
            if (isWord("href", from, to)) {
                return Role.LINK;
            }
            if (isWord("src", from, to) || isWord("background", from, to)) {
                return Role.IMAGE;
            }
            return isWord("action", from, to) ? Role.FORM : null;
        }

        /** Returns whether a name is a word, in any case. */
        private boolean isWord(String word, int from, int to) {
            return to - from == word.length() && html.regionMatches(true, from, word, 0, word.length());
        }

        private void target(Role role, int from, int to) {
            if (targets.size() < MOST_TARGETS && to > from) {
                String address = References.decode(html.substring(from, Math.min(to, from + LONGEST_TARGET)));
                // Many mails leave the scheme out, at least after they passed a gateway.
                targets.add(new Target(role, address.startsWith("//") ? "http:" + address : address));
            }
        }

        private int skipSpace(int from) {
            int i = from;
            while (i < html.length() && html.charAt(i) <= ' ') {
                i++;
            }
            return i;
        }

        private static boolean isName(char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == ':'
                    || c == '_';
        }
    }
}
