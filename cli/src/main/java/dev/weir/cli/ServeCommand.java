package dev.weir.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;

import dev.weir.http.settings.HttpSettings;
import dev.weir.http.socket.ControlSocket;
import dev.weir.http.socket.StorageCommands;
import dev.weir.scan.StorageAddress;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.storage.StorageException;
import dev.weir.storage.access.Network;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.server.Bind;
import dev.weir.storage.server.Listen;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.server.StreamLimits;
import dev.weir.wire.KeyFile;
import dev.weir.wire.KeyFileException;
import dev.weir.wire.KeyPair;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code weir serve}: a storage in the foreground. */
@Command(name = "serve", mixinStandardHelpOptions = true, description = {
    "Runs a fuzzy storage until SIGTERM or Ctrl-C.",
    "Prints one line when it is ready; then everything acknowledged is on disk."}, exitCodeListHeading = "%nExit status:%n", exitCodeList = {
        "0:stopped by a signal, everything that was accepted is stored",
        "2:the command line is wrong",
        "3:a key file cannot be read",
        "6:the storage could not start or could not go on"})
final class ServeCommand implements Callable<Integer> {
    /** Name of the control socket in the folder of the storage. */
    static final String CONTROL_SOCKET = "control.sock";

    private static final long MIB = 1 << 20;
    /** Options that go together with a configuration. */
    private static final List<String> FREE = List.of("--config", "--var", "--control", "--http", "--no-http");

    private final Terminal terminal;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private DataOption data = new DataOption();

    @Mixin
    private HttpOptions http = new HttpOptions();

    private volatile @Nullable HttpSide httpSide;

    @Option(names = "--bind", paramLabel = "PLACE", converter = BindConverter.class, description = "Where to listen: HOST:PORT or *:PORT (UDP and TCP; port 0 takes a free one), or the path of a socket; "
            + "may be repeated (default: 127.0.0.1:11335).")
    private List<Bind> binds = List.of();

    @Option(names = "--tcp-timeout", paramLabel = "TIME", converter = TimeConverter.class, description = "Time after which a connection is closed that sends nothing, does not end what it began, or does not read (default: 5s).")
    private Duration tcpTimeout = StreamLimits.DEFAULT_IDLE;

    @Option(names = "--max-connections", paramLabel = "N", description = "Most connections at a time (default: 4096).")
    private int maxConnections = StreamLimits.DEFAULT.connections();

    @Option(names = "--allow-update", paramLabel = "NET", split = ",", converter = NetworkConverter.class, description = "Addresses and networks that may learn and forget "
            + "(default: this machine if bound to loopback, else nobody).")
    private @Nullable List<Network> allowUpdate;

    @Option(names = "--keypair", paramLabel = "FILE", description = "Key pair for encrypted requests, as weir keypair prints it; may be repeated, the last one is "
            + "the default.")
    private List<Path> keyFiles = List.of();

    @Option(names = "--encrypted-only", description = "Refuse requests that are not encrypted.")
    private boolean encryptedOnly;

    @Option(names = "--expire", paramLabel = "TIME", converter = TimeConverter.class, description = "Age after which hashes are forgotten, such as 90d, 12h, 30m, 45s; 0 keeps all (default: 90d).")
    private Duration expire = StorageConfig.DEFAULT_EXPIRE;

    @Option(names = {"-c",
        "--config"}, paramLabel = "PATH", description = "Take everything from a configuration instead of the other options: /etc/rspamd, a worker-fuzzy.inc, a weir.conf (see weir config check).")
    private @Nullable String configuration;

    @Option(names = "--var", paramLabel = "NAME=VALUE", description = "Value of a variable of the configuration, such as DBDIR=/srv/rspamd; may be repeated.")
    private Map<String, String> variables = new LinkedHashMap<>();

    @Option(names = "--control", paramLabel = "PATH", description = "Socket for weir control and rspamadm control; \"none\" for no such socket (default: control.sock in the folder of the storage).")
    private @Nullable String control;

    @Option(names = "--sync", paramLabel = "TIME", converter = TimeConverter.class, description = "Time between two transactions of the database, which follows the update log (default: 5s).")
    private Duration sync = StorageConfig.DEFAULT_SYNC;

    @Option(names = "--workers", paramLabel = "N", description = "Threads that receive and answer (default: all processors but one).")
    private int workers = StorageConfig.defaultWorkers();

    @Option(names = "--ack", paramLabel = "WHEN", description = "When a learn is acknowledged: durable, when it is on disk; queued, before, which loses the last second if the machine fails (default: durable).")
    private Acknowledge acknowledge = Acknowledge.DURABLE;

    @Option(names = "--max-log", paramLabel = "MIB", description = "Most MiB that the update log may take; beyond, learns are refused until the database has caught up (default: 4096, at least 128).")
    private int maxLog = (int) (LogLimits.DEFAULT.maxBytes() / MIB);

    ServeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        // Read by logback.xml; an operator wants to see more of a server than of a command.
        System.setProperty("weir.log.level", System.getProperty("weir.log.level", "INFO"));
        final @Nullable ConfigFile file = configuration == null
                ? null
                : ConfigFile.read(configuration, variables);
        final Plan plan = file == null
                ? new Plan(config(), Optional.of(HttpSettings.local()), Optional.empty())
                : configured(file);
        final StorageConfig config = plan.storage();
        final StorageServer server = new StorageServer(config);
        final Thread drain = new Thread(() -> drain(server), "weir-drain");
        // Before the start, so that no signal finds a storage that answers and does not drain.
        Runtime.getRuntime().addShutdownHook(drain);
        try {
            start(server);
            terminal.out().printf(Locale.ROOT, "weir: storage ready on %s, data in %s (%s)%n",
                    places(server, config.listen()), config.dataDir(),
                    Reports.count(server.stats().hashes(), "hash"));
            startHttp(plan, server);
            terminal.out().flush();
            serve(server, config, file);
            return ExitCode.OK;
        } catch (final StorageException e) {
            Runtime.getRuntime().removeShutdownHook(drain);
            throw new FailedException(ExitCode.SERVER, String.valueOf(e.getMessage()));
        } catch (final ExecutionException e) {
            Runtime.getRuntime().removeShutdownHook(drain);
            server.close();
            throw new FailedException(ExitCode.SERVER, "the storage stopped by itself: " + e.getCause());
        }
    }

    private void start(StorageServer server) throws StorageException {
        if (!terminal.interactive()) {
            server.start();
            return;
        }
        try (StartBar bar = new StartBar(terminal)) {
            server.start(bar);
        }
    }

    /** What is to be run. */
    private record Plan(StorageConfig storage, Optional<HttpSettings> http, Optional<FuzzyCheckSettings> rules) {}

    private void startHttp(Plan plan, StorageServer server) {
        if (http.isOff() || (plan.http().isEmpty() && !http.isExplicit())) {
            return;
        }
        final HttpSettings usual = plan.http().orElseGet(HttpSettings::local);
        final HttpSettings settings = usual.withBinds(http.placesOr(usual.binds()));
        final StorageConfig config = plan.storage();
        final Optional<FuzzyCheckSettings> rules = plan.rules().or(() -> HttpSide.ownRule(server, config));
        if (rules.isEmpty()) {
            terminal.err().println("weir: no HTTP: without fuzzy_check in a configuration the storage must listen on an"
                    + " address");
            return;
        }
        try {
            final HttpSide side = HttpSide.start(settings, rules.get(), server, config.dataDir());
            httpSide = side;
            terminal.out().println("weir: http ready on " + side.places());
        } catch (final IOException | IllegalArgumentException e) {
            if (http.isExplicit() || e instanceof IllegalArgumentException) {
                server.close();
                throw new FailedException(ExitCode.SERVER, String.valueOf(e.getMessage()));
            }
            // Most often Rspamd's own controller: the storage is what was asked for.
            terminal.err().println("weir: no HTTP: " + e.getMessage() + "; --http names another place");
        }
    }

    /** Until the storage stops, it can be asked and told to read its configuration again. */
    private void serve(StorageServer server, StorageConfig config, @Nullable ConfigFile file)
            throws StorageException, InterruptedException, ExecutionException {
        try (Reloader reloader = file == null
                ? null
                : new Reloader(server, config, http.isOff() ? Optional.empty() : Optional.of(reloadable()),
                        String.valueOf(configuration), variables, file);
                ControlSocket _ = control(server, config, reloader)) {
            if (reloader != null) {
                Hangup.handle(reloader::reload);
            }
            server.stopped().get();
        } catch (final IOException e) {
            throw new StorageException(String.valueOf(e.getMessage()), e);
        }
    }

    private Reloader.Http reloadable() {
        return new Reloader.Http(Optional.ofNullable(httpSide), http.isExplicit());
    }

    private @Nullable ControlSocket control(StorageServer server, StorageConfig config, @Nullable Reloader reloader)
            throws StorageException {
        if ("none".equals(control)) {
            return null;
        }
        final Path place = control == null ? config.dataDir().resolve(CONTROL_SOCKET) : Path.of(control);
        try {
            return ControlSocket.open(new Bind.Unix(place, Bind.Unix.OWN_USER),
                    StorageCommands.of(server, config, reloader == null
                            ? () -> new StorageCommands.Reloaded(false,
                                    List.of("the storage was started without a configuration file"))
                            : reloader::reload));
        } catch (final IOException e) {
            if (control == null) {
                // Such as a path that is too long for a socket: the storage is what was asked for.
                terminal.err().println("weir: no control socket at " + place + ": " + e.getMessage()
                        + "; --control names another place");
                return null;
            }
            throw new StorageException("the control socket " + place + " cannot be made (" + e.getMessage()
                    + "); --control says another place, or none", e);
        }
    }

    private static String places(StorageServer server, Listen listen) {
        final StringJoiner places = new StringJoiner(", ");
        for (final InetSocketAddress address : server.addresses()) {
            places.add(new StorageAddress(address.getAddress().getHostAddress(), address.getPort()).toString());
        }
        listen.binds().stream().filter(Bind.Unix.class::isInstance).forEach(bind -> places.add(bind.toString()));
        return places.toString();
    }

    /** What a signal starts: the end with status 0, where the JVM's own way out would be 128 and the signal's number. */
    private void drain(StorageServer server) {
        int status = ExitCode.SERVER;
        try {
            final HttpSide side = httpSide;
            if (side != null) {
                side.close();
            }
            server.close();
            status = ExitCode.OK;
        } finally {
            Runtime.getRuntime().halt(status);
        }
    }

    private int workers() {
        if (workers < 1 || workers > StorageConfig.MAX_WORKERS) {
            throw new FailedException(ExitCode.USAGE,
                    "--workers " + workers + ": between 1 and " + StorageConfig.MAX_WORKERS);
        }
        return workers;
    }

    private Plan configured(ConfigFile file) {
        final List<String> others = spec.commandLine().getParseResult().matchedOptions().stream()
                .map(OptionSpec::longestName).filter(name -> !FREE.contains(name))
                .toList();
        if (!others.isEmpty()) {
            throw new FailedException(ExitCode.USAGE,
                    "with --config everything comes from the configuration; leave out "
                            + String.join(", ", others));
        }
        final Optional<StorageConfig> config = file.storage();
        final Optional<HttpSettings> side = http.isOff()
                ? Optional.empty()
                : file.http();
        final Optional<FuzzyCheckSettings> rules = http.isOff() ? Optional.empty() : file.rules();
        file.problems().forEach(problem -> terminal.err().println("weir: " + problem));
        if (file.hasErrors() || config.isEmpty()) {
            throw new FailedException(ExitCode.INPUT, configuration + " cannot be used");
        }
        return new Plan(config.get(), side, rules);
    }

    private StorageConfig config() {
        if (encryptedOnly && keyFiles.isEmpty()) {
            throw new FailedException(ExitCode.USAGE,
                    "--encrypted-only needs a --keypair: without one nobody could ask anything");
        }
        StorageConfig config = StorageConfig.of(data.folder())
                .withKeyPairs(keyPairs())
                .withEncryptedOnly(encryptedOnly)
                .withExpire(expire)
                .withSync(sync)
                .withWorkers(workers())
                .withAcknowledge(acknowledge)
                .withLog(limits());
        config = config.withListen(listen(config.listen()));
        if (allowUpdate != null) {
            return config.withAllowUpdate(allowUpdate);
        }
        if (config.listen().binds().stream().allMatch(ServeCommand::isLocal)) {
            terminal.err().println("weir: no --allow-update given: everybody on this machine may learn and forget");
            return config.withAllowUpdate(StorageConfig.loopback());
        }
        terminal.err().println("weir: no --allow-update given: nobody may learn or forget");
        return config;
    }

    private Listen listen(Listen usual) {
        if (tcpTimeout.isZero() || maxConnections < 1) {
            throw new FailedException(ExitCode.USAGE, "--tcp-timeout and --max-connections must be positive");
        }
        final StreamLimits limits = StreamLimits.DEFAULT.withTimeout(tcpTimeout)
                .withConnections(maxConnections, StreamLimits.DEFAULT.perAddress());
        try {
            return new Listen(binds.isEmpty() ? usual.binds() : binds, limits);
        } catch (final IllegalArgumentException e) {
            throw new FailedException(ExitCode.USAGE, "--bind: " + e.getMessage());
        }
    }

    private static boolean isLocal(Bind bind) {
        return switch (bind) {
            case Bind.Inet(InetSocketAddress address) -> address.getAddress().isLoopbackAddress();
            case Bind.Unix _ -> true;
        };
    }

    private LogLimits limits() {
        final LogLimits usual = LogLimits.DEFAULT;
        final long most = maxLog * MIB;
        if (most < 2L * usual.segmentBytes()) {
            throw new FailedException(ExitCode.USAGE, "--max-log " + maxLog + " is too little: 128 or more is needed");
        }
        return usual.withMost(most);
    }

    private List<KeyPair> keyPairs() {
        final List<KeyPair> pairs = new ArrayList<>();
        for (final Path file : keyFiles) {
            final KeyPair pair;
            try {
                if (Files.size(file) > KeyFile.MAX_LENGTH) {
                    throw new FailedException(ExitCode.INPUT, file + ": is too large for a key file");
                }
                pair = KeyFile.parse(Files.readString(file));
            } catch (final IOException e) {
                throw new FailedException(ExitCode.INPUT, file + ": cannot be read: " + MailFiles.reason(e));
            } catch (final KeyFileException e) {
                throw new FailedException(ExitCode.INPUT, file + ": " + e.getMessage());
            }
            if (!pair.consistent()) {
                throw new FailedException(ExitCode.INPUT,
                        file + ": the public key does not belong to the private key: clients could not be understood");
            }
            pairs.add(pair);
        }
        return pairs;
    }

    static final class NetworkConverter implements ITypeConverter<Network> {
        @Override
        public Network convert(String text) {
            try {
                return Network.parse(text);
            } catch (final IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }
    }
}
