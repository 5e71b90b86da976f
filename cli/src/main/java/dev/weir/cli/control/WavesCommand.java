package dev.weir.cli.control;

import java.util.Locale;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code weir waves}: unknown mails that many clients ask about. */
@Command(name = "waves", description = {
    "Shows groups of unknown near-duplicate mails that clients ask a running storage on this machine about.",
    "Newsletters are waves, too. The storage counts them if worker \"fuzzy\" has a section waves."},
        exitCodeList = {
            "0:shown",
            "1:there is none",
            ControlCommand.WRONG_USE,
            ControlCommand.REFUSED,
            ControlCommand.NO_ANSWER},
        subcommands = {WavesCommand.Show.class, WavesCommand.Learn.class, WavesCommand.Never.class, HelpCommand.class})
public final class WavesCommand extends StorageRequest {
    private static final String NAME = "The name of the wave, as weir waves prints it, or more digits of a digest.";
    private static final String INDENT = " ".repeat(45);

    /** The orders of the list. */
    private enum Order {
        GROWTH, HOUR, DAY;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(names = "--by", paramLabel = "ORDER", defaultValue = "GROWTH",
            description = "Order: ${COMPLETION-CANDIDATES} (default: growth in the last ten minutes).")
    private Order by = Order.GROWTH;

    @Option(names = {"-j", "--json"}, description = "Print the reply as one line of JSON.")
    private boolean json;

    public WavesCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Integer call() {
        JsonNode reply = storage.ask("/waves?most=50&by=" + by);
        JsonNode waves = reply.path("waves");
        if (json) {
            terminal.out().println(reply);
        } else if (!reply.path("counted").asBoolean(false)) {
            terminal.out().println("waves are not counted: write waves { } into worker \"fuzzy\"");
        } else {
            print(reply.path("figures"));
            terminal.out().printf(Locale.ROOT, "%7s %7s %7s %7s %8s %8s  %s%n", "10 min", "hour", "day", "growth",
                    "clients", "networks", "wave, state");
            waves.forEach(wave -> print(terminal, wave));
            terminal.out().println(Reports.count(waves.size(), "wave"));
        }
        return waves.isEmpty() ? ExitCode.NO_MATCH : ExitCode.OK;
    }

    private void print(JsonNode figures) {
        terminal.out().printf(Locale.ROOT,
                "%s, of them answering %d, excluded %d; %d of %d signatures, %d MB; %s dropped, 1 of %d counted%n%n",
                Reports.count(figures.path("groups").asLong(0), "group"), figures.path("answering").asLong(0),
                figures.path("excluded").asLong(0), figures.path("signatures").asLong(0),
                figures.path("capacity").asLong(0), figures.path("bytes").asLong(0) / 1_000_000,
                Reports.count(figures.path("dropped").asLong(0), "check"), figures.path("sampling").asLong(1));
    }

    private static void print(Terminal terminal, JsonNode wave) {
        terminal.out().printf(Locale.ROOT, "%7d %7d %7d %7.1f %8d %8d  %s  %s%n", wave.path("ten_minutes").asLong(0),
                wave.path("hour").asLong(0), wave.path("day").asLong(0), wave.path("growth").asDouble(0),
                wave.path("clients").asLong(0), wave.path("networks").asLong(0),
                RunningStorage.clean(wave.path("name")),
                state(wave));
        JsonNode sample = wave.path("sample");
        if (!sample.isMissingNode()) {
            terminal.out().println(INDENT + RunningStorage.clean(sample.path("subject")) + ": "
                    + RunningStorage.clean(sample.path("words")));
        }
    }

    private static String state(JsonNode wave) {
        String state = RunningStorage.clean(wave.path("state"));
        return wave.path("answers").asBoolean(false) && !state.equals("answers") ? state + ", answers" : state;
    }

    private static String request(String path, String wave) {
        return path + "?" + RunningStorage.operator() + "&wave=" + RunningStorage.escaped(wave);
    }

    /** {@code weir waves show}: one wave. */
    @Command(name = "show", description = "Shows a wave with its digests and how much they resemble each other.",
            exitCodeList = {
                "0:shown",
                ControlCommand.WRONG_USE,
                "4:there is no such wave, or waves are not counted",
                ControlCommand.NO_ANSWER})
    public static final class Show extends StorageRequest {
        @Option(names = {"-j", "--json"}, description = "Print the wave as one line of JSON.")
        private boolean json;

        @Parameters(paramLabel = "WAVE", description = NAME)
        private String wave = "";

        public Show(Terminal terminal) {
            super(terminal);
        }

        @Override
        public Integer call() {
            JsonNode reply = storage.ask(request("/waves", wave)).path("waves").path(0);
            if (json) {
                terminal.out().println(reply);
                return ExitCode.OK;
            }
            terminal.out().printf(Locale.ROOT,
                    "%s: %s%nfirst %s, last %s%n%d checks in ten minutes, %d in an hour, %d in a day, %d since the "
                            + "first%n%d clients in %d networks; %d sending hosts, %d sender domains%n",
                    RunningStorage.clean(reply.path("name")), state(reply), RunningStorage.time(reply.path("first")),
                    RunningStorage.time(reply.path("last")), reply.path("ten_minutes").asLong(0),
                    reply.path("hour").asLong(0), reply.path("day").asLong(0), reply.path("checks").asLong(0),
                    reply.path("clients").asLong(0), reply.path("networks").asLong(0),
                    reply.path("senders").asLong(0), reply.path("domains").asLong(0));
            if (reply.path("nodes").asLong(1) > 1) {
                terminal.out().printf(Locale.ROOT, "counted by %d nodes%n", reply.path("nodes").asLong());
            }
            for (JsonNode member : reply.path("members")) {
                terminal.out().println(RunningStorage.clean(member.path("digest")) + "  "
                        + (member.has("equal_shingles")
                                ? member.path("equal_shingles").asLong(0) + " of 32 shingles"
                                : member.path("shingles").asBoolean(false) ? "" : "no shingles kept")
                        + (member.path("learnable").asBoolean(false) ? "" : ", cannot be learned"));
            }
            return ExitCode.OK;
        }
    }

    /** {@code weir waves learn}: the hashes of a wave become known. */
    @Command(name = "learn", description = "Learns the hashes of a wave. One undo reverses it.",
            exitCodeList = {
                "0:learned",
                ControlCommand.WRONG_USE,
                "4:there is no such wave, it is excluded, or the storage failed to do it",
                ControlCommand.NO_ANSWER})
    public static final class Learn extends StorageRequest {
        @Option(names = {"-f", "--flag"}, required = true, paramLabel = "FLAG", description = "The flag to learn to.")
        private long flag;

        @Option(names = {"-w", "--weight"}, paramLabel = "N", defaultValue = "1",
                description = "The weight of each hash (default: ${DEFAULT-VALUE}).")
        private int weight;

        @Parameters(paramLabel = "WAVE", description = NAME)
        private String wave = "";

        public Learn(Terminal terminal) {
            super(terminal);
        }

        @Override
        public Integer call() {
            JsonNode reply = storage.ask(request("/wave", wave) + "&learn=" + flag + "&weight=" + weight);
            terminal.out().println("learned " + Reports.count(reply.path("hashes").asLong(0), "hash")
                    + "; undo this with: weir undo --mail " + RunningStorage.clean(reply.path("id")));
            return ExitCode.OK;
        }
    }

    /** {@code weir waves never}: a wave is bulk mail that is no spam. */
    @Command(name = "never",
            description = "Puts the hashes of a wave on the skip list, because it is a newsletter: it answers no check "
                    + "until the entries end.",
            exitCodeList = {
                "0:the entries are in force",
                ControlCommand.WRONG_USE,
                "4:there is no such wave, or the storage failed to do it",
                ControlCommand.NO_ANSWER})
    public static final class Never extends StorageRequest {
        @Option(names = "--reason", paramLabel = "TEXT", description = "The reason, which weir skips list prints.")
        private @Nullable String reason;

        @Option(names = "--days", paramLabel = "N", description = "Days until the entries end (default: no end).")
        private @Nullable Integer days;

        @Parameters(paramLabel = "WAVE", description = NAME)
        private String wave = "";

        public Never(Terminal terminal) {
            super(terminal);
        }

        @Override
        public Integer call() {
            JsonNode reply = storage.ask(request("/wave", wave) + "&never=1"
                    + (reason == null ? "" : "&reason=" + RunningStorage.escaped(reason))
                    + (days == null ? "" : "&days=" + days));
            terminal.out().println("put on the skip list: " + Reports.count(reply.path("hashes").asLong(0), "digest"));
            return ExitCode.OK;
        }
    }
}
