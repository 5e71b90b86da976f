package dev.weir.config.ucl;

import java.util.Optional;

import dev.weir.config.source.SourceFiles;
import dev.weir.config.template.TemplateContext;

/**
 * What a text is read with.
 *
 * @param variables the names that <code>$NAME</code> stands for; CURDIR and FILENAME are added for each file
 * @param template what the template language knows, or empty if files are no templates
 * @param files what may be included
 * @param limits how much may be asked for
 */
public record UclSettings(Variables variables, Optional<TemplateContext> template, SourceFiles files,
        UclLimits limits) {
    /** Text alone: no variables, no templates, no files. */
    public static final UclSettings PLAIN = new UclSettings(Variables.NONE, Optional.empty(), SourceFiles.NONE,
            UclLimits.DEFAULT);
}
