package dev.weir.config.ucl;

import java.util.List;

import dev.weir.config.source.Problem;

/**
 * What was read.
 *
 * @param root a {@link UclObject}, or a {@link UclArray} if the text is a JSON array
 * @param warnings where the text says something else than its author probably meant
 * @param files the real names of all files that were read, each once, the main file first
 */
public record UclDocument(UclValue root, List<Problem> warnings, List<String> files) {
    /** Copies the lists. */
    public UclDocument {
        warnings = List.copyOf(warnings);
        files = List.copyOf(files);
    }
}
