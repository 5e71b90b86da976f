package dev.weir.config.ucl;

import java.util.List;

import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Problem;

/**
 * What was read.
 *
 * @param root a {@link UclObject}, or a {@link UclArray} if the text is a JSON array
 * @param warnings where the text says something else than its author probably meant
 * @param errors what could not be read; then the root lacks it
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
     * The same, where all of it was read.
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
