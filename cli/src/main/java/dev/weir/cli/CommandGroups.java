package dev.weir.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import picocli.CommandLine.Help;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The commands in the help of {@code weir}, by what a person wants to do. */
final class CommandGroups {
    private static final Map<String, List<String>> GROUPS = new LinkedHashMap<>();

    static {
        GROUPS.put("Every day", List.of("serve", "learn", "forget", "check", "find", "undo", "top", "waves", "demo"));
        GROUPS.put("Look inside", List.of("hash", "explain", "trial", "doctor", "config", "ping", "stat", "log",
                "control", "bench"));
        GROUPS.put("Maintain", List.of("keypair", "pw", "keys", "blocked", "skips", "verify", "repair", "adopt",
                "compact", "backup"));
        GROUPS.put("Move", List.of("import", "export", "mirror"));
    }

    private static final String EXAMPLE = """

            Example: a storage, a mail that it learns, and the question for a mail
              weir serve
              weir learn -f 1 -w 10 spam.eml
              weir check mail.eml

            weir COMMAND --help describes a command.
            """;

    private static final int NAME_WIDTH = 22;

    private CommandGroups() {}

    /** Returns the list of commands for the help of {@code weir}. Other commands have the usual list. */
    static String list(Help help) {
        Map<String, Help> others = new LinkedHashMap<>(help.subcommands());
        StringBuilder text = new StringBuilder();
        GROUPS.forEach((title, names) -> {
            Map<String, Help> group = new LinkedHashMap<>();
            for (String name : names) {
                Help command = others.remove(name);
                if (command != null) {
                    group.put(name, command);
                }
            }
            group(text, title, group);
        });
        group(text, "Other", others);
        return text.append(EXAMPLE.replace("\n", System.lineSeparator())).toString();
    }

    private static void group(StringBuilder text, String title, Map<String, Help> commands) {
        if (commands.isEmpty()) {
            return;
        }
        text.append(System.lineSeparator()).append(title).append(':').append(System.lineSeparator());
        Help any = commands.values().iterator().next();
        Help.TextTable table = Help.TextTable.forColumns(any.colorScheme(),
                new Help.Column(NAME_WIDTH, 2, Help.Column.Overflow.SPAN),
                new Help.Column(any.commandSpec().usageMessage().width() - NAME_WIDTH, 2, Help.Column.Overflow.WRAP));
        commands.forEach((name, command) -> table.addRowValues(name, summary(command)));
        table.toString(text);
    }

    /** Returns the first statement of a description: the help of the command has the rest. */
    private static String summary(Help help) {
        UsageMessageSpec usage = help.commandSpec().usageMessage();
        String[] lines = usage.header().length > 0 ? usage.header() : usage.description();
        return lines.length == 0 ? "" : lines[0].replaceFirst("(?:[.:;] |, one JSON).*", ".");
    }
}
