package dev.weir.bench.http;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.weir.bench.http.Scanners.Scanner;
import dev.weir.bench.peer.ProcessorTime;
import dev.weir.bench.peer.RspamdInstallation;
import dev.weir.bench.peer.Workspace;
import dev.weir.bench.report.Table;
import dev.weir.bench.speed.Pinning;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code hash}: measures {@code weir hash} on a folder beside Rspamd, which scans the same mails. */
@Command(name = "hash", mixinStandardHelpOptions = true, description = {
    "Hashes a folder of mails with weir hash, and has an Rspamd with no module but fuzzy_check scan the same mails.",
    "Rspamd has no command that only hashes: it gets each mail over HTTP and asks an empty storage for its hashes.",
    "Each has one processor. The time of weir hash includes the start of its JVM; that of Rspamd begins when it has "
            + "scanned some mails."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:measured", "1:Rspamd did not answer for some mails", "2:the command line is wrong",
            "3:something could not be measured"})
public final class HashCommand implements Callable<Integer> {
    private static final int WARM_UP_MAILS = 100;
    /** The exit status of {@code weir hash} if it could not hash some of the files. */
    private static final int UNUSABLE = 3;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--mails", paramLabel = "DIR", required = true, description = "A folder of mails, one per file.")
    private Path folder = Path.of(".");

    @Mixin
    private final ScannerOptions options = new ScannerOptions();

    /**
     * One pass over the folder.
     *
     * @param seconds from the begin to the end
     * @param processor seconds of a processor
     * @param failed mails without an answer
     */
    private record Pass(double seconds, double processor, long failed) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<byte[]> mails = mails();
        RspamdInstallation installation = options.rspamd();
        Pinning pinning = Pinning.begin();
        try (Workspace workspace = options.open(); AskedHashes storage = AskedHashes.open()) {
            Scanner other = Scanners.rspamd(workspace, installation,
                    pinning.server(List.of(installation.program())), storage.port());
            new ScanLoad(other.address(), mails.subList(0, Math.min(WARM_UP_MAILS, mails.size())), Scanners.SYMBOL)
                    .once(options.connections());
            List<Pass> weirs = new ArrayList<>();
            List<Pass> rspamds = new ArrayList<>();
            for (int round = 0; round < options.rounds(); round++) {
                weirs.add(hash(workspace, pinning.server(options.weir()), mails.size()));
                rspamds.add(scan(other, mails));
            }
            report(mails, weirs, rspamds, pinning);
            return rspamds.stream().allMatch(pass -> pass.failed() == 0) ? 0 : 1;
        }
    }

    private List<byte[]> mails() throws IOException {
        List<byte[]> mails = new ArrayList<>();
        try (Stream<Path> walk = Files.walk(folder)) {
            for (Path file : walk.filter(Files::isRegularFile).sorted().toList()) {
                mails.add(Files.readAllBytes(file));
            }
        }
        if (mails.isEmpty()) {
            throw new IOException("no files in " + folder);
        }
        return mails;
    }

    /** Runs {@code weir hash} below a shell, which tells the processor time of a program that has ended. */
    private Pass hash(Workspace workspace, List<String> weir, int mails) throws IOException, InterruptedException {
        Path hashes = workspace.folder().resolve("hashes.jsonl");
        Path log = workspace.folder().resolve("hash.log");
        List<String> command = new ArrayList<>(List.of("bash", "-c",
                "TIMEFORMAT='%U %S'; { time \"$@\" >\"$0\" 2>>\"$0.errors\"; } 2>&1", hashes.toString()));
        command.addAll(weir);
        command.addAll(List.of("hash", folder.toAbsolutePath().toString()));
        long start = System.nanoTime();
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        // Else the shell writes the decimal sign of the locale.
        builder.environment().put("LC_ALL", "C");
        int status = workspace.start(builder).waitFor();
        double seconds = (System.nanoTime() - start) / 1e9;
        long hashed;
        try (Stream<String> lines = Files.lines(hashes)) {
            hashed = lines.filter(line -> line.startsWith("{")).count();
        }
        if (hashed == 0 || (status != 0 && status != UNUSABLE)) {
            throw new IOException("weir hash ended with status " + status + " after " + hashed + " mails:\n"
                    + Files.readString(Path.of(hashes + ".errors"), StandardCharsets.UTF_8));
        }
        String[] times = Files.readString(log).strip().split(" ", 2);
        return new Pass(seconds, Double.parseDouble(times[0]) + Double.parseDouble(times[1]), mails - hashed);
    }

    private Pass scan(Scanner other, List<byte[]> mails) throws InterruptedException {
        ScanLoad load = new ScanLoad(other.address(), mails, Scanners.SYMBOL);
        double processor = ProcessorTime.of(other.process().pid());
        long start = System.nanoTime();
        long failed = load.once(options.connections());
        double seconds = (System.nanoTime() - start) / 1e9;
        return new Pass(seconds, ProcessorTime.of(other.process().pid()) - processor, failed);
    }

    private void report(List<byte[]> mails, List<Pass> weirs, List<Pass> rspamds, Pinning pinning) {
        PrintWriter out = spec.commandLine().getOut();
        Table table = new Table("folder", "mails/s", "processor time of a mail", "not hashed");
        row(table, "weir hash", weirs, mails.size());
        row(table, "Rspamd", rspamds, mails.size());
        out.println(table);
        out.printf(Locale.ROOT, "%,d mails, %,d bytes on average, %s.%n", mails.size(),
                mails.stream().mapToLong(mail -> mail.length).sum() / mails.size(),
                pinning.possible() ? "one processor for each" : "processors not kept apart");
        out.printf(Locale.ROOT, "Weir by Rspamd, median of the rounds: %s by processor time, %s by rate.%n",
                ratio(weirs, rspamds, Pass::processor), ratio(weirs, rspamds, Pass::seconds));
        out.flush();
    }

    private static void row(Table table, String name, List<Pass> passes, int mails) {
        double all = (double) mails * passes.size();
        table.row(name, Table.rate(all / passes.stream().mapToDouble(Pass::seconds).sum()),
                String.format(Locale.ROOT, "%.3f ms",
                        passes.stream().mapToDouble(Pass::processor).sum() * 1e3 / all),
                Table.number(passes.stream().mapToLong(Pass::failed).sum()));
    }

    private static String ratio(List<Pass> weirs, List<Pass> rspamds, ToDoubleFunction<Pass> value) {
        return Ratios.shown(IntStream.range(0, weirs.size())
                .mapToDouble(i -> value.applyAsDouble(rspamds.get(i)) / value.applyAsDouble(weirs.get(i))));
    }
}
