package dev.weir.storage.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;

import dev.weir.storage.brake.RemovalBrake;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import static org.assertj.core.api.Assertions.assertThat;

/** Checks that no hash expires before its true age, whatever one of the clocks, the file or an update says. */
class StorageClockPropertyTest {
    private static final long EXPIRE = Duration.ofDays(8).toMillis();
    private static final long HOUR = Duration.ofHours(1).toMillis();
    /** Corrections that follow at once, and those of a clock that is trusted again. */
    private static final long CORRECTIONS = 5 * HOUR;
    /** An eighth of the age of expiry, which a restart may get wrong, beside the hour of a correction. */
    private static final long START_ERROR = EXPIRE / 8;

    /** A hash: its true time, the time that was stored, and the number of starts before it. */
    private record Learned(long truly, long seconds, int starts) {}

    /** A machine whose clocks jump, with a storage on it. */
    private static final class Machine {
        private final SplittableRandom random;
        private final List<Learned> hashes = new ArrayList<>();
        private final Timing timing = new Timing(Duration.ofMillis(EXPIRE), Duration.ofSeconds(1));
        private long truth = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();
        private long wall = truth;
        private long mono;
        private int starts;
        private int expired;
        private OptionalLong file = OptionalLong.empty();
        private OptionalLong logged = OptionalLong.empty();
        private OptionalLong reallyLogged = OptionalLong.empty();
        private OptionalLong swept = OptionalLong.empty();
        private StorageClock clock = new StorageClock(this::wall, this::nanos, timing);
        private ExpiryHorizon horizon = horizon();

        Machine(long seed) {
            this.random = new SplittableRandom(seed);
            start();
        }

        private Instant wall() {
            return Instant.ofEpochMilli(wall);
        }

        private long nanos() {
            return mono * 1_000_000;
        }

        private ExpiryHorizon horizon() {
            return new ExpiryHorizon(timing, clock, this::nanos, new RemovalBrake(this::nanos, () -> 0), swept);
        }

        private void start() {
            starts++;
            clock = new StorageClock(this::wall, this::nanos, timing);
            file.ifPresent(millis -> clock.known(StorageClock.Witness.FILE, millis));
            logged.ifPresent(millis -> clock.known(StorageClock.Witness.UPDATES, millis));
            clock.start();
            horizon = horizon();
            file = OptionalLong.of(clock.millis());
        }

        private void pass(long millis) {
            for (long left = millis; left > 0; left -= HOUR / 4) {
                long step = Math.min(left, HOUR / 4);
                truth += step;
                wall += step;
                mono += step;
                clock.look();
            }
            file = OptionalLong.of(clock.millis());
        }

        private long leap() {
            long by = Math.round(Math.exp(random.nextDouble(Math.log(1e3), Math.log(1e12))));
            return random.nextBoolean() ? by : -by;
        }

        private void step() {
            switch (random.nextInt(10)) {
                case 0 -> {
                    wall = Math.max(0, wall + leap());
                    clock.look();
                }
                case 1 -> {
                    mono += Math.abs(leap());
                    clock.look();
                }
                case 2 -> restart();
                case 3, 4, 5 -> learn();
                default -> pass(random.nextLong(EXPIRE / 4));
            }
            sweep();
        }

        /**
         * One of the sources is wrong at a restart. A clock that was wrong before is set right if another one is wrong.
         */
        private void restart() {
            long down = random.nextLong(HOUR * 48);
            truth += down;
            wall += down;
            mono = random.nextLong(1_000_000);
            logged = reallyLogged;
            int wrong = random.nextInt(5);
            if (wrong > 0) {
                wall = truth;
            }
            switch (wrong) {
                case 0 -> wall = Math.max(0, wall + leap());
                case 1 -> file = OptionalLong.of(Math.max(0, truth + leap()));
                case 2 -> file = OptionalLong.empty();
                case 3 -> logged = OptionalLong.of(Math.max(0, truth + leap()));
                default -> swept = OptionalLong.empty();
            }
            start();
        }

        private void learn() {
            hashes.add(new Learned(truth, clock.later(wall) / 1_000, starts));
            logged = OptionalLong.of(clock.millis());
            reallyLogged = logged;
        }

        private void sweep() {
            if (horizon.isClosed()) {
                return;
            }
            long before = horizon.wanted();
            List<Learned> gone = hashes.stream().filter(hash -> hash.seconds() < before).toList();
            if (!horizon.isSteady(before) && !horizon.mayLeap(before, gone.size(), hashes.size())) {
                return;
            }
            for (Learned hash : gone) {
                long age = truth - hash.truly();
                long error = (starts - hash.starts()) * (START_ERROR + HOUR) + CORRECTIONS + age / 24 + 2_000
                // What is learned while every clock is behind looks older than it is.
                        + Math.max(0, hash.truly() - hash.seconds() * 1_000);
                assertThat(age).as("the age of a hash that expires").isGreaterThanOrEqualTo(EXPIRE - error);
            }
            expired += gone.size();
            hashes.removeAll(gone);
            horizon.swept(before);
            swept = horizon.last();
        }
    }

    @Property(seed = "20261128", tries = 2_000)
    void noYoungHashExpires(@ForAll long seed) {
        Machine machine = new Machine(seed);
        for (int i = 0; i < 200; i++) {
            machine.step();
        }
    }

    @Property(seed = "20261129", tries = 20)
    void hashesDoExpire(@ForAll long seed) {
        Machine machine = new Machine(seed);
        machine.learn();
        machine.pass(EXPIRE + 2 * HOUR);
        machine.sweep();
        assertThat(machine.expired).isOne();
    }
}
