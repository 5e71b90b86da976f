package dev.weir.cli.config;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

import dev.weir.cli.option.DataOption;
import dev.weir.config.Configuration;
import dev.weir.config.ConfigurationLoader;
import dev.weir.config.map.MapAddress;
import dev.weir.config.option.OptionPlaces;
import dev.weir.config.option.Problems;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.source.Problem;
import dev.weir.config.source.SourceFiles;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;
import dev.weir.config.ucl.UclString;
import dev.weir.config.ucl.UclValue;
import dev.weir.http.controller.Actions;
import dev.weir.http.settings.ActionSettings;
import dev.weir.http.settings.ControllerSettings;
import dev.weir.http.settings.HttpSettings;
import dev.weir.milter.settings.MilterReader;
import dev.weir.milter.settings.MilterSettings;
import dev.weir.net.UnixPlace;
import dev.weir.os.HostName;
import dev.weir.os.RegularFile;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.storage.server.Bind;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.settings.BindAddress;
import dev.weir.storage.settings.WorkerSettings;
import dev.weir.storage.settings.WorkerSettings.UnnamedFolder;
import dev.weir.trap.settings.TrapReader;
import dev.weir.trap.settings.TrapSettings;

/** A configuration from files, with the problems found in it. */
public final class ConfigFile {
    /** The sections that Weir reads at the top level, and the workers. */
    private static final Set<String> SECTIONS = Set.of("fuzzy_check", "group", "metric", "symbols", "options",
            "actions", "redis");
    private static final Set<String> WORKERS = Set.of("fuzzy", "controller", "milter", "trap");

    /** The maximum size of a list from a web server, in bytes. */
    private static final int LARGEST_LIST = 64 << 20;

    private final DiskFiles files = new DiskFiles(file -> Channels.newInputStream(RegularFile.openNamed(file)));
    private final Problems problems = new Problems();
    /** The separate files of lists, each with its state before it was read. */
    private final Map<String, String> maps = new LinkedHashMap<>();
    /** The lists from web servers, by the names that problems give them. */
    private final Map<String, MapAddress> fetched = new HashMap<>();
    /** The lists that were there at any reading of this process. */
    private final Set<String> appeared;
    private final UnnamedFolder data;
    private final RemoteMaps remote;
    private final Optional<Configuration> configuration;

    private ConfigFile(String path, Map<String, String> variables, UnnamedFolder data, RemoteMaps remote,
            Set<String> appeared) {
        this.appeared = appeared;
        this.data = data;
        this.remote = remote;
        this.configuration = load(path, variables);
    }

    private ConfigFile(Optional<Configuration> configuration, UnnamedFolder data, RemoteMaps remote,
            Set<String> appeared) {
        this.appeared = appeared;
        this.data = data;
        this.remote = remote;
        this.configuration = configuration;
    }

    private static RemoteMaps remoteMaps() {
        return new RemoteMaps(RemoteMaps.usualFolder(System.getenv()), LARGEST_LIST);
    }

    /** Reads the path again. The data folder of the command line stays the same. */
    public ConfigFile reread(String path, Map<String, String> variables) {
        return new ConfigFile(path, variables, data, remote.restarted(), appeared);
    }

    /** Reads the path again, with the lists from web servers that are there now. */
    public ConfigFile rereadWithoutFetching(String path, Map<String, String> variables) {
        return new ConfigFile(path, variables, data, remote, appeared);
    }

    /** Returns a configuration of the same parsed files that reads its lists again. */
    public ConfigFile again() {
        return new ConfigFile(configuration, data, remote, appeared);
    }

    /** Returns the separate files of lists that this has read or tried to read so far. */
    public List<String> maps() {
        return List.copyOf(maps.keySet());
    }

    /**
     * Returns the state of each of these files before this read it for the first time. Another one of
     * {@link #statesNow} shows that the file has changed since, also if it changed while it was read.
     */
    public Map<String, String> statesRead() {
        return Map.copyOf(maps);
    }

    /** Returns the state of each of these files now. */
    public Map<String, String> statesNow() {
        Map<String, String> states = new HashMap<>();
        maps.keySet().forEach(file -> states.put(file, state(file)));
        return states;
    }

    private static String state(String file) {
        try {
            return Files.readAttributes(Path.of(file), "unix:lastModifiedTime,size,ino").toString();
        } catch (IOException | InvalidPathException e) {
            return "unreadable";
        }
    }

    /** The files of the machine; it records every requested file. */
    private final class NotedFiles implements SourceFiles {
        @Override
        public byte[] read(String path, int limit) throws IOException {
            Optional<MapAddress> address = MapAddress.parse(path).filter(list -> list.isRemote() || list.signed());
            if (address.isEmpty()) {
                return noted(path, limit);
            }
            List<byte[]> keys = signers(address.get());
            String file = address.get().location();
            if (address.get().isRemote()) {
                fetched.put(path, address.get());
                file = remote.file(address.get(), keys).toString();
            }
            byte[] content = noted(file, limit);
            if (address.get().signed()) {
                MapSignatures.verify(content, noted(MapSignatures.of(file), MapSignatures.BYTES), keys);
            }
            return content;
        }

        private byte[] noted(String file, int limit) throws IOException {
            maps.computeIfAbsent(file, ConfigFile::state);
            try {
                byte[] content = files.read(file, limit);
                appeared.add(file);
                return content;
            } catch (NoSuchFileException e) {
                if (appeared.contains(file)) {
                    // An editor may be replacing it, and an empty list of networks would admit or refuse too much.
                    throw new IOException("the file has vanished; restart weir serve if it is no longer needed", e);
                }
                throw e;
            }
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
        return new ConfigFile(path, variables, data, remoteMaps(), new HashSet<>());
    }

    /** Reads the configuration at a path, with lists from web servers in a chosen folder. */
    static ConfigFile read(String path, Map<String, String> variables, RemoteMaps remote) {
        return new ConfigFile(path, variables, new DataOption().unnamed(), remote, new HashSet<>());
    }

    /** Fetches the lists from web servers again, which may take seconds for each. Their files show what changed. */
    public void refreshLists() {
        remote.refresh();
    }

    /** Records that this configuration is in use, with its lists from web servers as they are. */
    public void acceptLists() {
        remote.accept();
    }

    /**
     * Puts the content before in place of each list from a web server that has an error, unless it was in use already.
     *
     * @return whether a list has another content now, so that the configuration is to be read again
     */
    public boolean refuseLists() {
        Map<MapAddress, Problem> errors = new LinkedHashMap<>();
        for (Problem problem : problems.all()) {
            MapAddress list = fetched.get(problem.origin().file());
            if (list != null && problem.severity() == Problem.Severity.ERROR) {
                errors.putIfAbsent(list, problem);
            }
        }
        boolean refused = false;
        for (Map.Entry<MapAddress, Problem> error : errors.entrySet()) {
            refused |= remote.refuse(error.getKey(), error.getValue().toString());
        }
        return refused;
    }

    private Optional<Configuration> load(String path, Map<String, String> variables) {
        return new ConfigurationLoader(files, HostName.get(), System.getenv(), variables, UclSettings.PLAIN.limits())
                .loadSound(path, problems);
    }

    /** Returns the merged files without their faulty parts; empty if they cannot be read. */
    public Optional<Configuration> configuration() {
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
        return hasHttp() ? controller(listening) : Optional.of(usualHttp());
    }

    /** Returns the settings of HTTP where no {@code worker "controller"} has any. */
    private HttpSettings usualHttp() {
        return HttpSettings.local(configuration.map(loaded -> ActionSettings.read(loaded, problems))
                .orElse(Actions.DEFAULT));
    }

    /** Returns the settings of {@code worker "controller"}; empty if it is absent or disabled. */
    Optional<HttpSettings> controller() {
        return controller(UnaryOperator.identity());
    }

    private Optional<HttpSettings> controller(UnaryOperator<List<SocketAddress>> listening) {
        return configuration
                .flatMap(loaded -> ControllerSettings.read(loaded, new NotedFiles(), listening, problems));
    }

    /** Returns the settings of {@code worker "milter"}; empty if it is absent or disabled. */
    public Optional<MilterSettings> milter() {
        return configuration.flatMap(loaded -> MilterReader.read(loaded, new NotedFiles(), problems));
    }

    /** Returns the settings of {@code worker "trap"}; empty if it is absent or disabled. */
    public Optional<TrapSettings> traps() {
        return configuration.flatMap(loaded -> TrapReader.read(loaded, new NotedFiles(), problems));
    }

    /**
     * Returns {@code control_socket} of the section {@code options}, where Rspamd's own tools look for the socket;
     * empty if the files do not name one. A value that is no path adds a warning, and an unknown user or group an
     * error.
     */
    public Optional<Bind.Unix> controlSocket() {
        for (UclObject options : configuration.map(loaded -> loaded.sections("options")).orElse(List.of())) {
            for (UclValue value : options.values("control_socket")) {
                if (!(value instanceof UclString text) || !UnixPlace.isPath(text.text().strip())) {
                    problems.warning(value.origin(),
                            "\"control_socket\" of options is not the path of a socket, such as "
                                    + "\"/run/rspamd/rspamd.sock mode=0600\": only the data folder has a "
                                    + "control socket");
                    continue;
                }
                try {
                    if (BindAddress.parse(text.text()) instanceof Bind.Unix place) {
                        return Optional.of(place);
                    }
                } catch (IllegalArgumentException e) {
                    problems.error(value.origin(), "\"control_socket\" of options: " + e.getMessage());
                }
            }
        }
        return Optional.empty();
    }

    /** Returns the public keys that may sign a list. */
    private List<byte[]> signers(MapAddress list) throws IOException {
        if (!list.signed()) {
            return List.of();
        }
        if (list.key().isPresent()) {
            return List.of(MapSignatures.key(list.key().get())
                    .orElseThrow(() -> new IOException("its key is not a public key for signatures")));
        }
        List<byte[]> keys = new ArrayList<>();
        for (UclObject options : configuration.map(loaded -> loaded.sections("options")).orElse(List.of())) {
            for (UclValue value : options.items("trusted_keys")) {
                Optional<byte[]> key = value instanceof UclString text
                        ? MapSignatures.key(text.text())
                        : Optional.empty();
                key.ifPresentOrElse(keys::add, () -> problems.error(value.origin(),
                        "\"trusted_keys\" of options: expected public keys for signatures, as rspamadm keypair -s "
                                + "prints them"));
            }
        }
        return keys;
    }

    /** Returns whether the files configure HTTP. */
    public boolean hasHttp() {
        return configuration.filter(loaded -> !loaded.workers("controller").isEmpty()).isPresent();
    }

    /** Returns whether this is more than the inside of a section that {@code weir serve} cannot use alone. */
    boolean isWhole() {
        return configuration.map(Configuration::shape)
                .filter(shape -> shape == Configuration.Shape.INSIDE_OF_CONTROLLER
                        || shape == Configuration.Shape.INSIDE_OF_FUZZY_GROUP)
                .isEmpty();
    }

    /** Reads the inside of one section, for its problems only. */
    void fragment() {
        configuration.ifPresent(loaded -> {
            switch (loaded.shape()) {
                case INSIDE_OF_CONTROLLER -> controller();
                case INSIDE_OF_FUZZY_GROUP -> FuzzyCheckSettings.readGroup(loaded, new NotedFiles(), problems);
                case RSPAMD_TREE, WHOLE_FILE, INSIDE_OF_WORKER, INSIDE_OF_FUZZY_CHECK ->
                    throw new IllegalStateException("more than a fragment");
            }
        });
    }

    /** Returns the names of the top-level sections and workers that nothing reads, in the order of the files. */
    List<String> unread() {
        List<String> names = new ArrayList<>();
        configuration.map(Configuration::root).ifPresent(root -> root.present().forEach((key, _) -> {
            if (key.equals("worker")) {
                root.items(key).stream().filter(UclObject.class::isInstance).map(UclObject.class::cast)
                        .flatMap(worker -> worker.members().entrySet().stream())
                        .filter(worker -> !WORKERS.contains(worker.getKey())
                                && worker.getValue().getFirst() instanceof UclObject)
                        .forEach(worker -> names.add("worker \"" + worker.getKey() + "\""));
            } else if (!SECTIONS.contains(key)) {
                List<String> places = root.items(key).stream().anyMatch(UclObject.class::isInstance)
                        ? List.of()
                        : OptionPlaces.of(key);
                names.add(places.isEmpty() ? key : key + " (it belongs in " + String.join(" or ", places) + ")");
            }
        }));
        return names;
    }

    /** Returns whether the files have rules but no storage, like a {@code fuzzy_check.conf}. */
    boolean isForScannersOnly() {
        return hasRules() && !hasStorage();
    }

    /** Returns whether the files configure a storage. */
    public boolean hasStorage() {
        return configuration.filter(loaded -> !loaded.workers("fuzzy").isEmpty()).isPresent();
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
