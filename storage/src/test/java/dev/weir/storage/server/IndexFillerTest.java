package dev.weir.storage.server;

import java.util.Collections;
import java.util.List;

import dev.weir.storage.FlagValue;
import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.KeyedHash;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class IndexFillerTest {
    private static StoredHash hash(int number, int flags) {
        return new StoredHash(Samples.digest(number), Collections.nCopies(flags, new FlagValue(1, number, 1)), null);
    }

    @Test
    void whatItWasGivenIsThereWhenItIsClosed() {
        for (int count : List.of(0, 1, 511, 512, 20_000)) {
            HashIndex index = new HashIndex(new KeyedHash(1, 2));
            try (IndexFiller filler = new IndexFiller(index)) {
                for (int i = 0; i < count; i++) {
                    filler.accept(hash(i, 1));
                }
            }
            assertThat(index.size()).isEqualTo(count);
        }
    }

    @Test
    void whoeverGivesHashesIsToldThatOneOfThemDoesNotFit() {
        assertThatIllegalStateException().isThrownBy(() -> {
            try (IndexFiller filler = new IndexFiller(new HashIndex(new KeyedHash(1, 2)))) {
                filler.accept(hash(0, 600));
            }
        }).withStackTraceContaining("600 flags of one digest");
        assertThatIllegalStateException().isThrownBy(() -> {
            try (IndexFiller filler = new IndexFiller(new HashIndex(new KeyedHash(1, 2)))) {
                filler.accept(hash(0, 600));
                for (int i = 1; i < 100_000; i++) {
                    filler.accept(hash(i, 1));
                }
            }
        }).withStackTraceContaining("600 flags of one digest");
    }
}
