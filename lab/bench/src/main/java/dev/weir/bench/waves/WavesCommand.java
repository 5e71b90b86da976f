package dev.weir.bench.waves;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code waves}: measures what the counting of unknown mail finds, and what it costs. */
@Command(name = "waves", mixinStandardHelpOptions = true, description = {
    "Plants 50 waves of 20 to 5,000 changed copies among different mails, in a time of its own, and compares what is",
    "counted with what was sent. With --spam, counts how many real mails would get the answer of a wave before",
    "anything is learned."})
public final class WavesCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--rate", paramLabel = "N", defaultValue = "10000",
            description = "Different mails a second (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(names = "--flood", paramLabel = "N", defaultValue = "0",
            description = "Random mails a second from one network beside them (default: ${DEFAULT-VALUE}).")
    private int flood;

    @Option(names = "--seconds", paramLabel = "N", defaultValue = "600",
            description = "Length of the stream (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1",
            description = "Seed of the stream (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(names = "--spam", paramLabel = "DIR", description = "Folder of real spam, instead of the planted waves.")
    private @Nullable Path spam;

    @Option(names = "--ham", paramLabel = "DIR", description = "Folder of mails of honest senders. Repeatable.")
    private List<Path> ham = List.of();

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        Path real = spam;
        out.println(real == null
                ? new SyntheticStream(seed, seconds, rate, flood).run()
                : new RealStream(real, ham).run());
        return 0;
    }
}
