package dev.weir.cli.control;

import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import dev.weir.storage.access.Operation;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** {@code weir keys}: the dynamic keys of a running storage. */
@Command(name = "keys", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND", description = {
    "Shows, adds, changes and removes the dynamic keys of a running storage on this machine.",
    "The keys are in the file that dynamic_keys_map of worker \"fuzzy\" names. Changes are in force at once. Secrets "
            + "are never printed: clients need the public key only."},
        subcommands = {KeysCommand.Show.class, KeysCommand.Add.class, KeysCommand.Change.class,
            KeysCommand.Remove.class, HelpCommand.class})
public final class KeysCommand {
    private KeysCommand() {}

    /** What the users of a key may do. */
    private static final class Rules {
        @Option(names = "--name", paramLabel = "TEXT", description = "Name for statistics.")
        private @Nullable String name;

        @Option(names = "--email", paramLabel = "TEXT", description = "Email address for statistics.")
        private @Nullable String email;

        @Option(names = "--allow", paramLabel = "WORD", split = ",",
                description = "What its users may do: read, write, delete, with commas (default: read).")
        private @Nullable List<Operation> allowed;

        @Option(names = "--burst", paramLabel = "N",
                description = "Rate limit of all its users together: number of checks allowed at once; 0 for no limit.")
        private @Nullable Double burst;

        @Option(names = "--rate", paramLabel = "N", description = "Rate limit: number of checks allowed per second.")
        private @Nullable Double rate;

        @Option(names = "--expire", paramLabel = "DAY",
                description = "First day on which its users may no longer check, such as 2027-01-31; never for no end.")
        private @Nullable String expire;

        @Option(names = "--hide-flag", paramLabel = "N", split = ",",
                description = "Flags that its users never see, with commas, instead of forbidden_ids.")
        private @Nullable List<Long> hidden;

        /** Returns the arguments of a request: these rules, and those of an earlier state where none is given. */
        String query(JsonNode old) {
            StringBuilder query = new StringBuilder();
            add(query, "name", name != null ? name : old.path("name").asString(""));
            add(query, "email", email != null ? email : old.path("email").asString(""));
            List<String> words = new ArrayList<>();
            if (allowed != null) {
                allowed.forEach(operation -> words.add(operation.word()));
            } else {
                old.path("operations").forEach(operation -> words.add(operation.asString("")));
            }
            add(query, "operations", String.join(",", words));
            boolean unlimited = burst != null && burst == 0;
            add(query, "burst", unlimited ? "" : burst != null ? burst.toString() : text(old.path("burst")));
            add(query, "rate", unlimited ? "" : rate != null ? rate.toString() : text(old.path("rate")));
            add(query, "expire", expire == null ? text(old.path("expire")) : day(expire));
            List<String> flags = new ArrayList<>();
            if (hidden != null) {
                hidden.forEach(flag -> flags.add(flag.toString()));
            } else {
                old.path("hidden_flags").forEach(flag -> flags.add(text(flag)));
            }
            add(query, "hidden_flags", String.join(",", flags));
            return query.toString();
        }

        private static String day(String text) {
            if (text.equals("never")) {
                return "";
            }
            try {
                return LocalDate.parse(text).toString();
            } catch (DateTimeParseException e) {
                throw new FailedException(ExitCode.USAGE, "--expire: expected a day such as 2027-01-31, or never");
            }
        }
    }

    private static String text(JsonNode node) {
        return node.isMissingNode() ? "" : node.asString("");
    }

    private static void add(StringBuilder query, String name, String value) {
        if (!value.isEmpty()) {
            query.append('&').append(name).append('=').append(RunningStorage.escaped(value));
        }
    }

    private static String request(String arguments) {
        return "/key?" + RunningStorage.operator() + arguments;
    }

    private static void print(Terminal terminal, JsonNode key) {
        List<String> words = new ArrayList<>();
        key.path("operations").forEach(operation -> words.add(operation.asString("")));
        StringBuilder line = new StringBuilder(key.path("key").asString("")).append("  ")
                .append(words.isEmpty() ? "nothing" : String.join(",", words));
        if (key.has("burst")) {
            line.append(String.format(Locale.ROOT, "  %.0f at once, %s a second", key.path("burst").asDouble(0),
                    text(key.path("rate"))));
        }
        if (key.has("expire")) {
            line.append("  until ").append(text(key.path("expire")));
        }
        if (key.has("hidden_flags")) {
            line.append("  hidden flags ").append(key.path("hidden_flags"));
        }
        for (String name : List.of("name", "email")) {
            String value = RunningStorage.clean(key.path(name));
            line.append(value.isEmpty() ? "" : "  " + value);
        }
        terminal.out().println(line + (key.path("in_force").asBoolean(false) ? "" : "  (not in force)"));
    }

    private static JsonNode find(JsonNode reply, String key) {
        for (JsonNode found : reply.path("keys")) {
            if (found.path("key").asString("").equals(key)) {
                return found;
            }
        }
        throw new FailedException(ExitCode.REFUSED, "no file of dynamic keys has the key " + key);
    }

    /** {@code weir keys list}: the dynamic keys. */
    @Command(name = "list",
            description = "Prints the dynamic keys, each with its rules.",
            exitCodeList = {
                "0:printed",
                "1:there is no dynamic key",
                ControlCommand.WRONG_USE,
                ControlCommand.REFUSED,
                ControlCommand.NO_ANSWER})
    public static final class Show extends StorageRequest {
        @Option(names = {"-j", "--json"}, description = "Print the reply as one line of JSON.")
        private boolean json;

        public Show(Terminal terminal) {
            super(terminal);
        }

        @Override
        public Integer call() {
            JsonNode reply = storage.ask("/keys");
            if (json) {
                terminal.out().println(reply);
            } else {
                reply.path("keys").forEach(key -> print(terminal, key));
                String obstacle = reply.path("obstacle").asString("");
                if (!obstacle.isEmpty()) {
                    terminal.error(obstacle);
                }
                terminal.out().println(Reports.count(reply.path("keys").size(), "dynamic key"));
            }
            return reply.path("keys").isEmpty() ? ExitCode.NO_MATCH : ExitCode.OK;
        }
    }

    /** {@code weir keys add}: a new dynamic key. */
    @Command(name = "add",
            description = "Makes a key pair, adds it to the file, and prints the public key for the clients.",
            exitCodeList = {
                "0:the key is in force",
                ControlCommand.WRONG_USE,
                ControlCommand.REFUSED,
                ControlCommand.NO_ANSWER})
    public static final class Add extends StorageRequest {
        @Mixin
        private Rules rules = new Rules();

        public Add(Terminal terminal) {
            super(terminal);
        }

        @Override
        public Integer call() {
            terminal.out().println(storage.ask(request(rules.query(MissingNode.getInstance()))).path("key")
                    .asString(""));
            return ExitCode.OK;
        }
    }

    /** {@code weir keys change}: other rules for a dynamic key. */
    @Command(name = "change",
            description = "Changes the given rules of a key. Options that you omit keep their value.",
            exitCodeList = {
                "0:the rules are in force",
                ControlCommand.WRONG_USE,
                ControlCommand.REFUSED,
                ControlCommand.NO_ANSWER})
    public static final class Change extends StorageRequest {
        @Mixin
        private Rules rules = new Rules();

        @Parameters(paramLabel = "KEY", description = "The public key.")
        private String key = "";

        public Change(Terminal terminal) {
            super(terminal);
        }

        @Override
        public Integer call() {
            JsonNode old = find(storage.ask("/keys"), key);
            print(terminal, find(storage.ask(request("&key=" + RunningStorage.escaped(key) + rules.query(old))), key));
            return ExitCode.OK;
        }
    }

    /** {@code weir keys remove}: the end of a dynamic key. */
    @Command(name = "remove",
            description = "Removes a key with its secret, which cannot be restored. Its clients no longer get answers.",
            exitCodeList = {
                "0:the key is gone",
                ControlCommand.WRONG_USE,
                ControlCommand.REFUSED,
                ControlCommand.NO_ANSWER})
    public static final class Remove extends StorageRequest {
        @Parameters(paramLabel = "KEY", description = "The public key.")
        private String key = "";

        public Remove(Terminal terminal) {
            super(terminal);
        }

        @Override
        public Integer call() {
            storage.ask(request("&key=" + RunningStorage.escaped(key) + "&remove=1"));
            terminal.out().println("removed " + key);
            return ExitCode.OK;
        }
    }
}
