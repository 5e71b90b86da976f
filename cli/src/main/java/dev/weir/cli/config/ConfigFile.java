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

/** A configuration from files, with the problems found in it. */
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

    /** Reads the path again. The data folder of the command line stays the same. */
    public ConfigFile reread(String path, Map<String, String> variables) {
        return new ConfigFile(path, variables, data);
    }

    /** Returns a configuration of the same parsed files that reads its lists again. */
    public ConfigFile again() {
        return new ConfigFile(configuration, data);
    }

    /** Returns the separate files of lists that this has read or tried to read so far. */
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

    /** Reads the configuration at a path, with a data folder that the command line may give. */
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

    /** Returns the merged files without their faulty parts; empty if they cannot be read. */
    Optional<Configuration> configuration() {
        return configuration;
    }

    /** Returns the settings of the storage; empty if they are invalid. Do not use them if there are errors. */
    public Optional<StorageConfig> storage() {
        return configuration.flatMap(loaded -> WorkerSettings.read(loaded, new NotedFiles(), data, problems));
    }

    /**
     * Returns the settings of HTTP, or the default settings if the files have none; empty if HTTP is disabled.
     *
     * @param listening maps the configured addresses to the addresses that the rules must fit
     */
    public Optional<HttpSettings> http(UnaryOperator<List<SocketAddress>> listening) {
        return hasHttp() ? controller(listening) : Optional.of(HttpSettings.local());
    }

    /** Returns the settings of {@code worker "controller"}; empty if it is absent or disabled. */
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

    /** Returns whether the files have rules but no storage, like a {@code fuzzy_check.conf}. */
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
