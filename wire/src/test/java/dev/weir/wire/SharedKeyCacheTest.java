package dev.weir.wire;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class SharedKeyCacheTest {
    private final List<KeyPair> servers = pairs(2);
    private final List<byte[]> clients = pairs(12).stream().map(pair -> pair.publicKey().bytes()).toList();

    private static List<KeyPair> pairs(int count) {
        List<KeyPair> pairs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            pairs.add(KeyPair.generate(new SecureRandom()));
        }
        return pairs;
    }

    /** Against the map of the JDK that does the same, over a long random run. */
    @Test
    void theLeastRecentlyUsedGoesFirst() {
        for (int capacity : new int[]{1, 2, 5, 7, 100}) {
            SharedKeyCache cache = new SharedKeyCache(capacity, 0);
            Map<String, SharedKey> model = new LinkedHashMap<>(16, 0.75f, true);
            Random random = new Random(capacity);
            int hits = 0;
            for (int i = 0; i < 600; i++) {
                int client = random.nextInt(random.nextBoolean() ? 3 : clients.size());
                int server = random.nextInt(servers.size());
                String name = client + "/" + server;
                SharedKey expected = model.get(name);
                SharedKey got = cache.get(servers.get(server), clients.get(client), 0);
                assertThat(got).isNotNull();
                if (expected == null) {
                    assertThat(model).doesNotContainValue(got);
                    model.put(name, got);
                    if (model.size() > capacity) {
                        model.remove(model.keySet().iterator().next());
                    }
                } else {
                    assertThat(got).isSameAs(expected);
                    hits++;
                }
                assertThat(cache.size()).isEqualTo(model.size());
            }
            assertThat(cache.hits()).isEqualTo(hits);
            assertThat(cache.misses()).isEqualTo(600 - hits);
        }
    }

    @Test
    void aKeyReadAgainFromTheConfigurationStillHits() {
        SharedKeyCache cache = new SharedKeyCache(4, 1);
        KeyPair pair = servers.getFirst();
        SharedKey shared = cache.get(pair, clients.getFirst(), 0);
        KeyPair again = new KeyPair(PublicKey.of(pair.publicKey().bytes()), Secret.of(pair.secret().reveal()));
        assertThat(cache.get(again, clients.getFirst(), 0)).isSameAs(shared);
    }

    @Test
    void weakKeysTakeNoRoom() {
        SharedKeyCache cache = new SharedKeyCache(4, 1);
        assertThat(cache.get(servers.getFirst(), new byte[32], 0)).isNull();
        assertThat(cache.size()).isZero();
    }

    @Test
    void theBoundIsBounded() {
        assertThatThrownBy(() -> new SharedKeyCache(0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SharedKeyCache(1 << 21, 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
