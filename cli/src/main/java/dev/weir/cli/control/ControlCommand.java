package dev.weir.cli.control;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.weir.cli.option.DataOption;
import dev.weir.cli.option.TimeConverter;
import dev.weir.cli.socket.ControlClient;
import dev.weir.cli.socket.ControlSocketPlace;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Terminal;
import dev.weir.model.Digest;
import dev.weir.model.failure.Reason;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import tools.jackson.databind.JsonNode;

/** {@code weir control}: commands for a running storage over its control socket, like {@code rspamadm control}. */
@Command(name = "control", mixinStandardHelpOptions = true,
        description = "Sends a command to a running storage on this machine, Weir's or Rspamd's, over its "
                + "control socket.",
        synopsisSubcommandLabel = "COMMAND", exitCodeListHeading = ControlCommand.EXIT_STATUS,
        exitCodeList = {ControlCommand.DONE, ControlCommand.WRONG_USE, ControlCommand.REFUSED,
            ControlCommand.NO_ANSWER})
public final class ControlCommand {
    static final String EXIT_STATUS = "%nExit status:%n";
    static final String DONE = "0:the storage did it";
    static final String WRONG_USE = "2:the command line is wrong";
    static final String REFUSED = "4:the storage refused or failed to do it";
    static final String NO_ANSWER = "5:the storage cannot be reached or did not answer in time";

    private static final Duration USUAL_TIMEOUT = Duration.ofSeconds(10);

    /** After a burst, the mirror needs minutes. */
    private static final Duration SYNC_TIMEOUT = Duration.ofHours(1);

    private final Terminal terminal;

    @Option(names = {"-s",
        "--socket"}, paramLabel = "PATH", scope = ScopeType.INHERIT,
            description = ControlSocketPlace.DESCRIPTION)
    private @Nullable Path socket;

    @Option(names = "--data", paramLabel = "DIR", scope = ScopeType.INHERIT,
            description = DataOption.DESCRIPTION)
    private @Nullable Path data;

    @Option(names = {"-t",
        "--timeout"}, paramLabel = "TIME", converter = TimeConverter.class, scope = ScopeType.INHERIT,
            description = "Time to wait for a reply (default: 10s; fuzzysync: 1h).")
    private @Nullable Duration timeout;

    @Option(names = {"-j", "--json"}, scope = ScopeType.INHERIT, description = "Print the reply as JSON.")
    private boolean json;

    @Option(names = {"-c",
        "--compact"}, scope = ScopeType.INHERIT, description = "Print the reply as one line of JSON.")
    private boolean compact;

    public ControlCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Command(name = "fuzzystat", aliases = "fuzzy_stat", mixinStandardHelpOptions = true,
            exitCodeListHeading = EXIT_STATUS, exitCodeList = {DONE, WRONG_USE, REFUSED, NO_ANSWER},
            description = "Prints request statistics by key, address, flag and protocol version.")
    int fuzzyStat(
            @Option(names = {"-n", "--number"}, description = "Print plain numbers.") boolean exact,
            @Option(names = "--short", description = "Print only the totals.") boolean brief,
            @Option(names = "--no-keys", description = "Leave out keys.") boolean noKeys,
            @Option(names = "--no-ips", description = "Leave out addresses.") boolean noAddresses,
            @Option(names = "--sort", paramLabel = "BY", defaultValue = "CHECKED",
                    description = "One of ${COMPLETION-CANDIDATES} (default: "
                            + "${DEFAULT-VALUE}).") FuzzyStatReport.Sort sort) {
        return print(ask("/fuzzystat"), reply -> FuzzyStatReport.of(reply,
                new FuzzyStatReport.Options(exact, brief, !noKeys, !noAddresses, sort)));
    }

    @Command(name = "fuzzysync", aliases = "fuzzy_sync", mixinStandardHelpOptions = true,
            exitCodeListHeading = EXIT_STATUS, exitCodeList = {DONE, WRONG_USE, REFUSED, NO_ANSWER},
            description = "Writes all updates to the store and its mirror now.")
    int fuzzySync() {
        return print(ask("/fuzzysync", SYNC_TIMEOUT), reply -> "");
    }

    @Command(name = "fuzzyhash", aliases = "fuzzy_hash", mixinStandardHelpOptions = true,
            exitCodeListHeading = EXIT_STATUS, exitCodeList = {DONE, WRONG_USE, REFUSED, NO_ANSWER},
            description = "Prints what is stored under a digest.")
    int fuzzyHash(@Parameters(paramLabel = "DIGEST", description = "128 hexadecimal digits.") String digest) {
        if (Digest.parse(digest).isEmpty()) {
            throw new FailedException(ExitCode.USAGE,
                    "\"" + digest + "\" is not a digest: write 128 hexadecimal digits");
        }
        return print(ask("/fuzzyhash?digest=" + digest), ControlCommand::hash);
    }

    @Command(name = "trustclock", mixinStandardHelpOptions = true,
            exitCodeListHeading = EXIT_STATUS, exitCodeList = {DONE, WRONG_USE, REFUSED, NO_ANSWER},
            description = "Makes the storage accept the machine's clock after a jump that it distrusts.")
    int trustClock() {
        return print(ask("/trustclock"), reply -> "");
    }

    @Command(name = "confirm", mixinStandardHelpOptions = true,
            exitCodeListHeading = EXIT_STATUS, exitCodeList = {DONE, WRONG_USE, REFUSED, NO_ANSWER},
            description = "Lets a removal of many hashes take place that waits for an operator.")
    int confirm(@Option(names = "--list", description = "Print what waits, and confirm nothing.") boolean list,
            @Parameters(paramLabel = "NAME", arity = "0..1", description = "The name of the removal "
                    + "(default: all that wait when the command starts).") @Nullable String name) {
        if (list) {
            return print(ask("/removals"), reply -> removals(reply, "waits", "no removal waits\n"));
        }
        if (name != null) {
            return confirm(name);
        }
        JsonNode waiting = ask("/removals");
        List<String> names = new ArrayList<>();
        waiting.path("workers").forEach(worker -> worker.path("removals")
                .forEach(removal -> names.add(removal.path("id").asString(""))));
        if (names.isEmpty()) {
            return print(waiting, reply -> "no removal waits\n");
        }
        names.forEach(this::confirm);
        return ExitCode.OK;
    }

    private int confirm(String name) {
        return print(ask("/confirm?id=" + URLEncoder.encode(name, StandardCharsets.UTF_8)),
                reply -> removals(reply, "confirmed", ""));
    }

    private static String removals(JsonNode reply, String state, String none) {
        StringBuilder lines = new StringBuilder();
        reply.path("workers").forEach(worker -> worker.path("removals").forEach(removal -> lines.append(state)
                .append(": ").append(removal.path("id").asString("")).append(" removes ")
                .append(removal.path("hashes").asLong(0)).append(" of ").append(removal.path("of").asLong(0))
                .append(" hashes: ").append(removal.path("why").asString("")).append('\n')));
        return lines.isEmpty() ? none : lines.toString();
    }

    @Command(name = "status", mixinStandardHelpOptions = true,
            exitCodeListHeading = EXIT_STATUS, exitCodeList = {DONE, WRONG_USE, REFUSED, NO_ANSWER},
            description = "Prints whether the storage works, its part among other nodes, its leader and its "
                    + "followers.")
    int status() {
        return print(ask("/status"), NodeStatusReport::of);
    }

    @Command(name = "promote", mixinStandardHelpOptions = true,
            exitCodeListHeading = EXIT_STATUS, exitCodeList = {DONE, WRONG_USE, REFUSED, NO_ANSWER},
            description = "Makes a follower the leader, under a new epoch. The old leader refuses updates as soon as "
                    + "it hears of the new one; stop it if it cannot.")
    int promote(@Option(names = "--lossy", description = "Promote the node even if it lacks updates of an earlier "
            + "leader. They are lost.") boolean lossy) {
        return print(ask(lossy ? "/promote?lossy=true" : "/promote"), reply -> {
            StringBuilder lines = new StringBuilder();
            reply.path("workers").forEach(worker -> lines.append("this node leads under epoch ")
                    .append(worker.path("epoch").asString("")).append('\n'));
            return lines.toString();
        });
    }

    @Command(name = "follow", mixinStandardHelpOptions = true,
            exitCodeListHeading = EXIT_STATUS, exitCodeList = {DONE, WRONG_USE, REFUSED, NO_ANSWER},
            description = "Makes a node follow its leader although that may lack updates of this node, which "
                    + "\"weir control status\" names. The node copies its leader; its store and its log are kept "
                    + "in the folder kept-aside.")
    int follow(@Option(names = "--discard", required = true, description = "Give up the updates of this node that its "
            + "leader lacks.") boolean discard) {
        return print(ask("/follow?discard=" + discard), reply -> {
            StringBuilder lines = new StringBuilder();
            reply.path("workers").forEach(worker -> lines.append("this node copies its leader, and gives "
                    + "up what that lacks: ").append(worker.path("reason").asString("")).append('\n'));
            return lines.toString();
        });
    }

    @Command(name = "reload", mixinStandardHelpOptions = true,
            exitCodeListHeading = EXIT_STATUS, exitCodeList = {DONE, WRONG_USE, REFUSED, NO_ANSWER},
            description = "Reloads the configuration, like SIGHUP.")
    int reload() {
        return print(ask("/reload"), reply -> {
            StringBuilder lines = new StringBuilder();
            reply.path("workers").forEach(worker -> worker.path("messages")
                    .forEach(message -> lines.append(message.asString("")).append('\n')));
            return lines.toString();
        });
    }

    private JsonNode ask(String target) {
        return ask(target, USUAL_TIMEOUT);
    }

    private JsonNode ask(String target, Duration usual) {
        Path place = ControlSocketPlace.of(socket, data);
        try {
            return new ControlClient(place, timeout == null ? usual : timeout).ask(target);
        } catch (IOException e) {
            throw new FailedException(ExitCode.NO_ANSWER, Reason.of(e));
        }
    }

    /** Turns a reply into text for people. */
    @FunctionalInterface
    private interface Report {
        String of(JsonNode reply);
    }

    private int print(JsonNode reply, Report report) {
        if (json || compact) {
            terminal.out().println(json ? reply.toPrettyString() : reply.toString());
        }
        String failure = reply.path("error").asString("");
        for (JsonNode worker : reply.path("workers")) {
            if (worker.path("status").asInt(0) != 0) {
                failure = worker.path("error").asString("error " + worker.path("status").asInt(0));
            }
        }
        if (!failure.isEmpty()) {
            throw new FailedException(ExitCode.REFUSED, failure);
        }
        if (!json && !compact) {
            terminal.out().print(report.of(reply));
        }
        return ExitCode.OK;
    }

    private static String hash(JsonNode reply) {
        StringBuilder text = new StringBuilder();
        for (JsonNode worker : reply.path("workers")) {
            JsonNode data = worker.path("data");
            if (!data.path("found").asBoolean(false)) {
                text.append("not stored\n");
                continue;
            }
            slot(text, data);
            data.path("extra_flags").forEach(extra -> slot(text, extra));
        }
        return text.toString();
    }

    private static void slot(StringBuilder text, JsonNode slot) {
        text.append("flag ").append(slot.path("flag").asLong(0)).append(": ").append(slot.path("value").asLong(0));
        // Rspamd's storage does not report the time of further flags.
        if (slot.has("created")) {
            text.append(", since ").append(Instant.ofEpochSecond(slot.path("created").asLong(0)));
        }
        text.append('\n');
    }
}
