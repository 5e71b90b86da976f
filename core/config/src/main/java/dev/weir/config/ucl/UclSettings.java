package dev.weir.config.ucl;

import java.util.Optional;
import java.util.Set;

import dev.weir.config.source.SourceFiles;
import dev.weir.config.template.TemplateContext;

/**
 * The settings for reading a text.
 *
 * @param variables the variables <code>$NAME</code>; CURDIR and FILENAME are added for each file
 * @param template the names that templates see; empty to read files without templates
 * @param files the files that may be included
 * @param limits the resource limits
 * @param separate the keys whose sections a merged file adds to existing ones instead of merging them
 */
public record UclSettings(Variables variables, Optional<TemplateContext> template, SourceFiles files,
        UclLimits limits, Set<String> separate) {
    /** Plain text: no variables, no templates, no files. */
    public static final UclSettings PLAIN = new UclSettings(Variables.NONE, Optional.empty(), SourceFiles.NONE,
            UclLimits.DEFAULT, Set.of());
}
