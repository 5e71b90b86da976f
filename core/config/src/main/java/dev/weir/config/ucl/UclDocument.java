package dev.weir.config.ucl;

import java.util.List;

import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Problem;

/**
 * The result of reading a document.
 *
 * @param root a {@link UclObject}, or a {@link UclArray} if the text is a JSON array
 * @param warnings places where the text probably differs from what its author meant
 * @param errors the errors; the root lacks the unreadable parts
 * @param files the real names of all files that were read, each once, the main file first
 */
public record UclDocument(UclValue root, List<Problem> warnings, List<Problem> errors, List<String> files) {
    /** Copies the lists. */
    public UclDocument {
        warnings = List.copyOf(warnings);
        errors = List.copyOf(errors);
        files = List.copyOf(files);
    }

    /**
     * Returns this document if it has no errors.
     *
     * @throws ConfigException with all errors, if there is one
     */
    UclDocument whole() throws ConfigException {
        if (!errors.isEmpty()) {
            throw new ConfigException(errors);
        }
        return this;
    }
}
