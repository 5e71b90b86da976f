package dev.weir.bench.campaigns;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Mails of honest senders that match an earlier one of the same folder, although both have other senders and other
 * subjects.
 *
 * @param folders by folder and kind, each mail with the nearest such mail
 */
record Accidents(Map<String, Map<String, Map<Integer, Memory.Nearest>>> folders) {
    /**
     * A match.
     *
     * @param mail its number
     * @param nearest the other mail
     */
    record Match(int mail, Memory.Nearest nearest) {}

    static Accidents of(KindsMeasure measure, Map<String, int[]> folders) {
        Map<String, Map<String, Map<Integer, Memory.Nearest>>> all = new LinkedHashMap<>();
        folders.forEach((name, mails) -> all.put(name, measure.accidents(mails)));
        return new Accidents(all);
    }

    /** Returns the matches of a folder by one kind, from a number of equal shingles on. */
    List<Match> matches(String folder, String kind, int threshold) {
        List<Match> matches = new ArrayList<>();
        folders.getOrDefault(folder, Map.of()).getOrDefault(kind, Map.of()).forEach((mail, nearest) -> {
            if (nearest.agreement() >= threshold) {
                matches.add(new Match(mail, nearest));
            }
        });
        return matches;
    }

    /** Returns the number of mails of a folder that match by one of the kinds. */
    long count(String folder, List<String> kinds, Map<String, Integer> thresholds) {
        return kinds.stream()
                .flatMap(kind -> matches(folder, kind, thresholds.getOrDefault(kind, KindsMeasure.PLAIN)).stream())
                .map(Match::mail).distinct().count();
    }
}
