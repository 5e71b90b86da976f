package dev.weir.bench.campaigns;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.weir.hash.kind.HashKind;

/** Chooses thresholds on mails of honest senders that a report then leaves out. */
final class Thresholds {
    /** Equal shingles that a threshold keeps from the nearest mail of an honest sender. */
    private static final int MARGIN = 2;
    /** The least threshold: a storage finds fewer than 69 % of the hashes that share less (docs/integrate/kinds.md). */
    private static final int LEAST = 8;

    private Thresholds() {}

    /**
     * Returns, for each kind with shingles, the least threshold that is two shingles away from every mail of the
     * folders for choosing, but at least 8, and at which no more of them match each other by accident than by the
     * hashes of Rspamd.
     */
    static Map<String, Integer> choose(Corpus corpus, Map<String, Nearness> kinds, Accidents accidents) {
        Map<String, Integer> thresholds = new LinkedHashMap<>();
        for (HashKind kind : HashKind.beyondRspamd()) {
            Nearness nearness = kinds.get(kind.optionName());
            if (kind.near() && nearness != null) {
                int nearest = corpus.choosing().values().stream().flatMapToInt(Arrays::stream)
                        .map(nearness::closeness).max().orElse(0);
                int threshold = Math.clamp(nearest + MARGIN, LEAST, KindsMeasure.PLAIN);
                while (threshold < KindsMeasure.PLAIN && isAccidental(accidents, kind.optionName(), threshold)) {
                    threshold++;
                }
                thresholds.put(kind.optionName(), threshold);
            }
        }
        return thresholds;
    }

    private static boolean isAccidental(Accidents accidents, String kind, int threshold) {
        return accidents.folders().keySet().stream().anyMatch(folder -> accidents.count(folder, List.of(kind),
                Map.of(kind, threshold)) > accidents.count(folder, List.of(KindsMeasure.RSPAMD), Map.of()));
    }
}
