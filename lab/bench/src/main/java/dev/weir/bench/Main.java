package dev.weir.bench;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

import dev.weir.bench.campaigns.CampaignsCommand;
import dev.weir.bench.durability.BurstCommand;
import dev.weir.bench.durability.LearnRateCommand;
import dev.weir.bench.durability.StoreCommand;
import dev.weir.bench.hashing.ExactCommand;
import dev.weir.bench.hashing.HashingCommand;
import dev.weir.bench.hashing.HuntCommand;
import dev.weir.bench.hashing.differ.DifferCommand;
import dev.weir.bench.hostile.HostileCommand;
import dev.weir.bench.http.DeadServerCommand;
import dev.weir.bench.http.HashCommand;
import dev.weir.bench.http.HttpCommand;
import dev.weir.bench.http.MilterLoadCommand;
import dev.weir.bench.index.IndexCommand;
import dev.weir.bench.index.RecallCommand;
import dev.weir.bench.jmh.JmhCommand;
import dev.weir.bench.nodes.NodeChecksCommand;
import dev.weir.bench.nodes.NodesCommand;
import dev.weir.bench.nodes.StandbyCommand;
import dev.weir.bench.speed.ClientKeysCommand;
import dev.weir.bench.speed.CoresCommand;
import dev.weir.bench.speed.LatencyCommand;
import dev.weir.bench.speed.MemoryCommand;
import dev.weir.bench.speed.MissesCommand;
import dev.weir.bench.speed.PagesCommand;
import dev.weir.bench.speed.PictureCommand;
import dev.weir.bench.speed.StartCommand;
import dev.weir.bench.speed.WireCommand;
import dev.weir.bench.transfer.MoveCommand;
import dev.weir.bench.waves.WavesCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command {@code lab/bench/run}. */
@Command(name = "lab/bench/run", description = "Measures Weir beside the real Rspamd.", mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND", subcommands = {
            LearnRateCommand.class,
            BurstCommand.class,
            StoreCommand.class,
            MoveCommand.class,
            IndexCommand.class,
            RecallCommand.class,
            ExactCommand.class,
            DifferCommand.class,
            CampaignsCommand.class,
            HashingCommand.class,
            HuntCommand.class,
            HashCommand.class,
            HttpCommand.class,
            DeadServerCommand.class,
            MilterLoadCommand.class,
            WireCommand.class,
            LatencyCommand.class,
            MemoryCommand.class,
            MissesCommand.class,
            StartCommand.class,
            ClientKeysCommand.class,
            CoresCommand.class,
            NodesCommand.class,
            NodeChecksCommand.class,
            StandbyCommand.class,
            PagesCommand.class,
            JmhCommand.class,
            PictureCommand.class,

            HostileCommand.class,
            WavesCommand.class})
public final class Main {
    /** Exit status of a program that could not measure. */
    private static final int FAILED = 3;

    private Main() {}

    /** Runs a program and exits with its status. */
    public static void main(String[] args) {
        System.exit(run(new PrintWriter(System.out, true, StandardCharsets.UTF_8),
                new PrintWriter(System.err, true, StandardCharsets.UTF_8), args));
    }

    /** Returns all programs, before one of them is run. */
    static CommandLine commands() {
        return new CommandLine(new Main()).setCaseInsensitiveEnumValuesAllowed(true);
    }

    /** Runs a program and returns its status. */
    static int run(PrintWriter out, PrintWriter err, String... args) {
        return commands().setUsageHelpAutoWidth(true)
                .setOut(out)
                .setErr(err)
                .setExecutionExceptionHandler((failure, commandLine, _) -> {
                    // Tables are printed only on success.
                    failure.printStackTrace(commandLine.getErr());
                    return FAILED;
                })
                .execute(args);
    }
}
