package dev.weir.bench.http;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.weir.bench.http.ScannerRounds.Round;
import dev.weir.bench.http.Scanners.Scanner;
import dev.weir.bench.peer.RspamdInstallation;
import dev.weir.bench.peer.WeirProcess;
import dev.weir.bench.peer.Workspace;
import dev.weir.bench.profile.Profile;
import dev.weir.bench.profile.Recording;
import dev.weir.bench.report.Table;
import dev.weir.bench.speed.Pinning;
import dev.weir.bench.speed.SpeedOptions;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code http}: measures scans per second over HTTP. */
@Command(name = "http", mixinStandardHelpOptions = true, description = {
    "Scans a folder of mails with POST /checkv2, by Weir and by Rspamd with no module but fuzzy_check.",
    "Both ask the same storage, which has learned every second mail; each has one processor to itself, the storage "
            + "and the load share another."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:measured, and both gave the same mails the symbol, but for those of which they ask for other hashes",
            "1:the answers differ although the hashes do not, or some were missing",
            "2:the command line is wrong", "3:something could not be measured"})
public final class HttpCommand implements Callable<Integer> {
    private static final int LARGEST_MAIL = 1 << 20;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--mails", paramLabel = "DIR", required = true, description = "A folder of mails, one per file.")
    private Path mails = Path.of(".");

    @Option(names = "--most", paramLabel = "N", defaultValue = "500",
            description = "Number of mails to use, spread evenly over the folder (default: ${DEFAULT-VALUE}).")
    private int most;

    @Option(names = "--seconds", paramLabel = "SECONDS", defaultValue = "8",
            description = "Duration of each measurement (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Option(names = "--warm-up", paramLabel = "SECONDS", defaultValue = "300",
            description = "Longest warm-up of Weir. It ends when the JIT compilers have little left to do "
                    + "(default: ${DEFAULT-VALUE}).")
    private double warmUp;

    @Option(names = "--profile",
            description = "Also print what the processor time of Weir's scans goes to; samples slow it down a little.")
    private boolean profile;

    @Mixin
    private final ScannerOptions options = new ScannerOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        List<Path> files = sample();
        List<byte[]> sample = new ArrayList<>();
        for (Path file : files) {
            sample.add(Files.readAllBytes(file));
        }
        List<String> weir = options.weir();
        RspamdInstallation installation = options.rspamd();
        Pinning pinning = Pinning.begin();
        try (Workspace workspace = options.open()) {
            WeirProcess storage = WeirProcess.start(workspace, weir, workspace.newFolder("data"));
            int port = storage.address().getPort();
            teach(workspace, weir, port, sample);
            ScannerRounds ours = new ScannerRounds(Scanners.weir(workspace, pinning.server(weir), port), sample,
                    options.connections());
            ScannerRounds theirs = new ScannerRounds(Scanners.rspamd(workspace, installation,
                    pinning.server(List.of(installation.program())), port), sample, options.connections());
            // Rspamd's language detection depends on the mails before. From the second pass on, its replies are stable.
            theirs.load().each();
            List<Boolean> expected = theirs.load().each();
            List<Boolean> got = ours.load().each();
            List<Integer> different = IntStream.range(0, sample.size())
                    .filter(i -> !expected.get(i).equals(got.get(i))).boxed().toList();
            Duration period = SpeedOptions.duration(seconds);
            ours.warmUp(SpeedOptions.duration(warmUp), period);
            theirs.warmUp(Duration.ofSeconds(3), period);
            @Nullable
            Recording recording = profile ? Recording.begin(workspace, ours.pid()) : null;
            for (int round = 0; round < options.rounds(); round++) {
                ours.measure(period);
                theirs.measure(period);
            }
            report(out, sample, ours, theirs, pinning);
            if (recording != null) {
                report(out, recording.end(), ours);
            }
            int unexplained = different.isEmpty()
                    ? 0
                    : explain(out, workspace, weir, different, files, sample, expected);
            double failed = ours.sum(round -> round.outcome().failed()) + theirs.sum(round -> round.outcome().failed());
            return failed == 0 && unexplained == 0 ? 0 : 1;
        }
    }

    /** Prints the mails that only one scanner recognized, and returns how many of them have equal hashes in both. */
    private int explain(PrintWriter out, Workspace workspace, List<String> weir, List<Integer> different,
            List<Path> files, List<byte[]> sample, List<Boolean> rspamdKnew) throws IOException, InterruptedException {
        int unexplained = 0;
        try (AskedHashes storage = AskedHashes.open()) {
            RspamdInstallation installation = options.rspamd();
            Scanner ours = Scanners.weir(workspace, weir, storage.port());
            Scanner theirs = Scanners.rspamd(workspace, installation,
                    List.of(installation.program()), storage.port());
            for (int i : different) {
                Set<String> weirs = storage.of(load(ours, sample.get(i)));
                Set<String> rspamds = storage.of(load(theirs, sample.get(i)));
                boolean explained = !weirs.equals(rspamds);
                unexplained += explained ? 0 : 1;
                out.printf(Locale.ROOT, "%s: only %s knew it; %s (Weir asks for %s, Rspamd for %s)%n", files.get(i),
                        rspamdKnew.get(i) ? "Rspamd" : "Weir",
                        explained ? "hashes differ" : "THE HASHES ARE THE SAME", shown(weirs), shown(rspamds));
            }
        }
        out.printf(Locale.ROOT, "Symbols differ for %d of %d mails: %d because hashes differ, %d for another reason.%n",
                different.size(), sample.size(), different.size() - unexplained, unexplained);
        out.flush();
        return unexplained;
    }

    private static ScanLoad load(Scanner scanner, byte[] mail) {
        return new ScanLoad(scanner.address(), List.of(mail), Scanners.SYMBOL);
    }

    private static String shown(Set<String> digests) {
        return digests.isEmpty()
                ? "none"
                : String.join(" ", digests.stream().map(digest -> digest.substring(0, 10)).toList());
    }

    private List<Path> sample() throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(mails)) {
            files = walk.filter(Files::isRegularFile).filter(file -> file.toString().endsWith(".eml")).sorted()
                    .toList();
        }
        if (files.isEmpty()) {
            throw new IOException("no files *.eml in " + mails);
        }
        List<Path> sample = new ArrayList<>();
        double step = Math.max(1.0, (double) files.size() / most);
        for (double at = 0; at < files.size() && sample.size() < most; at += step) {
            Path file = files.get((int) at);
            if (Files.size(file) <= LARGEST_MAIL) {
                sample.add(file);
            }
        }
        return sample;
    }

    private static void teach(Workspace workspace, List<String> weir, int storage, List<byte[]> sample)
            throws IOException, InterruptedException {
        Path folder = workspace.newFolder("learn");
        for (int i = 0; i < sample.size(); i += 2) {
            Files.write(folder.resolve(i + ".eml"), sample.get(i));
        }
        Path log = workspace.folder().resolve("learn.log");
        List<String> words = new ArrayList<>(weir);
        words.addAll(List.of("learn", "-f", "1", "-w", "20", "--server", "127.0.0.1:" + storage, folder.toString()));
        Process learn = workspace
                .start(new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(log.toFile()));
        // A mail without hashes makes weir learn fail, but is no error here.
        if (learn.waitFor() != 0 && !Files.readString(log).contains(": learned ")) {
            throw new IOException("weir learn failed:\n" + Files.readString(log));
        }
    }

    private void report(PrintWriter out, List<byte[]> sample, ScannerRounds weir, ScannerRounds other,
            Pinning pinning) {
        long bytes = sample.stream().mapToLong(mail -> mail.length).sum();
        Table table = new Table("POST /checkv2", "mails/s", "processor time of a mail", "compilers", "collector", "p50",
                "p99", "p99.9", "with the symbol", "failed");
        row(table, "Weir", weir);
        row(table, "Rspamd", other);
        out.println(table);
        out.printf(Locale.ROOT, "%d mails, %,d bytes on average, %d requests at a time, %s.%n", sample.size(),
                bytes / sample.size(), options.connections(),
                pinning.possible() ? "one processor for the scanner" : "processors not kept apart");
        out.println("Warm-up | rounds of Weir: " + weir.course() + ".");
        out.println("Warm-up | rounds of Rspamd: " + other.course() + ".");
        out.printf(Locale.ROOT, "Weir by Rspamd, median of the rounds: %s by processor time, %s by rate.%n",
                ratios(other, weir, Round::millis), ratios(weir, other, round -> round.outcome().rate()));
        out.flush();
    }

    private static void report(PrintWriter out, Profile profile, ScannerRounds weir) {
        double processor = weir.sum(Round::processor);
        out.println(profile.table(weir.sum(Round::compilers) / processor, weir.sum(Round::collector) / processor));
        out.printf(Locale.ROOT, "%,d samples, %,d more without a stack.%n", profile.count(), profile.withoutStack());
        out.flush();
    }

    /** Returns the median, the least and the highest ratio of the rounds. */
    private static String ratios(ScannerRounds above, ScannerRounds below, ToDoubleFunction<Round> value) {
        return Ratios.shown(IntStream.range(0, above.rounds().size())
                .mapToDouble(i -> value.applyAsDouble(above.rounds().get(i))
                        / value.applyAsDouble(below.rounds().get(i))));
    }

    private static void row(Table table, String name, ScannerRounds rounds) {
        Histogram latency = rounds.latency();
        double answered = rounds.sum(round -> round.outcome().answered());
        double processor = rounds.sum(Round::processor);
        table.row(name, Table.rate(answered / rounds.sum(round -> round.outcome().seconds())),
                String.format(Locale.ROOT, "%.3f ms", processor * 1e3 / answered),
                percent(rounds.sum(Round::compilers) / processor), percent(rounds.sum(Round::collector) / processor),
                Table.time(latency, 50), Table.time(latency, 99), Table.time(latency, 99.9),
                percent(rounds.sum(round -> round.outcome().hits()) / answered),
                Table.rate(rounds.sum(round -> round.outcome().failed())));
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }
}
