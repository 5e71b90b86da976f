package dev.weir.config;

import java.util.ArrayList;
import java.util.List;

import dev.weir.config.source.Problem;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclString;
import dev.weir.config.ucl.UclValue;

/**
 * A configuration that was loaded, always seen from its top: what stood inside of a section has been put back into it.
 *
 * @param shape what was found
 * @param file the file that was read first
 * @param root with {@code worker}, {@code fuzzy_check} and what else there is
 * @param warnings what its author should look at
 * @param files the real names of all files that were read, for the detection of changes
 */
public record Configuration(Shape shape, String file, UclObject root, List<Problem> warnings, List<String> files) {
    /** What a path turned out to be. */
    public enum Shape {
        /** A whole tree of Rspamd with {@code rspamd.conf} at its top. */
        RSPAMD_TREE,
        /** A whole configuration in one file, ours or taken out of a tree. */
        WHOLE_FILE,
        /** The inside of {@code worker "fuzzy"}, as {@code worker-fuzzy.inc} holds it. */
        INSIDE_OF_WORKER,
        /** The inside of {@code fuzzy_check}, as {@code local.d/fuzzy_check.conf} holds it. */
        INSIDE_OF_FUZZY_CHECK
    }

    /** Copies the lists. */
    public Configuration {
        warnings = List.copyOf(warnings);
        files = List.copyOf(files);
    }

    /**
     * The sections {@code worker "name"}, in order; those that repeat are separate
     * (docs/reference/configuration-language.md#named-sections). A section
     * {@code worker} without a name counts if its {@code type} is the name.
     */
    public List<UclObject> workers(String name) {
        List<UclObject> workers = new ArrayList<>();
        for (UclValue worker : root.items("worker")) {
            if (worker instanceof UclObject section) {
                addSections(section, name, workers);
                if (section.values("type").stream().anyMatch(type -> isText(type, name))) {
                    workers.add(section);
                }
            }
        }
        return workers;
    }

    /** The sections of that name at the top, in order. */
    public List<UclObject> sections(String name) {
        List<UclObject> sections = new ArrayList<>();
        addSections(root, name, sections);
        return sections;
    }

    /** The sections {@code key "name"} at the top, in order, such as {@code group "fuzzy"}. */
    public List<UclObject> sections(String key, String name) {
        List<UclObject> sections = new ArrayList<>();
        sections(key).forEach(section -> addSections(section, name, sections));
        return sections;
    }

    private static void addSections(UclObject parent, String key, List<UclObject> sections) {
        for (UclValue value : parent.items(key)) {
            if (value instanceof UclObject section) {
                sections.add(section);
            }
        }
    }

    private static boolean isText(UclValue value, String text) {
        return value instanceof UclString string && string.text().equals(text);
    }
}
