package dev.weir.config;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.config.option.Problems;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Origin;
import dev.weir.config.source.Problem;
import dev.weir.config.source.SourceFiles;
import dev.weir.config.ucl.Ucl;
import dev.weir.config.ucl.UclDocument;
import dev.weir.config.ucl.UclLimits;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;

/**
 * The loader of configurations. A path may name a folder with {@code weir.conf} or {@code rspamd.conf}, one of these
 * files, or a file that holds the inside of one section. The loader detects the kind of a file from its content first,
 * then from its name.
 */
public final class ConfigurationLoader {
    /** Keys that occur at the top of a whole configuration and inside none of the sections that Weir reads. */
    private static final Set<String> AT_THE_TOP = Set.of("worker", "fuzzy_check", "options", "logging");

    /** The documents of Rspamd repeat these sections in a file of local.d, where Rspamd uses only the first. */
    private static final Set<String> SEPARATE = Set.of("keypair", "slave", "mirror");

    /** The files of Rspamd's folders that hold the inside of a section that Weir does not read. */
    private static final Pattern FOREIGN = Pattern
            .compile("(?:^|/)(worker-(?!fuzzy|controller)[a-z_]+\\.inc|(?:options|logging)\\.inc|(?:statistic|actions|"
                    + "composites|redis|milter_headers|settings)\\.conf)$");

    private final SourceFiles files;
    private final Map<String, String> environment;
    private final String hostname;
    private final Map<String, String> variables;
    private final UclLimits limits;

    /**
     * Creates a loader for one machine.
     *
     * @param files the files that may be read
     * @param hostname the value of {@code $HOSTNAME}
     * @param environment the environment of the process; templates see only {@code RSPAMD_*}
     * @param variables additional variables or new values for the usual ones; they override Debian's folders, and
     *            CONFDIR and LOCAL_CONFDIR override the folder of the file
     */
    public ConfigurationLoader(SourceFiles files, String hostname, Map<String, String> environment,
            Map<String, String> variables, UclLimits limits) {
        this.files = files;
        this.hostname = hostname;
        this.environment = Map.copyOf(environment);
        this.variables = new LinkedHashMap<>(variables);
        this.limits = limits;
    }

    /**
     * Loads a configuration.
     *
     * @param path a folder or a file
     * @throws ConfigException if the path does not exist or one of the files cannot be read; carries the problems of
     *             all files
     */
    public Configuration load(String path) throws ConfigException {
        Problems problems = new Problems();
        Optional<Configuration> configuration = loadSound(path, problems);
        problems.throwErrors();
        return configuration.orElseThrow();
    }

    /**
     * Loads the sound parts of a configuration, so that its sections can be inspected even if one of its files is
     * faulty.
     *
     * @param path a folder or a file
     * @param problems receives all errors and warnings; after an error the result is fit for inspection only
     * @return the configuration; empty if nothing can be read
     */
    public Optional<Configuration> loadSound(String path, Problems problems) {
        try {
            String main = mainFile(path);
            UclDocument document = Ucl.loadSound(main, settings(folder(main)));
            document.errors().forEach(problems::add);
            document.warnings().forEach(problems::add);
            Matcher foreign = FOREIGN.matcher(main);
            if (foreign.find()) {
                problems.error(new Origin(main, 1, 1),
                        "Weir reads no " + foreign.group(1) + ": by its name, this file is "
                                + "for a part of Rspamd that Weir does not have");
                return Optional.empty();
            }
            if (document.root() instanceof UclObject root) {
                Configuration.Shape shape = shape(main, root);
                return Optional.of(new Configuration(shape, main, whole(shape, root), document.warnings(),
                        document.files()));
            }
            problems.error(document.root().origin(), "expected sections and options, but the file is an array");
        } catch (ConfigException e) {
            e.problems().forEach(problems::add);
        }
        return Optional.empty();
    }

    private String mainFile(String path) throws ConfigException {
        String folder = path.endsWith("/") && path.length() > 1 ? path.substring(0, path.length() - 1) : path;
        for (String name : List.of("weir.conf", "rspamd.conf")) {
            if (exists(folder + "/" + name)) {
                return folder + "/" + name;
            }
        }
        if (exists(folder + "/.")) {
            throw new ConfigException(Problem.error(new Origin(path, 1, 1),
                    "this folder has neither weir.conf nor rspamd.conf"));
        }
        return path;
    }

    private boolean exists(String file) {
        try {
            return !files.realPath(file).isEmpty();
        } catch (IOException e) {
            return false;
        }
    }

    private UclSettings settings(String folder) {
        Installation installation = Installation.debian(folder, hostname, environment);
        for (Map.Entry<String, String> variable : variables.entrySet()) {
            installation = installation.with(variable.getKey(), variable.getValue());
        }
        return new UclSettings(installation.variables(), Optional.of(installation.template()), files, limits,
                SEPARATE);
    }

    private static String folder(String file) {
        int slash = file.lastIndexOf('/');
        return slash < 0 ? "." : slash == 0 ? "/" : file.substring(0, slash);
    }

    private static Configuration.Shape shape(String file, UclObject root) {
        String name = file.substring(file.lastIndexOf('/') + 1);
        if (root.present().keySet().stream().anyMatch(AT_THE_TOP::contains)) {
            return name.equals("rspamd.conf") ? Configuration.Shape.RSPAMD_TREE : Configuration.Shape.WHOLE_FILE;
        }
        if (name.equals("fuzzy_check.conf") || !root.values("rule").isEmpty()) {
            return Configuration.Shape.INSIDE_OF_FUZZY_CHECK;
        }
        if (name.equals("rspamd.conf")) {
            return Configuration.Shape.RSPAMD_TREE;
        }
        if (name.equals("worker-controller.inc")) {
            return Configuration.Shape.INSIDE_OF_CONTROLLER;
        }
        if (name.equals("fuzzy_group.conf")) {
            return Configuration.Shape.INSIDE_OF_FUZZY_GROUP;
        }
        return name.equals("weir.conf") ? Configuration.Shape.WHOLE_FILE : Configuration.Shape.INSIDE_OF_WORKER;
    }

    private static UclObject whole(Configuration.Shape shape, UclObject root) {
        return switch (shape) {
            case RSPAMD_TREE, WHOLE_FILE -> root;
            case INSIDE_OF_WORKER -> UclObject.of("worker", UclObject.of("fuzzy", root));
            case INSIDE_OF_CONTROLLER -> UclObject.of("worker", UclObject.of("controller", root));
            case INSIDE_OF_FUZZY_GROUP -> UclObject.of("group", UclObject.of("fuzzy", root));
            case INSIDE_OF_FUZZY_CHECK -> UclObject.of("fuzzy_check", root);
        };
    }
}
