package dev.weir.wire;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

import org.jspecify.annotations.Nullable;
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

    private static @Nullable SharedKey get(SharedKeyCache cache, KeyPair server, byte[] client) {
        SharedKey found = cache.find(server, client, 0);
        return found != null ? found : cache.make(server, client, 0);
    }

    /** Against two maps of the JDK that do the same, over a long random run. */
    @Test
    void theLeastRecentlyUsedNewcomerGoesFirst() {
        for (int capacity : new int[]{1, 2, 5, 7, 100}) {
            SharedKeyCache cache = new SharedKeyCache(capacity, 0);
            int mostRegulars = capacity - (capacity + 3) / 4;
            Map<String, SharedKey> newcomers = new LinkedHashMap<>();
            Map<String, SharedKey> regulars = new LinkedHashMap<>();
            Random random = new Random(capacity);
            int hits = 0;
            for (int i = 0; i < 600; i++) {
                int client = random.nextInt(random.nextBoolean() ? 3 : clients.size());
                int server = random.nextInt(servers.size());
                String name = client + "/" + server;
                SharedKey got = get(cache, servers.get(server), clients.get(client));
                assertThat(got).isNotNull();
                SharedKey known = regulars.containsKey(name) ? regulars.remove(name) : newcomers.remove(name);
                if (known != null) {
                    assertThat(got).isSameAs(known);
                    hits++;
                    (mostRegulars == 0 ? newcomers : regulars).put(name, known);
                    if (regulars.size() > mostRegulars) {
                        String out = regulars.keySet().iterator().next();
                        newcomers.put(out, Objects.requireNonNull(regulars.remove(out)));
                    }
                } else {
                    assertThat(newcomers).doesNotContainValue(got);
                    assertThat(regulars).doesNotContainValue(got);
                    if (newcomers.size() + regulars.size() == capacity) {
                        newcomers.remove(newcomers.keySet().iterator().next());
                    }
                    newcomers.put(name, got);
                }
                assertThat(cache.size()).isEqualTo(newcomers.size() + regulars.size());
            }
            assertThat(cache.hits()).isEqualTo(hits);
            assertThat(cache.misses()).isEqualTo(600 - hits);
        }
    }

    @Test
    void aFloodOfNewKeysDisplacesNobodyWhoComesBack() {
        SharedKeyCache cache = new SharedKeyCache(8, 3);
        KeyPair server = servers.getFirst();
        List<byte[]> regulars = clients.subList(0, 6);
        regulars.forEach(client -> get(cache, server, client));
        regulars.forEach(client -> get(cache, server, client));
        byte[] flood = new byte[32];
        for (int i = 1; i <= 100; i++) {
            flood[0] = (byte) i;
            flood[5] = 9;
            assertThat(get(cache, server, flood)).isNotNull();
        }
        for (byte[] client : regulars) {
            assertThat(cache.find(server, client, 0)).isNotNull();
        }
    }

    @Test
    void aKeyReadAgainFromTheConfigurationStillHits() {
        SharedKeyCache cache = new SharedKeyCache(4, 1);
        KeyPair pair = servers.getFirst();
        SharedKey shared = get(cache, pair, clients.getFirst());
        KeyPair again = new KeyPair(PublicKey.of(pair.publicKey().bytes()), Secret.of(pair.secret().reveal()));
        assertThat(get(cache, again, clients.getFirst())).isSameAs(shared);
    }

    @Test
    void weakKeysTakeNoRoom() {
        SharedKeyCache cache = new SharedKeyCache(4, 1);
        assertThat(get(cache, servers.getFirst(), new byte[32])).isNull();
        assertThat(cache.size()).isZero();
    }

    @Test
    void theBoundIsBounded() {
        assertThatThrownBy(() -> new SharedKeyCache(0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SharedKeyCache(1 << 21, 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
