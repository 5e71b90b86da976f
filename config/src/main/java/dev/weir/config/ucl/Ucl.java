package dev.weir.config.ucl;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Origin;
import dev.weir.config.source.Problem;
import dev.weir.config.source.SourceText;

/**
 * Reads UCL as Rspamd 4.1.6 does (docs/reference/configuration-language.md). What differs, on purpose: a byte order
 * mark is no part of the first key;
 * heredocs may have CRLF line ends; numbers that a multiplier takes out of 64 bits are refused instead of wrapped;
 * surrogate pairs in {@code \\u} escapes give one character.
 *
 * <p>Thread-safe: every call is on its own.
 */
public final class Ucl {
    private Ucl() {}

    /**
     * Reads a text.
     *
     * @param name what the text is called in problems
     * @throws ConfigException if it is not UCL, includes what cannot be had, or passes a limit
     */
    public static UclDocument parse(String name, String text, UclSettings settings) throws ConfigException {
        Node.Section root = new Node.Section(new Origin(name, 1, 1), 0);
        Session session = new Session(settings, root);
        try {
            SourceText source = session.prepare(name, text.getBytes(StandardCharsets.UTF_8));
            return read(session, root, source, name, settings).whole();
        } catch (UclSyntaxException e) {
            throw new ConfigException(e.problem());
        }
    }

    /**
     * Reads a file through {@link UclSettings#files}.
     *
     * @throws ConfigException if the file cannot be read, is not UCL, includes what cannot be had, or passes a limit;
     * with
     *             the first error of each file that has one
     */
    public static UclDocument load(String path, UclSettings settings) throws ConfigException {
        return loadSound(path, settings).whole();
    }

    /**
     * Reads a file and what it includes as far as they are sound: a file ends at its first error, and those after it
     * are
     * read all the same.
     *
     * @return the document, with its errors
     * @throws ConfigException if the file cannot be read at all
     */
    public static UclDocument loadSound(String path, UclSettings settings) throws ConfigException {
        Node.Section root = new Node.Section(new Origin(path, 1, 1), 0);
        Session session = new Session(settings, root);
        try {
            String realPath = settings.files().realPath(path);
            return read(session, root, session.load(path, realPath), realPath, settings);
        } catch (IOException e) {
            throw new ConfigException(Problem.error(new Origin(path, 1, 1), "cannot read: " + Macros.reason(e)));
        } catch (UclSyntaxException e) {
            throw new ConfigException(e.problem());
        }
    }

    private static UclDocument read(Session session, Node.Section root, SourceText source, String realPath,
            UclSettings settings) {
        Macros macros = Macros.ofMainFile(realPath, source.name());
        Lexer scanner = new Lexer(source, 0, source.text().length());
        ChunkParser parser = new ChunkParser(session, scanner, macros.variables(settings.variables()), macros,
                Duplicates.APPEND, 0);
        Node top = root;
        try {
            top = parser.document(root);
        } catch (UclSyntaxException e) {
            session.error(e.problem());
        }
        return new UclDocument(top.freeze(), session.warnings(), session.errors(), session.files());
    }
}
