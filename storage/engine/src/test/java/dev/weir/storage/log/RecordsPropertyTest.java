package dev.weir.storage.log;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.UpdateSubmitter;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import static org.assertj.core.api.Assertions.assertThat;

class RecordsPropertyTest {
    private final Records records = new Records(LogFixture.ID);

    @Property(seed = "20260105", tries = 500)
    void encodingRoundTrips(@ForAll long seed, @ForAll long revision, @ForAll long settled,
            @ForAll @IntRange(min = 0, max = 4) int before) {
        LoggedUpdate logged = logged(new SplittableRandom(seed), revision);
        ByteBuffer buffer = Records.buffer(before * Records.ALIGN + Records.MAX);
        int start = before * Records.ALIGN;
        buffer.position(start);
        records.encode(logged, settled, buffer);
        int length = buffer.position() - start;
        buffer.flip();
        assertThat(length).isBetween(Records.FIXED, Records.MAX).matches(n -> n % Records.ALIGN == 0);
        assertThat(records.lengthOf(buffer, start)).isEqualTo(length);
        assertThat(Records.isKnown(buffer, start)).isTrue();
        assertThat(Records.revision(buffer, start)).isEqualTo(revision);
        assertThat(Records.settled(buffer, start)).isEqualTo(settled);
        assertThat(records.decode(buffer, start)).isEqualTo(logged);
    }

    @Property(seed = "20260106", tries = 500)
    void rejectsAChangedOrShortenedRecord(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        ByteBuffer buffer = Records.buffer(Records.MAX);
        records.encode(logged(random, 9), 8, buffer);
        buffer.flip();
        int at = random.nextInt(buffer.limit());
        byte before = buffer.get(at);
        buffer.put(at, (byte) (before ^ 1 + random.nextInt(255)));
        assertThat(records.lengthOf(buffer, 0)).isZero();
        buffer.put(at, before);
        buffer.limit(buffer.limit() - 1 - random.nextInt(buffer.limit()));
        assertThat(records.lengthOf(buffer, 0)).isZero();
    }

    private static LoggedUpdate logged(SplittableRandom random, long revision) {
        return new LoggedUpdate(revision, random.nextLong(), origin(random), update(random));
    }

    private static UpdateOrigin origin(SplittableRandom random) {
        if (random.nextInt(5) == 0) {
            return UpdateOrigin.STORAGE;
        }
        byte[] address = new byte[random.nextBoolean() ? 4 : 16];
        random.nextBytes(address);
        byte[] key = null;
        if (random.nextBoolean()) {
            key = new byte[32];
            random.nextBytes(key);
        }
        try {
            return new UpdateOrigin(InetAddress.getByAddress(address), random.nextInt(65_536), random.nextInt(), key,
                    random.nextBoolean() ? null : submission(random));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static UpdateSubmitter submission(SplittableRandom random) {
        String[] texts = new String[4];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = random.ints(random.nextInt(200), 0, 0x2_0000)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
        }
        return new UpdateSubmitter(texts[0], texts[1], texts[2], texts[3]);
    }

    private static Update update(SplittableRandom random) {
        long n = random.nextLong();
        return switch (random.nextInt(6)) {
            case 0 -> new Update.Delete(Samples.digest(n), random.nextInt());
            case 1 -> new Update.DeleteAll(Samples.digest(n));
            case 2 -> new Update.Refresh(Samples.digest(n), random.nextLong());
            case 3 -> new Update.Expire(Samples.digest(n), random.nextInt(), random.nextLong());
            case 4 -> Samples.write(n, random.nextInt(), weight(random), random.nextLong(), null);
            default -> Samples.write(n, random.nextInt(), weight(random), random.nextLong(), signature(random, n));
        };
    }

    private static long weight(SplittableRandom random) {
        return random.nextBoolean() ? random.nextInt() : random.nextLong();
    }

    /** Returns a signature whose unknown slots are zeros. */
    private static Signature signature(SplittableRandom random, long n) {
        int mask = random.nextBoolean() ? Signature.ALL_SLOTS : random.nextInt();
        long[] values = Samples.shingles(n);
        for (int i = 0; i < values.length; i++) {
            values[i] = (mask >>> i & 1) == 0 ? 0 : values[i];
        }
        return Signature.partial(values, 0, mask).withSides(random.nextBoolean() ? Samples.sides(n) : null);
    }
}
