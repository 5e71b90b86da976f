package dev.weir.bench.hostile;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.SplittableRandom;

import dev.weir.wire.Protocol;
import dev.weir.wire.box.Box;
import dev.weir.wire.box.ClientSession;
import dev.weir.wire.command.CommandWriter;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;

/**
 * Hostile requests: noise, and requests of every generation and command, plain and encrypted. Most of these are
 * damaged:
 * bits flipped, bytes replaced, truncated or extended. For one thread.
 */
final class Mutations {
    private static final int[] VERSIONS = {2, 3, 4, 5, 0x14, 0x84};
    private static final int TEXT_VERSION = 0;
    private static final int MAX_NOISE = 1_400;
    private static final int EXTRA = 24;

    private final SplittableRandom random;
    private final CommandWriter writer = new CommandWriter();
    private final byte[] digest = new byte[Protocol.DIGEST];
    private final long[] shingles = new long[Protocol.SHINGLES];
    private final byte[] scratch = new byte[Protocol.REQUEST_HEADER + Protocol.SHINGLED_COMMAND];
    private final Box box;
    private final ClientSession[] sessions;

    Mutations(long seed, PublicKey storage) {
        this.random = new SplittableRandom(seed);
        SecureRandom secure = new SecureRandom();
        this.box = new Box(secure, 1);
        this.sessions = new ClientSession[8];
        Arrays.setAll(sessions,
                _ -> ClientSession.of(KeyPair.generate(secure), storage).orElseThrow(IllegalStateException::new));
    }

    /** Returns the next request, 0 to about 1400 bytes long. */
    byte[] next() {
        return switch (random.nextInt(8)) {
            case 0 -> noise();
            case 1 -> whole();
            default -> damaged(whole());
        };
    }

    private byte[] noise() {
        byte[] bytes = new byte[random.nextInt(MAX_NOISE)];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] whole() {
        if (random.nextInt(12) == 0) {
            byte[] text = new byte[Protocol.TEXT_COMMAND];
            random.nextBytes(text);
            text[TEXT_VERSION] = (byte) random.nextInt(3);
            return text;
        }
        random.nextBytes(digest);
        writer.begin(scratch, Protocol.REQUEST_HEADER, VERSIONS[random.nextInt(VERSIONS.length)],
                random.nextInt(10) == 0 ? random.nextInt(256) : random.nextInt(5))
                .flag(random.nextInt(256)).value(random.nextInt()).tag(random.nextInt()).digest(digest, 0);
        if (random.nextBoolean()) {
            Arrays.setAll(shingles, _ -> random.nextLong());
            writer.shingles(shingles);
        }
        int length = writer.end();
        if (random.nextInt(4) != 0) {
            return Arrays.copyOfRange(scratch, Protocol.REQUEST_HEADER, Protocol.REQUEST_HEADER + length);
        }
        int sealed = box.sealRequest(sessions[random.nextInt(sessions.length)], scratch, 0, length);
        return Arrays.copyOf(scratch, sealed);
    }

    private byte[] damaged(byte[] request) {
        byte[] bytes = switch (random.nextInt(4)) {
            case 0 -> Arrays.copyOf(request, random.nextInt(request.length + 1));
            case 1 -> {
                byte[] longer = Arrays.copyOf(request, request.length + 1 + random.nextInt(EXTRA));
                for (int i = request.length; i < longer.length; i++) {
                    longer[i] = (byte) random.nextInt();
                }
                yield longer;
            }
            default -> request;
        };
        for (int i = random.nextInt(4); i > 0 && bytes.length > 0; i--) {
            // The first bytes matter most, so half of the damage goes there.
            int at = random.nextInt(random.nextBoolean() ? Math.min(bytes.length, 16) : bytes.length);
            bytes[at] = random.nextBoolean() ? (byte) (bytes[at] ^ 1 << random.nextInt(8)) : (byte) random.nextInt();
        }
        return bytes;
    }
}
