package dev.weir.cli.config;

import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

import dev.weir.cli.option.DataOption;
import dev.weir.config.Configuration;
import dev.weir.config.ConfigurationLoader;
import dev.weir.config.option.Problems;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.source.Problem;
import dev.weir.config.source.SourceFiles;
import dev.weir.config.ucl.UclSettings;
import dev.weir.http.settings.ControllerSettings;
import dev.weir.http.settings.HttpSettings;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.settings.WorkerSettings;
import dev.weir.storage.settings.WorkerSettings.UnnamedFolder;

/** A configuration from files, with its problems. */
public final class ConfigFile {
    private final DiskFiles files = new DiskFiles();
    private final Problems problems = new Problems();
    private final Set<String> maps = new LinkedHashSet<>();
    private final UnnamedFolder data;
    private final Optional<Configuration> configuration;

    private ConfigFile(String path, Map<String, String> variables, UnnamedFolder data) {
        this.data = data;
        this.configuration = load(path, variables);
    }

    private ConfigFile(Optional<Configuration> configuration, UnnamedFolder data) {
        this.data = data;
        this.configuration = configuration;
    }

    /** Reads the path again, with the folder of this configuration. */
    public ConfigFile reread(String path, Map<String, String> variables) {
        return new ConfigFile(path, variables, data);
    }

    /** Returns the same files as they were read, to read the lists again. */
    public ConfigFile again() {
        return new ConfigFile(configuration, data);
    }

    /** Lists in files of their own that were read or tried to be read for what was asked of this. */
    public List<String> maps() {
        return List.copyOf(maps);
    }

    /** The files of the machine; it records every requested file. */
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

    /** Reads the configuration at a path. {@link #problems} returns its problems. */
    public static ConfigFile read(String path, Map<String, String> variables) {
        return read(path, variables, new DataOption().unnamed());
    }

    /** Returns the same, where the command line may name the folder of the storage. */
    public static ConfigFile read(String path, Map<String, String> variables, UnnamedFolder data) {
        return new ConfigFile(path, variables, data);
    }

    private Optional<Configuration> load(String path, Map<String, String> variables) {
        return new ConfigurationLoader(files, hostName(), System.getenv(), variables, UclSettings.PLAIN.limits())
                .loadSound(path, problems);
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    /** Returns the files as they are merged, without what is faulty; nothing if they cannot be read. */
    Optional<Configuration> configuration() {
        return configuration;
    }

    /** What they say about the storage; nothing if that has no sense. Not to be used while there are errors. */
    public Optional<StorageConfig> storage() {
        return configuration.flatMap(loaded -> WorkerSettings.read(loaded, new NotedFiles(), data, problems));
    }

    /**
     * What they say about HTTP, the usual if nothing; nothing if it is switched off.
     *
     * @param listening makes of the addresses they say those that their rules must fit
     */
    public Optional<HttpSettings> http(UnaryOperator<List<SocketAddress>> listening) {
        return hasHttp() ? controller(listening) : Optional.of(HttpSettings.local());
    }

    /** What {@code worker "controller"} says; nothing if it is absent or switched off. */
    Optional<HttpSettings> controller() {
        return controller(UnaryOperator.identity());
    }

    private Optional<HttpSettings> controller(UnaryOperator<List<SocketAddress>> listening) {
        return configuration
                .flatMap(loaded -> ControllerSettings.read(loaded, new NotedFiles(), listening, problems));
    }

    /** Returns whether the files configure HTTP. */
    public boolean hasHttp() {
        return configuration.filter(loaded -> !loaded.workers("controller").isEmpty()).isPresent();
    }

    /** Returns whether they have rules and say nothing about a storage, as a {@code fuzzy_check.conf} does. */
    boolean isForScannersOnly() {
        return hasRules() && configuration.orElseThrow().workers("fuzzy").isEmpty();
    }

    private boolean hasRules() {
        return configuration.filter(loaded -> !loaded.sections("fuzzy_check").isEmpty()).isPresent();
    }

    /** Returns the rules; empty without {@code fuzzy_check}. */
    public Optional<FuzzyCheckSettings> rules() {
        return configuration.filter(_ -> hasRules())
                .flatMap(loaded -> FuzzyCheckSettings.read(loaded, new NotedFiles(), problems));
    }

    /** Returns the problems found so far, in order. */
    public List<Problem> problems() {
        return problems.all();
    }

    /** Returns whether any problem is an error. */
    public boolean hasErrors() {
        return problems.hasErrors();
    }
}
