package dev.weir.bench.http;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import dev.weir.bench.http.SteadyScans.Scan;
import dev.weir.bench.peer.Contents;
import dev.weir.bench.peer.Launcher;
import dev.weir.bench.peer.WeirProcess;
import dev.weir.bench.peer.Workspace;
import dev.weir.bench.report.Table;
import dev.weir.bench.speed.SpeedOptions;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code dead-server}: measures the delay of scans when a storage dies. */
@Command(name = "dead-server", mixinStandardHelpOptions = true, description = {
    "Three scanners with three storages each scan mails over HTTP in turn.",
    "One of the second scanner's storages is killed, one of the third's is stopped and swallows what is sent to it; "
            + "the first scanner keeps all three."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:from the second second on a dead storage adds less than --tolerated at p99, and every mail was answered",
            "1:it adds more, or mails were not answered", "2:the command line is wrong",
            "3:something could not be measured"})
public final class DeadServerCommand implements Callable<Integer> {
    private static final int MAILS = 64;
    private static final int WORDS = 120;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--rate", paramLabel = "N", defaultValue = "100",
            description = "Mails per second for each scanner (default: ${DEFAULT-VALUE}).")
    private double rate;

    @Option(names = "--seconds", paramLabel = "SECONDS", defaultValue = "30",
            description = "Duration of the measurement after the failure, at least 2 (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Option(names = "--warm-up", paramLabel = "SECONDS", defaultValue = "30",
            description = "Duration with all storages alive before that (default: ${DEFAULT-VALUE}).")
    private double warmUp;

    @Option(names = "--tolerated", paramLabel = "MS", defaultValue = "5",
            description = "Limit for the p99 of scans in milliseconds (default: ${DEFAULT-VALUE}).")
    private double tolerated;

    @Mixin
    private final Launcher launcher = new Launcher();

    @Option(names = "--dir", paramLabel = "DIR", defaultValue = "${sys:weir.bench.dir:-${sys:java.io.tmpdir}}",
            hidden = true)
    private Path dir = Path.of(".");

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<String> weir = launcher.command();
        try (Workspace workspace = Workspace.open(dir)) {
            List<WeirProcess> storages = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                storages.add(WeirProcess.start(workspace, weir, workspace.newFolder("data")));
            }
            // Two storages serve all three scanners. Each scanner has a third one to itself.
            List<ScanLoad> scanners = new ArrayList<>();
            for (int own = 2; own < 5; own++) {
                String servers = List.of(storages.get(0), storages.get(1), storages.get(own)).stream()
                        .map(storage -> "127.0.0.1:" + storage.address().getPort())
                        .collect(Collectors.joining(","));
                scanners.add(new ScanLoad(Scanners.weir(workspace, weir, servers).address(), mails(),
                        Scanners.SYMBOL));
            }
            SteadyScans.run(scanners, rate, SpeedOptions.duration(warmUp));
            storages.get(3).close();
            try (Contents.Outage _ = storages.get(4).pause()) {
                return report(SteadyScans.run(scanners, rate,
                        SpeedOptions.duration(seconds).plus(Duration.ofSeconds(1))));
            }
        }
    }

    /** Distinct texts of unknown words. Each has one hash with shingles. */
    private static List<byte[]> mails() {
        List<byte[]> mails = new ArrayList<>();
        for (int i = 0; i < MAILS; i++) {
            String text = new Random(i).ints(WORDS, 0, 100_000)
                    .mapToObj(word -> "w" + Integer.toString(word, 36) + "ord")
                    .collect(Collectors.joining(" "));
            mails.add(("From: <a@sender.example>\nSubject: test\nContent-Type: text/plain\n\n" + text + "\n")
                    .getBytes(StandardCharsets.US_ASCII));
        }
        return mails;
    }

    private int report(List<List<Scan>> scans) {
        PrintWriter out = spec.commandLine().getOut();
        String[] names = {"all three alive", "one killed", "one stopped"};
        Table table = new Table("storages", "first second: p50", "longest", "then: p50", "p99", "p99.9",
                "longest",
                "mails", "not answered");
        List<Histogram> later = new ArrayList<>();
        long unanswered = 0;
        for (int i = 0; i < names.length; i++) {
            Histogram first = latency(scans.get(i), 0, SECOND);
            Histogram rest = latency(scans.get(i), SECOND, Long.MAX_VALUE);
            long missing = scans.get(i).stream().filter(scan -> !scan.answered()).count();
            unanswered += missing;
            later.add(rest);
            table.row(names[i], Table.time(first, 50), Table.time(first, 100), Table.time(rest, 50),
                    Table.time(rest, 99), Table.time(rest, 99.9), Table.time(rest, 100),
                    Table.number(scans.get(i).size()), Table.number(missing));
        }
        out.println(table);
        boolean good = unanswered == 0;
        for (int i = 1; i < names.length; i++) {
            double added = (later.get(i).getValueAtPercentile(99) - later.getFirst().getValueAtPercentile(99))
                    / 1e6;
            good &= added < tolerated;
            out.printf(Locale.ROOT, "%s: p99 %+.2f ms, p99.9 %+.2f ms after the first second.%n", names[i], added,
                    (later.get(i).getValueAtPercentile(99.9) - later.getFirst().getValueAtPercentile(99.9)) / 1e6);
        }
        out.printf(Locale.ROOT,
                "%.0f mails a second for each scanner, in turns; a time counts from when a mail was due.%n",
                rate);
        out.flush();
        return good ? 0 : 1;
    }

    private static Histogram latency(List<Scan> scans, long from, long to) {
        Histogram latency = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
        scans.stream().filter(scan -> scan.due() >= from && scan.due() < to)
                .forEach(scan -> latency.recordValue(Math.min(scan.took(), latency.getHighestTrackableValue())));
        return latency;
    }
}
