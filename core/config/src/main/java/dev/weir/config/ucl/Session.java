package dev.weir.config.ucl;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Origin;
import dev.weir.config.source.Problem;
import dev.weir.config.source.SourceFiles;
import dev.weir.config.source.SourceText;
import dev.weir.config.template.Template;

/** The state that the files of one document share: the budgets, the warnings, and the root of the tree. */
final class Session {
    /** The maximum number of warnings and of errors; a longer list helps no reader. */
    private static final int MOST_PROBLEMS = 1000;

    private final UclSettings settings;
    private final Node.Section root;
    private final List<Problem> warnings = new ArrayList<>();
    private final List<Problem> errors = new ArrayList<>();
    private final Set<String> files = new LinkedHashSet<>();
    private int values;
    private int includes;
    private long bytes;
    private long expanded;
    private boolean spent;

    Session(UclSettings settings, Node.Section root) {
        this.settings = settings;
        this.root = root;
    }

    UclLimits limits() {
        return settings.limits();
    }

    SourceFiles sourceFiles() {
        return settings.files();
    }

    /** Returns whether a merged file adds sections of this key instead of merging them. */
    boolean keepsSeparate(String key) {
        return settings.separate().contains(key);
    }

    /** Returns the section in which inherited sections are looked up. */
    Node.Section root() {
        return root;
    }

    List<Problem> warnings() {
        return warnings;
    }

    /** Returns the errors in included files, in order. */
    List<Problem> errors() {
        return errors;
    }

    /** Records an error that ends the reading of one file, so that the files after it are still read. */
    void error(Problem error) {
        if (errors.size() < MOST_PROBLEMS) {
            errors.add(error);
        }
    }

    /** Returns whether a budget is exceeded. Reading stops then. */
    boolean spent() {
        return spent;
    }

    private UclSyntaxException over(Origin origin, String message) {
        spent = true;
        return new UclSyntaxException(origin, message);
    }

    List<String> files() {
        return List.copyOf(files);
    }

    void warn(Problem warning) {
        if (warnings.size() < MOST_PROBLEMS) {
            warnings.add(warning);
        }
    }

    void countValue(Origin origin) throws UclSyntaxException {
        countValues(1, origin);
    }

    void countValues(int more, Origin origin) throws UclSyntaxException {
        values += Math.min(more, limits().values() + 1 - Math.min(values, limits().values()));
        if (values > limits().values()) {
            throw over(origin, "the configuration has more than " + limits().values() + " values");
        }
    }

    int valuesLeft() {
        return limits().values() - values;
    }

    void countInclude(Origin origin) throws UclSyntaxException {
        if (++includes > limits().includes()) {
            throw over(origin, "more than " + limits().includes() + " files are included");
        }
    }

    void countBytes(int more, Origin origin) throws UclSyntaxException {
        bytes += more;
        if (bytes > limits().totalBytes()) {
            throw over(origin,
                    "all files together have more than " + limits().totalBytes() + " bytes");
        }
    }

    String expand(Variables variables, String text, Origin origin) throws UclSyntaxException {
        try {
            String result = variables.expand(text, limits().expandedChars() - expanded);
            expanded += result.length();
            return result;
        } catch (Variables.TooLongException e) {
            throw over(origin,
                    "variables expand to more than " + limits().expandedChars() + " characters");
        }
    }

    /** Reads a file and applies its template. The origin is the place of the include. */
    SourceText load(String path, String realPath) throws IOException, UclSyntaxException, ConfigException {
        byte[] content = settings.files().read(realPath, limits().fileBytes());
        files.add(realPath);
        return prepare(path, content);
    }

    /** Decodes bytes into text: counts them, drops the byte order mark, and applies the template. */
    SourceText prepare(String name, byte[] content) throws UclSyntaxException, ConfigException {
        countBytes(content.length, new Origin(name, 1, 1));
        String text = decode(name, content);
        SourceText source = SourceText.of(name, text.startsWith("\uFEFF") ? text.substring(1) : text);
        return settings.template().isPresent() ? Template.render(source, settings.template().get()) : source;
    }

    private String decode(String name, byte[] content) {
        try {
            return StandardCharsets.UTF_8.newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(content))
                    .toString();
        } catch (CharacterCodingException e) {
            String text = new String(content, StandardCharsets.UTF_8);
            Origin first = SourceText.of(name, text).originAt(Math.max(0, text.indexOf('\uFFFD')));
            warn(Problem.warning(first, "the file is not valid UTF-8, malformed bytes are lost"));
            return text;
        }
    }

}
