package dev.weir.cli.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import dev.weir.config.Configuration;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclText;
import dev.weir.http.data.Setup;

/** The sections of a configuration that Weir reads, as text without secrets. */
public final class ConfigSections {
    /** Keys whose values are secret. */
    private static final Set<String> SECRETS = Set.of("privkey", "private", "secret", "password", "enable_password");

    private ConfigSections() {}

    /** Returns a section as text: each value with its file and line. */
    static String text(UclObject section) {
        return UclText.explained(section, SECRETS::contains);
    }

    /** Returns the sections of the storage, of HTTP and of the scanner. */
    public static List<Setup.Section> of(Configuration configuration) {
        List<Setup.Section> sections = new ArrayList<>();
        configuration.workers("fuzzy").forEach(
                section -> sections.add(new Setup.Section("worker \"fuzzy\"", text(section))));
        configuration.workers("controller").forEach(
                section -> sections.add(new Setup.Section("worker \"controller\"", text(section))));
        configuration.sections("fuzzy_check").forEach(
                section -> sections.add(new Setup.Section("fuzzy_check", text(section))));
        return sections;
    }
}
