package dev.weir.bench.load;

import dev.weir.wire.Protocol;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;

/**
 * An endless list of learns that differ in everything: number {@code n} has a digest, 32 shingles and a weight that
 * follow from the seed and {@code n}, so that what was sent needs no memory to be verified. Lists of different seeds
 * have nothing in common. Immutable.
 */
public final class Learns {
    /** The flag of every learn. */
    public static final int FLAG = 1;

    /** Bytes of a request with shingles. */
    public static final int REQUEST = Protocol.SHINGLED_COMMAND;

    /** The version that Rspamd 3.4 and Weir both understand and answer with a digest. */
    private static final int VERSION = 4;

    private static final int WORDS_OF_DIGEST = Protocol.DIGEST / Long.BYTES;
    private static final int WEIGHT_WORD = WORDS_OF_DIGEST + Protocol.SHINGLES;
    private static final int MAX_WEIGHT = 100;

    private final long start;

    /** The list of a seed. */
    public Learns(long seed) {
        // Without this the lists of neighbouring seeds would be one list, shifted.
        this.start = mix(seed);
    }

    /** Returns the weight of a learn, 1..100. */
    public int weight(int number) {
        return 1 + (int) Long.remainderUnsigned(word(number, WEIGHT_WORD), MAX_WEIGHT);
    }

    /** Returns the digest of a learn. */
    public byte[] digest(int number) {
        byte[] digest = new byte[Protocol.DIGEST];
        fillDigest(number, digest);
        return digest;
    }

    private void fillDigest(int number, byte[] digest) {
        for (int i = 0; i < digest.length; i++) {
            digest[i] = (byte) (word(number, i / Long.BYTES) >>> (Byte.SIZE * (i % Long.BYTES)));
        }
    }

    private long word(int number, int word) {
        return mix(mix(start + number) + word * 0x9e3779b97f4a7c15L);
    }

    /** Returns the finaliser of SplitMix64 (Stafford's variant 13). */
    private static long mix(long z) {
        long mixed = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }

    /** Writes requests; keeps buffers, so it serves one thread. */
    public static final class Requests {
        private final CommandWriter writer = new CommandWriter();
        private final byte[] digest = new byte[Protocol.DIGEST];
        private final long[] shingles = new long[Protocol.SHINGLES];

        /** The request to learn a number of the list. */
        public void learn(Learns learns, int number, int tag, byte[] out) {
            shingled(learns, number, CommandCode.WRITE, tag, out, learns.weight(number));
        }

        /** A check by digest and shingles, as a scanner sends it for a text. */
        public void check(Learns learns, int number, int tag, byte[] out) {
            shingled(learns, number, CommandCode.CHECK, tag, out, 0);
        }

        private void shingled(Learns learns, int number, int code, int tag, byte[] out, int value) {
            learns.fillDigest(number, digest);
            for (int i = 0; i < shingles.length; i++) {
                shingles[i] = learns.word(number, WORDS_OF_DIGEST + i);
            }
            int length = writer.begin(out, 0, VERSION, code)
                    .flag(FLAG)
                    .value(value)
                    .tag(tag)
                    .digest(digest, 0)
                    .shingles(shingles)
                    .end();
            if (length != REQUEST) {
                throw new IllegalStateException("a request of " + length + " bytes");
            }
        }

        /** Writes a command without shingles and returns its length. */
        int plain(int code, int tag, byte[] ofDigest, byte[] out) {
            return writer.begin(out, 0, VERSION, code).flag(FLAG).tag(tag).digest(ofDigest, 0).end();
        }
    }
}
