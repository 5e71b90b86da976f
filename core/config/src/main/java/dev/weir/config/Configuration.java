package dev.weir.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.weir.config.option.OptionTable;
import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.source.Problem;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclString;
import dev.weir.config.ucl.UclValue;

/**
 * A loaded configuration, always presented from the top level: the loader wraps a file that holds the inside of one
 * section into that section.
 *
 * @param shape the kind of configuration that was found
 * @param file the file that was read first
 * @param root the top level, with {@code worker}, {@code fuzzy_check} and other sections
 * @param warnings likely mistakes for the author to check
 * @param files the real names of all files that were read, for change detection
 */
public record Configuration(Shape shape, String file, UclObject root, List<Problem> warnings, List<String> files) {
    /** The kind of configuration that a path refers to. */
    public enum Shape {
        /** A whole Rspamd tree with {@code rspamd.conf} at its top. */
        RSPAMD_TREE,
        /** A whole configuration in one file: {@code weir.conf}, or a file taken out of a tree. */
        WHOLE_FILE,
        /** The inside of {@code worker "fuzzy"}, as in {@code worker-fuzzy.inc}. */
        INSIDE_OF_WORKER,
        /** The inside of {@code worker "controller"}, as in {@code worker-controller.inc}. */
        INSIDE_OF_CONTROLLER,
        /** The inside of {@code group "fuzzy"}, as in {@code local.d/fuzzy_group.conf}. */
        INSIDE_OF_FUZZY_GROUP,
        /** The inside of {@code fuzzy_check}, as in {@code local.d/fuzzy_check.conf}. */
        INSIDE_OF_FUZZY_CHECK
    }

    /** Copies the lists. */
    public Configuration {
        warnings = List.copyOf(warnings);
        files = List.copyOf(files);
    }

    /**
     * Returns the sections {@code worker "name"} in order. Repeated sections stay separate
     * (docs/reference/configuration-language.md#named-sections). A {@code worker} section without a name counts if its
     * {@code type} is the given name.
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

    /**
     * Opens the section of a worker that may occur once. The caller ends with {@link Section#finish}.
     *
     * @param problems receives an error if there are several
     * @return empty if there is none, or several
     */
    public Optional<Section> worker(String name, OptionTable options, Problems problems) {
        List<UclObject> workers = workers(name);
        if (workers.isEmpty()) {
            return Optional.empty();
        }
        String path = "worker \"" + name + "\"";
        if (workers.size() > 1) {
            problems.error(workers.get(1).origin(), "a second " + path + ": one of them is enough, with several"
                    + " bind_socket");
            return Optional.empty();
        }
        return Optional.of(Section.of(workers.getFirst(), path, options, problems));
    }

    /** Takes the options that every worker has, and returns whether it is to run. */
    public static boolean runs(Section worker) {
        worker.string("type");
        return worker.bool("enabled").orElse(true) && worker.integer("count", -1, 1 << 16).orElse(1) > 0;
    }

    /** Returns the top-level sections with the given name, in order. */
    public List<UclObject> sections(String name) {
        List<UclObject> sections = new ArrayList<>();
        addSections(root, name, sections);
        return sections;
    }

    /** Returns the top-level sections {@code key "name"}, in order, such as {@code group "fuzzy"}. */
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
