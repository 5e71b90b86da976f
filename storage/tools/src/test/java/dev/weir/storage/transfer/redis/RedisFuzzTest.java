package dev.weir.storage.transfer.redis;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.redis.Keys;
import dev.weir.storage.transfer.Omissions;

import static org.assertj.core.api.Assertions.assertThat;

class RedisFuzzTest {
    private static final Keys KEYS = new Keys("f".getBytes(StandardCharsets.US_ASCII));

    /** Whatever lies in a Redis: a key is something, fields are a hash or none. */
    @FuzzTest
    void readsKeysAndFields(byte[] bytes) {
        Keys.Key key = KEYS.read(bytes);
        if (key instanceof Keys.SlotKey slot) {
            assertThat(KEYS.read(KEYS.slot(slot.slot(), slot.value()))).isEqualTo(slot);
        }
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        Map<String, String> fields = new LinkedHashMap<>();
        for (String line : text.split("\n", 30)) {
            int equals = line.indexOf('=');
            if (equals > 0 && Fields.known(line.substring(0, equals))) {
                fields.put(line.substring(0, equals), line.substring(equals + 1));
            }
        }
        assertThat(FieldText.read(FieldText.write(fields))).isEqualTo(fields);
        Fields.read(Samples.digest(1), fields, null, 0, new Omissions());
    }

    /** Whatever stands for a place: it is read or refused. */
    @FuzzTest
    void readsPlaces(byte[] bytes) {
        try {
            assertThat(RedisPlace.parse(new String(bytes, StandardCharsets.UTF_8), null).toString())
                    .startsWith("redis");
        } catch (StorageException refused) {
            assertThat(refused).hasMessageContaining("redis://");
        }
    }
}
