package dev.weir.bench.index;

import java.nio.file.Path;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;

import dev.weir.bench.report.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The program {@code recall}: measures how often the best near duplicate is found. */
@Command(name = "recall", mixinStandardHelpOptions = true, description = {
    "How often the most similar stored text is found among families of near duplicates that are made from real mails,",
    "beside an index in which the last writer of a shingle owns it, as in Rspamd's backends."})
public final class RecallCommand implements Callable<Integer> {
    /** Replacement rates: one word in this many is replaced. */
    private static final int[] RARITIES = {200, 100, 50, 30, 20, 14};
    private static final int[][] RANGES = {{17, 19}, {20, 23}, {24, 27}, {28, 31}, {32, 32}, {17, 32}};

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "FOLDER", description = "Folder of mails, one per file; subfolders are included.")
    private Path folder = Path.of("");

    @Option(names = "--mails", paramLabel = "N", defaultValue = "200",
            description = "Families (default: ${DEFAULT-VALUE}).")
    private int mails;

    @Option(names = "--copies", paramLabel = "N", defaultValue = "30",
            description = "Stored near duplicates of each family (default: ${DEFAULT-VALUE}).")
    private int copies;

    @Option(names = "--questions", paramLabel = "N", defaultValue = "20",
            description = "Further near duplicates of each family to look up (default: ${DEFAULT-VALUE}).")
    private int questions;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1",
            description = "Seed of the near duplicates (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Override
    public Integer call() throws Exception {
        Families families = Families.read(folder, mails);
        Recall recall = new Recall();
        SplittableRandom random = new SplittableRandom(seed);
        // Interleaved, as concurrent campaigns are learned.
        for (int copy = 0; copy < copies; copy++) {
            for (int family = 0; family < families.size(); family++) {
                families.copy(family, rarity(random), random).ifPresent(recall::store);
            }
        }
        for (int family = 0; family < families.size(); family++) {
            for (int question = 0; question < questions; question++) {
                families.copy(family, rarity(random), random).ifPresent(recall::ask);
            }
        }
        Table table = new Table("equal slots of the best", "questions", "Weir finds", "finds the best",
                "last writer finds", "finds the best");
        for (int[] range : RANGES) {
            Recall.Row row = recall.row(range[0], range[1]);
            table.row(range[0] == range[1] ? String.valueOf(range[0]) : range[0] + " to " + range[1],
                    Table.number(row.asked()), share(row.found(), row.asked()), share(row.best(), row.asked()),
                    share(row.ownerFound(), row.asked()), share(row.ownerBest(), row.asked()));
        }
        spec.commandLine().getOut().printf("%d mails, %d signatures stored, %d displaced%n%n%s", families.size(),
                recall.size(), recall.crowded(), table);
        return recall.row(17, 32).asked() == 0 ? 3 : 0;
    }

    private static int rarity(SplittableRandom random) {
        return RARITIES[random.nextInt(RARITIES.length)];
    }

    private static String share(int part, int whole) {
        return whole == 0 ? "-" : String.format(Locale.ROOT, "%.1f %%", 100.0 * part / whole);
    }
}
