package dev.weir.bench.campaigns;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;

import dev.weir.bench.report.Table;
import dev.weir.hash.FuzzyHash;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.hash.kind.CampaignKind;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code campaigns}: measures how many mails of a stream of spam resemble an earlier one, by kind. */
@Command(name = "campaigns", mixinStandardHelpOptions = true, description = {
    "Learns a stream of spam mail by mail in order of arrival, and counts the mails that resemble an earlier one, by",
    "kind of hash and together; then checks mails of honest senders against everything that was learned."})
public final class CampaignsCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--spam", paramLabel = "DIR", required = true, description = "Folder of spam; each mail counts.")
    private Path spam = Path.of("");

    @Option(names = "--known", paramLabel = "DIR",
            description = "Folder of further spam, learned in its order of arrival, but not counted.")
    private List<Path> known = List.of();

    @Option(names = "--ham", paramLabel = "DIR", description = "Folder of mails of honest senders. Repeatable.")
    private List<Path> ham = List.of();

    @Option(names = "--threshold", paramLabel = "KIND=N", split = ",",
            description = "Equal shingles of 32 that a kind needs in the last line "
                    + "(default: source=14,chars=10,links=10).")
    private Map<String, Integer> thresholds = new LinkedHashMap<>(Map.of("source", 14, "chars", 10, "links", 10));

    @Option(names = "--html", description = "Hash the structure of HTML parts too, as Rspamd's html_shingles does.")
    private boolean html;

    @Option(names = "--misses", paramLabel = "N", defaultValue = "0",
            description = "List this many mails that no kind recognizes, with their nearest.")
    private int misses;

    @Option(names = "--nearest", paramLabel = "FILE",
            description = "Write the nearest learned mail of each mail by each kind, for reading near misses.")
    private @Nullable Path nearestFile;

    @Option(names = "--hits", description = "List every mail of an honest sender that would be hit.")
    private boolean hits;

    private static final int PLAIN = 17;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        HashRule rule = HashRule.shipped().toBuilder().htmlShingles(html).kinds(EnumSet.allOf(CampaignKind.class))
                .build();
        CampaignStream campaigns = new CampaignStream(MailHasher.standard(), rule);
        List<StreamMail> counted = StreamMail.readAll(spam);
        Set<Path> files = new HashSet<>(counted.stream().map(StreamMail::file).toList());
        List<StreamMail> stream = new ArrayList<>(counted);
        for (Path folder : known) {
            stream.addAll(StreamMail.readAll(folder));
        }
        List<Map<String, Memory.Nearest>> rolling = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        int without = 0;
        for (StreamMail mail : StreamMail.inOrder(stream)) {
            List<FuzzyHash> hashes = campaigns.hash(mail);
            if (files.contains(mail.file())) {
                Map<String, Memory.Nearest> nearest = campaigns.nearest(hashes);
                without += hashes.isEmpty() ? 1 : 0;
                rolling.add(nearest);
                lines.add(mail.file().getFileName() + named(campaigns, nearest));
                if (misses > 0 && !hit(nearest, campaigns.kinds(), thresholds)) {
                    misses--;
                    out.println("missed " + mail.file().getFileName() + " " + named(campaigns, nearest));
                }
            }
            campaigns.learn(mail, hashes);
        }
        Map<String, List<Map<String, Memory.Nearest>>> honest = new LinkedHashMap<>();
        for (Path folder : ham) {
            List<Map<String, Memory.Nearest>> list = new ArrayList<>();
            for (StreamMail mail : StreamMail.readAll(folder)) {
                Map<String, Memory.Nearest> nearest = campaigns.nearest(campaigns.hash(mail));
                list.add(nearest);
                lines.add(mail.file().getFileName() + named(campaigns, nearest));
                if (hits && hit(nearest, campaigns.kinds(), thresholds)) {
                    out.println("hit " + mail.file().getFileName() + " " + named(campaigns, nearest));
                }
            }
            honest.put(String.valueOf(folder.getFileName()), list);
        }
        if (nearestFile != null) {
            Files.write(nearestFile, lines);
        }
        List<String> head = new ArrayList<>(List.of("kinds", "recall", "share"));
        honest.forEach((name, list) -> head.add(name + " of " + list.size()));
        Table table = new Table(head.toArray(String[]::new));
        row(table, "Rspamd's", List.of(CampaignStream.RSPAMD), Map.of(), rolling, honest);
        for (String kind : campaigns.kinds().subList(1, campaigns.kinds().size())) {
            row(table, kind + " alone", List.of(kind), Map.of(), rolling, honest);
            row(table, "Rspamd's and " + kind, List.of(CampaignStream.RSPAMD, kind), Map.of(), rolling, honest);
            if (thresholds.containsKey(kind)) {
                row(table, "Rspamd's and " + kind + " " + thresholds.get(kind), List.of(CampaignStream.RSPAMD, kind),
                        thresholds, rolling, honest);
            }
        }
        row(table, "all", campaigns.kinds(), Map.of(), rolling, honest);
        row(table, "all, own thresholds", campaigns.kinds(), thresholds, rolling, honest);
        out.println(table);
        out.println(without + " mails have no hash, " + campaigns.unread() + " were not hashed");
        return 0;
    }

    private static boolean hit(Map<String, Memory.Nearest> nearest, List<String> kinds,
            Map<String, Integer> thresholds) {
        return kinds.stream().anyMatch(kind -> nearest.containsKey(kind)
                && nearest.get(kind).agreement() >= thresholds.getOrDefault(kind, PLAIN));
    }

    private static String named(CampaignStream campaigns, Map<String, Memory.Nearest> nearest) {
        StringBuilder text = new StringBuilder();
        nearest.forEach((kind, near) -> text.append(' ').append(kind).append(' ').append(near.agreement())
                .append(near.mail() < 0 ? "" : " of " + campaigns.mail(near.mail()).file().getFileName()).append(';'));
        return text.toString();
    }

    private static void row(Table table, String name, List<String> kinds, Map<String, Integer> thresholds,
            List<Map<String, Memory.Nearest>> rolling, Map<String, List<Map<String, Memory.Nearest>>> honest) {
        List<String> cells = new ArrayList<>();
        long found = rolling.stream().filter(nearest -> hit(nearest, kinds, thresholds)).count();
        cells.add(name);
        cells.add(Table.number(found));
        cells.add(String.format(Locale.ROOT, "%.1f %%", 100.0 * found / Math.max(1, rolling.size())));
        honest.values().forEach(list -> cells.add(Table.number(
                list.stream().filter(nearest -> hit(nearest, kinds, thresholds)).count())));
        table.row(cells.toArray(String[]::new));
    }
}
