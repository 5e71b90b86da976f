package dev.weir.config.ucl;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Origin;
import dev.weir.config.source.Problem;
import dev.weir.config.source.SourceText;

/**
 * A parser of UCL that is compatible with Rspamd 4.1.6 (docs/reference/configuration-language.md). The intentional
 * differences are: a byte order mark is not part of the first key; heredocs may have CRLF line ends; a number whose
 * multiplier exceeds 64 bits is rejected and does not wrap; surrogate pairs in {@code \\u} escapes form one character.
 *
 * <p>Thread-safe: calls share no state.
 */
public final class Ucl {
    private Ucl() {}

    /**
     * Reads a text.
     *
     * @param name the name of the text in problems
     * @throws ConfigException if the text is not UCL, an include fails, or a limit is exceeded
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
     * @throws ConfigException if the file cannot be read or is not UCL, an include fails, or a limit is exceeded;
     *             carries the first error of each faulty file
     */
    public static UclDocument load(String path, UclSettings settings) throws ConfigException {
        return loadSound(path, settings).whole();
    }

    /**
     * Reads the sound parts of a file and its includes. Each file is read up to its first error, and the files after it
     * are still read.
     *
     * @return the document with its errors
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
