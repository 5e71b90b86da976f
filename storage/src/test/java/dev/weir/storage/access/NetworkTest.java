package dev.weir.storage.access;

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
    void containsWhatSharesItsLeadingBits(String network, String address, boolean inside) {
        assertThat(Network.parse(network).contains(InetAddress.ofLiteral(address))).isEqualTo(inside);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "localhost", "10.0.0.0/33", "10.0.0.0/-1", "::1/129", "10.0.0.0/x", "10.0.0/8/9",
        "127.1", "fe80::1%lo",
        "::ffff:192.0.2.0/24", "192.0.2.0/+24"})
    void anythingElseIsRefusedWithAnExample(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Network.parse(text))
                .withMessageContaining("\"" + text + "\"").withMessageContaining("192.0.2.0/24");
    }
}
