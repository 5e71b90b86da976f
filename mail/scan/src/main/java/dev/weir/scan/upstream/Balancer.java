package dev.weir.scan.upstream;

import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

import dev.weir.scan.upstream.UpstreamList.Selection;

/**
 * The selection of one server out of several, as in Rspamd (docs/reference/scanner.md#selection) with one correction: a
 * server that returns to a list without weights does not receive every request until it has caught up.
 *
 * <p>For one thread.
 */
public final class Balancer {
    /** The result if no server may be asked. */
    public static final int NONE = -1;

    private final Selection selection;
    private final int[] weights;
    private final int[] credits;
    private final long[] picks;
    private final boolean[] wasAlive;
    private final RandomGenerator random;

    /**
     * Creates a balancer.
     *
     * @param selection the strategy; {@link Selection#HASH} without a digest is a random choice, as in Rspamd
     * @param weights the weights of the servers in the order of the list, 0 where none is given
     */
    public Balancer(Selection selection, List<Integer> weights, RandomGenerator random) {
        this.selection = selection;
        this.weights = weights.stream().mapToInt(Integer::intValue).toArray();
        if (selection == Selection.MASTER_SLAVE && this.weights.length > 0
                && Arrays.stream(this.weights).allMatch(weight -> weight == 0)) {
            this.weights[0] = 1;
        }
        this.credits = this.weights.clone();
        this.picks = new long[this.weights.length];
        this.wasAlive = new boolean[this.weights.length];
        Arrays.fill(wasAlive, true);
        this.random = random;
    }

    /**
     * Chooses a server.
     *
     * @param alive which servers may be asked
     * @param errors the failures of each server since its last answer
     * @return the index of the server, or {@link #NONE}
     */
    public int pick(boolean[] alive, int[] errors) {
        greetReturned(alive);
        int chosen = switch (selection) {
            case ROUND_ROBIN -> inTurn(alive, errors);
            case MASTER_SLAVE -> heaviest(alive);
            case RANDOM, HASH -> lessLoadedOfTwo(alive, errors);
        };
        if (chosen != NONE) {
            picks[chosen]++;
        }
        return chosen;
    }

    private void greetReturned(boolean[] alive) {
        for (int i = 0; i < alive.length; i++) {
            if (alive[i] && !wasAlive[i]) {
                long least = Long.MAX_VALUE;
                for (int j = 0; j < alive.length; j++) {
                    if (alive[j] && wasAlive[j]) {
                        least = Math.min(least, picks[j]);
                    }
                }
                picks[i] = least == Long.MAX_VALUE ? picks[i] : Math.max(picks[i], least);
            }
        }
        System.arraycopy(alive, 0, wasAlive, 0, alive.length);
    }

    private int inTurn(boolean[] alive, int[] errors) {
        boolean weighted = false;
        for (int i = 0; i < weights.length; i++) {
            weighted |= alive[i] && weights[i] > 0;
        }
        if (!weighted) {
            return leastPicked(alive, errors);
        }
        int best = mostCredit(alive);
        if (best == NONE) {
            System.arraycopy(weights, 0, credits, 0, weights.length);
            best = mostCredit(alive);
        }
        credits[best]--;
        return best;
    }

    private int mostCredit(boolean[] alive) {
        int best = NONE;
        for (int i = 0; i < weights.length; i++) {
            if (alive[i] && credits[i] > 0 && (best == NONE || credits[i] > credits[best])) {
                best = i;
            }
        }
        return best;
    }

    private int leastPicked(boolean[] alive, int[] errors) {
        int best = NONE;
        for (int i = 0; i < weights.length; i++) {
            if (alive[i] && (best == NONE || load(i, errors) < load(best, errors))) {
                best = i;
            }
        }
        return best;
    }

    private long load(int i, int[] errors) {
        return picks[i] + 2L * errors[i];
    }

    private int heaviest(boolean[] alive) {
        int best = NONE;
        for (int i = 0; i < weights.length; i++) {
            if (alive[i] && (best == NONE || weights[i] > weights[best])) {
                best = i;
            }
        }
        return best;
    }

    private int lessLoadedOfTwo(boolean[] alive, int[] errors) {
        int living = 0;
        for (boolean one : alive) {
            living += one ? 1 : 0;
        }
        if (living == 0) {
            return NONE;
        }
        int first = nth(alive, random.nextInt(living));
        int second = nth(alive, random.nextInt(living));
        return load(second, errors) < load(first, errors) ? second : first;
    }

    private static int nth(boolean[] alive, int n) {
        int left = n;
        for (int i = 0; i < alive.length; i++) {
            if (alive[i] && left-- == 0) {
                return i;
            }
        }
        return NONE;
    }
}
