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

import dev.weir.http.server.AdmissionControl.Change;
import dev.weir.http.server.AdmissionControl.Refusal;
import dev.weir.model.Network;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class AdmissionControlTest {
    private static final Optional<Network> HERE = Optional.empty();

    private static Optional<Network> from(String address) {
        return Optional.of(AdmissionControl.networkOf(InetAddress.ofLiteral(address)));
    }

    @Test
    void displacesTheOldestIdleRemoteConnectionFirst() {
        AdmissionControl<String> admission = new AdmissionControl<>(16, 16);
        for (int i = 0; i < 15; i++) {
            assertThat(admission.arrive("idle" + i, from("192.0.2." + i)).entering()).containsExactly("idle" + i);
        }
        Change<String> next = admission.arrive("next", from("198.51.100.1"));
        assertThat(next.displaced()).contains("idle0");
        assertThat(next.entering()).containsExactly("next");
        // A displaced guest has no place to keep.
        assertThat(admission.prove("idle0")).isFalse();
        assertThat(admission.prove("next")).isTrue();
    }

    @Test
    void reservesAPlaceForThisMachine() {
        AdmissionControl<String> admission = new AdmissionControl<>(16, 16);
        for (int i = 0; i < 40; i++) {
            admission.arrive("busy" + i, from("192.0.2." + i));
            admission.prove("busy" + i);
        }
        assertThat(admission.seated()).isEqualTo(15);
        assertThat(admission.waiting()).isEqualTo(16);
        Change<String> probe = admission.arrive("probe", HERE);
        assertThat(probe.displaced()).isEmpty();
        assertThat(probe.entering()).containsExactly("probe");
        // It passes the waiting guests, and they do not take its place when it leaves.
        assertThat(admission.leave("probe").entering()).isEmpty();
        assertThat(admission.arrive("another", HERE).entering()).containsExactly("another");
    }

    @Test
    void neverDisplacesActiveGuestsAndOthersWaitInOrder() {
        AdmissionControl<String> admission = new AdmissionControl<>(1, 1);
        admission.arrive("first", HERE);
        admission.prove("first");
        assertThat(admission.arrive("second", HERE))
                .isEqualTo(new Change<>(Optional.empty(), Optional.empty(), List.of()));
        assertThat(admission.arrive("third", HERE).refusal()).contains(Refusal.FULL);
        assertThat(admission.leave("first").entering()).containsExactly("second");
        assertThat(admission.leave("second").entering()).isEmpty();
        assertThat(admission.seated() + admission.waiting()).isZero();
    }

    @Test
    void oneAddressHasOnlyItsPartAndSixtyFourBitsOfIpv6AreOne() {
        AdmissionControl<String> admission = new AdmissionControl<>(100, 2);
        admission.arrive("a", from("2001:db8::1"));
        admission.arrive("b", from("2001:db8::ffff:2"));
        assertThat(admission.arrive("c", from("2001:db8::3")).displaced()).contains("a");
        admission.prove("b");
        admission.prove("c");
        assertThat(admission.arrive("d", from("2001:db8::4")).refusal()).contains(Refusal.TOO_MANY_OF_ADDRESS);
        assertThat(admission.arrive("e", from("2001:db8:0:1::4")).entering()).containsExactly("e");
    }

    @Test
    void aRestingGuestIsDisplacedAndLeavesIfOthersWait() {
        AdmissionControl<String> admission = new AdmissionControl<>(1, 1);
        admission.arrive("first", HERE);
        assertThat(admission.prove("first")).isTrue();
        assertThat(admission.rest("first")).isTrue();
        assertThat(admission.arrive("second", HERE).displaced()).contains("first");
        assertThat(admission.rest("first")).as("it has no place").isFalse();
        assertThat(admission.prove("second")).isTrue();
        admission.arrive("third", HERE);
        assertThat(admission.rest("second")).as("the third waits").isFalse();
        assertThat(admission.leave("second").entering()).containsExactly("third");
    }

    @Test
    void aSmallerSizeTakesEffectWhenGuestsLeave() {
        AdmissionControl<Integer> admission = new AdmissionControl<>(1, 1);
        for (int i = 0; i < 2; i++) {
            admission.arrive(i, HERE);
            admission.prove(i);
        }
        assertThat(admission.waiting()).isOne();
        admission.resize(4, 4);
        assertThat(admission.arrive(2, HERE).entering()).containsExactly(1, 2);
    }

    /** Whatever happens, the numbers hold, no guest is lost, and no guest that asks something loses its place. */
    @Test
    void invariantsHoldForAnyOrder() {
        for (long seed = 1; seed <= 300; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int most = 1 + random.nextInt(20);
            int mostOfNetwork = 1 + random.nextInt(6);
            int forElsewhere = most == 1 ? 1 : most - Math.max(1, most / 16);
            AdmissionControl<Integer> admission = new AdmissionControl<>(most, mostOfNetwork);
            Map<Integer, Optional<Network>> inside = new HashMap<>();
            Set<Integer> seated = new HashSet<>();
            Set<Integer> proven = new HashSet<>();
            for (int step = 0; step < 400; step++) {
                List<Integer> guests = new ArrayList<>(inside.keySet());
                int what = random.nextInt(10);
                if (what < 5 || guests.isEmpty()) {
                    Optional<Network> network = random.nextBoolean() ? HERE : from("192.0.2." + random.nextInt(5));
                    Change<Integer> change = admission.arrive(step, network);
                    change.displaced().ifPresent(gone -> {
                        assertThat(proven).doesNotContain(gone);
                        assertThat(seated.remove(gone)).isTrue();
                        inside.remove(gone);
                    });
                    if (change.refusal().isEmpty()) {
                        inside.put(step, network);
                    }
                    seated.addAll(change.entering());
                } else {
                    Integer guest = guests.get(random.nextInt(guests.size()));
                    if (what < 8) {
                        assertThat(admission.prove(guest)).isEqualTo(seated.contains(guest));
                        if (seated.contains(guest)) {
                            proven.add(guest);
                        }
                    } else {
                        inside.remove(guest);
                        seated.remove(guest);
                        proven.remove(guest);
                        seated.addAll(admission.leave(guest).entering());
                    }
                }
                assertThat(admission.seated()).as("seed %d step %d", seed, step).isEqualTo(seated.size())
                        .isLessThanOrEqualTo(most);
                assertThat(admission.waiting()).isEqualTo(inside.size() - seated.size()).isLessThanOrEqualTo(most);
                assertThat(inside.keySet()).containsAll(seated);
                assertThat(
                        seated.stream().filter(guest -> Objects.requireNonNull(inside.get(guest)).isPresent()).count())
                        .isLessThanOrEqualTo(forElsewhere);
                Map<Network, Integer> counts = new HashMap<>();
                inside.values().forEach(network -> network.ifPresent(where -> counts.merge(where, 1, Integer::sum)));
                assertThat(counts.values()).allMatch(count -> count <= mostOfNetwork);
            }
        }
    }
}
