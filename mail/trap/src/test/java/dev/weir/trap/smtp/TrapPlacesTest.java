package dev.weir.trap.smtp;

import java.net.InetAddress;

import dev.weir.trap.decision.TrapCounters.Event;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TrapPlacesTest {
    private final TrapPlaces places = new TrapPlaces();

    private static InetAddress at(String address) {
        return InetAddress.ofLiteral(address);
    }

    @Test
    void oneAddressHasATenth() {
        for (int i = 0; i < 50; i++) {
            assertThat(places.take("a" + i, at("192.0.2.1"), false, 500)).isEmpty();
        }
        assertThat(places.take("more", at("192.0.2.1"), false, 500)).contains(Event.TOO_MANY);
        assertThat(places.take("b", at("192.0.2.2"), false, 500)).isEmpty();

        places.leave("a7");
        assertThat(places.take("again", at("192.0.2.1"), false, 500)).isEmpty();
    }

    @Test
    void aNetworkOf64BitsIsOneAddress() {
        assertThat(places.take("a", at("2001:db8::1"), false, 10)).isEmpty();
        assertThat(places.take("b", at("2001:db8::2"), false, 10)).contains(Event.TOO_MANY);
        assertThat(places.take("c", at("2001:db8:0:1::1"), false, 10)).isEmpty();
    }

    @Test
    void aRelayMayHaveAllPlacesAndNoMore() {
        for (int i = 0; i < 10; i++) {
            assertThat(places.take("r" + i, at("192.0.2.9"), true, 10)).isEmpty();
        }
        assertThat(places.take("more", at("192.0.2.9"), true, 10)).contains(Event.OVERFLOW);
        assertThat(places.take("other", at("192.0.2.1"), false, 10)).contains(Event.OVERFLOW);
    }

    @Test
    void whoHasNoPlaceGivesNoneBack() {
        assertThat(places.take("a", at("192.0.2.1"), false, 1)).isEmpty();
        places.leave("b");
        assertThat(places.take("c", at("192.0.2.2"), false, 1)).contains(Event.OVERFLOW);
    }
}
