package dev.weir.config.ucl;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Origin;
import dev.weir.config.source.Problem;
import dev.weir.config.source.SourceText;
import org.jspecify.annotations.Nullable;

/** The macros of one file (docs/reference/configuration-language.md#macros): {@code .include} and related ones. */
final class Macros {
    private static final SequencedMap<String, MacroOptions.Type> INCLUDE = new LinkedHashMap<>();
    private static final SequencedMap<String, MacroOptions.Type> LOAD = new LinkedHashMap<>();

    static {
        // Shortened names are looked up in this order.
        for (String flag : List.of("try", "sign", "glob", "url", "prefix")) {
            INCLUDE.put(flag, MacroOptions.Type.BOOLEAN);
        }
        for (String text : List.of("key", "target", "duplicate")) {
            INCLUDE.put(text, MacroOptions.Type.STRING);
        }
        INCLUDE.put("priority", MacroOptions.Type.NUMBER);
        INCLUDE.put("path", MacroOptions.Type.ARRAY);
        for (String flag : List.of("try", "multiline", "escape", "trim")) {
            LOAD.put(flag, MacroOptions.Type.BOOLEAN);
        }
        LOAD.put("key", MacroOptions.Type.STRING);
        LOAD.put("target", MacroOptions.Type.STRING);
        LOAD.put("priority", MacroOptions.Type.NUMBER);
    }

    private final String realPath;
    private final String folder;
    private final int includeDepth;

    private Macros(String realPath, String folder, int includeDepth) {
        this.realPath = realPath;
        this.folder = folder;
        this.includeDepth = includeDepth;
    }

    static Macros ofMainFile(String realPath, String name) {
        return new Macros(realPath, folder(realPath.isEmpty() ? name : realPath), 0);
    }

    private Macros ofIncluded(String path) {
        return new Macros(path, folder(path), includeDepth + 1);
    }

    private static String folder(String path) {
        int slash = path.lastIndexOf('/');
        return slash < 0 ? "." : slash == 0 ? "/" : path.substring(0, slash);
    }

    /** Returns the variables of this file: those of the document, and the location of the file. */
    Variables variables(Variables outer) {
        return outer.with("CURDIR", folder).with("FILENAME", realPath);
    }

    /** Reads and executes the macro at the current position. */
    void run(ChunkParser parser, Node.Section target, int depth) throws UclSyntaxException {
        Lexer scanner = parser.scanner();
        int start = scanner.at();
        Origin origin = scanner.originAt(start);
        scanner.next();
        int nameStart = scanner.at();
        while (Chars.isLetter(scanner.peek()) || Chars.isDigit(scanner.peek()) || scanner.peek() == '_') {
            scanner.next();
        }
        String name = scanner.since(nameStart);
        UclObject arguments = arguments(parser, origin);
        if (!List.of("include", "try_include", "includes", "include_map", "priority", "inherit", "load")
                .contains(name)) {
            throw new UclSyntaxException(origin, "unknown macro \"." + name
                    + "\", expected .include, .priority, .inherit or .load");
        }
        scanner.skipSpaces();
        String value = value(parser);
        try {
            execute(parser, name, arguments, value, origin, target, depth);
        } catch (UclSyntaxException e) {
            if (parser.session().spent()) {
                throw e;
            }
            // The macro itself was complete, so the text after it can be read.
            parser.session().error(e.problem());
        }
    }

    private void execute(ChunkParser parser, String name, UclObject arguments, String value, Origin origin,
            Node.Section target, int depth) throws UclSyntaxException {
        switch (name) {
            case "include", "try_include" -> include(parser, name, arguments, value, origin, target, depth);
            case "includes" -> throw new UclSyntaxException(origin,
                    "signed includes are not supported, because no option names the verification key; use .include");
            case "include_map" -> throw new UclSyntaxException(origin,
                    "including a map is not supported; use .include with the file of the map");
            case "priority" -> priority(parser, arguments, value, origin);
            case "inherit" -> inherit(parser.session(), arguments, value, origin, target, depth);
            case "load" -> load(parser, arguments, value, origin, target);
            default -> throw new IllegalStateException(name);
        }
    }

    private static UclObject arguments(ChunkParser parser, Origin origin) throws UclSyntaxException {
        Lexer scanner = parser.scanner();
        int before = scanner.at();
        scanner.skipBlanks();
        if (scanner.peek() != '(') {
            scanner.moveTo(before);
            return new UclObject(new LinkedHashMap<>(), origin, 0);
        }
        int opened = scanner.at();
        scanner.next();
        int start = scanner.at();
        while (scanner.peek() != ')') {
            if (scanner.atEnd()) {
                throw scanner.error(opened, "this '(' is not closed, expected ')' after the options of the macro");
            }
            if (scanner.peek() == '"') {
                scanner.doubleQuoted();
            } else {
                scanner.next();
            }
        }
        Lexer inner = new Lexer(scanner.source(), start, scanner.at());
        scanner.next();
        Node.Section section = new Node.Section(origin, 0);
        new ChunkParser(parser.session(), inner, parser.variables(), null, Duplicates.APPEND, 0).into(section, 1);
        return section.freeze();
    }

    private static String value(ChunkParser parser) throws UclSyntaxException {
        Lexer scanner = parser.scanner();
        int start = scanner.at();
        String raw;
        switch (scanner.peek()) {
            case '"' -> raw = scanner.doubleQuoted().text();
            case '{' -> {
                scanner.next();
                scanner.skipSpaces();
                int inside = scanner.at();
                int open = 1;
                while (open > 0) {
                    switch (scanner.next()) {
                        case '{' -> open++;
                        case '}' -> open--;
                        case Chars.END -> throw scanner.error(start, "this '{' is not closed, expected '}'");
                        default -> {
                            // Part of the value.
                        }
                    }
                }
                raw = scanner.between(inside, scanner.at() - 1);
            }
            default -> {
                boolean inName = false;
                // The braces of ${NAME} belong to the value.
                while (!Chars.endsValue(scanner.peek()) || (inName && scanner.peek() == '}')) {
                    inName = scanner.peek() == '{' || (inName && scanner.peek() != '}');
                    scanner.next();
                }
                raw = scanner.since(start).stripTrailing();
            }
        }
        return parser.session().expand(parser.variables(), raw, scanner.originAt(start));
    }

    private static void priority(ChunkParser parser, UclObject arguments, String value, Origin origin)
            throws UclSyntaxException {
        int given = MacroOptions.of(arguments, Map.of("priority", MacroOptions.Type.NUMBER), "priority",
                parser.session()).priority("priority", -1, parser.session());
        if (!value.isEmpty()) {
            try {
                given = Integer.parseInt(value) & 15;
            } catch (NumberFormatException e) {
                throw new UclSyntaxException(origin, "expected a priority from 0 to 15 after .priority, but found \""
                        + value + "\"");
            }
        }
        if (given < 0) {
            throw new UclSyntaxException(origin, "expected a priority from 0 to 15 after .priority");
        }
        parser.priority(given);
    }

    private static void inherit(Session session, UclObject arguments, String value, Origin origin, Node.Section target,
            int depth) throws UclSyntaxException {
        List<Node> named = session.root().members().get(value);
        if (named == null || !(named.getFirst() instanceof Node.Section source)) {
            throw new UclSyntaxException(origin, "there is no top-level section \"" + value + "\" to inherit from");
        }
        boolean replace = MacroOptions.of(arguments, Map.of("replace", MacroOptions.Type.BOOLEAN), "inherit", session)
                .flag("replace");
        if (depth + source.height() > session.limits().depth()) {
            throw new UclSyntaxException(origin, "sections would be nested deeper than " + session.limits().depth());
        }
        // Values are counted before they are copied: inheriting from a section that itself inherits could double the
        // size with every line.
        session.countValues(source.size(session.valuesLeft()), origin);
        for (Map.Entry<String, List<Node>> member : source.inheritedCopy().members().entrySet()) {
            boolean present = target.members().containsKey(member.getKey());
            if (!present || replace) {
                member.getValue().forEach(copy -> target.add(member.getKey(), copy));
            }
        }
    }

    private void include(ChunkParser parser, String macro, UclObject arguments, String value, Origin origin,
            Node.Section target, int depth) throws UclSyntaxException {
        Session session = parser.session();
        MacroOptions options = MacroOptions.of(arguments, INCLUDE, macro, session);
        if (options.flag("url") || value.startsWith("http://") || value.startsWith("https://")) {
            throw new UclSyntaxException(origin, "configuration is not fetched from the network: " + value);
        }
        if (options.flag("sign")) {
            throw new UclSyntaxException(origin, "signed includes are not supported");
        }
        if (value.isEmpty()) {
            throw new UclSyntaxException(origin, "expected the name of a file after ." + macro);
        }
        Duplicates duplicates = Duplicates.APPEND;
        if (options.has("duplicate")) {
            Duplicates named = Duplicates.named(options.text("duplicate"));
            if (named == null) {
                session.warn(Problem.warning(origin, "the duplicate strategy \"" + options.text("duplicate")
                        + "\" is unknown and append is used, expected append, merge, rewrite or error"));
            } else {
                duplicates = named;
            }
        }
        int priority = options.priority("priority", 0, session);
        for (String file : candidates(session, options, macro, value, origin)) {
            includeFile(parser, options, file, origin, target, depth, duplicates, priority);
        }
    }

    /** Returns the files to include: the named one, or all that match the pattern. */
    private static List<String> candidates(Session session, MacroOptions options, String macro, String value,
            Origin origin) throws UclSyntaxException {
        List<String> names = new ArrayList<>();
        for (String folder : options.texts("path")) {
            names.add(folder + "/" + value);
        }
        if (names.isEmpty()) {
            names.add(value);
        }
        if (options.flag("glob") && value.chars().anyMatch(c -> c == '*' || c == '?' || c == '[')) {
            for (String pattern : names) {
                try {
                    List<String> matches = session.sourceFiles().glob(pattern, session.limits().includes());
                    if (!matches.isEmpty()) {
                        return matches;
                    }
                } catch (IOException e) {
                    throw new UclSyntaxException(origin, "cannot look for " + pattern + ": " + reason(e));
                }
            }
            if (options.flag("try")) {
                return List.of();
            }
            throw new UclSyntaxException(origin, "no file matches " + String.join(" or ", names));
        }
        for (String name : names) {
            if (realPath(session, name) != null) {
                return List.of(name);
            }
        }
        if (options.flag("try")) {
            return List.of();
        }
        throw new UclSyntaxException(origin, "there is no file " + String.join(" or ", names)
                + ("try_include".equals(macro) ? "; to allow that, write .include(try=true)" : ""));
    }

    private static @Nullable String realPath(Session session, String name) {
        try {
            return session.sourceFiles().realPath(name);
        } catch (IOException e) {
            return null;
        }
    }

    private void includeFile(ChunkParser parser, MacroOptions options, String file, Origin origin,
            Node.Section target, int depth, Duplicates duplicates, int priority) throws UclSyntaxException {
        Session session = parser.session();
        session.countInclude(origin);
        if (includeDepth >= session.limits().includeDepth()) {
            throw new UclSyntaxException(origin,
                    "files are included more than " + session.limits().includeDepth() + " deep");
        }
        String path = realPath(session, file);
        if (path != null && path.equals(realPath)) {
            throw new UclSyntaxException(origin, "the file includes itself");
        }
        SourceText source;
        try {
            source = session.load(path == null ? file : path, path == null ? file : path);
        } catch (IOException e) {
            if (options.flag("try")) {
                return;
            }
            throw new UclSyntaxException(origin, "cannot read " + file + ": " + reason(e));
        } catch (ConfigException e) {
            e.problems().forEach(session::error);
            return;
        }
        String key = options.text("key");
        if (key.isEmpty() && options.flag("prefix")) {
            key = prefix(file);
        }
        Node.Section into = target;
        int level = depth;
        if (!key.isEmpty()) {
            level += options.text("target").equals("array") ? 2 : 1;
            session.countValues(2, origin);
            into = options.text("target").equals("array")
                    ? appended(target, key, origin, priority)
                    : keyed(target, key, origin, priority);
        }
        if (level > session.limits().depth()) {
            throw new UclSyntaxException(origin, "sections would be nested deeper than " + session.limits().depth());
        }
        Macros macros = ofIncluded(path == null ? file : path);
        Lexer scanner = new Lexer(source, 0, source.text().length());
        try {
            new ChunkParser(session, scanner, macros.variables(parser.variables()), macros, duplicates, priority)
                    .into(into, level);
        } catch (UclSyntaxException e) {
            if (session.spent()) {
                throw e;
            }
            session.error(e.problem());
        }
    }

    private static String prefix(String file) {
        String name = file.substring(file.lastIndexOf('/') + 1);
        for (String ending : List.of(".conf", ".ucl")) {
            if (name.endsWith(ending)) {
                return name.substring(0, name.length() - ending.length());
            }
        }
        return name;
    }

    /** Returns the section under a key, and creates it if absent. */
    private static Node.Section keyed(Node.Section target, String key, Origin origin, int priority)
            throws UclSyntaxException {
        List<Node> old = target.members().get(key);
        if (old == null) {
            Node.Section made = new Node.Section(origin, priority);
            target.add(key, made);
            return made;
        }
        if (old.getFirst() instanceof Node.Section section) {
            return section;
        }
        throw new UclSyntaxException(origin, "\"" + key + "\" of " + old.getFirst().origin()
                + " is not a section, so nothing can be included into it");
    }

    /**
     * Adds a new section at the end of the array under a key. A single section there becomes the first item of the
     * array.
     */
    private static Node.Section appended(Node.Section target, String key, Origin origin, int priority)
            throws UclSyntaxException {
        Node.Section made = new Node.Section(origin, priority);
        List<Node> old = target.members().get(key);
        if (old == null) {
            Node.Items items = new Node.Items(origin, priority);
            items.items().add(made);
            target.add(key, items);
        } else {
            switch (old.getFirst()) {
                case Node.Items items -> items.items().add(made);
                case Node.Section section -> old.add(made);
                case Node.Leaf leaf -> throw new UclSyntaxException(origin, "\"" + key + "\" of " + leaf.origin()
                        + " is not an array, so nothing can be included into it");
            }
        }
        return made;
    }

    private static void load(ChunkParser parser, UclObject arguments, String value, Origin origin, Node.Section target)
            throws UclSyntaxException {
        Session session = parser.session();
        MacroOptions options = MacroOptions.of(arguments, LOAD, "load", session);
        String key = options.text("key");
        if (key.isEmpty()) {
            throw new UclSyntaxException(origin, "expected the option key=\"...\" of .load");
        }
        List<Node> old = target.members().get(key);
        if (old != null) {
            throw new UclSyntaxException(origin, "\"" + key + "\" already exists (" + old.getFirst().origin() + ")");
        }
        session.countInclude(origin);
        session.countValue(origin);
        String text;
        try {
            byte[] content = session.sourceFiles().read(value, session.limits().fileBytes());
            session.countBytes(content.length, origin);
            text = new String(content, StandardCharsets.UTF_8);
        } catch (IOException e) {
            if (options.flag("try")) {
                return;
            }
            throw new UclSyntaxException(origin, "cannot read " + value + ": " + reason(e));
        }
        int priority = options.priority("priority", 0, session);
        UclValue loaded = switch (options.has("target") ? options.text("target") : "string") {
            case "string" -> new UclString(shaped(text, options), true, origin, priority);
            case "int" -> new UclInteger(number(text, value, origin), origin, priority);
            default -> throw new UclSyntaxException(origin,
                    "the target of .load is \"string\" or \"int\", not \"" + options.text("target") + "\"");
        };
        target.add(key, new Node.Leaf(loaded, false));
    }

    private static String shaped(String text, MacroOptions options) {
        String shaped = options.flag("trim") ? text.strip() : text;
        return options.flag("escape") ? JsonText.escaped(shaped) : shaped;
    }

    private static long number(String text, String file, Origin origin) throws UclSyntaxException {
        try {
            return Long.parseLong(text.strip());
        } catch (NumberFormatException e) {
            throw new UclSyntaxException(origin, "expected a whole number in " + file);
        }
    }

    /** Returns the reason of a failed file access, without the name of the file. */
    static String reason(IOException e) {
        return switch (e) {
            case NoSuchFileException missing when missing.getReason() == null -> "there is no such file";
            case AccessDeniedException denied -> "permission denied";
            case FileSystemException other when other.getReason() != null -> other.getReason();
            default -> String.valueOf(e.getMessage());
        };
    }
}
