package dev.weir.cli.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

import dev.weir.cli.client.StorageOptions;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.ProgressBar;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import dev.weir.load.Load;
import dev.weir.load.Preload;
import dev.weir.load.population.DumpFile;
import dev.weir.load.population.Population;
import dev.weir.load.query.Mix;
import dev.weir.load.query.QueryKind;
import dev.weir.load.query.Rule;
import dev.weir.load.socket.QuerySocket;
import dev.weir.load.socket.Target;
import dev.weir.load.stream.LoadTiming;
import dev.weir.load.stream.Pace;
import dev.weir.load.stream.StreamResult;
import dev.weir.model.failure.Reason;
import dev.weir.net.HostPort;
import dev.weir.wire.box.Box;
import dev.weir.wire.box.ClientSession;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code weir bench}: a load test that measures a storage and checks its answers. */
@Command(name = "bench", mixinStandardHelpOptions = true, description = {
    "Measures a storage: requests per second, latency, and whether every answer is correct.",
    "It knows the correct answer to each request: --seed and --hashes determine the hashes, "
            + "and --preload or --dump load them into a storage. Use a separate storage, because its "
            + "updates look like real ones."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:every answer was correct",
            "1:some answers were wrong",
            "2:the command line is wrong",
            "3:a file cannot be written",
            "4:the storage rejected some requests",
            "5:some requests were not answered; with --outstanding, the storage or the network lost "
                    + "them"})
public final class BenchCommand implements Callable<Integer> {
    private static final int PRELOAD_OUTSTANDING = 512;
    private static final int MAX_THREADS = 64;

    private final Terminal terminal;

    @Parameters(arity = "0..1", paramLabel = "HOST[:PORT]", converter = StorageOptions.AddressConverter.class,
            description = "The storage (default: 127.0.0.1:11335).")
    private HostPort storage = StorageOptions.USUAL;

    @Option(names = "--encryption-key", paramLabel = "PUBKEY", converter = StorageOptions.KeyConverter.class,
            description = "Encrypt requests and replies with this public key of the storage (52 characters).")
    private @Nullable PublicKey encryptionKey;

    @Option(names = "--clients", paramLabel = "N",
            description = "Number of client keys in rotation, if encrypted (default: 1).")
    private int clients = 1;

    @Option(names = "--transport", paramLabel = "WHAT", description = "udp or tcp (default: udp).")
    private Target.Transport transport = Target.Transport.UDP;

    @Option(names = "--mix", paramLabel = "KIND[=WEIGHT],…", converter = MixConverter.class,
            description = "Kinds of requests: miss, again (a miss, four times in a row), exact, fuzzy17 to fuzzy32 "
                    + "(number of equal shingles), learn (default: miss).")
    private Mix mix = Mix.of(QueryKind.MISS);

    @Option(names = "--rate", paramLabel = "N",
            description = "Requests per second, regardless of replies; measures latency.")
    private @Nullable Double rate;

    @Option(names = "--outstanding", paramLabel = "N",
            description = "Number of unanswered requests to keep in flight; measures the highest rate (default: 128).")
    private @Nullable Integer outstanding;

    @Option(names = "--learns", paramLabel = "N", description = "Updates per second to send in addition.")
    private @Nullable Double learns;

    @Option(names = "--new-keys", paramLabel = "N",
            description = "Encrypted requests per second to send in addition, each with a new client key.")
    private @Nullable Double newKeys;

    @Option(names = "--hashes", paramLabel = "N", description = "Number of hashes that the storage holds (default: 0).")
    private long hashes;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the hashes and requests (default: 1).")
    private long seed = 1;

    @Option(names = "--no-shingles",
            description = "Use hashes and requests without shingles, like those of images and files.")
    private boolean noShingles;

    @Option(names = "--rule", paramLabel = "RULE",
            description = "How the storage counts equal shingles: count for Weir and for Rspamd with Redis, "
                    + "rspamd_sqlite for Rspamd with SQLite (default: count).")
    private Rule rule = Rule.COUNT;

    @Option(names = "--preload", description = "Learn the hashes first.")
    private boolean preload;

    @Option(names = "--dump", paramLabel = "FILE",
            description = "Write the hashes to a file for weir import, then exit.")
    private @Nullable Path dump;

    @Option(names = "--duration", paramLabel = "SECONDS", converter = StorageOptions.SecondsConverter.class,
            description = "Duration of the measurement (default: 10).")
    private Duration duration = Duration.ofSeconds(10);

    @Option(names = "--warm-up", paramLabel = "SECONDS", converter = StorageOptions.SecondsConverter.class,
            description = "Duration of the warm-up (default: 2).")
    private Duration warmUp = Duration.ofSeconds(2);

    @Option(names = "--timeout", paramLabel = "SECONDS", converter = StorageOptions.SecondsConverter.class,
            description = "Seconds after which a request counts as unanswered (default: 1).")
    private Duration timeout = Duration.ofSeconds(1);

    @Option(names = "--sockets", paramLabel = "N",
            description = "Sockets for each thread; a storage with several workers distributes requests by socket "
                    + "(default: 1).")
    private int sockets = 1;

    @Option(names = "--at-once", paramLabel = "N",
            description = "Number of requests that a socket sends together, as a mail with several parts does: 1 to "
                    + "64 (default: all that are due).")
    private int atOnce = QuerySocket.BATCH;

    @Option(names = "--sources", paramLabel = "N",
            description = "Number of source addresses from 127.0.0.2 on; loopback only.")
    private int sources;

    @Option(names = "--threads", paramLabel = "N",
            description = "Number of threads that generate load; each occupies a processor (default: 1).")
    private int threads = 1;

    @Option(names = "--json", description = "Print a JSON object.")
    private boolean json;

    public BenchCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        try {
            if (hashes < 0 || hashes > Integer.MAX_VALUE) {
                throw new IllegalArgumentException("--hashes is not between 0 and " + Integer.MAX_VALUE);
            }
            if (threads < 1 || threads > MAX_THREADS) {
                throw new IllegalArgumentException("--threads is not between 1 and " + MAX_THREADS);
            }
            Population population = new Population(seed, hashes);
            if (dump != null) {
                return writeDump(dump, population);
            }
            Target target = target();
            List<Load.Part> parts = parts();
            if (preload) {
                learn(target, population);
            }
            return measure(target, population, parts);
        } catch (IllegalArgumentException e) {
            throw new FailedException(ExitCode.USAGE, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new FailedException(ExitCode.NO_ANSWER, storage + ": " + Reason.of(e));
        }
    }

    private int writeDump(Path file, Population population) {
        try (ProgressBar bar = new ProgressBar(terminal.err(), "Writing", hashes, terminal.draws())) {
            DumpFile.write(file, population, !noShingles, Instant.now().getEpochSecond(), bar::update);
        } catch (IOException e) {
            throw new FailedException(ExitCode.INPUT, file + ": cannot be written: " + Reports.reason(e));
        }
        return ExitCode.OK;
    }

    private Target target() {
        InetSocketAddress address;
        try {
            address = new InetSocketAddress(InetAddress.getByName(storage.host()), storage.port());
        } catch (UnknownHostException e) {
            throw new FailedException(ExitCode.NO_ANSWER, "unknown host " + storage.host());
        }
        List<InetAddress> addresses = IntStream.range(0, sources).mapToObj(BenchCommand::loopback).toList();
        if (!addresses.isEmpty() && !address.getAddress().isLoopbackAddress()) {
            throw new IllegalArgumentException("--sources is for storages on loopback");
        }
        return new Target(address, transport, Math.max(sockets, sources), atOnce, addresses,
                Optional.ofNullable(encryptionKey).map(key -> new Target.Encryption(key, clients)));
    }

    private static InetAddress loopback(int i) {
        int host = i + 2;
        return InetAddress.ofLiteral("127." + (host >> 16 & 0xff) + "." + (host >> 8 & 0xff) + "." + (host & 0xff));
    }

    private List<Load.Part> parts() {
        if (rate != null && outstanding != null) {
            throw new IllegalArgumentException("--rate and --outstanding exclude each other");
        }
        Pace pace = rate != null
                ? new Pace.Open(rate)
                : new Pace.Closed(outstanding != null ? outstanding : BenchReport.DEFAULT_OUTSTANDING);
        List<Load.Part> parts = new ArrayList<>();
        parts.add(new Load.Part.Asking("queries", mix, pace));
        if (learns != null) {
            parts.add(new Load.Part.Asking("learns", Mix.of(QueryKind.LEARN), new Pace.Open(learns)));
        }
        if (newKeys != null) {
            parts.add(new Load.Part.NewKeys("new keys", newKeys));
        }
        return parts;
    }

    private void learn(Target target, Population population) throws IOException {
        SecureRandom random = new SecureRandom();
        Optional<ClientSession> session = Optional.ofNullable(encryptionKey)
                .flatMap(key -> ClientSession.of(KeyPair.generate(random), key));
        Preload learning = new Preload(population, !noShingles, session, session.map(_ -> new Box(random, 1)));
        try (ProgressBar bar = new ProgressBar(terminal.err(), "Learning", hashes, terminal.draws());
                QuerySocket socket = transport == Target.Transport.TCP
                        ? QuerySocket.tcp(target.storage(), Preload.MAX_BYTES)
                        : QuerySocket.udp(target.storage(), null, Preload.MAX_BYTES)) {
            Preload.Result result = learning.run(socket, PRELOAD_OUTSTANDING, timeout, bar::update);
            if (result.repeated() > 0) {
                terminal.error(Reports.count(result.repeated(), "request")
                        + " had to be sent again: if the storage counted one twice, its value counts as wrong");
            }
        }
    }

    private int measure(Target target, Population population, List<Load.Part> parts) throws IOException {
        LoadTiming timing = new LoadTiming(warmUp, duration, timeout);
        try (Load load = Load.open(target, new Load.Knowledge(population, rule, !noShingles, seed), parts, timing,
                threads)) {
            List<StreamResult> results = run(load, timing);
            BenchReport report = new BenchReport(storage, target, parts, timing, results, load.idle());
            if (json) {
                report.printJson(terminal.out());
            } else {
                report.print(terminal.out());
            }
            results.stream().flatMap(result -> result.examples().stream()).limit(5)
                    .forEach(example -> terminal.error("wrong: " + example));
            return report.status();
        }
    }

    private List<StreamResult> run(Load load, LoadTiming timing) throws IOException {
        try (BenchProgress progress = BenchProgress.of(terminal, load, timing)) {
            progress.start();
            return load.run();
        }
    }

    static final class MixConverter implements ITypeConverter<Mix> {
        @Override
        public Mix convert(String text) {
            try {
                return Mix.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }
    }
}
