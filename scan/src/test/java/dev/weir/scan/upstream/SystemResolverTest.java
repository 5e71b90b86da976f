package dev.weir.scan.upstream;

import java.net.InetAddress;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

final class SystemResolverTest {
    @Test
    void readsServiceRecords() {
        assertThat(SystemResolver.location("10 5 11335 fuzzy1.example.")).contains(
                new Resolver.Location("fuzzy1.example", 11335, 10, 5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1 2 3", "a 2 3 h.", "1 2 0 h.", "1 2 70000 h.", "1 2 3 .", "1 2 3 h. x"})
    void passesOverWhatIsNone(String record) {
        assertThat(SystemResolver.location(record)).isEmpty();
    }

    @Test
    void addressesAreTheirOwnNames() throws Exception {
        assertThat(new SystemResolver().addresses("127.0.0.1")).containsExactly(InetAddress.ofLiteral("127.0.0.1"));
    }
}
