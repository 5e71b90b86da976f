package dev.weir.storage.queue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import dev.weir.model.Digest;
import dev.weir.model.KeyedHash;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateOrigin;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RecentRequestsTest {
    private static final long MILLIS = 1_700_000_000_000L;

    private long nanos = -5_000_000_000L;
    private final RecentRequests recent = new RecentRequests(() -> nanos, KeyedHash::random);

    private void pass(long millis) {
        nanos += millis * 1_000_000;
    }

    private static Digest digest(long number) {
        long[] words = new long[Digest.WORDS];
        words[0] = number;
        return Digest.ofWords(words, 0);
    }

    private static UpdateOrigin origin(String address, int port, int tag, int key) {
        try {
            byte[] bytes = new byte[UpdateOrigin.KEY_BYTES];
            bytes[bytes.length - 1] = (byte) key;
            return new UpdateOrigin(InetAddress.getByName(address), port, tag, key < 0 ? null : bytes);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static Update write(long number, int flag, int weight) {
        return new Update.Write(digest(number), flag, weight, 1, null);
    }

    /** Every part of a request tells it apart; the time that an update carries and its signature do not. */
    @Test
    void distinguishesRequests() {
        UpdateOrigin sender = origin("192.0.2.1", 1000, 7, -1);
        List<Map.Entry<UpdateOrigin, Update>> different = List.of(
                Map.entry(sender, write(1, 1, 1)),
                Map.entry(origin("192.0.2.2", 1000, 7, -1), write(1, 1, 1)),
                Map.entry(origin("::c000:201", 1000, 7, -1), write(1, 1, 1)),
                Map.entry(origin("2001:db8::1", 1000, 7, -1), write(1, 1, 1)),
                Map.entry(origin("2001:db8:1::1", 1000, 7, -1), write(1, 1, 1)),
                Map.entry(origin("192.0.2.1", 1001, 7, -1), write(1, 1, 1)),
                Map.entry(origin("192.0.2.1", 1000, 8, -1), write(1, 1, 1)),
                Map.entry(origin("192.0.2.1", 1000, -8, -1), write(1, 1, 1)),
                Map.entry(origin("192.0.2.1", 1000, 7, 0), write(1, 1, 1)),
                Map.entry(origin("192.0.2.1", 1000, 7, 1), write(1, 1, 1)),
                Map.entry(sender, write(2, 1, 1)),
                Map.entry(sender, write(1, 2, 1)),
                Map.entry(sender, write(1, 1, 2)),
                Map.entry(sender, write(1, 1, -1)),
                Map.entry(sender, new Update.Delete(digest(1), 1)),
                Map.entry(sender, new Update.Delete(digest(1), 2)),
                Map.entry(sender, new Update.DeleteAll(digest(1))));
        for (Map.Entry<UpdateOrigin, Update> request : different) {
            assertTrue(recent.add(request.getKey(), request.getValue()), request::toString);
        }
        for (Map.Entry<UpdateOrigin, Update> request : different) {
            assertFalse(recent.add(request.getKey(), request.getValue()), request::toString);
        }
        assertFalse(recent.add(sender, new Update.Write(digest(1), 1, 1, 99, null)));
        // A client leaves out the side hashes when the answer to the request with them is lost.
        assertFalse(recent.add(sender, new Update.Write(digest(1), 1, 1, 1,
                Samples.signature(1).withSides(Samples.sides(1)))));
    }

    @Test
    void theStorageItselfNeverRepeats() {
        assertTrue(recent.add(UpdateOrigin.STORAGE, new Update.Expire(digest(1), 1, 1)));
        assertTrue(recent.add(UpdateOrigin.STORAGE, new Update.Expire(digest(1), 1, 1)));
        recent.forget(UpdateOrigin.STORAGE, new Update.Expire(digest(1), 1, 1));
    }

    @Test
    void remembersARequestForAsLongAsClientsRepeatIt() {
        UpdateOrigin sender = origin("192.0.2.1", 1000, 7, -1);
        assertTrue(recent.add(sender, write(1, 1, 1)));
        pass(RecentRequests.KEEP_MILLIS);
        assertFalse(recent.add(sender, write(1, 1, 1)));
        // The repetition counts like a request: a client that gets no reply goes on.
        for (int i = 0; i < 10; i++) {
            pass(RecentRequests.KEEP_MILLIS);
            assertFalse(recent.add(sender, write(1, 1, 1)));
        }
        pass(RecentRequests.KEEP_MILLIS + 200);
        assertTrue(recent.add(sender, write(1, 1, 1)));
        // Longer than an int of milliseconds.
        pass(40L * 24 * 3_600_000);
        assertTrue(recent.add(sender, write(1, 1, 1)));
        assertFalse(recent.add(sender, write(1, 1, 1)));
    }

    /** A quarter longer than they are kept, so that a part of the ring is used again. */
    @Test
    void remembersAHundredThousandPerSecondInTheStatedMemory() {
        UpdateOrigin sender = origin("192.0.2.1", 1000, 7, -1);
        int all = RecentRequests.CAPACITY / 4 * 5;
        for (int i = 0; i < all; i++) {
            if (i % 100 == 0) {
                pass(1);
            }
            assertTrue(recent.add(sender, write(i, 1, 1)));
            if (i % 3 == 0) {
                recent.forget(sender, write(i, 1, 1));
            }
        }
        for (int i = all - RecentRequests.CAPACITY + 2; i < all; i += 1000) {
            int kept = i % 3 == 0 ? i + 1 : i;
            assertFalse(recent.add(sender, write(kept, 1, 1)), () -> "lost " + kept);
        }
        assertTrue(recent.bytes() <= 93_000_000, () -> recent.bytes() + " bytes");
        assertTrue(recent.add(sender, write(all - 3, 2, 1)));
        pass(RecentRequests.KEEP_MILLIS + 200);
        assertTrue(recent.add(sender, write(all - 1, 1, 1)));
        assertTrue(recent.bytes() <= 100_000, () -> recent.bytes() + " bytes");
    }

    @Test
    void dropsTheOldestRequestsBeyondTheCapacity() {
        UpdateOrigin sender = origin("192.0.2.1", 1000, 7, -1);
        for (int i = 0; i <= RecentRequests.CAPACITY + 10; i++) {
            assertTrue(recent.add(sender, write(i, 1, 1)));
        }
        assertFalse(recent.add(sender, write(100, 1, 1)));
        assertTrue(recent.add(sender, write(1, 1, 1)));
    }

    /** Whatever the clock was set to while the log was written, and what it says now. */
    @Test
    void remembersTheLogDespiteAWrongClock() {
        UpdateOrigin sender = origin("192.0.2.1", 1000, 7, -1);
        long[] times = {MILLIS - 3_600_000, MILLIS, MILLIS + 1_000, MILLIS + 86_400_000, MILLIS + 86_401_000, MILLIS,
            MILLIS + 5_000};
        for (int i = 0; i < times.length; i++) {
            recent.remember(new LoggedUpdate(i + 1, times[i], sender, write(i, 1, 1)));
        }
        recent.remember(new LoggedUpdate(times.length + 1, MILLIS + 5_000, UpdateOrigin.STORAGE,
                new Update.Refresh(digest(1), 1)));
        pass(3_000);
        // Without 1 and 5, because a repetition restarts the 30 seconds.
        for (int i : new int[]{2, 3, 4, 6}) {
            assertFalse(recent.add(sender, write(i, 1, 1)), () -> "lost " + i);
        }
        assertTrue(recent.knows(sender, write(1, 1, 1)), "lost 1");
        assertTrue(recent.knows(sender, write(5, 1, 1)), "lost 5");
        pass(RecentRequests.KEEP_MILLIS - 5_500);
        assertTrue(recent.add(sender, write(1, 1, 1)));
        assertFalse(recent.add(sender, write(5, 1, 1)));
    }

    /** A storage may take a new time long after the clock was set, and then another one at its next start. */
    @Test
    void remembersTheLogAlthoughTheClockWasSetTwice() {
        UpdateOrigin sender = origin("192.0.2.1", 1000, 7, -1);
        for (int i = 0; i < 3; i++) {
            recent.remember(new LoggedUpdate(i + 1, MILLIS + i * 86_400_000L, sender, write(i, 1, 1)));
        }
        pass(RecentRequests.KEEP_MILLIS - 3_000);
        assertFalse(recent.add(sender, write(0, 1, 1)));
    }

    @Test
    void recognizesIrrelevantFields() {
        UpdateOrigin sender = origin("192.0.2.1", 1000, 7, -1);
        assertFalse(recent.knows(sender, write(1, 1, 1)));
        assertTrue(recent.add(sender, write(1, 1, 1)));
        assertTrue(recent.knows(sender, write(1, 1, 1)));
        recent.forget(sender, write(1, 1, 1));
        assertFalse(recent.knows(sender, write(1, 1, 1)));
        assertFalse(recent.knows(UpdateOrigin.STORAGE, new Update.Expire(digest(1), 1, 1)));
    }

    /** Beside a map that does the same with objects. */
    @Property(tries = 200, seed = "42")
    void behavesLikeAMap(@ForAll long seed) {
        Random random = new Random(seed);
        long[] now = {random.nextLong()};
        RecentRequests tested = new RecentRequests(() -> now[0], KeyedHash::random);
        Map<List<Integer>, Long> model = new LinkedHashMap<>();
        long tick = 0;
        for (int step = 0; step < 5_000; step++) {
            int passed = random.nextInt(20) == 0 ? random.nextInt(40) : 0;
            tick += passed;
            now[0] += passed * 100_000_000L;
            List<Integer> name = List.of(random.nextInt(40), random.nextInt(80));
            UpdateOrigin origin = origin("192.0.2." + name.get(0), 1000, 7, -1);
            Update update = write(name.get(1), 1, 1);
            if (random.nextInt(4) == 0) {
                tested.forget(origin, update);
                model.remove(name);
            } else {
                while (!model.isEmpty()
                        && tick - model.values().iterator().next() > RecentRequests.KEEP_MILLIS / 100) {
                    model.remove(model.keySet().iterator().next());
                }
                boolean fresh = model.remove(name) == null;
                model.put(name, tick);
                assertEquals(fresh, tested.add(origin, update), () -> "seed " + seed);
            }
        }
    }
}
