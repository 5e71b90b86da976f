package dev.weir.bench.http;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

import dev.weir.bench.peer.Launcher;
import dev.weir.bench.peer.Workspace;
import dev.weir.bench.report.Table;
import dev.weir.milter.client.MilterAnswer;
import dev.weir.milter.client.MilterClient;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code milter}: sends mails to the milter at a fixed rate, as a mail server would. */
@Command(name = "milter", mixinStandardHelpOptions = true, description = {
    "Sends mails to the milter of weir serve at a fixed rate and checks every decision.",
    "Every second mail is known and must be rejected."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:every decision was right", "1:decisions were wrong or missing", "2:the command line is wrong",
            "3:something could not be measured"})
public final class MilterLoadCommand implements Callable<Integer> {
    private static final int MAILS = 64;
    private static final int WORDS = 300;
    private static final double PERCENT = 100;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--rate", paramLabel = "N", defaultValue = "500",
            description = "Mails per second (default: ${DEFAULT-VALUE}).")
    private double rate;

    @Option(names = "--seconds", paramLabel = "SECONDS", defaultValue = "20",
            description = "Duration of the measurement (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Option(names = "--warm-up", paramLabel = "SECONDS", defaultValue = "20",
            description = "Duration with the same load before that (default: ${DEFAULT-VALUE}).")
    private double warmUp;

    @Option(names = "--connections", paramLabel = "N", defaultValue = "32",
            description = "Connections, as many as a mail server has processes (default: ${DEFAULT-VALUE}).")
    private int connections;

    @Mixin
    private final Launcher launcher = new Launcher();

    @Option(names = "--dir", paramLabel = "DIR", defaultValue = "${sys:weir.bench.dir:-${sys:java.io.tmpdir}}",
            hidden = true)
    private Path dir = Path.of(".");

    @Override
    public Integer call() throws IOException, InterruptedException {
        try (Workspace workspace = Workspace.open(dir)) {
            Scanners.MilterDoors doors = Scanners.milter(workspace, launcher.command());
            List<byte[]> mails = mails();
            for (int i = 0; i < MAILS; i += 2) {
                learn(doors.http(), mails.get(i));
            }
            run(doors.milter(), mails, warmUp);
            return report(run(doors.milter(), mails, seconds));
        }
    }

    private static List<byte[]> mails() {
        List<byte[]> mails = new ArrayList<>();
        for (int i = 0; i < MAILS; i++) {
            String text = new Random(i).ints(WORDS, 0, 100_000)
                    .mapToObj(word -> "w" + Integer.toString(word, 36) + "ord")
                    .collect(Collectors.joining(" "));
            mails.add(("From: <a@sender.example>\r\nTo: <b@example.org>\r\nSubject: test\r\nMessage-ID: <" + i
                    + "@sender.example>\r\nContent-Type: text/plain\r\n\r\n" + text + "\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
        }
        return mails;
    }

    private static void learn(InetSocketAddress http, byte[] mail) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> reply = client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                    + http.getPort() + "/fuzzyadd")).header("Flag", "1").header("Weight", "100")
                    .POST(HttpRequest.BodyPublishers.ofByteArray(mail)).build(),
                    HttpResponse.BodyHandlers.ofString());
            if (reply.statusCode() != 200) {
                throw new IOException("a mail could not be learned: " + reply.body());
            }
        }
    }

    /** The result of a load. */
    private record Load(Histogram latency, long sent, long wrong, long nanos) {}

    private Load run(InetSocketAddress milter, List<byte[]> mails, double time)
            throws IOException, InterruptedException {
        int count = (int) (rate * time);
        long step = (long) (TimeUnit.SECONDS.toNanos(1) / rate);
        AtomicInteger next = new AtomicInteger();
        AtomicLong wrong = new AtomicLong();
        Histogram latency = new ConcurrentHistogram(TimeUnit.MINUTES.toNanos(1), 3);
        List<Future<?>> senders = new ArrayList<>();
        long start = System.nanoTime();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < connections; i++) {
                senders.add(threads.submit(() -> {
                    try (MilterClient client = MilterClient.connect(milter)) {
                        client.negotiate(6, MilterClient.ALL_ACTIONS, MilterClient.ALL_STEPS);
                        client.client("mail.sender.example", "192.0.2.1");
                        for (int mail = next.getAndIncrement(); mail < count; mail = next.getAndIncrement()) {
                            long due = start + mail * step;
                            for (long early = due - System.nanoTime(); early > 0; early = due - System.nanoTime()) {
                                LockSupport.parkNanos(early);
                            }
                            client.envelope("Q" + mail, "a@sender.example", List.of("b@example.org"));
                            List<MilterAnswer> answers = client.mail(mails.get(mail % MAILS));
                            latency.recordValue(System.nanoTime() - due);
                            if (!isRight(mail % 2 == 0, answers)) {
                                wrong.incrementAndGet();
                            }
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> sender : senders) {
                sender.get();
            }
        } catch (ExecutionException e) {
            throw new IOException("a connection failed", e.getCause());
        }
        return new Load(latency, count, wrong.get(), System.nanoTime() - start);
    }

    private static boolean isRight(boolean known, List<MilterAnswer> answers) {
        char last = answers.getLast().code();
        return known
                ? last == 'y'
                : last == 'c' && answers.stream()
                        .noneMatch(answer -> answer.data().contains("X-Weir-Unscanned"));
    }

    private int report(Load load) {
        PrintWriter out = spec.commandLine().getOut();
        Table table = new Table("mails", "a second", "p50", "p99", "p99.9", "longest", "wrong decisions");
        double achieved = load.sent() * (double) TimeUnit.SECONDS.toNanos(1) / load.nanos();
        table.row(Table.number(load.sent()), String.format(Locale.ROOT, "%.0f", achieved),
                Table.time(load.latency(), 50), Table.time(load.latency(), 99), Table.time(load.latency(), 99.9),
                Table.time(load.latency(), PERCENT), Table.number(load.wrong()));
        out.println(table);
        out.printf(Locale.ROOT, "%.0f mails a second were due on %d connections; a time counts from when a mail was"
                + " due.%n", rate, connections);
        out.flush();
        return load.wrong() == 0 ? 0 : 1;
    }
}
