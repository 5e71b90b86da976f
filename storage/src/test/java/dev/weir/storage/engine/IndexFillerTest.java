package dev.weir.storage.engine;

import java.util.List;
import java.util.stream.IntStream;

import dev.weir.model.FlagValue;
import dev.weir.model.KeyedHash;
import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.IndexFullException;
import dev.weir.storage.index.SmallIndex;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class IndexFillerTest {
    private static StoredHash hash(int number) {
        return new StoredHash(Samples.digest(number), List.of(new FlagValue(1, number, 1)), null);
    }

    @Test
    void addsEveryHashBeforeItCloses() {
        for (int count : List.of(0, 1, 511, 512, 20_000)) {
            HashIndex index = new HashIndex(new KeyedHash(1, 2));
            try (IndexFiller filler = new IndexFiller(index)) {
                for (int i = 0; i < count; i++) {
                    filler.accept(hash(i));
                }
            }
            assertThat(index.size()).isEqualTo(count);
        }
    }

    @Test
    void omitsAndCountsExcessFlags() {
        List<FlagValue> flags = IntStream.range(0, 600).mapToObj(flag -> new FlagValue(flag, 1, 1)).toList();
        IndexFiller filler = new IndexFiller(new HashIndex(new KeyedHash(1, 2)));
        try (filler) {
            filler.accept(new StoredHash(Samples.digest(1), flags, null));
            filler.accept(hash(2));
        }
        assertThat(filler.leftOut()).isEqualTo(600 - 256 - StoredHash.MAX_ODD_FLAGS);
    }

    @Test
    void reportsAFullIndexToTheLoader() {
        for (int count : List.of(SmallIndex.ROOM + 1, 2 * SmallIndex.ROOM)) {
            assertThatExceptionOfType(IndexFullException.class).isThrownBy(() -> {
                try (IndexFiller filler = new IndexFiller(SmallIndex.empty())) {
                    for (int i = 0; i < count; i++) {
                        filler.accept(hash(i));
                    }
                }
            }).withMessageContaining("the memory index is full");
        }
    }
}
