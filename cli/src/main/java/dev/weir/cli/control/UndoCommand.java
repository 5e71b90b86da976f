package dev.weir.cli.control;

import java.util.List;
import java.util.Locale;

import dev.weir.cli.option.LogFilter;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import dev.weir.storage.undo.UndoRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code weir undo}: takes back what was learned or forgotten. */
@Command(name = "undo", description = {
    "Reverses the selected changes of a running storage on this machine and leaves all others; or removes whole "
            + "hashes. weir log selects the same changes with the same options.",
    "An undo is in the audit trail under a Message-ID of its own: weir undo --mail ID undoes the undo."},
        exitCodeList = {
            "0:done, or with --dry-run: there is something to do",
            "1:there is nothing to do",
            ControlCommand.WRONG_USE,
            ControlCommand.REFUSED,
            ControlCommand.NO_ANSWER})
public final class UndoCommand extends StorageRequest {
    /** So many fit into a request. */
    private static final int MOST_DIGESTS = 400;

    @Mixin
    private LogFilter filter = new LogFilter();

    @Option(names = "--dry-run", description = "Only show the consequences.")
    private boolean dryRun;

    @Option(names = {"-j", "--json"}, description = "Print the reply as one line of JSON.")
    private boolean json;

    @Parameters(arity = "0..*", paramLabel = "DIGEST",
            description = "Whole hashes to remove: 128 hexadecimal digits each, as weir find prints them.")
    private List<String> digests = List.of();

    public UndoCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Integer call() {
        if (digests.isEmpty()) {
            try {
                new UndoRequest(filter.filter(), List.of());
            } catch (IllegalArgumentException e) {
                throw new FailedException(ExitCode.USAGE, e.getMessage() + "; see weir undo --help");
            }
        } else if (!filter.digest().isEmpty()) {
            throw new FailedException(ExitCode.USAGE, "--digest selects changes; give either it or whole digests");
        }
        if (digests.size() > MOST_DIGESTS) {
            throw new FailedException(ExitCode.USAGE, "give at most " + MOST_DIGESTS + " digests at a time");
        }
        String query = "/undo?digests=" + String.join(",", digests) + filter.query();
        JsonNode plan = storage.ask(query);
        boolean needed = plan.path("hashes").asLong(0) > 0;
        if (dryRun || !needed) {
            print(plan, dryRun ? "would change" : "nothing to do");
            if (!needed && !json && filter.hasMail()) {
                terminal.out().println(LogFilter.MAIL_NOT_FOUND + ", and weir undo DIGEST removes one");
            }
            return needed ? ExitCode.OK : ExitCode.NO_MATCH;
        }
        print(storage.ask(query + "&revision=" + plan.path("revision").asLong(0) + "&apply=1&"
                + RunningStorage.operator()), "changed");
        return ExitCode.OK;
    }

    private void print(JsonNode reply, String title) {
        if (json) {
            terminal.out().println(reply);
            return;
        }
        terminal.out().printf(Locale.ROOT,
                "%s: %s; %s removed, %d lowered, %d raised; nothing left to reverse for %d%n", title,
                Reports.count(reply.path("hashes").asLong(0), "hash"),
                Reports.count(reply.path("removed").asLong(0), "flag"), reply.path("lowered").asLong(0),
                reply.path("raised").asLong(0), reply.path("gone").asLong(0));
        for (JsonNode step : reply.path("largest")) {
            terminal.out().printf(Locale.ROOT, "  %s flag %d: %d -> %s, %s in the last day%n",
                    step.path("digest").asString(""), step.path("flag").asLong(0), step.path("before").asLong(0),
                    step.path("removed").asBoolean(false) ? "removed" : step.path("after").asString(""),
                    Reports.count(step.path("hits_day").asLong(0), "hit"));
        }
        String id = reply.path("id").asString("");
        if (!id.isEmpty()) {
            terminal.out().println("undo this with: weir undo --mail " + id);
        }
    }
}
