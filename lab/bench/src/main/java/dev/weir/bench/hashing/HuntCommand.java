package dev.weir.bench.hashing;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

import dev.weir.bench.report.Table;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code hunt}: searches for the mail that takes longest to hash. */
@Command(name = "hunt", mixinStandardHelpOptions = true, description = {
    "Searches for the mail that takes longest to hash with a genetic algorithm, and prints the slowest "
            + "of",
    "different kinds: what they are made of, their processor time, and how much more one of four times the size "
            + "takes."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:searched, and no find grows faster than its size",
            "1:some find does",
            "2:the command line is wrong",
            "3:something could not be measured"})
public final class HuntCommand implements Callable<Integer> {
    /** Tolerated factor of time for four times the size: below quadratic growth, above noise. */
    private static final double TOLERANCE = 9;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--size", paramLabel = "BYTES", defaultValue = "65536",
            description = "Size of the mails in bytes (default: ${DEFAULT-VALUE}).")
    private int size;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "100",
            description = "Generations (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1",
            description = "Seed of the random numbers (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(names = "--finds", paramLabel = "N", defaultValue = "10",
            description = "Mails to show (default: ${DEFAULT-VALUE}).")
    private int finds;

    @Option(names = "--save", paramLabel = "DIR", description = "Write the mails to this folder.")
    private @Nullable Path folder;

    @Mixin
    private RuleOptions options = new RuleOptions();

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        Table table = new Table("made of", "processor time", "four times the size", "hashed");
        List<Hunt.Find> slowest = Hunt.of(options, size, seed).run(rounds, finds);
        for (int i = 0; i < slowest.size(); i++) {
            Hunt.Find find = slowest.get(i);
            table.row(find.what().replace("|", "\\|"), Table.time(find.nanos()),
                    String.format(Locale.ROOT, "%.1f times", find.times()), find.hashed() ? "yes" : "given up");
            if (folder != null) {
                Files.write(Files.createDirectories(folder).resolve(String.format(Locale.ROOT, "%02d.eml", i)),
                        find.mail());
            }
        }
        out.println(table);
        boolean linear = slowest.stream().allMatch(find -> find.times() <= TOLERANCE);
        out.println(linear ? "No find grows faster than its size." : "GROWS: some find grows faster.");
        return linear ? 0 : 1;
    }
}
