package dev.weir.hash.mime.charset.detect;

/** The encodings that are still possible, with a score each in thirtieths of a bit, and the best two of them. */
final class Candidates {
    private final int[] scores = Encodings.hints();
    private final int[] list = new int[Encodings.count()];
    private int size = list.length;
    private int traits = Encodings.ALL_TRAITS;
    private int top;
    private int second;
    private int topScore = -1;
    private int secondScore = -1;

    Candidates() {
        for (int i = 0; i < list.length; i++) {
            list[i] = i;
        }
    }

    int size() {
        return size;
    }

    int get(int i) {
        return list[i];
    }

    int score(int encoding) {
        return scores[encoding];
    }

    void add(int encoding, int amount) {
        scores[encoding] += amount;
    }

    void add(int amount, int... encodings) {
        for (int encoding : encodings) {
            scores[encoding] += amount;
        }
    }

    void capAtZero(int encoding) {
        scores[encoding] = Math.min(0, scores[encoding]);
    }

    /** Counts only part of the hints, so that few pairs can win against them. */
    void weakenHints(int part, int whole) {
        int[] hints = Encodings.hints();
        for (int i = 0; i < scores.length; i++) {
            scores[i] += hints[i] * part / whole - hints[i];
        }
    }

    /** Whether a candidate has one of the traits. */
    boolean anyHas(int wanted) {
        return (traits & wanted) != 0;
    }

    int top() {
        return top;
    }

    int second() {
        return second;
    }

    int topScore() {
        return topScore;
    }

    int lead() {
        return topScore - secondScore;
    }

    /** Makes an encoding the best one although its score is not. */
    void force(int encoding, int bonus) {
        top = encoding;
        add(encoding, bonus);
    }

    /** Finds the best encoding, and the best one of those that have another base. */
    void rank() {
        topScore = -1;
        secondScore = -1;
        for (int i = 0; i < size; i++) {
            int encoding = list[i];
            boolean other = Encodings.base(top) != Encodings.base(encoding);
            if (topScore < scores[encoding]) {
                if (other) {
                    secondScore = topScore;
                    second = top;
                }
                topScore = scores[encoding];
                top = encoding;
            } else if (secondScore < scores[encoding] && other) {
                secondScore = scores[encoding];
                second = encoding;
            }
        }
    }

    /**
     * Drops the candidates below a score.
     *
     * @param sevenBit whether seven-bit encodings without evidence stay, too
     */
    void drop(int below, boolean sevenBit) {
        traits = 0;
        int kept = 0;
        for (int i = 0; i < size; i++) {
            int encoding = list[i];
            boolean idle = !sevenBit && Encodings.has(encoding, Encodings.SEVEN_BIT) && scores[encoding] <= 0
                    && encoding != top;
            if (scores[encoding] >= below && !idle) {
                traits |= Encodings.traits(encoding);
                list[kept++] = encoding;
            }
        }
        size = kept;
    }

    /** Whether at most three candidates are left and all have one base. */
    boolean areOneFamily() {
        if (size < 2 || size > 3) {
            return false;
        }
        for (int i = 1; i < size; i++) {
            if (Encodings.base(list[i]) != Encodings.base(list[0])) {
                return false;
            }
        }
        return true;
    }
}
