package dev.weir.bench.hashing;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.hash.effort.NotHashedException;

/**
 * A genetic search for the mail that takes longest to hash among mails of a size. The fitness is the processor time of
 * this thread, so other work of the machine matters little.
 */
public final class Hunt {
    private static final int POPULATION = 60;
    private static final int PARENTS = 15;
    /** Number of new mails in each round, which prevents the search from ending in a local maximum. */
    private static final int STRANGERS = 10;
    /** Time limit for a mail. */
    private static final Duration LIMIT = Duration.ofSeconds(5);
    /** Factor of the size at which a find is hashed again to measure growth. */
    private static final int TIMES = 4;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final MailHasher hasher;
    private final HashRule rule;
    private final int size;
    private final Random random;

    /**
     * Creates a search.
     *
     * @param options options of hashing; the structure of HTML is always hashed
     * @param size    size of the mails in bytes
     * @param seed    seed of the random numbers
     * @throws IOException if the languages cannot be read
     */
    public static Hunt of(RuleOptions options, int size, long seed) throws IOException {
        return new Hunt(options.hasher(), options.rule().toBuilder().htmlShingles(true).build(), size, seed);
    }

    private Hunt(MailHasher hasher, HashRule rule, int size, long seed) {
        this.hasher = hasher.withLimit(LIMIT);
        this.rule = rule;
        this.size = size;
        this.random = new Random(seed);
    }

    /**
     * A find of the search.
     *
     * @param what  a readable description of the mail
     * @param mail  its bytes
     * @param nanos processor time to hash it, in nanoseconds
     * @param times ratio of the time for a mail of four times the size
     * @param hashed whether it was hashed and not abandoned
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Find(String what, byte[] mail, long nanos, double times, boolean hashed) {}

    private record Tried(Genome genome, long nanos) {}

    /** Searches for this many rounds and returns the slowest mails of different kinds, the slowest first. */
    public List<Find> run(int rounds, int finds) {
        List<Tried> population = new ArrayList<>();
        for (int i = 0; i < POPULATION; i++) {
            population.add(tried(Genome.random(random)));
        }
        for (int round = 0; round < rounds; round++) {
            population.sort(Comparator.comparingLong(Tried::nanos).reversed());
            List<Tried> next = new ArrayList<>(different(population, PARENTS));
            int parents = next.size();
            for (int i = 0; i < STRANGERS; i++) {
                next.add(tried(Genome.random(random)));
            }
            while (next.size() < POPULATION) {
                Genome one = next.get(random.nextInt(parents)).genome();
                Genome other = next.get(random.nextInt(next.size())).genome();
                next.add(tried(one.child(other, random)));
            }
            population = next;
        }
        population.sort(Comparator.comparingLong(Tried::nanos).reversed());
        return different(population, finds).stream().map(this::find).toList();
    }

    /**
     * Returns the slowest mail of each family, that is of mails with the same head and first stretch.
     */
    private static List<Tried> different(List<Tried> sorted, int most) {
        Set<String> families = new HashSet<>();
        return sorted.stream()
                .filter(tried -> families.add(tried.genome().head() + tried.genome().stretches().getFirst()))
                .limit(most)
                .toList();
    }

    private Tried tried(Genome genome) {
        return new Tried(genome, nanos(genome.mail(size)));
    }

    private Find find(Tried tried) {
        byte[] mail = tried.genome().mail(size);
        long nanos = nanos(mail);
        boolean hashed = true;
        try {
            hasher.hash(mail, rule);
        } catch (NotHashedException e) {
            hashed = false;
        }
        return new Find(tried.genome().toString(), mail, nanos,
                (double) nanos(tried.genome().mail(TIMES * size)) / Math.max(1, nanos), hashed);
    }

    /** Returns the shorter time of two runs, because the first includes work of the JIT compiler and the collector. */
    private long nanos(byte[] mail) {
        long least = Long.MAX_VALUE;
        for (int run = 0; run < 2; run++) {
            long start = THREADS.getCurrentThreadCpuTime();
            try {
                hasher.hash(mail, rule);
            } catch (NotHashedException e) {
                // An abandoned mail counts with its time.
            }
            least = Math.min(least, THREADS.getCurrentThreadCpuTime() - start);
        }
        return least;
    }
}
