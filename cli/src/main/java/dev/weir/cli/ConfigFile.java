package dev.weir.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.weir.config.Configuration;
import dev.weir.config.ConfigurationLoader;
import dev.weir.config.option.Problems;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.source.Problem;
import dev.weir.config.source.SourceFiles;
import dev.weir.config.ucl.UclSettings;
import dev.weir.http.settings.ControllerSettings;
import dev.weir.http.settings.HttpSettings;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.settings.WorkerSettings;

/** A configuration of the storage that was read from files, with all that is wrong with it. */
final class ConfigFile {
    private final DiskFiles files = new DiskFiles();
    private final Problems problems = new Problems();
    private final Set<String> maps = new LinkedHashSet<>();
    private final Optional<Configuration> configuration;

    private ConfigFile(String path, Map<String, String> variables) {
        this.configuration = load(path, variables);
    }

    private ConfigFile(Optional<Configuration> configuration) {
        this.configuration = configuration;
    }

    /** The same files as they were read, to look at the lists anew. */
    ConfigFile again() {
        return new ConfigFile(configuration);
    }

    /** Lists in files of their own that were read or tried to be read for what was asked of this. */
    List<String> maps() {
        return List.copyOf(maps);
    }

    /** The files of the machine, and a note of which were asked for. */
    private final class NotedFiles implements SourceFiles {
        @Override
        public byte[] read(String path, int limit) throws IOException {
            maps.add(path);
            return files.read(path, limit);
        }

        @Override
        public String realPath(String path) throws IOException {
            return files.realPath(path);
        }

        @Override
        public List<String> glob(String pattern, int limit) throws IOException {
            return files.glob(pattern, limit);
        }
    }

    /** Reads what a path means; what is wrong is in {@link #problems}. */
    static ConfigFile read(String path, Map<String, String> variables) {
        return new ConfigFile(path, variables);
    }

    private Optional<Configuration> load(String path, Map<String, String> variables) {
        try {
            final Configuration loaded = new ConfigurationLoader(files, hostName(), System.getenv(), variables,
                    UclSettings.PLAIN.limits()).load(path);
            loaded.warnings().forEach(problems::add);
            return Optional.of(loaded);
        } catch (final ConfigException e) {
            e.problems().forEach(problems::add);
            return Optional.empty();
        }
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (final UnknownHostException e) {
            return "localhost";
        }
    }

    /** The files as they are merged; nothing if they cannot be read. */
    Optional<Configuration> configuration() {
        return configuration;
    }

    /** What they say about the storage; nothing if that has no sense. Not to be used while there are errors. */
    Optional<StorageConfig> storage() {
        return configuration.flatMap(loaded -> WorkerSettings.read(loaded, new NotedFiles(), problems));
    }

    /** What they say about HTTP, the usual if nothing; nothing if it is switched off. */
    Optional<HttpSettings> http() {
        return hasHttp() ? controller() : Optional.of(HttpSettings.local());
    }

    /** What {@code worker "controller"} says; nothing if there is none, or it is switched off. */
    Optional<HttpSettings> controller() {
        return configuration.flatMap(loaded -> ControllerSettings.read(loaded, new NotedFiles(), problems));
    }

    /** Whether they say anything about HTTP. */
    private boolean hasHttp() {
        return configuration.filter(loaded -> !loaded.workers("controller").isEmpty()).isPresent();
    }

    /** Whether they have rules and say nothing about a storage, as a {@code fuzzy_check.conf} does. */
    boolean isForScannersOnly() {
        return hasRules() && configuration.orElseThrow().workers("fuzzy").isEmpty();
    }

    private boolean hasRules() {
        return configuration.filter(loaded -> !loaded.sections("fuzzy_check").isEmpty()).isPresent();
    }

    /** The rules; nothing if there is no {@code fuzzy_check}. */
    Optional<FuzzyCheckSettings> rules() {
        return configuration.filter(_ -> hasRules())
                .flatMap(loaded -> FuzzyCheckSettings.read(loaded, new NotedFiles(), problems));
    }

    /** What was found wrong up to now, in order. */
    List<Problem> problems() {
        return problems.all();
    }

    /** Whether anything of that is more than a warning. */
    boolean hasErrors() {
        return problems.hasErrors();
    }
}
