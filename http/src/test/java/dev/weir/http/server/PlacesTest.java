package dev.weir.http.server;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

import dev.weir.http.server.Places.Change;
import dev.weir.http.server.Places.Refusal;
import dev.weir.http.server.Places.Source;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class PlacesTest {
    private static final Optional<Source> HERE = Optional.empty();

    private static Optional<Source> from(String address) {
        return Optional.of(Source.of(InetAddress.ofLiteral(address)));
    }

    @Test
    void idleConnectionsFromElsewhereMakeRoomForOthersTheOldestFirst() {
        Places<String> places = new Places<>(16, 16);
        for (int i = 0; i < 15; i++) {
            assertThat(places.arrive("idle" + i, from("192.0.2." + i)).entering()).containsExactly("idle" + i);
        }
        Change<String> next = places.arrive("next", from("198.51.100.1"));
        assertThat(next.displaced()).contains("idle0");
        assertThat(next.entering()).containsExactly("next");
        // What is displaced has no place to defend any more.
        assertThat(places.prove("idle0")).isFalse();
        assertThat(places.prove("next")).isTrue();
    }

    @Test
    void aPlaceIsKeptForThisMachineWhateverComesFromElsewhere() {
        Places<String> places = new Places<>(16, 16);
        for (int i = 0; i < 40; i++) {
            places.arrive("busy" + i, from("192.0.2." + i));
            places.prove("busy" + i);
        }
        assertThat(places.seated()).isEqualTo(15);
        assertThat(places.waiting()).isEqualTo(16);
        Change<String> probe = places.arrive("probe", HERE);
        assertThat(probe.displaced()).isEmpty();
        assertThat(probe.entering()).containsExactly("probe");
        // It passes those who wait, and they do not take its place when it leaves.
        assertThat(places.leave("probe").entering()).isEmpty();
        assertThat(places.arrive("another", HERE).entering()).containsExactly("another");
    }

    @Test
    void whoIsBeingAnsweredIsNeverSentAwayAndOthersWaitInTheirOrder() {
        Places<String> places = new Places<>(1, 1);
        places.arrive("first", HERE);
        places.prove("first");
        assertThat(places.arrive("second", HERE))
                .isEqualTo(new Change<>(Optional.empty(), Optional.empty(), List.of()));
        assertThat(places.arrive("third", HERE).refusal()).contains(Refusal.FULL);
        assertThat(places.leave("first").entering()).containsExactly("second");
        assertThat(places.leave("second").entering()).isEmpty();
        assertThat(places.seated() + places.waiting()).isZero();
    }

    @Test
    void oneAddressHasOnlyItsPartAndSixtyFourBitsOfIpv6AreOne() {
        Places<String> places = new Places<>(100, 2);
        places.arrive("a", from("2001:db8::1"));
        places.arrive("b", from("2001:db8::ffff:2"));
        assertThat(places.arrive("c", from("2001:db8::3")).displaced()).contains("a");
        places.prove("b");
        places.prove("c");
        assertThat(places.arrive("d", from("2001:db8::4")).refusal()).contains(Refusal.TOO_MANY_OF_ADDRESS);
        assertThat(places.arrive("e", from("2001:db8:0:1::4")).entering()).containsExactly("e");
    }

    @Test
    void whatIsResizedTakesEffectWhenAGuestLeaves() {
        Places<Integer> places = new Places<>(1, 1);
        for (int i = 0; i < 2; i++) {
            places.arrive(i, HERE);
            places.prove(i);
        }
        assertThat(places.waiting()).isOne();
        places.resize(4, 4);
        assertThat(places.arrive(2, HERE).entering()).containsExactly(1, 2);
    }

    /** Whatever happens, the numbers hold, no guest is lost, and no guest that asks something loses its place. */
    @Test
    void theNumbersHoldForAnyOrder() {
        for (long seed = 1; seed <= 300; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int most = 1 + random.nextInt(20);
            int mostOfSource = 1 + random.nextInt(6);
            int forElsewhere = most == 1 ? 1 : most - Math.max(1, most / 16);
            Places<Integer> places = new Places<>(most, mostOfSource);
            Map<Integer, Optional<Source>> inside = new HashMap<>();
            Set<Integer> seated = new HashSet<>();
            Set<Integer> proven = new HashSet<>();
            for (int step = 0; step < 400; step++) {
                List<Integer> guests = new ArrayList<>(inside.keySet());
                int what = random.nextInt(10);
                if (what < 5 || guests.isEmpty()) {
                    Optional<Source> source = random.nextBoolean() ? HERE : from("192.0.2." + random.nextInt(5));
                    Change<Integer> change = places.arrive(step, source);
                    change.displaced().ifPresent(gone -> {
                        assertThat(proven).doesNotContain(gone);
                        assertThat(seated.remove(gone)).isTrue();
                        inside.remove(gone);
                    });
                    if (change.refusal().isEmpty()) {
                        inside.put(step, source);
                    }
                    seated.addAll(change.entering());
                } else {
                    Integer guest = guests.get(random.nextInt(guests.size()));
                    if (what < 8) {
                        assertThat(places.prove(guest)).isEqualTo(seated.contains(guest));
                        if (seated.contains(guest)) {
                            proven.add(guest);
                        }
                    } else {
                        inside.remove(guest);
                        seated.remove(guest);
                        proven.remove(guest);
                        seated.addAll(places.leave(guest).entering());
                    }
                }
                assertThat(places.seated()).as("seed %d step %d", seed, step).isEqualTo(seated.size())
                        .isLessThanOrEqualTo(most);
                assertThat(places.waiting()).isEqualTo(inside.size() - seated.size()).isLessThanOrEqualTo(most);
                assertThat(inside.keySet()).containsAll(seated);
                assertThat(
                        seated.stream().filter(guest -> Objects.requireNonNull(inside.get(guest)).isPresent()).count())
                        .isLessThanOrEqualTo(forElsewhere);
                Map<Source, Integer> counts = new HashMap<>();
                inside.values().forEach(source -> source.ifPresent(where -> counts.merge(where, 1, Integer::sum)));
                assertThat(counts.values()).allMatch(count -> count <= mostOfSource);
            }
        }
    }
}
