package dev.weir.bench.hostile;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import dev.weir.bench.load.CheckLoad;
import dev.weir.bench.load.LearnLoad;
import dev.weir.bench.peer.Setting;
import dev.weir.bench.peer.WeirProcess;
import dev.weir.bench.peer.Workspace;
import dev.weir.bench.report.Environment;
import dev.weir.bench.report.Table;
import dev.weir.load.population.Population;
import dev.weir.wire.key.KeyFile;
import dev.weir.wire.key.KeyFileException;
import dev.weir.wire.key.PublicKey;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code hostile}: sends random and mutated traffic and measures its effect on valid clients. */
@Command(name = "hostile", mixinStandardHelpOptions = true, description = {
    "Sends random and mutated datagrams and frames from many addresses of 127.0.0.0/8, and abandons connections, "
            + "left,",
    "while valid clients ask over UDP and TCP. Then sends large mails over HTTP, while others ask for /ping, "
            + "/healthz,",
    "/metrics, the page and the scan of a small mail. Weir only."}, exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:the valid clients had their answers in time, memory and log stayed small",
            "1:they had not",
            "2:the command line is wrong",
            "3:something could not be measured"})
public final class HostileCommand implements Callable<Integer> {
    private static final long SEED = 0x6873_7469_6c65_0000L;
    private static final int KNOWN = 1_000;
    private static final int SOURCES = 512;
    private static final int FRAME_CONNECTIONS = 64;
    private static final long MIB = 1 << 20;

    /** Heap of the storage, kept small on purpose. */
    private static final String HEAP = "-Xmx256m";

    /** Tolerated share of UDP checks without a reply. A network may lose packets, and clients retransmit. */
    private static final double LOST = 0.001;

    private static final long GROWTH = 32 * MIB;
    private static final int LOG_LINES = 20;

    /** Share of the attack that is reported but not judged, because the JIT compiler of the server is still busy. */
    private static final int BEGINNING = 5;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private final Setting setting = new Setting();

    @Option(names = "--datagrams", paramLabel = "N", defaultValue = "1000000",
            description = "Hostile datagrams (default: ${DEFAULT-VALUE}).")
    private int datagrams;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "20000",
            description = "Hostile datagrams per second (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(names = "--frames", paramLabel = "N", defaultValue = "250000",
            description = "Hostile frames in the same time (default: ${DEFAULT-VALUE}).")
    private int frames;

    @Option(names = "--half-open", paramLabel = "N", defaultValue = "5000",
            description = "Concurrent abandoned connections (default: ${DEFAULT-VALUE}).")
    private int halfOpen;

    @Option(names = "--checks", paramLabel = "N", defaultValue = "500",
            description = "Checks per second of valid clients over UDP (default: ${DEFAULT-VALUE}).")
    private int checks;

    @Option(names = "--part", paramLabel = "PART", defaultValue = "all",
            description = "traffic, mails or all (default: ${DEFAULT-VALUE}).")
    private Part part = Part.ALL;

    @Option(names = "--longest", paramLabel = "MILLIS", defaultValue = "100",
            description = "How long monitors may wait beside large mails (default: ${DEFAULT-VALUE}).")
    private int longest;

    private final List<String> complaints = new ArrayList<>();

    /** What to send. */
    enum Part {
        /** Datagrams, frames and connections to the storage. */
        TRAFFIC,
        /** Large mails over HTTP. */
        MAILS,
        ALL
    }

    /** The experience of valid clients in a period. */
    private record Seen(CheckLoad.Result datagrams, StreamAsker.Result streams) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        Table clients = new Table("valid clients", "checks over UDP", "unanswered", "wrong", "p50", "p99",
                "p99.9",
                "over TCP", "p50", "p99", "new connections", "p50", "p99", "failed");
        try (Workspace workspace = Workspace.open(setting.dir())) {
            out().println(Environment.describe(workspace.folder(), setting.weir()));
            if (part != Part.MAILS) {
                Path key = workspace.folder().resolve("storage.key");
                PublicKey publicKey = makeKey(key);
                try (WeirProcess weir = WeirProcess.start(workspace, setting.weir(), workspace.newFolder("data"),
                        List.of("--allow-update", "127.0.0.1", "--keypair", key.toString()),
                        Map.of("WEIR_JAVA_OPTS", HEAP))) {
                    run(weir, publicKey, clients);
                }
            }
            if (part != Part.TRAFFIC) {
                HeavyMails mails = new HeavyMails(Duration.ofMillis(longest));
                complaints.addAll(mails.run(workspace, setting.weir(), workspace.newFolder("mails")));
                out().println(mails.table());
            }
        }
        complaints.forEach(complaint -> out().println("FAILED: " + complaint));
        out().flush();
        return complaints.isEmpty() ? 0 : 1;
    }

    private void run(WeirProcess weir, PublicKey key, Table clients) throws IOException, InterruptedException {
        InetSocketAddress storage = weir.address();
        Population known = new Population(SEED, KNOWN);
        LearnLoad.run(storage, new LearnLoad.Plan(16, Duration.ofSeconds(1), 3), known, 0,
                new LearnLoad.Extent.Count(KNOWN, -1, () -> {}));
        Duration attack = Duration.ofMillis(1_000L * datagrams / rate);
        Duration quiet = Duration.ofMillis(Math.min(10_000, attack.toMillis()));
        row(clients, "quiet", watch(storage, known, quiet));
        long logBefore = lines(weir.log());

        DatagramFlood flood = new DatagramFlood(storage, key, datagrams, rate, SOURCES);
        FrameFlood frameFlood = new FrameFlood(storage, key, frames,
                Math.max(1, (int) (1_000L * frames / attack.toMillis())), FRAME_CONNECTIONS);
        HalfOpen left = new HalfOpen(storage, halfOpen, Math.max(200, halfOpen / 5));
        long before = ResidentMemory.of(weir.pid());
        left.start();
        flood.start();
        frameFlood.start();
        Seen beginning = watch(storage, known, attack.dividedBy(BEGINNING));
        Duration half = attack.minus(attack.dividedBy(BEGINNING)).dividedBy(2);
        Seen first = watch(storage, known, half);
        long middle = ResidentMemory.of(weir.pid());
        Seen second = watch(storage, known, half);
        long during = ResidentMemory.of(weir.pid());
        flood.await();
        frameFlood.await();
        left.stop();
        row(clients, "beginning of the attack", beginning);
        row(clients, "first half of the rest", first);
        row(clients, "second half", second);
        row(clients, "quiet again", watch(storage, known, quiet));
        long after = ResidentMemory.of(weir.pid());
        long logged = lines(weir.log()) - logBefore;
        out().println(clients);
        out().println(new Table("hostile", "number")
                .row("datagrams", Table.number(flood.done()))
                .row("frames", Table.number(frameFlood.done()))
                .row("abandoned connections", Table.number(left.done()))
                .row("of these, refused at once", Table.number(left.refused())));
        out().println(new Table("resident memory", "MiB").row("before", mib(before)).row("in the middle", mib(middle))
                .row("at the end of the attack", mib(during)).row("after", mib(after)));
        out().println("lines in the log during the attack: " + logged);
        judge(first);
        judge(second);
        if (during - middle > GROWTH || after - middle > GROWTH) {
            complaints.add("memory grew by " + mib(Math.max(during, after) - middle) + " MiB in the second half");
        }
        if (logged > LOG_LINES) {
            complaints.add(logged + " lines in the log");
        }
        if (weir.terminate() != 0) {
            complaints.add("the storage did not exit with status 0");
        }
        try (Stream<String> log = Files.lines(weir.log())) {
            log.filter(line -> line.contains("since the start:")).forEach(out()::println);
        }
    }

    private Seen watch(InetSocketAddress storage, Population known, Duration time)
            throws IOException, InterruptedException {
        StreamAsker asker = StreamAsker.start(storage, known);
        CheckLoad load = CheckLoad.start(storage, new CheckLoad.Plan(known, checks),
                new LearnLoad.Extent.Time(Duration.ZERO, time));
        return new Seen(load.finish(), asker.finish());
    }

    private void judge(Seen seen) {
        CheckLoad.Result udp = seen.datagrams();
        if (udp.wrong() > 0 || udp.unanswered() > LOST * udp.sent()) {
            complaints.add(udp.unanswered() + " of " + udp.sent() + " checks unanswered, " + udp.wrong() + " wrong");
        }
        if (seen.streams().failed() > 0) {
            complaints.add(seen.streams().failed() + " checks over TCP without the right reply");
        }
    }

    private static void row(Table table, String name, Seen seen) {
        CheckLoad.Result udp = seen.datagrams();
        Histogram staying = seen.streams().staying();
        Histogram coming = seen.streams().coming();
        table.row(name, Table.number(udp.sent()), Table.number(udp.unanswered()), Table.number(udp.wrong()),
                Table.time(udp.latency(), 50), Table.time(udp.latency(), 99), Table.time(udp.latency(), 99.9),
                Table.number(staying.getTotalCount()), Table.time(staying, 50), Table.time(staying, 99),
                Table.number(coming.getTotalCount()), Table.time(coming, 50), Table.time(coming, 99),
                Table.number(seen.streams().failed()));
    }

    private static String mib(long bytes) {
        return String.format(Locale.ROOT, "%.1f", (double) bytes / MIB);
    }

    private static long lines(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.count();
        }
    }

    private PublicKey makeKey(Path file) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(setting.weir());
        words.add("keypair");
        Process process = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        Files.writeString(file, text);
        try {
            return KeyFile.parse(text).publicKey();
        } catch (KeyFileException e) {
            throw new IOException("weir keypair printed no key pair", e);
        }
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
