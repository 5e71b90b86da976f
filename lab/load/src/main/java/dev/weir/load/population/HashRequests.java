package dev.weir.load.population;

import dev.weir.wire.Protocol;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;

/**
 * A writer of plain requests about the hashes of a population: to learn a hash, and to check it as a scanner does. It
 * has its own buffers, so each thread needs its own instance.
 */
public final class HashRequests {
    /** Length of the longest request, in bytes. */
    public static final int MAX_BYTES = Protocol.SHINGLED_COMMAND;

    /** The version that every storage since 1.7 understands and answers with a digest. */
    private static final int VERSION = 4;

    /** Any valid flag works, because a check finds hashes of all flags. */
    private static final int CHECK_FLAG = 1;

    private final Population population;
    private final boolean shingles;
    private final CommandWriter writer = new CommandWriter();
    private final byte[] digest = new byte[Protocol.DIGEST];
    private final long[] signature = new long[Protocol.SHINGLES];

    /**
     * Creates a writer.
     *
     * @param shingles whether requests carry a signature, as those for texts do
     */
    public HashRequests(Population population, boolean shingles) {
        this.population = population;
        this.shingles = shingles;
    }

    /** Writes the request that learns a hash with its flag and value, and returns the length in bytes. */
    public int learn(long number, int tag, byte[] out, int offset) {
        return write(CommandCode.WRITE, population.flag(number), population.value(number), number, tag, out, offset);
    }

    /** Writes the request that checks a hash, and returns the length in bytes. */
    public int check(long number, int tag, byte[] out, int offset) {
        return write(CommandCode.CHECK, CHECK_FLAG, 0, number, tag, out, offset);
    }

    private int write(int code, int flag, int value, long number, int tag, byte[] out, int offset) {
        population.digest(number, digest, 0);
        writer.begin(out, offset, VERSION, code).flag(flag).value(value).tag(tag).digest(digest, 0);
        if (shingles) {
            population.shingles(number, signature);
            writer.shingles(signature);
        }
        return writer.end();
    }
}
