package dev.weir.trap.decision;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a mail server states in its Received field: from which address it got a mail, and whether the client proved who
 * it is (RFC 3848).
 *
 * <p>The client chooses its greeting and the addresses of the envelope, and servers repeat them in the field. So the
 * parser takes an address only from where a server writes what it saw:
 *
 * <pre>
 * from GREETING (name [address])          Postfix, Sendmail, Courier, Dovecot
 * from name ([address] helo=GREETING)     Exim
 * from [address] (helo=GREETING)          Exim, if the address has no name
 * from name (HELO GREETING) (address)     qmail
 * from name (address)                     Exchange
 * from name [address]                     fetchmail</pre>
 *
 * @param client the address; empty if the field names none
 * @param authenticated whether the client proved who it is
 */
record ReceivedBy(Optional<InetAddress> client, boolean authenticated) {
    private static final int MOST_TEXT = 4096;
    private static final String IP = "(?:IPv6:)?([0-9a-fA-F.:]{2,45}+)";
    private static final Pattern BRACKETS = Pattern.compile("\\[" + IP + "\\]", Pattern.CASE_INSENSITIVE);
    /** The address itself, which a name that the client's host gave may precede. */
    private static final Pattern WHOLE = Pattern.compile("(?:[^@\\s]*@)?" + IP, Pattern.CASE_INSENSITIVE);
    /** An address with the port that Exim may write. */
    private static final Pattern LITERAL = Pattern.compile("\\[" + IP + "\\](?::[0-9]+)?", Pattern.CASE_INSENSITIVE);
    /** What Exim writes in front of what the client said. */
    private static final Pattern SAID = Pattern.compile("(?:^|\\s)(?:helo|ident)=", Pattern.CASE_INSENSITIVE);
    private static final Pattern GREETING = Pattern.compile("(?:helo|ehlo)(?:\\s.*)?", Pattern.CASE_INSENSITIVE);
    private static final Pattern AUTHENTICATED = Pattern.compile("(?:UTF8)?(?:ESMTP|SMTP|LMTP)S?A",
            Pattern.CASE_INSENSITIVE);

    /** Reads a field. */
    static ReceivedBy read(String field) {
        Parts parts = new Parts();
        parts.read(field.substring(0, Math.min(field.length(), MOST_TEXT)));
        return new ReceivedBy(client(parts), isAuthenticated(parts.words));
    }

    /** The words of a field without comments, quoted strings and addresses in angle brackets. */
    private static final class Parts {
        private final List<String> words = new ArrayList<>();
        /** The comments before {@code by}, without the outer parentheses. */
        private final List<String> comments = new ArrayList<>();
        private final StringBuilder word = new StringBuilder();
        private final StringBuilder comment = new StringBuilder();

        void read(String text) {
            int depth = 0;
            boolean quoted = false;
            boolean angle = false;
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (depth > 0) {
                    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
                    if (depth == 0) {
                        endComment();
                    } else {
                        comment.append(c);
                        if (c == '\\' && ++i < text.length()) {
                            comment.append(text.charAt(i));
                        }
                    }
                } else if (quoted) {
                    quoted = c != '"';
                    i += c == '\\' ? 1 : 0;
                } else if (c == '"') {
                    quoted = true;
                } else if (angle) {
                    angle = c != '>';
                } else if (c == '(') {
                    endWord();
                    depth = 1;
                } else if (c == '<') {
                    endWord();
                    angle = true;
                } else if (c <= ' ' || c == ';') {
                    endWord();
                } else {
                    word.append(c);
                }
            }
            endWord();
        }

        private void endWord() {
            if (!word.isEmpty()) {
                words.add(word.toString());
                word.setLength(0);
            }
        }

        private void endComment() {
            if (by(words) < 0) {
                comments.add(comment.toString().strip());
            }
            comment.setLength(0);
        }
    }

    private static int indexOf(List<String> words, String keyword, int from) {
        for (int i = from; i < words.size(); i++) {
            if (words.get(i).toLowerCase(Locale.ROOT).equals(keyword)) {
                return i;
            }
        }
        return -1;
    }

    /** A host may greet as {@code by}, so the word after {@code from} is no keyword. */
    private static int by(List<String> words) {
        return indexOf(words, "by", indexOf(words, "from", 0) == 0 ? 2 : 0);
    }

    /** Only the protocol of the server counts: what follows may be an address that the client chose. */
    private static boolean isAuthenticated(List<String> words) {
        int by = by(words);
        int with = by < 0 ? -1 : indexOf(words, "with", by);
        return with >= 0 && with + 1 < words.size() && AUTHENTICATED.matcher(words.get(with + 1)).matches();
    }

    private static Optional<InetAddress> client(Parts parts) {
        if (indexOf(parts.words, "from", 0) != 0) {
            return Optional.empty();
        }
        boolean brackets = false;
        for (String comment : parts.comments) {
            Matcher said = SAID.matcher(comment);
            String seen = said.find() ? comment.substring(0, said.start()) : comment;
            brackets |= seen.indexOf('[') >= 0;
            Matcher whole = WHOLE.matcher(seen);
            Matcher address = BRACKETS.matcher(seen);
            if (whole.matches()) {
                return literal(whole.group(1));
            }
            if (!GREETING.matcher(seen).matches() && address.find()) {
                return literal(address.group(1));
            }
        }
        // Behind a name, if there are both. A greeting is one word.
        for (int place = brackets ? 0 : 2; place > 0; place--) {
            Matcher alone = LITERAL.matcher(place < parts.words.size() ? parts.words.get(place) : "");
            if (alone.matches()) {
                return literal(alone.group(1));
            }
        }
        return Optional.empty();
    }

    private static Optional<InetAddress> literal(String text) {
        try {
            return Optional.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
