package dev.weir.cli.config;

import java.util.Locale;
import java.util.Map;
import java.util.Set;

import dev.weir.hash.kind.HashKind;
import dev.weir.scan.rule.RuleSettings;
import dev.weir.scan.score.KindOptions;
import dev.weir.scan.score.RecommendedKinds;

/**
 * What a rule leaves out: the share of phishing mails that its hashes recognize by an earlier one, beside that of
 * {@code kinds = "recommended"}. The figures are those of docs/internals/accuracy.md#campaigns, in percent.
 */
final class KindAdvice {
    /** The number of mails that were measured. */
    static final int MAILS = 3955;
    static final double RSPAMD = 49.8;
    static final double ALL_AT_17 = 71.8;
    static final double RECOMMENDED = 75.8;
    /** Rspamd's hashes and one kind, from 17 equal shingles on. */
    static final Map<HashKind, Double> ONE_KIND = Map.of(HashKind.SOURCE, 60.2, HashKind.CHARS, 57.1,
            HashKind.LINKS, 57.0, HashKind.PICTURE, 52.6, HashKind.SUBJECT, 54.1, HashKind.TOKEN, 60.7);

    private static final int USUAL = 17;

    private KindAdvice() {}

    /** Returns the sentence about a rule. */
    static String of(RuleSettings rule) {
        Map<HashKind, KindOptions.Kind> kinds = rule.kinds().kinds();
        boolean all = kinds.keySet().equals(HashKind.beyondRspamd());
        String name = "rule \"" + rule.name() + "\" ";
        if (all && kinds.entrySet().stream()
                .allMatch(kind -> kind.getValue().threshold() <= RecommendedKinds.of(kind.getKey()).threshold())) {
            return name + "uses all kinds as recommended: " + percent(RECOMMENDED) + known();
        }
        boolean usual = kinds.values().stream().allMatch(kind -> kind.threshold() <= USUAL);
        double share = kinds.isEmpty() || !usual
                ? RSPAMD
                : all ? ALL_AT_17 : best(kinds.keySet());
        return name + "recognizes " + (kinds.isEmpty() ? "" : "at least ") + percent(share) + known()
                + "; kinds = \"" + RecommendedKinds.NAME + "\" recognizes " + percent(RECOMMENDED)
                + " (docs/integrate/kinds.md#recommended)";
    }

    private static double best(Set<HashKind> kinds) {
        return kinds.stream().mapToDouble(kind -> ONE_KIND.getOrDefault(kind, RSPAMD)).max().orElse(RSPAMD);
    }

    private static String known() {
        return String.format(Locale.ROOT, " of %,d phishing mails by an earlier one", MAILS);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", share);
    }
}
