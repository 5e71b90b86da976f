package dev.weir.bench;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command {@code bench/run}. */
@Command(name = "bench/run", description = "Measures a Weir storage beside the real Rspamd.", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND", subcommands = {
    LearnCommand.class,
    BurstCommand.class})
public final class Main {
    private Main() {}

    /** Runs one program and ends with its status. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Runs one program; gives its status. */
    static int run(String... args) {
        return new CommandLine(new Main()).setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .execute(args);
    }
}
