package dev.weir.http.controller;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * The score thresholds of actions for a mail server (docs/reference/rspamd-http.md#scanning).
 *
 * @param thresholds by the name of the action as replies write it, the highest first
 */
public record Actions(SequencedMap<String, Double> thresholds) {
    /** The action below every threshold. */
    public static final String NOTHING = "no action";
    /** The action whose threshold is the required score. */
    public static final String REJECT = "reject";
    /** All actions with a threshold, the most severe first. */
    public static final List<String> NAMES = List.of(REJECT, "soft reject", "rewrite subject", "add header",
            "greylist");

    /** Rspamd's defaults: reject at 15, add a header at 6, greylist at 4. */
    public static final Actions DEFAULT = of(Map.of(REJECT, 15.0, "add header", 6.0, "greylist", 4.0));

    /** Copies the map, with the highest threshold first. */
    public Actions {
        SequencedMap<String, Double> sorted = new LinkedHashMap<>();
        thresholds.entrySet().stream()
                .sorted(Comparator.<Map.Entry<String, Double>>comparingDouble(entry -> -entry.getValue())
                        .thenComparingInt(entry -> NAMES.indexOf(entry.getKey())))
                .forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
        thresholds = sorted;
    }

    /** Returns actions with thresholds. */
    public static Actions of(Map<String, Double> thresholds) {
        return new Actions(new LinkedHashMap<>(thresholds));
    }

    /** Returns the action with the highest threshold that a score reaches. */
    public String of(double score) {
        for (Map.Entry<String, Double> action : thresholds.entrySet()) {
            if (score >= action.getValue()) {
                return action.getKey();
            }
        }
        return NOTHING;
    }

    /** Returns the threshold of rejection; NaN if absent. */
    public double required() {
        return thresholds.getOrDefault(REJECT, Double.NaN);
    }
}
