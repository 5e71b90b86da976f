package dev.weir.storage.waves;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

import dev.weir.model.Networks;
import dev.weir.storage.access.FlagSet;

/**
 * The section {@code waves} of the configuration.
 *
 * @param table the size of the table, fixed until the next start
 * @param answer which groups answer checks; empty to only count
 * @param learn which groups the storage learns automatically; empty for none
 * @param exclusions the groups that neither answer nor are learned
 */
public record WaveSettings(Table table, Optional<Answer> answer, Optional<Learn> learn, Exclusions exclusions) {
    /** The number of signatures unless told otherwise. */
    public static final int DEFAULT_SIGNATURES = 200_000;

    /** The fewest and the most signatures. */
    public static final int LEAST_SIGNATURES = 1_000;
    public static final int MOST_SIGNATURES = 2_000_000;

    /** The shortest and the longest time for which a group is remembered after its last check. */
    public static final Duration LEAST_KEEP = Duration.ofHours(1);
    public static final Duration MOST_KEEP = Duration.ofDays(14);

    /** The time for which a group is remembered unless told otherwise. */
    public static final Duration DEFAULT_KEEP = Duration.ofDays(1);

    /**
     * The size of the table.
     *
     * @param signatures the most signatures
     * @param keep how long a group is remembered after its last check
     */
    public record Table(int signatures, Duration keep) {
        /** Checks the bounds. */
        public Table {
            if (signatures < LEAST_SIGNATURES || signatures > MOST_SIGNATURES) {
                throw new IllegalArgumentException(signatures + " signatures");
            }
            if (keep.compareTo(LEAST_KEEP) < 0 || keep.compareTo(MOST_KEEP) > 0) {
                throw new IllegalArgumentException("keep " + keep);
            }
        }
    }

    /**
     * How large a group must be.
     *
     * @param minChecks the fewest checks in the window
     * @param minClients the fewest different clients
     * @param window the time in which checks count
     */
    public record Size(int minChecks, int minClients, Duration window) {}

    /**
     * Which groups answer checks.
     *
     * @param flag the flag of the answer
     */
    public record Answer(int flag, Size size) {}

    /**
     * Which groups are learned.
     *
     * @param flag the flag to learn to
     * @param weight the weight of each hash
     * @param mostPerHour the most groups that are learned in an hour
     */
    public record Learn(int flag, int weight, Size size, int mostPerHour) {}

    /**
     * The groups that neither answer nor are learned.
     *
     * @param wantedFlags the flags of wanted mail: a group near one of their hashes is excluded
     * @param networks sending hosts whose mail is never a wave
     * @param domains sender domains in lower case whose mail, if DMARC passes, is never a wave
     */
    public record Exclusions(FlagSet wantedFlags, Networks networks, Set<String> domains) {
        /** Excludes nothing but the skip list. */
        public static final Exclusions NONE = new Exclusions(FlagSet.none(), Networks.NONE, Set.of());

        /** Copies the set. */
        public Exclusions {
            domains = Set.copyOf(domains);
        }
    }

    /** Returns settings that only count, with a table of the default size. */
    public static WaveSettings counting() {
        return new WaveSettings(new Table(DEFAULT_SIGNATURES, DEFAULT_KEEP), Optional.empty(), Optional.empty(),
                Exclusions.NONE);
    }

    /** Returns a copy with another size of the table. */
    public WaveSettings withTable(int signatures, Duration keep) {
        return new WaveSettings(new Table(signatures, keep), answer, learn, exclusions);
    }

    /** Returns a copy whose groups of a size answer checks. */
    public WaveSettings answering(int flag, Size size) {
        return new WaveSettings(table, Optional.of(new Answer(flag, size)), learn, exclusions);
    }

    /** Returns a copy whose groups of a size are learned. */
    public WaveSettings learning(Learn rule) {
        return new WaveSettings(table, answer, Optional.of(rule), exclusions);
    }

    /** Returns a copy with other exclusions. */
    public WaveSettings excluding(Exclusions others) {
        return new WaveSettings(table, answer, learn, others);
    }
}
