package dev.weir.bench.hashing.differ;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;

import dev.weir.bench.hashing.Difference;
import dev.weir.bench.hashing.RuleOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code differ}: searches for mails that Weir hashes otherwise than the real Rspamd. */
@Command(name = "differ", mixinStandardHelpOptions = true, description = {
    "Makes mails from a grammar, asks Weir and the real Rspamd about each, and makes those that differ as small as",
    "possible. Prints the small mails, grouped by the first step that differs and the rules of the grammar in them."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:no mail differs",
            "1:some mail differs",
            "2:the command line is wrong",
            "3:something could not be measured"})
public final class DifferCommand implements Callable<Integer> {
    private static final String START = "mail";
    private static final int WARM_UP = 30;
    /** Longest mail to show in full, in characters. */
    private static final int SHOWN = 600;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--oracle", paramLabel = "PROGRAM", required = true,
            description = "Program that runs the real Rspamd: PROGRAM DIR OUT.json ALGORITHM --version 3|4 [--html] "
                    + "--full.")
    private Path oracle = Path.of("");

    @Option(names = "--mails", paramLabel = "N", defaultValue = "10000",
            description = "Number of mails to make (default: ${DEFAULT-VALUE}).")
    private int mails;

    @Option(names = "--batch", paramLabel = "N", defaultValue = "5000",
            description = "Mails for one run of the oracle (default: ${DEFAULT-VALUE}).")
    private int batch;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1",
            description = "Seed of the random numbers (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(names = "--minimize", paramLabel = "N", defaultValue = "25",
            description = "Mails to minimize for each step that differs (default: ${DEFAULT-VALUE}).")
    private int minimized;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "60",
            description = "Runs of the oracle to minimize with (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = "--grammar", paramLabel = "FILE", description = "Another grammar; its start is the rule mail.")
    private @Nullable Path grammarFile;

    @Option(names = "--save", paramLabel = "DIR", description = "Write the small mails to this folder.")
    private @Nullable Path folder;

    @Mixin
    private RuleOptions options = new RuleOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        Grammar grammar = grammarFile == null
                ? Grammar.resource("mail.grammar")
                : new Grammar(Files.readString(grammarFile));
        Random random = new Random(seed);
        BothHashers both = new BothHashers(options, oracle, warmUp(grammar));
        Map<Difference.Stage, List<Minimizer.Case>> found = new EnumMap<>(Difference.Stage.class);
        for (int made = 0; made < mails; made += batch) {
            List<Derivation> trees = new ArrayList<>();
            for (int i = 0; i < Math.min(batch, mails - made); i++) {
                trees.add(grammar.derive(START, random));
            }
            List<@Nullable Difference> differences = both.ask(trees.stream().map(Derivation::bytes).toList());
            for (int i = 0; i < trees.size(); i++) {
                Difference difference = differences.get(i);
                if (difference != null) {
                    found.computeIfAbsent(difference.stage(), _ -> new ArrayList<>())
                            .add(new Minimizer.Case(trees.get(i), difference));
                }
            }
            out.printf(Locale.ROOT, "%d mails, %s%n", made + trees.size(), counts(found));
            out.flush();
        }
        List<Minimizer.Case> chosen = new ArrayList<>();
        found.values().forEach(cases -> cases.stream()
                .sorted(Comparator.comparingInt(found2 -> found2.mail().bytes().length)).limit(minimized)
                .forEach(chosen::add));
        report(out, new Minimizer(both::ask).minimize(chosen, rounds));
        if (both.refused() > 0) {
            out.println("Rspamd failed for " + both.refused() + " mails.");
        }
        return found.isEmpty() ? 0 : 1;
    }

    /** Returns mails that do not depend on the seed. */
    private static List<byte[]> warmUp(Grammar grammar) {
        Random random = new Random(0);
        List<byte[]> warmUp = new ArrayList<>();
        for (int i = 0; i < WARM_UP; i++) {
            warmUp.add(grammar.derive("warm-up", random).bytes());
        }
        return warmUp;
    }

    private static String counts(Map<Difference.Stage, List<Minimizer.Case>> found) {
        Map<String, Integer> counts = new TreeMap<>();
        found.forEach((stage, cases) -> counts.put(stage.name(), cases.size()));
        return "differing: " + counts;
    }

    private void report(PrintWriter out, List<Minimizer.Case> cases) throws IOException {
        Map<String, List<Minimizer.Case>> groups = new TreeMap<>();
        for (Minimizer.Case small : cases) {
            TreeSet<String> rules = new TreeSet<>();
            small.mail().rules(rules);
            groups.computeIfAbsent(small.difference().stage() + " " + rules, _ -> new ArrayList<>()).add(small);
        }
        int number = 0;
        for (var group : groups.entrySet()) {
            Minimizer.Case least = group.getValue().stream()
                    .min(Comparator.comparingInt(small -> small.mail().bytes().length)).orElseThrow();
            byte[] mail = least.mail().bytes();
            String text = new String(mail, StandardCharsets.UTF_8);
            out.printf(Locale.ROOT, "%n#%d %s: %d mails%n%s%n%s%n", number, group.getKey(), group.getValue().size(),
                    least.difference().detail(), text.substring(0, Math.min(SHOWN, text.length())));
            if (folder != null) {
                Files.write(Files.createDirectories(folder).resolve(String.format(Locale.ROOT, "%03d.eml", number)),
                        mail);
            }
            number++;
        }
    }
}
