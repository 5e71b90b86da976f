package dev.weir.cli.control;

import java.util.Locale;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code weir skips}: the skip list of a running storage. */
@Command(name = "skips", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND", description = {
    "Shows, adds, changes and removes entries of the skip list of a running storage on this machine.",
    "Checks do not find a digest on the list, and clients cannot learn it. Each entry has a reason and may have an "
            + "end. "
            + "Changes are in force at once and outlive a restart. This list is separate from skip_hashes in the "
            + "configuration."},
        subcommands = {SkipsCommand.Show.class, SkipsCommand.Add.class, SkipsCommand.Change.class,
            SkipsCommand.Remove.class, HelpCommand.class})
public final class SkipsCommand {
    private static final String DIGEST = "The digest: 128 hexadecimal digits, as weir find prints it.";

    private SkipsCommand() {}

    private static String request(String digest, String arguments) {
        return "/skip?" + RunningStorage.operator() + "&digest=" + RunningStorage.escaped(digest) + arguments;
    }

    private static void print(Terminal terminal, JsonNode entry, JsonNode now) {
        terminal.out().println(entry.path("digest").asString("") + "  "
                + RunningStorage.left(entry.path("end"), now) + "  " + RunningStorage.clean(entry.path("reason")));
    }

    private static JsonNode find(JsonNode reply, String digest) {
        String lower = digest.toLowerCase(Locale.ROOT);
        for (JsonNode entry : reply.path("skips")) {
            if (entry.path("digest").asString("").equals(lower)) {
                return entry;
            }
        }
        throw new FailedException(ExitCode.REFUSED, "the digest is not on the skip list");
    }

    /** {@code weir skips list}: the entries. */
    @Command(name = "list",
            description = "Prints the skip list: each digest with the remaining time and the reason.",
            exitCodeList = {
                "0:printed",
                "1:the list is empty",
                ControlCommand.WRONG_USE,
                ControlCommand.REFUSED,
                ControlCommand.NO_ANSWER})
    public static final class Show extends StorageRequest {
        @Option(names = {"-j", "--json"}, description = "Print the entries as one line of JSON.")
        private boolean json;

        public Show(Terminal terminal) {
            super(terminal);
        }

        @Override
        public Integer call() {
            JsonNode reply = storage.ask("/access");
            JsonNode skips = reply.path("skips");
            if (json) {
                terminal.out().println(skips);
            } else {
                skips.forEach(entry -> print(terminal, entry, reply.path("time")));
                terminal.out().println(Reports.count(skips.size(), "skipped digest"));
            }
            return skips.isEmpty() ? ExitCode.NO_MATCH : ExitCode.OK;
        }
    }

    /** {@code weir skips add}: a new entry. */
    @Command(name = "add", description = "Puts a digest on the skip list.",
            exitCodeList = {
                "0:the entry is in force",
                ControlCommand.WRONG_USE,
                ControlCommand.REFUSED,
                ControlCommand.NO_ANSWER})
    public static final class Add extends StorageRequest {
        @Option(names = "--reason", required = true, paramLabel = "TEXT",
                description = "The reason, which weir skips list prints.")
        private String reason = "";

        @Option(names = "--days", paramLabel = "N", description = "Days until the entry ends (default: no end).")
        private @Nullable Integer days;

        @Parameters(paramLabel = "DIGEST", description = DIGEST)
        private String digest = "";

        public Add(Terminal terminal) {
            super(terminal);
        }

        @Override
        public Integer call() {
            JsonNode reply = storage.ask(request(digest, "&reason=" + RunningStorage.escaped(reason)
                    + (days == null ? "" : "&days=" + days)));
            print(terminal, find(reply, digest), reply.path("time"));
            return ExitCode.OK;
        }
    }

    /** {@code weir skips change}: another reason or end. */
    @Command(name = "change",
            description = "Changes the reason or the end of an entry. Options that you omit keep their value.",
            exitCodeList = {
                "0:the entry is changed",
                ControlCommand.WRONG_USE,
                "4:the digest is not on the skip list, or the storage failed to do it",
                ControlCommand.NO_ANSWER})
    public static final class Change extends StorageRequest {
        @Option(names = "--reason", paramLabel = "TEXT", description = "New reason.")
        private @Nullable String reason;

        @Option(names = "--days", paramLabel = "N", description = "Days from now until the entry ends; 0 for no end.")
        private @Nullable Integer days;

        @Parameters(paramLabel = "DIGEST", description = DIGEST)
        private String digest = "";

        public Change(Terminal terminal) {
            super(terminal);
        }

        @Override
        public Integer call() {
            JsonNode old = find(storage.ask("/access"), digest);
            String why = reason != null ? reason : old.path("reason").asString("");
            JsonNode reply = storage.ask(request(digest, "&reason=" + RunningStorage.escaped(why) + end(old)));
            print(terminal, find(reply, digest), reply.path("time"));
            return ExitCode.OK;
        }

        private String end(JsonNode old) {
            if (days != null) {
                return days == 0 ? "" : "&days=" + days;
            }
            return old.has("end") ? "&until=" + RunningStorage.time(old.path("end")) : "";
        }
    }

    /** {@code weir skips remove}: the end of an entry. */
    @Command(name = "remove",
            description = "Takes a digest off the skip list. Checks find it again if it is stored.",
            exitCodeList = {
                "0:the digest is off the list",
                ControlCommand.WRONG_USE,
                "4:the digest is not on the skip list, or the storage failed to do it",
                ControlCommand.NO_ANSWER})
    public static final class Remove extends StorageRequest {
        @Parameters(paramLabel = "DIGEST", description = DIGEST)
        private String digest = "";

        public Remove(Terminal terminal) {
            super(terminal);
        }

        @Override
        public Integer call() {
            storage.ask(request(digest, "&remove=1"));
            terminal.out().println("removed " + digest);
            return ExitCode.OK;
        }
    }
}
