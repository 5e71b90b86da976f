package dev.weir.bench.campaigns;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.weir.bench.peer.Launcher;
import dev.weir.bench.peer.RspamdInstallation;
import dev.weir.bench.report.Table;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.hash.kind.HashKind;
import dev.weir.model.Signature;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code campaigns}: measures how many mails of a stream of spam resemble an earlier one, by kind. */
@Command(name = "campaigns", mixinStandardHelpOptions = true, description = {
    "Learns a stream of spam mail by mail in order of arrival, and counts the mails that resemble an earlier one, by",
    "kind of hash and together; then checks mails of honest senders against everything that was learned, and against",
    "each other. Other programs can do the same beside it."})
public final class CampaignsCommand implements Callable<Integer> {
    private static final int PLAIN = KindsMeasure.PLAIN;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--spam", paramLabel = "DIR", required = true, description = "Folder of spam; each mail counts.")
    private Path spam = Path.of("");

    @Option(names = "--known", paramLabel = "DIR",
            description = "Folder of further spam, learned in its order of arrival, but not counted.")
    private List<Path> known = List.of();

    @Option(names = "--ham", paramLabel = "DIR", description = "Folder of mails of honest senders. Repeatable.")
    private List<Path> ham = List.of();

    @Option(names = "--choose", paramLabel = "DIR",
            description = "Folder of further mails of honest senders, on which the thresholds are chosen, those of the "
                    + "other programs too. The report leaves them out. Repeatable. Without it, the other programs get "
                    + "thresholds that suit the mails of the report.")
    private List<Path> choose = List.of();

    @Option(names = "--threshold", paramLabel = "KIND=N", split = ",",
            description = "Equal shingles of 32 that a kind needs in the last line "
                    + "(default: what --choose yields, else source=13,chars=10,links=9).")
    private Map<String, Integer> thresholds = new LinkedHashMap<>();

    @Option(names = "--html", description = "Hash the structure of HTML parts too, as Rspamd's html_shingles does.")
    private boolean html;

    @Option(names = "--beside", paramLabel = "TOOL", split = ",",
            description = "Compare with other programs, which must be installed: ${COMPLETION-CANDIDATES}.")
    private List<OtherTool> beside = List.of();

    @Option(names = "--oracle", paramLabel = "PROGRAM",
            description = "Program that runs the real Rspamd 4: PROGRAM DIR OUT.json ALGORITHM --version 4 [--html].")
    private @Nullable Path oracle;

    @Option(names = "--through-rspamd",
            description = "Let an installed Rspamd scan and learn each mail, too, alone and with the plugin for Weir.")
    private boolean throughRspamd;

    @Option(names = "--rspamd", paramLabel = "DIR",
            description = "The prefix of that Rspamd (default: that of the system).")
    private @Nullable Path rspamd;

    @Option(names = "--plugin", paramLabel = "DIR", defaultValue = "${sys:weir.bench.plugin:-packages/rspamd}",
            hidden = true)
    private Path plugin = Path.of("");

    @Option(names = "--dir", paramLabel = "DIR", defaultValue = "${sys:weir.bench.dir:-${sys:java.io.tmpdir}}",
            hidden = true)
    private Path dir = Path.of("");

    @Option(names = "--first", paramLabel = "N",
            description = "Measure the N spam mails that arrived first, and N of each folder of honest senders.")
    private int first = Integer.MAX_VALUE;

    @Mixin
    private Launcher launcher = new Launcher();

    @Option(names = "--near", paramLabel = "N", defaultValue = "0",
            description = "List, for each kind, the N mails of honest senders and the N missed spam mails that come "
                    + "nearest to a match.")
    private int near;

    @Option(names = "--nearest", paramLabel = "FILE",
            description = "Write the nearest learned mail of each mail by each kind.")
    private @Nullable Path nearestFile;

    @Option(names = "--hits", description = "List every mail of an honest sender that would be hit.")
    private boolean hits;

    @Option(names = "--cost", description = "Measure the time of hashing with each kind on one thread.")
    private boolean cost;

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        MailHasher hasher = MailHasher.standard();
        HashRule rspamds = HashRule.shipped().toBuilder().htmlShingles(html).build();
        Corpus corpus = Corpus.read(spam, known, ham, choose, first);
        KindsMeasure measure = new KindsMeasure(corpus, hasher,
                rspamds.toBuilder().kinds(HashKind.beyondRspamd()).build());
        Map<String, Nearness> kinds = measure.near();
        Accidents accidents = Accidents.of(measure, corpus.honest());
        if (thresholds.isEmpty()) {
            thresholds.putAll(choose.isEmpty()
                    ? Map.of("source", 13, "chars", 10, "links", 9)
                    : Thresholds.choose(corpus, kinds, Accidents.of(measure, corpus.choosing())));
        }
        Table table = table(List.of("kinds", "recall", "share"), corpus);
        byKind(table, corpus, kinds);
        besides(table, corpus, kinds);
        if (throughRspamd) {
            throughRspamd(table, corpus, out);
        }
        out.println(table);
        out.println(measure.unhashed() + " mails have no hash, " + measure.unread() + " were not hashed");
        out.println();
        out.println(accidents(corpus, measure.kinds(), accidents));
        if (near > 0) {
            nearMisses(out, corpus, kinds);
            list(out, corpus, measure.kinds(), accidents);
        }
        if (hits) {
            mails(corpus.honest()).filter(hit(kinds, measure.kinds(), thresholds))
                    .forEach(mail -> out.println("hit " + corpus.name(mail) + named(corpus, kinds, mail)));
        }
        if (nearestFile != null) {
            Files.write(nearestFile, IntStream.concat(corpus.counted().stream(), mails(corpus.honest()))
                    .mapToObj(mail -> corpus.name(mail) + named(corpus, kinds, mail)).toList());
        }
        if (cost) {
            out.println(new HashingCost(corpus, hasher).measure(rspamds));
        }
        return 0;
    }

    private void byKind(Table table, Corpus corpus, Map<String, Nearness> kinds) {
        String rspamd = KindsMeasure.RSPAMD;
        row(table, "Rspamd's", corpus, hit(kinds, List.of(rspamd), Map.of()));
        for (String kind : kinds.keySet()) {
            if (!kind.equals(rspamd)) {
                row(table, kind + " alone", corpus, hit(kinds, List.of(kind), Map.of()));
                row(table, "Rspamd's and " + kind, corpus, hit(kinds, List.of(rspamd, kind), Map.of()));
                if (thresholds.containsKey(kind)) {
                    row(table, "Rspamd's and " + kind + " from " + thresholds.get(kind), corpus,
                            hit(kinds, List.of(rspamd, kind), thresholds));
                }
            }
        }
        List<String> all = List.copyOf(kinds.keySet());
        row(table, "all", corpus, hit(kinds, all, Map.of()));
        row(table, "all, own thresholds", corpus, hit(kinds, all, thresholds));
    }

    /** Adds the rows of the other programs, each at the loosest threshold that hits no more ham than Rspamd's kinds. */
    private void besides(Table table, Corpus corpus, Map<String, Nearness> kinds)
            throws IOException, InterruptedException {
        if (beside.isEmpty() && oracle == null) {
            return;
        }
        Nearness rspamds = kinds.get(KindsMeasure.RSPAMD);
        Path scratch = Files.createTempDirectory("weir-campaigns");
        try {
            for (OtherTool tool : beside) {
                Nearness other = new Nearness(corpus);
                tool.compare(corpus, scratch, other);
                int from = rspamds == null ? tool.least() : other.loosest(corpus, rspamds, PLAIN, tool.least());
                row(table, tool.at(from) + " alone", corpus, mail -> other.closeness(mail) >= from);
                row(table, "Rspamd's and " + tool.at(from), corpus, mail -> other.closeness(mail) >= from
                        || (rspamds != null && rspamds.closeness(mail) >= PLAIN));
            }
            if (oracle != null) {
                Nearness real = RealRspamd.near(corpus, oracle, html, scratch);
                row(table, "the real Rspamd", corpus, mail -> real.closeness(mail) >= PLAIN);
            }
        } finally {
            delete(scratch);
        }
    }

    private void throughRspamd(Table table, Corpus corpus, PrintWriter out) throws IOException, InterruptedException {
        try (ThroughRspamd chain = ThroughRspamd.start(dir, launcher.command(), RspamdInstallation.at(rspamd),
                plugin)) {
            ThroughRspamd.Recognized recognized = chain.run(corpus);
            row(table, "an installed Rspamd alone", corpus, recognized.alone()::get);
            row(table, "the same Rspamd with the plugin", corpus, recognized.chain()::get);
            out.println("through Rspamd: Weir did not answer for " + chain.failed() + " mails");
            chain.unlearned().forEach((reason, count) -> out.println("  not learned by " + reason + ": " + count));
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Counts mails of honest senders that match an earlier one of the folder by accident. */
    private Table accidents(Corpus corpus, List<String> kinds, Accidents accidents) {
        Table table = table(List.of("matches of different senders and subjects"), corpus);
        for (String kind : kinds) {
            accident(table, kind.equals(KindsMeasure.RSPAMD) ? "Rspamd's" : kind, accidents, List.of(kind));
        }
        accident(table, "any kind beyond Rspamd's", accidents, kinds.subList(1, kinds.size()));
        return table;
    }

    private void accident(Table table, String name, Accidents accidents, List<String> kinds) {
        List<String> cells = new ArrayList<>(List.of(name));
        accidents.folders().keySet()
                .forEach(folder -> cells.add(Table.number(accidents.count(folder, kinds, thresholds))));
        table.row(cells.toArray(String[]::new));
    }

    /** Lists the accidents of each kind, nearest first, for reading. */
    private void list(PrintWriter out, Corpus corpus, List<String> kinds, Accidents accidents) {
        for (String kind : kinds) {
            out.println("mails of different senders and subjects that match by " + kind);
            accidents.folders().keySet().stream().flatMap(folder -> accidents.matches(folder, kind,
                    thresholds.getOrDefault(kind, PLAIN)).stream())
                    .sorted(Comparator.comparingInt((Accidents.Match match) -> match.nearest().agreement()).reversed())
                    .limit(near).forEach(match -> pair(out, corpus, match.nearest().agreement(), match.mail(),
                            match.nearest().mail()));
        }
    }

    /** Lists what comes nearest to a match without being one, for reading. */
    private void nearMisses(PrintWriter out, Corpus corpus, Map<String, Nearness> kinds) {
        IntPredicate hit = hit(kinds, List.copyOf(kinds.keySet()), thresholds);
        kinds.forEach((kind, nearness) -> {
            list(out, "honest mails nearest to a match by " + kind, corpus, nearness,
                    mails(corpus.honest()).filter(mail -> nearness.closeness(mail) < thresholds.getOrDefault(kind,
                            PLAIN)));
            list(out, "missed spam nearest to a match by " + kind, corpus, nearness,
                    corpus.counted().stream().filter(hit.negate()));
        });
    }

    private void list(PrintWriter out, String title, Corpus corpus, Nearness nearness, IntStream mails) {
        out.println(title);
        mails.filter(mail -> nearness.nearest(mail) >= 0).boxed()
                .sorted(Comparator.<Integer>comparingInt(nearness::closeness).reversed()).limit(near)
                .forEach(mail -> pair(out, corpus, nearness.closeness(mail), mail, nearness.nearest(mail)));
    }

    private static void pair(PrintWriter out, Corpus corpus, int closeness, int mail, int other) {
        out.printf(Locale.ROOT, "  %2d of 32: %s and %s%n", Math.min(closeness, Signature.SLOTS), corpus.name(mail),
                corpus.name(other));
    }

    private static IntStream mails(Map<String, int[]> folders) {
        return folders.values().stream().flatMapToInt(IntStream::of);
    }

    private static IntPredicate hit(Map<String, Nearness> nearness, List<String> kinds,
            Map<String, Integer> thresholds) {
        return mail -> kinds.stream().anyMatch(kind -> {
            Nearness one = nearness.get(kind);
            return one != null && one.closeness(mail) >= thresholds.getOrDefault(kind, PLAIN);
        });
    }

    private static String named(Corpus corpus, Map<String, Nearness> kinds, int mail) {
        StringBuilder text = new StringBuilder();
        kinds.forEach((kind, nearness) -> {
            int other = nearness.nearest(mail);
            if (other >= 0) {
                text.append(' ').append(kind).append(' ').append(nearness.closeness(mail)).append(" of ")
                        .append(corpus.name(other)).append(';');
            }
        });
        return text.toString();
    }

    private static Table table(List<String> first, Corpus corpus) {
        List<String> head = new ArrayList<>(first);
        corpus.honest().forEach((name, mails) -> head.add(name + " of " + mails.length));
        return new Table(head.toArray(String[]::new));
    }

    private static void row(Table table, String name, Corpus corpus, IntPredicate hit) {
        int found = corpus.found(hit);
        List<String> cells = new ArrayList<>(List.of(name, Table.number(found), String.format(Locale.ROOT, "%.1f %%",
                100.0 * found / Math.max(1, corpus.counted().cardinality()))));
        corpus.honest().values().forEach(folder -> cells.add(Table.number(Corpus.hit(folder, hit))));
        table.row(cells.toArray(String[]::new));
    }
}
