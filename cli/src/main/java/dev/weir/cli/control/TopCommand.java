package dev.weir.cli.control;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** {@code weir top}: the figures of a running storage and the hashes that match most. */
@Command(name = "top",
        description = "Shows what a running storage on this machine does and which hashes match most, grouped into "
                + "families of near duplicates. On a terminal it repeats until interrupted.",
        exitCodeList = {
            "0:shown",
            ControlCommand.WRONG_USE,
            ControlCommand.REFUSED,
            ControlCommand.NO_ANSWER})
public final class TopCommand extends StorageRequest {
    private static final String INDENT = " ".repeat(30);

    private static final long PAUSE_SECONDS = 2;

    /** The spans that the storage keeps figures of. */
    private enum Past {
        HOUR, DAY, QUARTER;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(names = "--day", description = "Order by the hits of the last day instead of the last hour.")
    private boolean day;

    @Option(names = "--history", paramLabel = "SPAN",
            description = "Show the figures of a span instead: ${COMPLETION-CANDIDATES} (90 days).")
    private @Nullable Past history;

    @Option(names = "--once", description = "Show it once.")
    private boolean once;

    @Option(names = {"-j", "--json"},
            description = "Print figures and families once, as two lines of JSON; the history as one.")
    private boolean json;

    public TopCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Integer call() throws InterruptedException {
        if (history != null) {
            JsonNode reply = storage.ask("/history?span=" + history);
            if (json) {
                terminal.out().println(reply);
            } else {
                new HistoryTable(reply).print(terminal.out());
            }
            return ExitCode.OK;
        }
        JsonNode before = storage.ask("/now");
        if (json) {
            terminal.out().println(before);
            terminal.out().println(families());
            return ExitCode.OK;
        }
        boolean repeat = !once && terminal.interactive();
        do {
            TimeUnit.SECONDS.sleep(repeat ? PAUSE_SECONDS : 1);
            JsonNode now = storage.ask("/now");
            if (repeat) {
                terminal.out().print("\u001b[H\u001b[2J");
            }
            print(before, now, families());
            before = now;
            terminal.endUnlessRead();
        } while (repeat);
        return ExitCode.OK;
    }

    private JsonNode families() {
        return storage.ask("/campaigns?most=20&by=" + (day ? "day" : "hour"));
    }

    private void print(JsonNode before, JsonNode now, JsonNode campaigns) {
        double seconds = Math.max(1, now.path("time").asLong(0) - before.path("time").asLong(0)) / 1000.0;
        terminal.out().printf(Locale.ROOT, "checks %.0f/s  hits %.0f/s  learns %.0f/s  hashes %d  queued %d  %s%n",
                rate("checks", before, now, seconds),
                rate("exact_hits", before, now, seconds) + rate("similar_hits", before, now, seconds),
                rate("learns", before, now, seconds), now.path("hashes").asLong(0), now.path("queued").asLong(0),
                now.path("healthy").asBoolean(false) ? "healthy" : "NOT HEALTHY");
        terminal.out().printf(Locale.ROOT, "answer times: p50 %.0f us, p99 %.0f us, p99.9 %.0f us%n%n",
                now.path("p50").asLong(0) / 1e3, now.path("p99").asLong(0) / 1e3, now.path("p999").asLong(0) / 1e3);
        now.path("reasons").forEach(reason -> terminal.out().println(RunningStorage.clean(reason)));
        terminal.out().printf(Locale.ROOT, "%10s %10s %6s  %s%n", "hour", "day", "hashes", "digest, flags, learners");
        for (JsonNode family : campaigns.path("families")) {
            StringBuilder line = new StringBuilder(family.path("digest").asString("").substring(0, 20));
            family.path("flags").forEach(flag -> line.append("  ").append(flag.path("flag").asLong(0)).append(':')
                    .append(flag.path("value").asLong(0)));
            family.path("learners").forEach(learner -> line.append("  ").append(RunningStorage.clean(learner)));
            terminal.out().printf(Locale.ROOT, "%10d %10d %6d  %s%n", family.path("hour").asLong(0),
                    family.path("day").asLong(0), family.path("members").asLong(0), line);
            JsonNode sample = family.path("sample");
            if (!sample.isMissingNode()) {
                terminal.out().println(INDENT + RunningStorage.clean(sample.path("subject")) + ": "
                        + RunningStorage.clean(sample.path("words")));
            }
        }
        if (campaigns.path("families").isEmpty()) {
            terminal.out().println("no hash matched lately");
        }
    }

    private static double rate(String name, JsonNode before, JsonNode now, double seconds) {
        return (now.path(name).asLong(0) - before.path(name).asLong(0)) / seconds;
    }
}
