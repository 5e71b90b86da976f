package dev.weir.cli.config;

import java.util.ArrayList;
import java.util.List;

import dev.weir.config.Configuration;
import dev.weir.config.option.OptionPlaces;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclText;
import dev.weir.storage.admin.Setup;

/** The sections of a configuration that Weir reads, as text without secrets. */
public final class ConfigSections {
    private ConfigSections() {}

    /** Returns a section as text: each value with its file and line. */
    static String text(UclObject section) {
        return UclText.explained(section, OptionPlaces::isSecret);
    }

    /** Returns the sections of the storage, of HTTP, of the milter and of the scanner with its symbols. */
    public static List<Setup.Section> of(Configuration configuration) {
        List<Setup.Section> sections = new ArrayList<>();
        for (String worker : List.of("fuzzy", "controller", "milter")) {
            configuration.workers(worker).forEach(
                    section -> sections.add(new Setup.Section("worker \"" + worker + "\"", text(section))));
        }
        for (String name : List.of("fuzzy_check", "group", "metric")) {
            configuration.sections(name).forEach(section -> sections.add(new Setup.Section(name, text(section))));
        }
        return sections;
    }
}
