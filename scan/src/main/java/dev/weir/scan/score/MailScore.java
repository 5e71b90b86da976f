package dev.weir.scan.score;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

import dev.weir.hash.AnalyzedMail;

/**
 * The symbols of one mail as its rules are worked through (docs/reference/scanner.md#symbols). For one mail.
 *
 * <p>Nothing adds up: of several hits of one symbol the greatest counts. Caps of groups trim in the order in which
 * rules
 * stand in the configuration, so that the same mail always scores alike; in Rspamd it is the order of the answers.
 */
public final class MailScore {
    /** Characters of all options of a symbol. */
    private static final int MOST_OPTIONS = 4096;
    private static final String MORE = "...";

    private final SymbolTable table;
    private final SequencedMap<String, Entry> symbols = new LinkedHashMap<>();
    private final Map<String, double[]> sums = new HashMap<>();
    private final List<FuzzyMatch> matches = new ArrayList<>();
    private final List<String> log = new ArrayList<>();

    private static final class Entry {
        /** What the hit is worth before caps. */
        double wished;
        /** What it is worth. */
        double score;
        final SymbolTable.Symbol symbol;
        final List<String> options = new ArrayList<>();
        int length;

        Entry(SymbolTable.Symbol symbol) {
            this.symbol = symbol;
        }
    }

    /** Nothing yet. */
    public MailScore(SymbolTable table) {
        this.table = table;
    }

    /**
     * Takes the answers to a rule.
     *
     * @param rule its name
     * @param options of the rule
     * @param answers those that came, in the order of the hashes
     * @param mail that was asked about
     */
    public void add(String rule, ScoreOptions options, List<Answer> answers, AnalyzedMail mail) {
        RuleScore score = new RuleScore(rule, options, log);
        answers.forEach(score::take);
        for (Hit hit : score.hits(TextLength.of(mail, options.curve().shortText()))) {
            matches.add(hit.match());
            insert(hit.match().symbol(), hit.match().score(), hit.option());
        }
        for (String service : score.services()) {
            insert(service, 0, rule);
        }
    }

    private void insert(String name, double weight, String option) {
        Entry entry = symbols.computeIfAbsent(name, unknown -> new Entry(table.symbol(unknown)));
        double wished = weight * entry.symbol.weight();
        if (entry.wished == 0 || (Math.signum(wished) == Math.signum(entry.wished)
                && Math.abs(wished) > Math.abs(entry.wished))) {
            entry.score += capped(entry.symbol.group(), wished - entry.wished);
            entry.wished = wished;
        }
        if (!entry.options.contains(option) && entry.length <= MOST_OPTIONS) {
            entry.length += option.length();
            entry.options.add(entry.length > MOST_OPTIONS ? MORE : option);
        }
    }

    /** As much of a contribution as the group still takes. */
    private double capped(String groupName, double contribution) {
        SymbolTable.Group group = table.groups().get(groupName);
        if (group == null) {
            return contribution;
        }
        double[] sum = sums.computeIfAbsent(groupName, unknown -> new double[2]);
        double taken;
        if (contribution > 0 && group.most().isPresent()) {
            taken = Math.min(contribution, Math.max(group.most().getAsDouble() - sum[0], 0));
        } else if (contribution < 0 && group.least().isPresent()) {
            taken = Math.max(contribution, Math.min(group.least().getAsDouble() - sum[1], 0));
        } else {
            taken = contribution;
        }
        sum[taken > 0 ? 0 : 1] += taken;
        return taken;
    }

    /** The symbols in the order of their insertion. */
    public List<SymbolResult> symbols() {
        List<SymbolResult> results = new ArrayList<>();
        symbols.forEach((name, entry) -> results.add(new SymbolResult(name, entry.symbol.group(), entry.score,
                entry.symbol.weight(), entry.options, entry.symbol.description())));
        return results;
    }

    /** The sum of all symbols. */
    public double total() {
        return symbols.values().stream().mapToDouble(entry -> entry.score).sum();
    }

    /** All hits so far. */
    public List<FuzzyMatch> matches() {
        return List.copyOf(matches);
    }

    /** What is to be logged so far. */
    public List<String> log() {
        return List.copyOf(log);
    }
}
