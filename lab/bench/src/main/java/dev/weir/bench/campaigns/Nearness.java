package dev.weir.bench.campaigns;

import java.util.Arrays;

/**
 * How near each mail of a corpus is to the nearest spam before it, by one measure. A greater closeness is nearer; its
 * scale depends on the measure.
 */
final class Nearness {
    /** The closeness of a mail that has nothing in common with any spam before it. */
    static final int NOTHING = Integer.MIN_VALUE;

    private final int spam;
    private final int[] closeness;
    private final int[] nearest;

    Nearness(Corpus corpus) {
        spam = corpus.spam();
        closeness = new int[corpus.mails().size()];
        nearest = new int[closeness.length];
        Arrays.fill(closeness, NOTHING);
        Arrays.fill(nearest, -1);
    }

    /** Records the closeness of two mails. Only that of a mail to spam before it counts. */
    void pair(int one, int other, int close) {
        int later = Math.max(one, other);
        int earlier = Math.min(one, other);
        if (earlier != later && earlier < spam && close > closeness[later]) {
            closeness[later] = close;
            nearest[later] = earlier;
        }
    }

    int closeness(int mail) {
        return closeness[mail];
    }

    /** Returns the nearest spam before a mail, or -1. */
    int nearest(int mail) {
        return nearest[mail];
    }

    /**
     * Returns the least closeness from on which no more mails of any folder for choosing are hit than by another
     * measure.
     *
     * @param least the least closeness that makes sense
     */
    int loosest(Corpus corpus, Nearness other, int threshold, int least) {
        int loosest = least;
        for (int[] folder : corpus.choosing().values()) {
            int allowed = Corpus.hit(folder, mail -> other.closeness(mail) >= threshold);
            int[] sorted = Arrays.stream(folder).map(mail -> closeness[mail]).sorted().toArray();
            int first = sorted.length - 1 - allowed;
            if (first >= 0 && sorted[first] >= loosest) {
                loosest = sorted[first] + 1;
            }
        }
        return loosest;
    }
}
