package dev.weir.scan.score;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

import dev.weir.hash.AnalyzedMail;

/**
 * The symbols of one mail, collected rule by rule (docs/reference/scanner.md#symbols).
 *
 * <p>Hits of one symbol do not add up: the greatest counts. Group caps apply in the order of the rules in the
 * configuration, so the same mail always gets the same score. Rspamd applies them in the order of the answers.
 */
public final class MailScore {
    /** The maximum length of all options of a symbol, in characters. */
    private static final int MOST_OPTIONS = 4096;
    private static final String MORE = "...";

    private final SymbolTable table;
    private final SequencedMap<String, Entry> symbols = new LinkedHashMap<>();
    private final Map<String, double[]> sums = new HashMap<>();
    private final List<FuzzyMatch> matches = new ArrayList<>();
    private final List<String> log = new ArrayList<>();

    private static final class Entry {
        /** The score of the hit before caps. */
        double wished;
        /** The score of the hit after caps. */
        double score;
        /** The share of a whole hit that kinds beyond those of Rspamd count together. */
        double kinds;
        final SymbolTable.Symbol symbol;
        final List<String> options = new ArrayList<>();
        int length;

        Entry(SymbolTable.Symbol symbol) {
            this.symbol = symbol;
        }
    }

    /** Creates an empty score. */
    public MailScore(SymbolTable table) {
        this.table = table;
    }

    /**
     * Adds the answers to a rule.
     *
     * @param rule the name of the rule
     * @param options the score options of the rule
     * @param answers the answers that arrived, in the order of the hashes
     * @param mail the mail
     */
    public void add(String rule, ScoreOptions options, List<Answer> answers, AnalyzedMail mail) {
        add(rule, options, KindOptions.OFF, answers, mail);
    }

    /**
     * Adds the answers to a rule that uses kinds beyond those of Rspamd.
     *
     * @param kinds how the rule uses them
     */
    public void add(String rule, ScoreOptions options, KindOptions kinds, List<Answer> answers, AnalyzedMail mail) {
        RuleScore score = new RuleScore(rule, options, kinds, Protectors.of(options, table), log);
        answers.forEach(score::take);
        for (Hit hit : score.hits(TextLength.of(mail, options.curve().shortText()))) {
            matches.add(hit.match());
            insert(hit.match().symbol(), hit.match().score(), hit.option());
        }
        matches.addAll(score.kindMatches());
        for (KindSum sum : score.kindSums()) {
            Entry entry = insert(sum.symbol(), sum.score(), sum.option());
            entry.kinds = Math.max(entry.kinds, sum.score());
            score.kindMatches().stream().filter(match -> match.symbol().equals(sum.symbol()))
                    .forEach(match -> insert(match.symbol(), 0, RuleScore.option(match)));
        }
        for (String service : score.services()) {
            insert(service, 0, rule);
        }
    }

    private Entry insert(String name, double weight, String option) {
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
        return entry;
    }

    /** Returns the part of a contribution that the cap of the group still admits. */
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

    /**
     * Reports a mail that is near both wanted and unwanted mail instead of scoring it: if some symbols raise the score
     * and others lower it, none of them counts. Call this after all rules.
     *
     * @param name the symbol that reports it, with the weight of the table
     */
    public void dispute(String name) {
        if (symbols.values().stream().noneMatch(entry -> entry.score > 0)
                || symbols.values().stream().noneMatch(entry -> entry.score < 0)) {
            return;
        }
        List<String> sides = new ArrayList<>();
        symbols.forEach((symbol, entry) -> {
            if (entry.score != 0) {
                sides.add(symbol + "(" + Decimals.two(entry.score) + ")");
                entry.score = 0;
            }
        });
        // The caps of a group hold for what counts.
        sums.clear();
        sides.forEach(side -> insert(name, 1, side));
        log.add("the mail is near wanted and unwanted mail, so its hits do not count: " + String.join(", ", sides));
    }

    /** Returns the symbols in the order of their insertion. */
    public List<SymbolResult> symbols() {
        List<SymbolResult> results = new ArrayList<>();
        symbols.forEach((name, entry) -> results.add(new SymbolResult(name, entry.symbol.group(), entry.score,
                entry.kinds, entry.symbol.weight(), entry.options, entry.symbol.description())));
        return results;
    }

    /** Returns the sum of all symbols. */
    public double total() {
        return symbols.values().stream().mapToDouble(entry -> entry.score).sum();
    }

    /** Returns all hits so far. */
    public List<FuzzyMatch> matches() {
        return List.copyOf(matches);
    }

    /** Returns the log lines so far. */
    public List<String> log() {
        return List.copyOf(log);
    }
}
