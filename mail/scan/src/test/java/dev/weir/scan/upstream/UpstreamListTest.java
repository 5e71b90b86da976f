package dev.weir.scan.upstream;

import java.util.List;
import java.util.random.RandomGenerator;

import dev.weir.scan.upstream.UpstreamList.Host;
import dev.weir.scan.upstream.UpstreamList.Selection;
import dev.weir.scan.upstream.UpstreamList.Service;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class UpstreamListTest {
    @Test
    void readsEveryFormOfTheSyntax() {
        UpstreamList list = UpstreamList.parse(List.of("round-robin:a.example:11335:3, b.example;c.example:5",
                "[2001:db8::1]:7:2 [2001:db8::2]\t2001:db8::3", "master-slave:service=fuzzy+d.example:4"));
        assertThat(list.selection()).isEqualTo(Selection.MASTER_SLAVE);
        assertThat(list.entries()).containsExactly(new Host("a.example", 11335, 3), new Host("b.example", 11335, 0),
                new Host("c.example", 5, 0), new Host("2001:db8::1", 7, 2), new Host("2001:db8::2", 11335, 0),
                new Host("2001:db8::3", 11335, 0), new Service("fuzzy", "d.example", 4));
        assertThat(list.entries().get(3).name()).isEqualTo("[2001:db8::1]:7");
        assertThat(list.entries().get(6).name()).isEqualTo("service=fuzzy+d.example");
    }

    @Test
    void roundRobinIsTheDefault() {
        assertThat(UpstreamList.parse(List.of("a")).selection()).isEqualTo(Selection.ROUND_ROBIN);
        assertThat(UpstreamList.parse(List.of("HASH:a,b")).selection()).isEqualTo(Selection.HASH);
        assertThat(UpstreamList.parse(List.of("random:a")).selection()).isEqualTo(Selection.RANDOM);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " , ;", "a:0", "a:65536", "a:x", "a:1:x", "a:1:2:3", "[::1", "[::1]x", "[a]:1", ":1",
        "/run/fuzzy.sock", "service=fuzzy", "service=+x", "service=a+", "service=a+b:1:2", "a:1:1001"})
    void rejectsMalformedListsWithAReason(String text) {
        assertThatThrownBy(() -> UpstreamList.parse(List.of(text))).isInstanceOf(IllegalArgumentException.class)
                .message()
                .isNotBlank();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rr:a:11335", "sequential:a.example,b.example", "Round_Robin:a", "roundrobin:[::1]:7"})
    void namesTheRotationsInsteadOfAnUnknownOne(String text) {
        String word = text.substring(0, text.indexOf(':'));
        assertThatThrownBy(() -> UpstreamList.parse(List.of(text))).hasMessageContaining("\"" + word + "\"")
                .hasMessageContaining("is not a rotation: write one of round-robin, random, master-slave, hash");
    }

    @Property(seed = "4711", tries = 2000)
    void arbitraryTextThrowsOnlyIllegalArgument(@ForAll String text) {
        try {
            assertThat(UpstreamList.parse(List.of(text)).entries()).isNotEmpty();
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageNotContaining("null");
        }
    }

    private static String picks(Selection selection, List<Integer> weights, int count, boolean... alive) {
        Balancer balancer = new Balancer(selection, weights, RandomGenerator.of("L64X128MixRandom"));
        StringBuilder picked = new StringBuilder();
        for (int i = 0; i < count; i++) {
            int place = balancer.pick(alive, new int[alive.length]);
            picked.append(place == Balancer.NONE ? '-' : (char) ('A' + place));
        }
        return picked.toString();
    }

    @Test
    void roundRobinMatchesRspamd() {
        assertThat(picks(Selection.ROUND_ROBIN, List.of(3, 1), 8, true, true)).isEqualTo("AAABAAAB");
        assertThat(picks(Selection.ROUND_ROBIN, List.of(0, 0), 4, true, true)).isEqualTo("ABAB");
        assertThat(picks(Selection.ROUND_ROBIN, List.of(10, 0), 12, true, true)).isEqualTo("AAAAAAAAAAAA");
        assertThat(picks(Selection.ROUND_ROBIN, List.of(3, 1), 4, false, true)).isEqualTo("BBBB");
        assertThat(picks(Selection.ROUND_ROBIN, List.of(1, 1), 2, false, false)).isEqualTo("--");
    }

    @Test
    void masterSlaveChoosesTheHeaviestAvailableServer() {
        assertThat(picks(Selection.MASTER_SLAVE, List.of(0, 0, 0), 3, true, true, true)).isEqualTo("AAA");
        assertThat(picks(Selection.MASTER_SLAVE, List.of(1, 5, 3), 3, true, true, true)).isEqualTo("BBB");
        assertThat(picks(Selection.MASTER_SLAVE, List.of(1, 5, 3), 3, true, false, true)).isEqualTo("CCC");
    }

    @Test
    void randomSelectionIsEven() {
        assertThat(picks(Selection.RANDOM, List.of(0, 0, 0), 300, true, true, false)).doesNotContain("C")
                .satisfies(picked -> assertThat(picked.chars().filter(c -> c == 'A').count()).isBetween(120L, 180L));
    }

    @Test
    void returningServerDoesNotReceiveEveryRequest() {
        Balancer balancer = new Balancer(Selection.ROUND_ROBIN, List.of(0, 0),
                RandomGenerator.of("L64X128MixRandom"));
        int[] errors = new int[2];
        for (int i = 0; i < 1000; i++) {
            balancer.pick(new boolean[]{true, false}, errors);
        }
        int second = 0;
        for (int i = 0; i < 100; i++) {
            second += balancer.pick(new boolean[]{true, true}, errors);
        }
        assertThat(second).isBetween(49, 51);
    }

    @Test
    void failuresCountDouble() {
        Balancer balancer = new Balancer(Selection.ROUND_ROBIN, List.of(0, 0),
                RandomGenerator.of("L64X128MixRandom"));
        assertThat(balancer.pick(new boolean[]{true, true}, new int[]{1, 0})).isEqualTo(1);
        assertThat(balancer.pick(new boolean[]{true, true}, new int[]{1, 0})).isEqualTo(1);
        assertThat(balancer.pick(new boolean[]{true, true}, new int[]{1, 0})).isZero();
    }
}
