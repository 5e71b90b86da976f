package dev.weir.scan.upstream;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The contract of every {@link UpstreamList.Entry}. */
abstract class EntryContract {
    /** Returns an entry with the given weight. */
    abstract UpstreamList.Entry entry(int weight);

    private static UpstreamList.Entry parsed(String text) {
        return UpstreamList.parse(List.of(text)).entries().getFirst();
    }

    @Test
    void nameIsTheParsedText() {
        assertThat(parsed(entry(0).name())).isEqualTo(entry(0));
    }

    @Test
    void weightFollowsTheName() {
        assertThat(parsed(entry(0).name() + ":5")).isEqualTo(entry(5));
        assertThat(entry(5).weight()).isEqualTo(5);
    }

    @Test
    void nameExcludesTheWeight() {
        assertThat(entry(5).name()).isEqualTo(entry(0).name());
    }
}
