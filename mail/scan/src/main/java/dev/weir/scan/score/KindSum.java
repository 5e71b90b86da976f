package dev.weir.scan.score;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What all kinds of one mail count together for a symbol. Several kinds of one mail are no independent votes: they read
 * the same template. The best hit of each kind counts, and the sum has a cap.
 *
 * @param symbol the symbol
 * @param score the sum, at most the cap
 * @param option the option of the symbol that explains the sum, as in {@code kinds=source1 0.45+links1 0.30}
 */
record KindSum(String symbol, double score, String option) {
    /** Returns the sums of hits, by symbol. */
    static List<KindSum> of(List<FuzzyMatch> hits, double cap) {
        Map<String, Map<String, Double>> symbols = new LinkedHashMap<>();
        for (FuzzyMatch hit : hits) {
            symbols.computeIfAbsent(hit.symbol(), unknown -> new LinkedHashMap<>())
                    .merge(hit.type(), hit.score(), Math::max);
        }
        List<KindSum> sums = new ArrayList<>();
        symbols.forEach((symbol, kinds) -> {
            ToDoubleFunction<Map.Entry<String, Double>> value = Map.Entry::getValue;
            List<String> parts = kinds.entrySet().stream().sorted(Comparator.comparingDouble(value).reversed())
                    .map(kind -> kind.getKey() + " " + Decimals.two(kind.getValue())).toList();
            double sum = kinds.values().stream().mapToDouble(Double::doubleValue).sum();
            String capped = sum > cap ? " capped at " + Decimals.two(cap) : "";
            sums.add(new KindSum(symbol, Math.min(sum, cap), "kinds=" + String.join("+", parts) + capped));
        });
        return sums;
    }
}
