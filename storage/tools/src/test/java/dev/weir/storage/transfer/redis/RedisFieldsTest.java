package dev.weir.storage.transfer.redis;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.redis.Keys;
import dev.weir.storage.transfer.Hashes;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Omissions;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RedisFieldsTest {
    private static final Keys KEYS = new Keys("fuzzy".getBytes(US_ASCII));

    @Test
    void keysRoundTrip() {
        assertThat(KEYS.read(KEYS.hash(Samples.digest(1)))).isEqualTo(new Keys.HashKey(Samples.digest(1)));
        assertThat(KEYS.slot(31, -2820182043541478707L)).asString(US_ASCII)
                .isEqualTo("fuzzy_31_15626562030168072909");
        assertThat(KEYS.read("fuzzy_31_15626562030168072909".getBytes(US_ASCII)))
                .isEqualTo(new Keys.SlotKey(31, -2820182043541478707L));
        assertThat(KEYS.read("fuzzy_count".getBytes(US_ASCII))).isInstanceOf(Keys.Known.class);
        assertThat(KEYS.read("fuzzylocal".getBytes(US_ASCII))).isInstanceOf(Keys.Known.class);
        for (String other : List.of("fuzzy_32_1", "fuzzy_1_", "fuzzy__1", "fuzzy_1_99999999999999999999", "fuzzy",
                "fuzzy_a_1", "fuzzy_001_1", "fuzz", "fuzzy_1_-1", "fuzzyx")) {
            assertThat(KEYS.read(other.getBytes(US_ASCII))).as(other).isInstanceOf(Keys.Other.class);
        }
        assertThat(new Keys("a*[b".getBytes(US_ASCII)).pattern()).asString(US_ASCII).isEqualTo("a\\*\\[b*");
    }

    @Provide
    Arbitrary<StoredHash> hashes() {
        return Hashes.any();
    }

    /** What Redis can hold comes back: eight flags, one time for all of them. */
    @Property(tries = 300, seed = "1501")
    void fieldsRoundTrip(@ForAll("hashes") StoredHash hash) {
        Omissions omissions = new Omissions();
        Map<String, String> fields = Fields.write(hash, omissions);
        assertThat(fields.keySet()).allMatch(Fields::known);
        assertThat(FieldText.read(FieldText.write(fields))).isEqualTo(fields);
        StoredHash back = Objects
                .requireNonNull(Fields.read(hash.digest(), fields, null, 0, omissions));
        int kept = Math.min(8, hash.flags().size());
        assertThat(back.flags()).hasSize(kept);
        assertThat(back.flags().getFirst()).isEqualTo(hash.flags().getFirst());
        assertThat(hash.flags().stream().map(flag -> flag.flag() + ":" + flag.value()))
                .containsAll(back.flags().stream().map(flag -> flag.flag() + ":" + flag.value()).toList());
        assertThat(omissions.snapshot().getOrDefault(Omission.NO_ROOM_FOR_FLAG, 0L))
                .isEqualTo(hash.flags().size() - kept);
        boolean signed = hash.signature() != null && hash.signature().mask() != 0;
        Signature signature = hash.signature();
        assertThat(back.signature()).isEqualTo(signed && signature != null ? signature.withSides(null) : null);
        assertThat(omissions.snapshot().getOrDefault(Omission.NO_ROOM_FOR_SIDES, 0L))
                .isEqualTo(signed && signature != null && signature.sides() != null ? 1 : 0);
    }

    @Test
    void readsLenientlyAndCounts() {
        Omissions omissions = new Omissions();
        assertThat(Fields.read(Samples.digest(1), Map.of("V", "5"), null, 0, omissions)).isNull();
        assertThat(Fields.read(Samples.digest(1), Map.of("V", "5", "F", "99999999999"), null, 0, omissions)).isNull();
        StoredHash hash = Fields.read(Samples.digest(1), Map.of("V", "x", "F", "3", "C", "100", "V1", "7", "F1", "3",
                "V2", "8", "V4", "9", "F4", "4", "S", "0_1,x,31_2"), null, 500, omissions);
        assertThat(Objects.requireNonNull(hash).flags()).containsExactly(new FlagValue(4, 9, 100),
                new FlagValue(3, 0, 100));
        assertThat(Objects.requireNonNull(hash.signature()).mask()).isEqualTo((1 << 31) | 1);
        assertThat(hash.renewed()).isEqualTo(500);
        assertThat(omissions.snapshot()).isEqualTo(Map.of(Omission.NO_VALUE, 1L, Omission.ODD_FLAG, 1L,
                Omission.ODD_NUMBER, 1L, Omission.STALE_FLAG, 2L, Omission.ODD_SIGNATURE, 1L));
    }

    @Test
    void neverPrintsAPassword() throws Exception {
        RedisPlace place = RedisPlace.parse("redis://me:se%40cret@[::1]:7000/3?prefix=f4", null);
        assertThat(place).hasToString("redis://[::1]:7000/3?prefix=f4");
        assertThat(RedisPlace.parse("rediss://db.example", "secret"))
                .hasToString("rediss://db.example:6379/0?prefix=fuzzy");
        for (String wrong : List.of("redis://:secret@/0", "redis://u:secret@h/x", "redis://u:secret@h/-1",
                "redis://u:secret@h?prefix=a&b=c", "http://u:secret@h", "redis://u:sec ret@h")) {
            assertThatExceptionOfType(StorageException.class).as(wrong)
                    .isThrownBy(() -> RedisPlace.parse(wrong, null))
                    .withMessageNotContaining("secret").withNoCause();
        }
    }
}
