package dev.weir.packages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.weir.cli.Main;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Writes a manual page in roff (man(7)) for {@code weir} and for each of its commands, and the completion for bash.
 * Both come from the descriptions that {@code weir COMMAND --help} prints. A page with subcommands describes them too.
 */
final class ManualPages {
    private final String version;

    private ManualPages(String version) {
        this.version = version;
    }

    /** @param args the folder for the pages, the file for the completion, and the version */
    static void main(String... args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        CommandLine weir = Main.commands();
        // The shell sources the file, so the first line, which names an interpreter, means nothing.
        Files.writeString(Path.of(args[1]), AutoComplete.bash("weir", weir).replaceFirst("^#!.*\\R", ""));
        ManualPages pages = new ManualPages(args[2]);
        Files.writeString(folder.resolve("weir.1"), pages.page(weir));
        for (CommandLine command : shown(weir)) {
            Files.writeString(folder.resolve(name(command) + ".1"), pages.page(command));
        }
    }

    /** Returns the manual page of a command. */
    String page(CommandLine command) {
        StringBuilder page = new StringBuilder();
        page.append(".TH ").append(name(command).toUpperCase(Locale.ROOT)).append(" 1 \"\" \"Weir ").append(version)
                .append("\" \"Weir\"\n");
        // Neither hyphens nor wide spaces that are not part of a command line.
        page.append(".nh\n.ad l\n");
        page.append(".SH NAME\n").append(text(name(command))).append(" \\- ")
                .append(text(summary(command))).append('\n');
        body(command, page, ".SH");
        if (command.getParent() == null) {
            page.append(".SH COMMANDS\n");
            for (CommandLine child : shown(command)) {
                page.append(".TP\n.BR ").append(text(name(child))).append(" (1)\n").append(text(summary(child)))
                        .append(".\n");
            }
            page.append("""
                    .SH FILES
                    .TP
                    .I /etc/weir/weir.conf
                    the configuration of the service
                    .TP
                    .I /var/lib/weir
                    the hashes of the service, its update log, and its control socket
                    """);
        } else {
            for (CommandLine child : shown(command)) {
                page.append(".SH COMMAND ").append(text(qualified(child))).append('\n');
                page.append(text(summary(child))).append(".\n");
                body(child, page, ".SS");
            }
        }
        page.append(".SH \"SEE ALSO\"\n").append(command.getParent() == null
                ? "The guides and references in\n.IR /usr/share/doc/weir .\n"
                : ".BR weir (1)\n");
        return page.toString();
    }

    private static void body(CommandLine command, StringBuilder page, String heading) {
        CommandSpec spec = command.getCommandSpec();
        UsageMessageSpec usage = spec.usageMessage();
        page.append(heading).append(" SYNOPSIS\n").append(text(synopsis(command))).append('\n');
        List<String> description = lines(usage.description());
        if (!description.isEmpty()) {
            page.append(heading).append(" DESCRIPTION\n").append(text(String.join("\n", description))).append('\n');
        }
        List<PositionalParamSpec> parameters = spec.positionalParameters().stream().filter(p -> !p.hidden()).toList();
        if (!parameters.isEmpty()) {
            page.append(heading).append(" ARGUMENTS\n");
            parameters.forEach(parameter -> entry(page, parameter.paramLabel(), parameter));
        }
        List<OptionSpec> options = spec.options().stream().filter(option -> !option.hidden()).toList();
        if (!options.isEmpty()) {
            page.append(heading).append(" OPTIONS\n");
            options.forEach(option -> entry(page, label(option), option));
        }
        List<String> footer = lines(usage.footer());
        if (!footer.isEmpty()) {
            page.append(heading).append(" NOTES\n").append(text(String.join("\n", footer))).append('\n');
        }
    }

    private static void entry(StringBuilder page, String label, ArgSpec argument) {
        page.append(".TP\n.B ").append(text(label)).append('\n')
                .append(text(String.join("\n", lines(argument.description())))).append('\n');
    }

    private static String label(OptionSpec option) {
        String value = option.arity().max() == 0 ? "" : " " + option.paramLabel();
        return Stream.of(option.names()).collect(Collectors.joining(", ", "", value));
    }

    private static String synopsis(CommandLine command) {
        Help help = command.setUsageHelpAutoWidth(false).setUsageHelpWidth(10_000).getHelp();
        return help.synopsis(0).strip();
    }

    private static String summary(CommandLine command) {
        List<String> description = lines(command.getCommandSpec().usageMessage().description());
        String first = description.isEmpty() ? "" : description.getFirst();
        int end = first.indexOf(". ");
        String sentence = end < 0 ? first : first.substring(0, end);
        return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    }

    /** Resolves the placeholders and markup of picocli. */
    private static List<String> lines(String... description) {
        List<String> lines = new ArrayList<>();
        for (String line : description) {
            lines.addAll(Help.Ansi.OFF.string(line.replace("%n", "\n").replace("%%", "%")).lines().toList());
        }
        while (!lines.isEmpty() && lines.getFirst().isBlank()) {
            lines.removeFirst();
        }
        return lines;
    }

    private static List<CommandLine> shown(CommandLine command) {
        return command.getSubcommands().values().stream().distinct()
                .filter(child -> !child.getCommandSpec().usageMessage().hidden()).toList();
    }

    private static String qualified(CommandLine command) {
        return command.getCommandSpec().qualifiedName();
    }

    private static String name(CommandLine command) {
        return command.getCommandSpec().qualifiedName("-");
    }

    /** Quotes what roff would read as a request or as an escape. */
    private static String text(String plain) {
        String escaped = plain.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
                .replace("^", "\\(ha").replace("~", "\\(ti");
        return escaped.lines().map(line -> line.startsWith(".") ? "\\&" + line : line)
                .collect(Collectors.joining("\n.br\n"));
    }
}
