package dev.weir.storage.queue;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import dev.weir.storage.Digest;
import dev.weir.storage.Update;
import dev.weir.storage.log.Origin;

/**
 * Tells a request that was sent again from a new one. A client that got no answer in time repeats its datagram, and
 * weights add up: applying it twice would be wrong. Both have the same sender, tag and content, and a client draws a
 * new tag for a new request.
 *
 * <p>Bounded: the oldest are forgotten. For one thread.
 */
final class RecentRequests {
    /** How long clients may go on repeating; Rspamd's and ours give up within ten seconds by default. */
    static final long KEEP_MILLIS = 30_000;

    /** Two seconds of the fastest learning that was measured; some 10 MB. */
    private static final int CAPACITY = 65_536;

    private record Request(Origin origin, Class<?> kind, Digest digest, int flag, int weight) {
        static Request of(Origin origin, Update update) {
            return switch (update) {
                case Update.Write write ->
                    new Request(origin, Update.Write.class, write.digest(), write.flag(), write.weight());
                case Update.Delete delete ->
                    new Request(origin, Update.Delete.class, delete.digest(), delete.flag(), 0);
                case Update.DeleteAll delete -> new Request(origin, Update.DeleteAll.class, delete.digest(), 0, 0);
                case Update.Refresh refresh -> throw new IllegalArgumentException("no client asks for that");
                case Update.Expire expire -> throw new IllegalArgumentException("no client asks for that");
            };
        }

        @Override
        public int hashCode() {
            // Tags and digests are random: no need to look at more.
            return (int) digest.word(0) ^ origin.tag();
        }
    }

    private final Map<Request, Long> seen = new LinkedHashMap<>();

    /** Notes a request; false if it was noted before and not forgotten or {@link #forget forgotten on purpose}. */
    boolean add(Origin origin, Update update, long millis) {
        if (origin.address() == null) {
            return true;
        }
        forgetOld(millis);
        return seen.putIfAbsent(Request.of(origin, update), millis) == null;
    }

    /** A request that was noted did not succeed: its repetition is a new attempt. */
    void forget(Origin origin, Update update) {
        if (origin.address() != null) {
            seen.remove(Request.of(origin, update));
        }
    }

    private void forgetOld(long millis) {
        Iterator<Long> times = seen.values().iterator();
        while (times.hasNext()) {
            long age = millis - times.next();
            // A clock that was set back must not keep them for ever.
            if (seen.size() < CAPACITY && age >= 0 && age <= KEEP_MILLIS) {
                return;
            }
            times.remove();
        }
    }
}
