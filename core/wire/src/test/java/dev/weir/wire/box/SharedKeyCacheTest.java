package dev.weir.wire.box;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

import dev.weir.model.KeyedHash;
import dev.weir.wire.Protocol;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;
import dev.weir.wire.key.Secret;
import dev.weir.wire.key.ServerKeys;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class SharedKeyCacheTest {
    private static final KeyedHash KEYED = new KeyedHash(1, 2);

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
        int slot = cache.find(server, client, 0);
        if (slot >= 0) {
            cache.used(slot);
            return cache.at(slot);
        }
        SharedKey made = cache.agree(server, client, 0);
        if (made != null) {
            cache.add(server, client, 0, made);
        }
        return made;
    }

    /** Compares the cache with two JDK maps that implement the same policy, over a long random run. */
    @Test
    void evictsTheLeastRecentlyUsedNewcomer() {
        for (int capacity : new int[]{1, 2, 5, 7, 100}) {
            SharedKeyCache cache = new SharedKeyCache(capacity, KEYED);
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
    void aFloodOfNewKeysEvictsNoRegular() {
        SharedKeyCache cache = new SharedKeyCache(8, KEYED);
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
            assertThat(cache.find(server, client, 0)).isNotNegative();
        }
    }

    /** An attacker who knows the public keys of clients can forge their packets, but the forged packets do not open. */
    @Test
    void forgedPacketsChangeNothing() {
        SecureRandom random = new SecureRandom();
        KeyPair server = servers.getFirst();
        ServerKeys keys = ServerKeys.of(List.of(server));
        Box box = new Box(random, 8);
        Box sealing = new Box(random, 1);
        List<ClientSession> honest = pairs(8).stream()
                .map(pair -> ClientSession.of(pair, server.publicKey()).orElseThrow()).toList();
        for (int round = 0; round < 2; round++) {
            // The first six are regulars, the others are newcomers.
            for (ClientSession session : honest.subList(0, round == 0 ? 8 : 6)) {
                byte[] request = sealed(sealing, session);
                assertThat(box.open(keys, request, 0, request.length)).isEqualTo(Opened.OK);
            }
        }
        long hits = box.cacheHits();
        for (int i = 0; i < 40; i++) {
            byte[] made = sealed(sealing, ClientSession.of(KeyPair.generate(random), server.publicKey()).orElseThrow());
            byte[] borrowed = sealed(sealing, honest.get(6 + i % 2));
            for (byte[] forged : List.of(made, made.clone(), borrowed)) {
                forged[100] ^= 1;
                assertThat(box.open(keys, forged, 0, forged.length)).isEqualTo(Opened.BAD_MAC);
            }
        }
        assertThat(box.cacheHits()).isEqualTo(hits);
        for (ClientSession session : honest) {
            byte[] request = sealed(sealing, session);
            assertThat(box.openKnown(keys, request, 0, request.length)).isEqualTo(Opened.OK);
        }
    }

    private static byte[] sealed(Box sealing, ClientSession session) {
        byte[] request = new byte[Protocol.REQUEST_HEADER + Protocol.COMMAND];
        sealing.sealRequest(session, request, 0, Protocol.COMMAND);
        return request;
    }

    @Test
    void aKeyReadAgainFromTheConfigurationStillHits() {
        SharedKeyCache cache = new SharedKeyCache(4, KEYED);
        KeyPair pair = servers.getFirst();
        SharedKey shared = get(cache, pair, clients.getFirst());
        KeyPair again = new KeyPair(PublicKey.of(pair.publicKey().bytes()), Secret.of(pair.secret().reveal()));
        assertThat(get(cache, again, clients.getFirst())).isSameAs(shared);
    }

    @Test
    void weakKeysAreNotCached() {
        SharedKeyCache cache = new SharedKeyCache(4, KEYED);
        assertThat(get(cache, servers.getFirst(), new byte[32])).isNull();
        assertThat(cache.size()).isZero();
    }

    @Test
    void rejectsAnInvalidCapacity() {
        assertThatThrownBy(() -> new SharedKeyCache(0, KEYED)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SharedKeyCache(1 << 21, KEYED)).isInstanceOf(IllegalArgumentException.class);
    }
}
