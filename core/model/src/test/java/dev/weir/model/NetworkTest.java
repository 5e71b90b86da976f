package dev.weir.model;

import java.net.InetAddress;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class NetworkTest {
    @ParameterizedTest
    @CsvSource({"192.0.2.0/24, 192.0.2.255, true", "192.0.2.0/24, 192.0.3.0, false", "192.0.2.7, 192.0.2.7, true",
        "192.0.2.7, 192.0.2.6, false", "10.0.0.0/9, 10.127.1.1, true", "10.0.0.0/9, 10.128.0.0, false",
        "0.0.0.0/0, 8.8.8.8, true", "0.0.0.0/0, ::1, false", "2001:db8::/33, 2001:db8:7fff::1, true",
        "2001:db8::/33, 2001:db8:8000::1, false", "::1, ::1, true", "127.0.0.0/8, ::ffff:127.0.0.5, true",
        "::ffff:192.0.2.0/120, 192.0.2.9, true",
        "::ffff:192.0.2.0/120, 192.0.3.0, false", "[2001:db8::]/32, 2001:db8:1::, true", "::/0, 192.0.2.1, false",
        "::/0, 2001:db8::1, true", "::/90, 192.0.2.1, false"})
    void containsAddressesThatShareItsLeadingBits(String network, String address, boolean inside) {
        assertThat(Network.of(network).contains(InetAddress.ofLiteral(address))).isEqualTo(inside);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "localhost", "10.0.0.0/33", "10.0.0.0/-1", "::1/129", "10.0.0.0/x", "10.0.0/8/9",
        "127.1", "fe80::1%lo",
        "::ffff:192.0.2.0/24", "192.0.2.0/+24"})
    void rejectsOtherTextWithAnExample(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Network.of(text))
                .withMessageContaining("\"" + text + "\"").withMessageContaining("192.0.2.0/24");
    }

    @ParameterizedTest
    @ValueSource(strings = {"192.0.2.0/24", "192.0.2.77/24", "::ffff:192.0.2.0/120", "::FFFF:C000:200/120",
        "[::ffff:192.0.2.0]/120", "0:0:0:0:0:ffff:192.0.2.9/120"})
    void acceptsEverySpellingOfANetwork(String text) {
        assertThat(Network.parse(text)).contains(Network.parse("192.0.2.0/24").orElseThrow());
    }

    @ParameterizedTest
    @CsvSource({"192.0.2.77/24, 192.0.2.0/24", "192.0.2.7, 192.0.2.7/32", "::ffff:192.0.2.0/120, 192.0.2.0/24",
        "2001:db8::1/32, 2001:db8:0:0:0:0:0:0/32", "::/0, 0:0:0:0:0:0:0:0/0", "0.0.0.0/0, 0.0.0.0/0"})
    void printsTheFirstAddressAndThePrefix(String text, String written) {
        assertThat(Network.of(text)).hasToString(written).isEqualTo(Network.of(written));
    }

    @ParameterizedTest
    @CsvSource({"::/0, 192.0.2.1", "::/80, 192.0.2.1", "::fffe:0:0/95, 127.0.0.1"})
    void anIpv6NetworkContainsIpv4OnlyInADualStackSet(String network, String address) {
        InetAddress four = InetAddress.ofLiteral(address);
        assertThat(Networks.dualStack(network).contains(four)).isTrue();
        assertThat(Networks.perFamily(network).contains(four)).isFalse();
        assertThat(Networks.dualStack(network)).isNotEqualTo(Networks.perFamily(network));
    }

    @ParameterizedTest
    @CsvSource({"192.0.2.1, 33", "192.0.2.1, -1", "::1, 129"})
    void rejectsAPrefixThatIsTooLongForTheFamily(String address, int prefix) {
        assertThatIllegalArgumentException().isThrownBy(() -> Network.of(InetAddress.ofLiteral(address), prefix))
                .withMessageContaining("does not fit");
    }
}
