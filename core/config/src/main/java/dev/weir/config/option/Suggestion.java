package dev.weir.config.option;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** The search for the name that a misspelled one probably means. */
final class Suggestion {
    /** The maximum length of a name that is compared; typing errors occur in shorter names. */
    private static final int LONGEST = 64;

    private Suggestion() {}

    /** Returns the known name with the smallest edit distance, if the distance is small for the length. */
    static Optional<String> of(String written, Collection<String> known) {
        if (written.length() > LONGEST) {
            return Optional.empty();
        }
        String best = null;
        int fewest = Math.clamp(written.length() / 3, 1, 3) + 1;
        for (String name : known) {
            int wrong = distance(written.toLowerCase(Locale.ROOT), name.toLowerCase(Locale.ROOT));
            if (wrong < fewest) {
                fewest = wrong;
                best = name;
            }
        }
        return Optional.ofNullable(best);
    }

    /** Returns the number of letters to insert, delete, change or swap with their neighbor. */
    static int distance(String a, String b) {
        int[][] rows = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    rows[i][j] = i + j;
                    continue;
                }
                int change = rows[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                rows[i][j] = Math.min(change, 1 + Math.min(rows[i - 1][j], rows[i][j - 1]));
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1);
                }
            }
        }
        return rows[a.length()][b.length()];
    }
}
