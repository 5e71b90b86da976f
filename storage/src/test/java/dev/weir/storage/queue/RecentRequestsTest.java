package dev.weir.storage.queue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import dev.weir.storage.Digest;
import dev.weir.storage.Update;
import dev.weir.storage.log.Origin;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RecentRequestsTest {
    private static final long NOW = 1_700_000_000_000L;

    private final RecentRequests recent = new RecentRequests();

    private static Digest digest(long number) {
        long[] words = new long[Digest.WORDS];
        words[0] = number;
        return Digest.ofWords(words, 0);
    }

    private static Origin origin(String address, int port, int tag, int key) {
        try {
            byte[] bytes = new byte[Origin.KEY_BYTES];
            bytes[bytes.length - 1] = (byte) key;
            return new Origin(InetAddress.getByName(address), port, tag, key < 0 ? null : bytes);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static Update write(long number, int flag, int weight) {
        return new Update.Write(digest(number), flag, weight, 1, null);
    }

    /** Every part of a request tells it apart; the time that an update carries and its signature do not. */
    @Test
    void whatTellsRequestsApart() {
        Origin sender = origin("192.0.2.1", 1000, 7, -1);
        List<Map.Entry<Origin, Update>> different = List.of(
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
        for (Map.Entry<Origin, Update> request : different) {
            assertTrue(recent.add(request.getKey(), request.getValue(), NOW), request::toString);
        }
        for (Map.Entry<Origin, Update> request : different) {
            assertFalse(recent.add(request.getKey(), request.getValue(), NOW), request::toString);
        }
        assertFalse(recent.add(sender, new Update.Write(digest(1), 1, 1, 99, null), NOW));
    }

    @Test
    void theStorageItselfNeverRepeats() {
        assertTrue(recent.add(Origin.STORAGE, new Update.Expire(digest(1), 1, 1), NOW));
        assertTrue(recent.add(Origin.STORAGE, new Update.Expire(digest(1), 1, 1), NOW));
        recent.forget(Origin.STORAGE, new Update.Expire(digest(1), 1, 1));
    }

    @Test
    void aClockThatIsSetBackKeepsNothing() {
        Origin sender = origin("192.0.2.1", 1000, 7, -1);
        assertTrue(recent.add(sender, write(1, 1, 1), NOW));
        assertTrue(recent.add(sender, write(1, 1, 1), NOW - 1));
    }

    /** The ring is full several times over, and what is forgotten on purpose leaves gaps in it. */
    @Test
    void keepsTheLastOnesOfMany() {
        Origin sender = origin("192.0.2.1", 1000, 7, -1);
        int all = 3 * RecentRequests.CAPACITY;
        for (int i = 0; i < all; i++) {
            assertTrue(recent.add(sender, write(i, 1, 1), NOW));
            if (i % 3 == 0) {
                recent.forget(sender, write(i, 1, 1));
            }
        }
        for (int i = all - RecentRequests.CAPACITY + 2; i < all; i += 1000) {
            int kept = i % 3 == 0 ? i + 1 : i;
            recent.forget(sender, write(-1, 1, 1));
            assertFalse(recent.add(sender, write(kept, 1, 1), NOW), () -> "lost " + kept);
        }
        assertTrue(recent.add(sender, write(1, 1, 1), NOW));
    }

    /** Beside a map that does the same with objects. */
    @Property(tries = 200)
    void doesWhatAMapDoes(@ForAll long seed) {
        Random random = new Random(seed);
        RecentRequests tested = new RecentRequests();
        Map<List<Integer>, Long> model = new LinkedHashMap<>();
        long now = NOW;
        for (int step = 0; step < 5_000; step++) {
            now += random.nextInt(20) == 0 ? random.nextInt(4_000) - 10 : random.nextInt(3);
            List<Integer> name = List.of(random.nextInt(40), random.nextInt(80));
            Origin origin = origin("192.0.2." + name.get(0), 1000, 7, -1);
            Update update = write(name.get(1), 1, 1);
            if (random.nextInt(4) == 0) {
                tested.forget(origin, update);
                model.remove(name);
            } else {
                while (!model.isEmpty()) {
                    long age = now - model.values().iterator().next();
                    if (age >= 0 && age <= RecentRequests.KEEP_MILLIS) {
                        break;
                    }
                    model.remove(model.keySet().iterator().next());
                }
                boolean fresh = model.putIfAbsent(name, now) == null;
                assertEquals(fresh, tested.add(origin, update, now), () -> "seed " + seed);
            }
        }
    }
}
