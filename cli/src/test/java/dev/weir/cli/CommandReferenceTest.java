package dev.weir.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares {@code docs/reference/commands.md} with the help text of every command. With {@code -Dweir.docs.write=true},
 * the test updates the page instead.
 */
class CommandReferenceTest {
    private static final Path PAGE = Path.of("../docs/reference/commands.md");

    private static final String INTRODUCTION = """
            # Commands

            What `./weir COMMAND --help` prints. A test keeps this page equal to the program; `mvn test -pl cli -am
            -Dtest=CommandReferenceTest -Dsurefire.failIfNoSpecifiedTests=false -Dweir.docs.write=true` updates it.
            """;

    @Test
    void thePageMatchesTheHelpOfEveryCommand() throws Exception {
        CommandLine weir = Main.commands();
        StringBuilder page = new StringBuilder(INTRODUCTION);
        append(weir, page);
        if (Boolean.getBoolean("weir.docs.write")) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.readString(PAGE)).isEqualTo(page.toString());
    }

    @Test
    void gettingStartedNamesEveryCommand() throws Exception {
        String page = Files.readString(Path.of("../docs/start/getting-started.md"));
        assertThat(Main.commands().getSubcommands().entrySet().stream()
                .filter(command -> !command.getValue().getCommandSpec().usageMessage().hidden())
                .map(Map.Entry::getKey).filter(name -> !name.equals("help")))
                .isNotEmpty().allSatisfy(name -> assertThat(page).contains("./weir " + name));
    }

    private static void append(CommandLine command, StringBuilder page) {
        String usage = command.setUsageHelpAutoWidth(false).setUsageHelpWidth(100)
                .getUsageMessage(CommandLine.Help.Ansi.OFF);
        page.append("\n## ").append(command.getCommandSpec().qualifiedName()).append("\n\n```\n").append(usage)
                .append("```\n");
        Set<CommandLine> children = new LinkedHashSet<>(command.getSubcommands().values());
        children.removeIf(child -> child.getCommandSpec().usageMessage().hidden());
        children.forEach(child -> append(child, page));
    }
}
