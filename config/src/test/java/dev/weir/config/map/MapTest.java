package dev.weir.config.map;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import dev.weir.config.source.Problem;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

final class MapTest {
    private final List<Problem> problems = new ArrayList<>();

    @Test
    void networksOutOfAFile() {
        Networks.Parsed parsed = Networks.parse("allow.map", """
                # comment
                127.0.0.1        # loopback
                10.0.0.0/8       office
                2001:db8::/32
                [::1]

                mail.example.com # a name
                """, problems::add);
        assertThat(problems).isEmpty();
        assertThat(parsed.hosts()).singleElement().satisfies(host -> {
            assertThat(host.text()).isEqualTo("mail.example.com");
            assertThat(host.origin().toString()).isEqualTo("allow.map:7:1");
        });
        assertThat(List.of("127.0.0.1", "10.255.0.1", "2001:db8:1::5", "::1", "::ffff:10.1.1.1"))
                .allMatch(text -> parsed.networks().contains(InetAddress.ofLiteral(text)));
        assertThat(List.of("127.0.0.2", "11.0.0.0", "9.255.255.255", "2001:db9::", "::2", "::"))
                .noneMatch(text -> parsed.networks().contains(InetAddress.ofLiteral(text)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.1", "10.0.0.0/33", "::1/129", "1.2.3.4.5", "fe80::1%eth0", "300.1.1.1", "a..b", "/24",
        "10.0.0.0/", "10.0.0.0/-1", "::ffff:192.0.2.0/24", "::ffff:0:0/95", "::ffff:192.0.2.0/129", ":::", "2130706433",
        "-x", "10.0.0.0/255.0.0.0", "!10.0.0.1"})
    void whatIsNoNetwork(String text) {
        Networks.Parsed parsed = Networks.parse("m", "\n" + text + "\n", problems::add);
        assertThat(problems).singleElement()
                .satisfies(problem -> assertThat(problem.toString()).startsWith("m:2:1: expected an address"));
        assertThat(parsed.networks().size()).isZero();
        assertThat(parsed.hosts()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"192.0.2.0/24", "192.0.2.77/24", "::ffff:192.0.2.0/120", "::FFFF:C000:200/120",
        "[::ffff:192.0.2.0]/120", "0:0:0:0:0:ffff:192.0.2.9/120"})
    void oneNetworkHasManySpellings(String text) {
        assertThat(Network.parse(text)).contains(Network.parse("192.0.2.0/24").orElseThrow());
    }

    @Test
    void keysOutOfAFile() {
        KeyMap map = KeyMap.parse("m", "\uFEFF# x\nabc\nabc value # c\n\"two words\" \"v\"\r\n  d#e \n\"open\n",
                problems::add);
        assertThat(map.entries()).hasSize(3).containsEntry("abc", "value").containsEntry("two words", "\"v\"")
                .containsEntry("d#e",
                        "");
        assertThat(problems).singleElement().asString().isEqualTo("m:6:1: expected '\"' at the end of the entry");
        assertThat(map.contains("ABC")).isFalse();
        assertThat(KeyMap.parse("m", "x".repeat(5000), problems::add).keys()).isEmpty();
        assertThat(problems).hasSize(2);
    }

    @Provide
    Arbitrary<List<Network>> networks() {
        // Few bits, so that networks contain and touch each other.
        Arbitrary<Network> six = Combinators.combine(Arbitraries.longs().between(0, 3),
                Arbitraries.longs().between(-4, 4), Arbitraries.integers().between(0, 128)).as(Network::new);
        return six.list().ofMaxSize(12);
    }

    /** The set against the definition of a network: the leading bits agree. */
    @Property(seed = "20261123", tries = 500)
    void containsWhatOneOfTheNetworksContains(@ForAll("networks") List<Network> networks) throws UnknownHostException {
        Networks set = Networks.of(networks);
        for (long high = -1; high <= 4; high++) {
            for (long low = -6; low <= 6; low++) {
                long[] bits = {high, low};
                boolean expected = networks.stream().anyMatch(network -> agrees(network, bits));
                assertThat(set.contains(address(bits))).isEqualTo(expected);
            }
        }
    }

    private static boolean agrees(Network network, long[] bits) {
        BigInteger mine = number(network.high(), network.low());
        return mine.xor(number(bits[0], bits[1])).shiftRight(128 - network.prefix()).signum() == 0;
    }

    private static BigInteger number(long high, long low) {
        return new BigInteger(Long.toUnsignedString(high)).shiftLeft(64)
                .add(new BigInteger(Long.toUnsignedString(low)));
    }

    private static InetAddress address(long[] bits) throws UnknownHostException {
        byte[] bytes = new byte[16];
        for (int i = 0; i < 16; i++) {
            bytes[i] = (byte) (bits[i / 8] >>> (56 - 8 * (i % 8)));
        }
        return InetAddress.getByAddress(Arrays.copyOf(bytes, 16));
    }
}
