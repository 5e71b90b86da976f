package dev.weir.load.query;

import java.util.Locale;

import dev.weir.load.population.Noise;
import dev.weir.load.population.Population;
import dev.weir.wire.Protocol;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;

/**
 * An endless list of queries. The kind of query {@code n}, its hash and the right answer follow from the seed and
 * {@code n}, so nothing needs to be stored until the answer arrives. Writing a query takes about a tenth of a
 * microsecond, less than reading a prepared one from memory outside the caches. So queries cover all hashes, not just a
 * few that the caches of the server would hold.
 *
 * <p>It has its own buffers, so each thread needs its own instance. Lists with the same seed are equal.
 */
public final class Queries {
    /** The maximum length of a query before encryption, in bytes. */
    public static final int MAX_BYTES = Protocol.SHINGLED_COMMAND;

    /** How often a query of {@link QueryKind#AGAIN} comes, if the mix has no other kind. */
    static final int COPIES = 4;

    /** Separates the hashes that come again from those of other misses. */
    private static final long REPEATED = 0x4ea7_ed00_4ea7_ed00L;

    /** The version that all storages since 1.7 understand and answer with a digest. */
    private static final int VERSION = 4;

    /** Separates the hashes that one run learns from those that another run expects to be unknown. */
    private static final long LEARNT = 0x1ea2_17ea_217e_a217L;

    private static final int MASK_BITS = 10;

    private final Population population;
    private final Mix mix;
    private final Rule rule;
    private final boolean shingles;
    private final long seed;
    private final long[] reached;
    private final int[][] masks;

    private final CommandWriter writer = new CommandWriter();
    private final byte[] digest = new byte[Protocol.DIGEST];
    private final long[] signature = new long[Protocol.SHINGLES];

    /**
     * Creates the list of a seed.
     *
     * @param population the hashes in the storage
     * @param rule the matching rule of the storage
     * @param shingles whether queries have shingles, as for texts, or not, as for images and files
     * @throws IllegalArgumentException if the mix needs stored hashes and there are none, or near hits without shingles
     */
    public Queries(Population population, Mix mix, Rule rule, boolean shingles, long seed) {
        if (mix.needsPopulation() && population.size() == 0) {
            throw new IllegalArgumentException("the mix " + mix + " asks for stored hashes, and none are stored");
        }
        if (!shingles && mix.parts().stream().anyMatch(part -> part.kind().what() == QueryKind.What.FUZZY)) {
            throw new IllegalArgumentException("near hits need shingles");
        }
        this.population = population;
        this.mix = mix;
        this.rule = rule;
        this.shingles = shingles;
        this.seed = Noise.mix(seed ^ 0x0a5c_0000_0000_0001L);
        this.reached = new long[mix.parts().size()];
        long total = 0;
        for (int part = 0; part < reached.length; part++) {
            total += mix.parts().get(part).weight();
            reached[part] = total;
        }
        this.masks = new int[mix.parts().size()][];
        for (int part = 0; part < masks.length; part++) {
            masks[part] = masks(mix.parts().get(part).kind().equal());
        }
    }

    /** Returns random sets of {@code equal} of the 32 positions. */
    private int[] masks(int equal) {
        int[] some = new int[1 << MASK_BITS];
        for (int i = 0; i < some.length; i++) {
            long stream = Noise.at(seed, ~(((long) equal << MASK_BITS) + i));
            int left = equal;
            for (int place = 0; place < Protocol.SHINGLES; place++) {
                if (Noise.below(Noise.at(stream, place), Protocol.SHINGLES - place) < left) {
                    some[i] |= 1 << place;
                    left--;
                }
            }
        }
        return some;
    }

    /** Returns the mix. */
    public Mix mix() {
        return mix;
    }

    private long stream(long number) {
        return Noise.at(seed, number);
    }

    /** Returns the index in the mix of a query's kind. */
    public int part(long number) {
        return partOf(stream(number));
    }

    private int partOf(long stream) {
        long share = Noise.below(stream, reached[reached.length - 1]);
        int part = 0;
        while (share >= reached[part]) {
            part++;
        }
        return part;
    }

    /** Returns the stored hash that a query is about, if any. */
    private long target(long stream) {
        return Noise.below(Noise.mix(stream), population.size());
    }

    private int mask(int part, long stream) {
        return masks[part][(int) stream & ((1 << MASK_BITS) - 1)];
    }

    /** Writes a query and returns its length. */
    public int write(long number, int tag, byte[] out, int offset) {
        long stream = stream(number);
        int part = partOf(stream);
        QueryKind kind = mix.parts().get(part).kind();
        switch (kind.what()) {
            case MISS -> begin(out, offset, CommandCode.CHECK, tag, stream, -1);
            case AGAIN -> begin(out, offset, CommandCode.CHECK, tag,
                    Noise.mix(stream(number / COPIES) ^ REPEATED), -1);
            case LEARN ->
                begin(out, offset, CommandCode.WRITE, tag, Noise.mix(stream ^ LEARNT), -1).flag(flag(stream))
                        .value(value(stream));
            case EXACT -> begin(out, offset, CommandCode.CHECK, tag, population.stream(target(stream)), -1);
            case FUZZY -> {
                int mask = mask(part, stream);
                Population.shinglesOf(population.stream(target(stream)), signature, mask);
                begin(out, offset, CommandCode.CHECK, tag, stream, ~mask);
            }
        }
        if (shingles) {
            writer.shingles(signature);
        }
        return writer.end();
    }

    /** Starts a command with the digest of a stream and its shingles at the given positions. */
    private CommandWriter begin(byte[] out, int offset, int code, int tag, long stream, int places) {
        Population.digestOf(stream, digest, 0);
        if (shingles) {
            Population.shinglesOf(stream, signature, places);
        }
        return writer.begin(out, offset, VERSION, code).tag(tag).flag(1).digest(digest, 0);
    }

    private static int flag(long stream) {
        return 1 + (int) Noise.below(stream, Population.FLAGS);
    }

    private static int value(long stream) {
        return 1 + (int) Noise.below(stream, Population.MAX_VALUE);
    }

    /** Judges an answer to a query. */
    public Correctness judge(long number, ReplyView answer) {
        long stream = stream(number);
        QueryKind kind = mix.parts().get(partOf(stream)).kind();
        if (!answer.matches() && answer.value() != 0) {
            return Correctness.REFUSED;
        }
        boolean right = switch (kind.what()) {
            case MISS, AGAIN -> !answer.matches();
            case LEARN -> answer.matches() && answer.value() == 0 && answer.flag() == flag(stream);
            case EXACT -> isHit(target(stream), 1, answer);
            case FUZZY -> rule.matches(kind.equal())
                    ? isHit(target(stream), rule.probability(kind.equal()), answer)
                    : !answer.matches();
        };
        return right ? Correctness.RIGHT : Correctness.WRONG;
    }

    private boolean isHit(long target, float probability, ReplyView answer) {
        return answer.probability() == probability && answer.value() == population.value(target)
                && answer.flag() == population.flag(target)
                && population.isDigest(target, answer.bytes(), answer.digestOffset());
    }

    /** Describes the right answer, for the report of a wrong one. */
    public String expected(long number) {
        QueryKind kind = mix.parts().get(part(number)).kind();
        long stream = stream(number);
        return switch (kind.what()) {
            case MISS, AGAIN -> "no match";
            case LEARN -> "success with flag " + flag(stream);
            case EXACT -> hit(target(stream), 1);
            case FUZZY -> rule.matches(kind.equal())
                    ? hit(target(stream), rule.probability(kind.equal()))
                    : "no match";
        };
    }

    private String hit(long target, float probability) {
        return String.format(Locale.ROOT, "hash %d: value %d, flag %d, probability %s", target,
                population.value(target),
                population.flag(target), probability);
    }
}
