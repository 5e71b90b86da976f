package dev.weir.scan.upstream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

final class SystemResolverTest extends ResolverContract {
    @Override
    protected Resolver resolver() {
        return new SystemResolver();
    }

    @Test
    void readsServiceRecords() {
        assertThat(SystemResolver.location("10 5 11335 fuzzy1.example.")).contains(
                new Resolver.Location("fuzzy1.example", 11335, 10, 5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1 2 3", "a 2 3 h.", "1 2 0 h.", "1 2 70000 h.", "1 2 3 .", "1 2 3 h. x"})
    void skipsMalformedRecords(String record) {
        assertThat(SystemResolver.location(record)).isEmpty();
    }
}
