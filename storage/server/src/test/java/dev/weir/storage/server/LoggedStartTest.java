package dev.weir.storage.server;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LoggedStartTest {
    private final List<String> lines = new ArrayList<>();
    private final LoggedStart start = new LoggedStart(lines::add);

    @Test
    void reportsEachHundredThousandOnceHoweverTheCountGrows() {
        for (long hashes : new long[]{0, 0, 0, 99_999, 100_001, 100_001, 150_000, 310_000, 310_000, 400_000}) {
            start.loading(hashes, 400_000);
        }
        assertThat(lines).containsExactly("loading: 100001 of 400000 hashes", "loading: 310000 of 400000 hashes");
    }

    @Test
    void reportsACarryOverBesideTheLoad() {
        start.carrying(200_000, 250_000);
        start.loading(100_000, 250_000);
        assertThat(lines).containsExactly("taking over the database: 200000 of 250000 hashes",
                "loading: 100000 of 250000 hashes");
    }
}
