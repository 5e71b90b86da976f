package dev.weir.config.ucl;

import java.util.Locale;

import dev.weir.config.source.Origin;
import dev.weir.config.source.Problem;
import org.jspecify.annotations.Nullable;

/**
 * The parser of one file into a section of the tree: the grammar of docs/reference/configuration-language.md#grammar.
 *
 * <p>It is recursive. {@link UclLimits#depth} bounds the depth, includes counted in.
 */
final class ChunkParser {
    private final Session session;
    private final Lexer scanner;
    private final Variables variables;
    private final @Nullable Macros macros;
    private final Duplicates duplicates;
    private int priority;
    private int searchedFrom = 0;
    private int searchedTo = -1;

    ChunkParser(Session session, Lexer scanner, Variables variables, @Nullable Macros macros, Duplicates duplicates,
            int priority) {
        this.session = session;
        this.scanner = scanner;
        this.variables = variables;
        this.macros = macros;
        this.duplicates = duplicates;
        this.priority = priority;
    }

    Session session() {
        return session;
    }

    Lexer scanner() {
        return scanner;
    }

    Variables variables() {
        return variables;
    }

    /** Sets the priority of the rest of this file. */
    void priority(int newPriority) {
        priority = newPriority & 15;
    }

    /** Reads a whole document, which may have an array at its top. */
    Node document(Node.Section root) throws UclSyntaxException {
        scanner.skipSpaces();
        if (scanner.peek() == '[') {
            Node.Items items = new Node.Items(scanner.originAt(scanner.at()), priority);
            items(items, 1);
            return items;
        }
        into(root, 1);
        return root;
    }

    /**
     * Reads the whole text into a section.
     *
     * @param depth the depth of that section
     */
    void into(Node.Section target, int depth) throws UclSyntaxException {
        scanner.skipSpaces();
        int start = scanner.at();
        if (scanner.peek() == '{') {
            scanner.next();
            members(target, start, depth);
            // Text after the closing brace is ignored, as in Rspamd.
            return;
        }
        if (scanner.peek() == '[') {
            throw scanner.error(start, "an included file cannot be an array");
        }
        members(target, -1, depth);
    }

    private void members(Node.Section target, int opened, int depth) throws UclSyntaxException {
        while (true) {
            scanner.skipBetween();
            switch (scanner.peek()) {
                case Chars.END -> {
                    if (opened >= 0) {
                        throw scanner.error(opened, "this '{' is not closed, expected '}' before the end of the file");
                    }
                    return;
                }
                case '}' -> {
                    if (opened < 0) {
                        throw scanner.error(scanner.at(), "this '}' closes nothing");
                    }
                    scanner.next();
                    return;
                }
                case '.' -> macro(target, depth);
                default -> member(target, depth);
            }
        }
    }

    private void macro(Node.Section target, int depth) throws UclSyntaxException {
        if (macros == null) {
            throw scanner.error(scanner.at(), "expected a key, macros are not allowed here");
        }
        macros.run(this, target, depth);
    }

    private void member(Node.Section section, int depth) throws UclSyntaxException {
        Node.Section target = section;
        int level = depth;
        int start = scanner.at();
        String key = key();
        while (true) {
            skipAfterKey();
            int c = scanner.peek();
            if (level == depth && (c == '=' || c == ':')) {
                separator();
                break;
            }
            if (c == Chars.END || Chars.isSeparator(c)) {
                throw scanner.unexpected("expected a value or a section after the key \"" + key + "\"");
            }
            if (c == '{' || c == '[' || !braceAhead()) {
                break;
            }
            warnAboutHiddenBrace(key);
            level++;
            checkDepth(level, start);
            Origin origin = scanner.originAt(start);
            session.countValue(origin);
            target = (Node.Section) containerIn(target, key, new Node.Section(origin, priority), origin);
            start = scanner.at();
            key = key();
        }
        value(target, key, level, scanner.originAt(start));
    }

    /** Skips blanks and comments between a key and its value. A comment includes the end of its line. */
    private void skipAfterKey() throws UclSyntaxException {
        scanner.skipBlanks();
        while (scanner.skipComment()) {
            scanner.skipSpaces();
        }
    }

    /**
     * Warns if the brace that turns the key into a section name is inside a comment, where the author gave it no
     * meaning.
     */
    private void warnAboutHiddenBrace(String key) {
        // The search stops at this distance, so that long lines cost nothing.
        for (int ahead = 0; ahead < Math.min(searchedTo - scanner.at(), 1000); ahead++) {
            if (scanner.peek(ahead) == '#') {
                session.warn(Problem.warning(scanner.originAt(scanner.at()), "the '" + (char) scanner.peek(
                        searchedTo - scanner.at()) + "' in the comment makes this a section in \"" + key
                        + "\"; write \"" + key + " = \""));
                return;
            }
        }
    }

    private void separator() throws UclSyntaxException {
        int separator = scanner.next();
        while (Chars.isSpace(scanner.peek()) || scanner.atComment()) {
            if (!scanner.skipComment()) {
                scanner.next();
            }
        }
        if (scanner.peek() == '=' || scanner.peek() == ':') {
            throw scanner.unexpected("expected a value after '" + (char) separator + "'");
        }
    }

    /**
     * Returns whether a brace or bracket follows on this line before any separator
     * (docs/reference/configuration-language.md#named-sections). Neither quotes nor comments hide it. The line is
     * searched only once, however many keys it has.
     */
    private boolean braceAhead() {
        int stop = scanner.at() >= searchedFrom && scanner.at() <= searchedTo ? searchedTo : scanner.at();
        searchedFrom = scanner.at();
        while (true) {
            int c = scanner.peek(stop - scanner.at());
            switch (c) {
                case '{', '[', ',', ';', '\n', '\r', Chars.END -> {
                    searchedTo = stop;
                    return c == '{' || c == '[';
                }
                default -> stop++;
            }
        }
    }

    private String key() throws UclSyntaxException {
        int start = scanner.at();
        int c = scanner.peek();
        if (c == '"') {
            String key = scanner.doubleQuoted().text();
            if (key.isEmpty()) {
                throw scanner.error(start, "a key may not be empty");
            }
            return key;
        }
        if (!Chars.startsKey(c)) {
            throw scanner.unexpected("expected a key, which begins with a letter, a digit, '_', '/' or '\"'");
        }
        while (Chars.inKey(scanner.peek())) {
            scanner.next();
        }
        if (!Chars.endsKey(scanner.peek())) {
            if (scanner.atEnd() || Chars.isSeparator(scanner.peek())) {
                throw scanner
                        .unexpected("expected a value or a section after the key \"" + scanner.since(start) + "\"");
            }
            throw scanner.unexpected("expected a blank, '=' or ':' after the key \"" + scanner.since(start) + "\"");
        }
        return scanner.since(start);
    }

    /** Reads the value of a key. The origin of the value is the place of the key. */
    private void value(Node.Section target, String key, int depth, Origin origin) throws UclSyntaxException {
        switch (scanner.peek()) {
            case '{' -> {
                Node.Section fresh = new Node.Section(origin, priority);
                Node.Section section = (Node.Section) containerIn(target, key, fresh, origin);
                if (!section.origin().equals(origin) && section.origin().file().equals(origin.file())) {
                    session.warn(Problem.warning(origin, "this \"" + key + "\" is merged with that of "
                            + section.origin()
                            + ", because the file is merged; for two sections write [ { ... }, { ... } ]"));
                }
                nestedMembers(section, depth + 1);
            }
            case '[' -> {
                Node.Items items = (Node.Items) containerIn(target, key, new Node.Items(origin, priority), origin);
                items(items, depth + 1);
            }
            default -> {
                Node.Leaf leaf = scalar(origin);
                duplicates.insert(target, key, leaf, origin, session);
            }
        }
    }

    private Node containerIn(Node.Section target, String key, Node container, Origin origin) throws UclSyntaxException {
        return duplicates.insert(target, key, container, origin, session);
    }

    private void nestedMembers(Node.Section section, int depth) throws UclSyntaxException {
        int start = scanner.at();
        checkDepth(depth, start);
        session.countValue(section.origin());
        scanner.next();
        members(section, start, depth);
    }

    /** Reads an array from its opening to its closing bracket, and appends its items to the given ones. */
    private void items(Node.Items target, int depth) throws UclSyntaxException {
        int opened = scanner.at();
        checkDepth(depth, opened);
        session.countValue(target.origin());
        scanner.next();
        while (true) {
            scanner.skipBetween();
            int start = scanner.at();
            switch (scanner.peek()) {
                case Chars.END -> throw scanner.error(opened,
                        "this '[' is not closed, expected ']' before the end of the file");
                case ']' -> {
                    scanner.next();
                    return;
                }
                case '}' -> throw scanner.error(start, "this '}' is inside the array of "
                        + scanner.originAt(opened) + ", expected ']'");
                case '{' -> {
                    Node.Section section = new Node.Section(scanner.originAt(start), priority);
                    target.items().add(section);
                    nestedMembers(section, depth + 1);
                }
                case '[' -> {
                    Node.Items items = new Node.Items(scanner.originAt(start), priority);
                    target.items().add(items);
                    items(items, depth + 1);
                }
                default -> target.items().add(scalar(scanner.originAt(start)));
            }
        }
    }

    private void checkDepth(int depth, int at) throws UclSyntaxException {
        if (depth > session.limits().depth()) {
            throw scanner.error(at, "sections and arrays are nested deeper than " + session.limits().depth());
        }
    }

    private Node.Leaf scalar(Origin origin) throws UclSyntaxException {
        session.countValue(origin);
        switch (scanner.peek()) {
            case '"' -> {
                Lexer.Quoted quoted = scanner.doubleQuoted();
                return delimited(text(quoted, origin));
            }
            case '\'' -> {
                return delimited(new UclString(scanner.singleQuoted(), true, origin, priority));
            }
            case '<' -> {
                Lexer.Quoted heredoc = scanner.heredoc();
                if (heredoc != null) {
                    return delimited(text(heredoc, origin));
                }
            }
            default -> {
                // A bare value.
            }
        }
        return new Node.Leaf(bare(origin), false);
    }

    private UclString text(Lexer.Quoted quoted, Origin origin) throws UclSyntaxException {
        String text = quoted.dollar() ? session.expand(variables, quoted.text(), origin) : quoted.text();
        return new UclString(text, true, origin, priority);
    }

    /** Requires a separator, a comment or the end of the section after a quoted value. */
    private Node.Leaf delimited(UclString value) throws UclSyntaxException {
        while (Chars.isSpace(scanner.peek()) && !Chars.isSeparator(scanner.peek())) {
            scanner.next();
        }
        if (!Chars.endsValue(scanner.peek()) && !scanner.atComment()) {
            throw scanner.unexpected("expected ';', ',' or the end of the line after the string");
        }
        return new Node.Leaf(value, false);
    }

    private UclValue bare(Origin origin) throws UclSyntaxException {
        int start = scanner.at();
        StringBuilder unescaped = new StringBuilder();
        boolean dollar = false;
        int braces = 0;
        int brackets = 0;
        boolean inside = true;
        while (inside) {
            int c = scanner.peek();
            if (c == '}' && braces > 0) {
                braces--;
            } else if (c == ']' && brackets > 0) {
                brackets--;
            } else if (Chars.endsValue(c) || scanner.atComment()) {
                inside = false;
                continue;
            } else if (c == '{') {
                braces++;
            } else if (c == '[') {
                brackets++;
            }
            scanner.next();
            if (c == '\\') {
                dollar |= scanner.peek() == '$';
                scanner.escape(unescaped);
            } else {
                dollar |= c == '$';
                unescaped.append((char) c);
            }
        }
        int stop = scanner.at();
        String raw = scanner.between(start, stop);
        String trimmed = trimBlanks(raw);
        if (trimmed.isEmpty()) {
            throw scanner.unexpected("expected a value (an empty text is written \"\")");
        }
        UclValue value = number(trimmed, raw.length() > trimmed.length(), origin);
        if (value == null) {
            value = word(trimmed, origin);
        }
        if (value != null) {
            return value;
        }
        warnAboutTraps(trimmed, start, stop);
        String text = raw.indexOf('\\') < 0 ? trimmed : trimBlanks(unescaped.toString());
        return new UclString(dollar ? session.expand(variables, text, origin) : text, false, origin, priority);
    }

    private @Nullable UclValue number(String text, boolean blankFollows, Origin origin) throws UclSyntaxException {
        // A comment of the form /* */ turns any number before it into a string.
        if (scanner.peek() == '/') {
            return null;
        }
        try {
            return NumberToken.read(text, blankFollows, origin, priority);
        } catch (NumberToken.RangeException e) {
            throw new UclSyntaxException(origin, "the number is out of range, expected at most 64 bits");
        }
    }

    private @Nullable UclValue word(String text, Origin origin) {
        return switch (text) {
            case "null" -> new UclNull(origin, priority);
            case "nan" -> new UclDouble(Double.NaN, origin, priority);
            case "inf" -> new UclDouble(Double.POSITIVE_INFINITY, origin, priority);
            default -> switch (text.length() > 5 ? "" : text.toLowerCase(Locale.ROOT)) {
                case "true", "yes", "on" -> new UclBoolean(true, origin, priority);
                case "false", "no", "off" -> new UclBoolean(false, origin, priority);
                default -> null;
            };
        };
    }

    private void warnAboutTraps(String text, int start, int stop) {
        boolean comment = scanner.peek() == '/';
        if (comment && NumberToken.isNumber(text)) {
            session.warn(Problem.warning(scanner.originAt(start),
                    "\"" + text + "\" is a string here, because a comment follows it; write \"" + text + ";\""));
        } else if (NumberToken.hasSuffix(text)) {
            session.warn(Problem.warning(scanner.originAt(start), "\"" + text
                    + "\" is a string here, because a blank follows it; write \"" + text + ";\" without a blank"));
        } else if (comment && !Chars.isBlank(scanner.peek(-1))) {
            session.warn(Problem.warning(scanner.originAt(stop),
                    "\"/*\" begins a comment here and ends the value \"" + text + "\"; put the value in quotes"));
        }
        if (text.startsWith("<<")) {
            session.warn(Problem.warning(scanner.originAt(start),
                    "this is not a heredoc: write capital letters and the end of the line right after \"<<\""));
        }
    }

    private static String trimBlanks(String text) {
        int stop = text.length();
        while (stop > 0 && Chars.isBlank(text.charAt(stop - 1))) {
            stop--;
        }
        return text.substring(0, stop);
    }
}
