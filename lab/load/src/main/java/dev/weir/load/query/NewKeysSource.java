package dev.weir.load.query;

import java.util.List;

import dev.weir.load.population.Noise;
import dev.weir.wire.Protocol;
import dev.weir.wire.key.PublicKey;

/** Requests with random data, each under a new client key. */
final class NewKeysSource implements QuerySource {
    private static final int MAX_BYTES = Protocol.REQUEST_HEADER + Protocol.SHINGLED_COMMAND;
    private static final long LAST_TAG = 0xffff_ffffL;
    private static final byte[] MAGIC = {'r', 's', 'f', 'e'};
    private static final int KEY_ID = 4;
    private static final int CLIENT_KEY = 12;

    private final long seed;
    private final byte[] template = new byte[MAX_BYTES];

    NewKeysSource(PublicKey server, long seed) {
        this.seed = Noise.mix(seed ^ 0x6e33_0000_0000_0001L);
        System.arraycopy(MAGIC, 0, template, 0, MAGIC.length);
        byte[] key = server.bytes();
        System.arraycopy(key, 0, template, KEY_ID, CLIENT_KEY - KEY_ID);
    }

    @Override
    public int maxBytes() {
        return MAX_BYTES;
    }

    @Override
    public long lastTag() {
        return LAST_TAG;
    }

    @Override
    public int write(long number, byte[] out) {
        System.arraycopy(template, 0, out, 0, MAX_BYTES);
        long stream = Noise.at(seed, number);
        for (int at = 0; at < Protocol.KEY; at += Long.BYTES) {
            long word = Noise.at(stream, at);
            for (int i = 0; i < Long.BYTES; i++) {
                out[CLIENT_KEY + at + i] = (byte) (word >>> (Byte.SIZE * i));
            }
        }
        return MAX_BYTES;
    }

    @Override
    public long open(byte[] bytes, int length, ReplyView answer) {
        return NO_ANSWER;
    }

    @Override
    public List<Queries> queries() {
        return List.of();
    }
}
