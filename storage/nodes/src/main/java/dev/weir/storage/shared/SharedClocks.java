package dev.weir.storage.shared;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * The clock of this node, compared with those of Redis and of the other nodes. Beyond {@value #BOUND} seconds, this
 * node neither renews nor buries hashes in Redis; the scripts have the same bound. Its new hashes get the time of Redis
 * only if another node agrees with Redis, so that two clocks of three decide. Thread-safe.
 */
final class SharedClocks {
    /** The difference that is no reason to doubt. */
    static final long BOUND = 60;

    /** Other nodes that are silent for longer say nothing about the time. */
    static final long RECENT = 60;

    private volatile long ahead;
    private volatile boolean agreed;
    private volatile Optional<Heard> heard = Optional.empty();

    /** The time of Redis in seconds since 1970, and when this node heard it. */
    private record Heard(long redis, long nanos) {}

    /** Takes note of both times, in seconds since 1970. */
    void redis(long mine, long redis) {
        ahead = mine - redis;
        heard = Optional.of(new Heard(redis, System.nanoTime()));
    }

    /** Returns the present time of Redis in milliseconds, if this node has heard it lately. */
    OptionalLong redisMillis() {
        Optional<Heard> last = heard;
        long passed = System.nanoTime() - last.map(Heard::nanos).orElse(0L);
        return last.isEmpty() || passed > TimeUnit.SECONDS.toNanos(RECENT)
                ? OptionalLong.empty()
                : OptionalLong.of(last.get().redis() * 1_000 + passed / 1_000_000);
    }

    /** Takes note of the other nodes. */
    void peers(List<SharedPeer> others) {
        agreed = others.stream()
                .anyMatch(peer -> peer.silentSeconds() <= RECENT && Math.abs(peer.ahead()) <= BOUND);
    }

    /** Returns how many seconds this clock is ahead of that of Redis. */
    long ahead() {
        return ahead;
    }

    boolean isOff() {
        return Math.abs(ahead) > BOUND;
    }

    /** Returns how many seconds to add to the times of this node. */
    long correction() {
        return isOff() && agreed ? -ahead : 0;
    }

    /** Returns what is wrong. */
    String describe() {
        Duration off = Duration.ofSeconds(Math.abs(ahead));
        String text = off.toDays() > 1
                ? off.toDays() + " days"
                : off.toMinutes() > 1
                        ? off.toMinutes() + " minutes"
                        : off.toSeconds() + " seconds";
        return "the clock of this node is " + text + (ahead > 0 ? " ahead of" : " behind") + " that of Redis" + (agreed
                ? ", and another node agrees with Redis; the hashes of this node get the time of Redis"
                : "") + "; until they agree, this node renews no hashes there";
    }
}
