package dev.weir.cli.serve;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import dev.weir.cli.config.ConfigFile;
import dev.weir.cli.logging.LogFormat;
import dev.weir.cli.logging.LogLevels;
import dev.weir.cli.option.DataOption;
import dev.weir.cli.option.HasherOptions;
import dev.weir.cli.option.MirrorConverter;
import dev.weir.cli.option.NetworkConverter;
import dev.weir.cli.option.TimeConverter;
import dev.weir.cli.option.VariablesOption;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import dev.weir.hash.MailHasher;
import dev.weir.http.controller.Actions;
import dev.weir.http.settings.HttpSettings;
import dev.weir.milter.settings.MilterSettings;
import dev.weir.model.Network;
import dev.weir.os.OwnerOnly;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.storage.DataFolder;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.server.Bind;
import dev.weir.storage.server.Listen;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.stream.StreamLimits;
import dev.weir.trap.settings.TrapSettings;
import dev.weir.wire.key.KeyFile;
import dev.weir.wire.key.KeyFileException;
import dev.weir.wire.key.KeyPair;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir serve}: a command that runs a storage in the foreground. */
@Command(name = "serve", mixinStandardHelpOptions = true, description = {
    "Runs a fuzzy storage until SIGTERM or Ctrl-C.",
    "Prints one line each for the storage, HTTP, the milter and traps when all sockets listen. An acknowledged "
            + "update is on disk."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:stopped by a signal; every accepted update is stored; or a configuration switches the storage off",
            "2:the command line is wrong",
            "3:a key file, the configuration or the languages folder is invalid or cannot be read",
            "6:the storage could not start or continue, an address is in use, or another weir is using the "
                    + "data folder"})
public final class ServeCommand implements Callable<Integer> {
    private static final long MIB = 1 << 20;
    /** The options that may be combined with a configuration. */
    private static final List<String> FREE = List.of("--config", "--var", "--data", "--control", "--http", "--no-http",
            "--drain", "--log-level", "--log-format", "--languages", "--hash-time");

    private final Terminal terminal;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private DataOption data = new DataOption();

    @Mixin
    private HttpOptions http = new HttpOptions();

    @Mixin
    private HasherOptions hasherOptions = new HasherOptions();

    @Option(names = "--bind", paramLabel = "PLACE", converter = BindConverter.class,
            description = "Address to listen on: HOST:PORT or *:PORT (UDP and TCP; port 0 picks a free one), or the "
                    + "path of a Unix-domain socket; repeatable (default: 127.0.0.1:11335).")
    private List<Bind> binds = List.of();

    @Option(names = "--tcp-timeout", paramLabel = "TIME", converter = TimeConverter.class,
            description = "Close connections that stay idle, leave a frame unfinished, or stop reading for this long "
                    + "(default: 5s).")
    private Duration tcpTimeout = StreamLimits.DEFAULT_IDLE;

    @Option(names = "--max-connections", paramLabel = "N",
            description = "Maximum number of open connections (default: 4096).")
    private int maxConnections = StreamLimits.DEFAULT.connections();

    @Option(names = "--allow-update", paramLabel = "NET", split = ",", converter = NetworkConverter.class,
            description = "Addresses and networks that may learn and forget (default: local users if bound to "
                    + "loopback, else none).")
    private @Nullable List<Network> allowUpdate;

    @Option(names = "--keypair", paramLabel = "FILE",
            description = "Key pair for encrypted requests, as printed by weir keypair; repeatable, the last one is "
                    + "the default.")
    private List<Path> keyFiles = List.of();

    @Option(names = "--encrypted-only", description = "Reject requests that are not encrypted.")
    private boolean encryptedOnly;

    @Option(names = "--expire", paramLabel = "TIME", converter = TimeConverter.class,
            description = "Remove hashes that neither changed nor were renewed for this long, such as 90d, 12h, 30m, "
                    + "45s; 0 keeps all (default: 90d).")
    private Duration expire = StorageConfig.DEFAULT_EXPIRE;

    @Option(names = {"-c",
        "--config"}, paramLabel = "PATH",
            description = "Read the settings from a configuration: /etc/rspamd, a worker-fuzzy.inc, or a weir.conf "
                    + "(see weir config check); only --data, --control, --http, --no-http, --drain, --log-level, "
                    + "--log-format, --languages, --hash-time and --var go with it.")
    private @Nullable String configuration;

    @Mixin
    private VariablesOption variables = new VariablesOption();

    @Option(names = "--control", paramLabel = "PATH",
            description = "Unix-domain socket for weir control and rspamadm control, or \"none\" (default: "
                    + "control.sock in the data folder, and control_socket of the options of a configuration).")
    private @Nullable String control;

    @Option(names = "--sync", paramLabel = "TIME", converter = TimeConverter.class,
            description = "Interval between transactions of the mirror; the update log is always ahead (default: 5s).")
    private Duration sync = StorageConfig.DEFAULT_SYNC;

    @Option(names = "--workers", paramLabel = "N",
            description = "Number of threads that receive and answer (default: all processors but one).")
    private int workers = StorageConfig.defaultWorkers();

    @Option(names = "--ack", paramLabel = "WHEN",
            description = "When to acknowledge an update: durable, after syncing to disk; queued, before syncing, so "
                    + "that a crash of the machine may lose the last second (default: durable).")
    private Acknowledge acknowledge = Acknowledge.DURABLE;

    @Option(names = "--backend", paramLabel = "KIND",
            description = "Who can read the hashes: sqlite, Rspamd as well, in the database fuzzy.db of the folder, "
                    + "which follows the store; or store, Weir alone (default: sqlite). Either takes over a "
                    + "database of the folder.")
    private BackendKind backend = BackendKind.SQLITE;

    @Option(names = "--mirror", paramLabel = "sqlite:FILE", converter = MirrorConverter.class,
            description = "Another database that follows the store, for Rspamd and other programs; with --backend "
                    + "store.")
    private @Nullable Path mirror;

    @Option(names = "--max-log", paramLabel = "MIB",
            description = "Maximum size of the update log in MiB; beyond it, updates are rejected until the store "
                    + "catches up, and a mirror that is behind is built again (default: 4096, at least 64).")
    private int maxLog = (int) (LogLimits.DEFAULT.maxBytes() / MIB);

    @Option(names = "--drain",
            description = "On stop, wait until fuzzy.db or the mirror has every update, so that Rspamd can take over "
                    + "(default: wait 20 seconds; the log keeps the rest for the next start).")
    private boolean drain;

    @Option(names = "--log-level", paramLabel = "LEVEL|PART=LEVEL", split = ",", converter = LogLevels.Converter.class,
            description = "Detail of the program's log: off, error, warn, info, debug or trace, for all parts or for "
                    + "one of storage, http, milter, trap, scan, config, hash, lua, net, cli; scans=info logs a line "
                    + "for each scanned mail, traps=info for each mail of a trap (default: info, scans=off, "
                    + "traps=off).")
    private List<LogLevels.Setting> logLevels = List.of();

    @Option(names = "--log-format", paramLabel = "FORMAT",
            description = "Form of the program's log: text or json on standard error, or journal for systemd's journal "
                    + "with the fields PRIORITY, LOGGER, THREAD and EXCEPTION (default: text).")
    private LogFormat logFormat = LogFormat.TEXT;

    public ServeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        LogLevels.use(logLevels);
        logFormat.use();
        if (configuration == null) {
            variables.refuseAlone();
        }
        // This comes before any file or socket is opened, because an unreadable folder ends the command.
        CompletableFuture<MailHasher> hasher = hasherOptions.loading();
        Optional<StorageProcess.Plan> plan = configuration == null
                ? Optional.of(plan(config(), hasher, Optional.of(HttpSettings.local(Actions.DEFAULT)), false,
                        Optional.empty(),
                        Optional.empty(), Optional.empty(), Optional.empty()))
                : configured(configuration, hasher);
        if (plan.isEmpty()) {
            terminal.out().println("weir: " + configuration + " switches the storage off: nothing to serve");
            return ExitCode.OK;
        }
        StorageProcess process = new StorageProcess(terminal, plan.get());
        Optional<Integer> status = process.run();
        while (status.isEmpty()) {
            process = new StorageProcess(terminal, process.next());
            status = process.run();
        }
        return status.get();
    }

    /**
     * Returns what to run.
     *
     * @param usual the settings of HTTP, which the command line may override; empty for no HTTP
     * @param asked whether the configuration enables HTTP
     */
    private StorageProcess.Plan plan(StorageConfig config, CompletableFuture<MailHasher> hasher,
            Optional<HttpSettings> usual, boolean asked, Optional<MilterSettings> milter, Optional<TrapSettings> traps,
            Optional<FuzzyCheckSettings> rules,
            Optional<StorageProcess.Reload> reload) {
        Optional<StorageProcess.Http> side = http.isOff() || (usual.isEmpty() && !http.isExplicit())
                ? Optional.empty()
                : Optional.of(usual.orElseGet(() -> HttpSettings.local(Actions.DEFAULT)))
                        .map(settings -> new StorageProcess.Http(
                                settings.withBinds(http.placesOr(settings.binds())), asked || http.isExplicit(),
                                http.isExplicit()));
        return new StorageProcess.Plan(config, hasher, side, milter, traps, rules,
                controls(config, reload.flatMap(with -> with.file().controlSocket())),
                reload, drain);
    }

    /** Returns the control sockets: the chosen one, or that of the data folder and that of the configuration. */
    private List<StorageProcess.Control> controls(StorageConfig config, Optional<Bind.Unix> configured) {
        if (control != null) {
            return control.equals("none")
                    ? List.of()
                    : List.of(new StorageProcess.Control(new Bind.Unix(Path.of(control), Bind.Unix.OWN_USER), true));
        }
        Bind.Unix usual = new Bind.Unix(config.dataDir().resolve(DataFolder.CONTROL_SOCKET), Bind.Unix.OWN_USER);
        return Stream.concat(Stream.of(usual), configured.filter(other -> !other.path().equals(usual.path())).stream())
                .map(place -> new StorageProcess.Control(place, false)).toList();
    }

    private int workers() {
        if (workers < 1 || workers > StorageConfig.MAX_WORKERS) {
            throw new FailedException(ExitCode.USAGE,
                    "--workers " + workers + " is not between 1 and " + StorageConfig.MAX_WORKERS);
        }
        return workers;
    }

    /** Returns what a configuration says to run; empty if it switches the storage off. */
    private Optional<StorageProcess.Plan> configured(String path, CompletableFuture<MailHasher> hasher) {
        List<String> others = spec.commandLine().getParseResult().matchedOptions().stream()
                .map(OptionSpec::longestName).filter(name -> !FREE.contains(name))
                .toList();
        if (!others.isEmpty()) {
            throw new FailedException(ExitCode.USAGE,
                    "with --config, the settings come from the configuration; leave out "
                            + String.join(", ", others));
        }
        return configured(path, ConfigFile.read(path, variables.values(), data.unnamed()), hasher);
    }

    private Optional<StorageProcess.Plan> configured(String path, ConfigFile file,
            CompletableFuture<MailHasher> hasher) {
        Optional<StorageConfig> config = file.storage();
        Optional<HttpSettings> side = http.isOff()
                ? Optional.empty()
                : file.http(http::placesOr);
        Optional<MilterSettings> milter = file.milter();
        Optional<TrapSettings> traps = file.traps();
        Optional<FuzzyCheckSettings> rules = http.isOff() && milter.isEmpty() && traps.isEmpty()
                ? Optional.empty()
                : file.rules();
        file.problems().forEach(problem -> terminal.err().println("weir: " + problem));
        if (file.hasErrors() && file.refuseLists()) {
            return configured(path, file.rereadWithoutFetching(path, variables.values()), hasher);
        }
        if (file.hasErrors()) {
            throw new FailedException(ExitCode.INPUT, path + " cannot be used");
        }
        file.acceptLists();
        return config.map(storage -> plan(storage, hasher, side, file.hasHttp(), milter, traps, rules,
                Optional.of(new StorageProcess.Reload(path, variables.values(), file))));
    }

    private StorageConfig config() {
        if (encryptedOnly && keyFiles.isEmpty()) {
            throw new FailedException(ExitCode.USAGE,
                    "--encrypted-only requires --keypair: without a key pair, every request would be rejected");
        }
        StorageConfig config = StorageConfig.of(data.folder())
                .withKeyPairs(keyPairs())
                .withEncryptedOnly(encryptedOnly)
                .withExpire(expire)
                .withSync(sync)
                .withWorkers(workers())
                .withBackend(backend)
                .withAcknowledge(acknowledge)
                .withLog(limits());
        if (mirror != null) {
            if (backend != BackendKind.STORE) {
                throw new ParameterException(spec.commandLine(), "--mirror needs --backend store");
            }
            config = config.withMirror(mirror);
        }
        config = config.withListen(listen(config.listen()));
        if (allowUpdate != null) {
            return config.withAllowUpdate(allowUpdate);
        }
        if (config.listen().binds().stream().allMatch(ServeCommand::isLocal)) {
            terminal.err().println("weir: no --allow-update given: every local user may learn and forget");
            return config.withAllowUpdate(StorageConfig.loopback());
        }
        terminal.err().println("weir: no --allow-update given: updates are rejected");
        return config;
    }

    private Listen listen(Listen usual) {
        if (tcpTimeout.isZero() || maxConnections < 1) {
            throw new FailedException(ExitCode.USAGE, "--tcp-timeout and --max-connections must be positive");
        }
        StreamLimits limits = StreamLimits.DEFAULT.withTimeout(tcpTimeout)
                .withConnections(maxConnections, StreamLimits.DEFAULT.perAddress());
        try {
            return new Listen(binds.isEmpty() ? usual.binds() : binds, limits);
        } catch (IllegalArgumentException e) {
            throw new FailedException(ExitCode.USAGE, "--bind: " + e.getMessage());
        }
    }

    /** Returns whether only this machine can reach the address. */
    static boolean isLocal(Bind bind) {
        return switch (bind) {
            case Bind.Inet(InetSocketAddress address) -> address.getAddress().isLoopbackAddress();
            case Bind.Unix _ -> true;
        };
    }

    private LogLimits limits() {
        LogLimits usual = LogLimits.DEFAULT;
        long most = maxLog * MIB;
        long least = 2L * usual.segmentBytes();
        if (most < least) {
            throw new FailedException(ExitCode.USAGE,
                    "--max-log " + maxLog + " is too small: the minimum is " + least / MIB);
        }
        return usual.withMost(most);
    }

    private List<KeyPair> keyPairs() {
        List<KeyPair> pairs = new ArrayList<>();
        for (Path file : keyFiles) {
            KeyPair pair;
            try {
                if (Files.size(file) > KeyFile.MAX_LENGTH) {
                    throw new FailedException(ExitCode.INPUT, file + ": too large for a key file");
                }
                pair = KeyFile.parse(Files.readString(file));
                if (OwnerOnly.othersMayRead(file)) {
                    terminal.err().println("weir: every local user can read the key file " + file
                            + ": chmod o-r is advised");
                }
            } catch (IOException e) {
                throw new FailedException(ExitCode.INPUT, file + ": cannot be read: " + Reports.reason(e));
            } catch (KeyFileException e) {
                throw new FailedException(ExitCode.INPUT, file + ": " + e.getMessage());
            }
            if (!pair.consistent()) {
                throw new FailedException(ExitCode.INPUT,
                        file + ": the public key does not match the private key");
            }
            pairs.add(pair);
        }
        return pairs;
    }
}
