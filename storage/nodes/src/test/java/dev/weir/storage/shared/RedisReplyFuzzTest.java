package dev.weir.storage.shared;

import java.util.ArrayList;
import java.util.List;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.model.Digest;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import org.jspecify.annotations.Nullable;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/** Whatever an engine answers is read or refused with a sentence, and never ends the thread that asked. */
class RedisReplyFuzzTest {
    private static final int DEPTH = 5;

    /** Replies of any shape. */
    @FuzzTest
    void readsOrRefusesAnyReply(FuzzedDataProvider data) {
        RedisReply reply = RedisReply.of(reply(data, DEPTH));
        refusesOrReads(() -> ShardConnection.entries(reply));
        refusesOrReads(() -> ShardConnection.reading(reply, 1));
    }

    private static @Nullable Object reply(FuzzedDataProvider data, int depth) {
        return switch (data.consumeInt(0, depth == 0 ? 2 : 4)) {
            case 0 -> null;
            case 1 -> data.consumeLong();
            case 2 -> data.consumeBytes(data.consumeInt(0, 80));
            default -> {
                List<Object> items = new ArrayList<>();
                int count = data.consumeInt(0, 6);
                for (int i = 0; i < count; i++) {
                    items.add(reply(data, depth - 1));
                }
                yield items;
            }
        };
    }

    /** Entries with the right shape, so that more of the fields is read. */
    @FuzzTest
    void readsOrRefusesAnyFieldsOfAnEntry(FuzzedDataProvider data) throws StorageException {
        List<Object> fields = new ArrayList<>();
        while (data.remainingBytes() > 0 && fields.size() < 200) {
            String name = data.pickValue(new String[]{"n", "r", "p", "m", "o", "digest", "other"});
            fields.add(name.equals("digest") ? data.consumeBytes(Digest.BYTES) : name.getBytes(UTF_8));
            fields.add(data.consumeBytes(data.consumeInt(0, 300)));
        }
        List<ShardConnection.Entry> entries = new ArrayList<>();
        refusesOrReads(() -> entries.addAll(ShardConnection.entries(
                RedisReply.of(List.of(List.of("7-1".getBytes(UTF_8), fields))))));
        for (ShardConnection.Entry entry : entries) {
            for (KeyLayout layout : layouts()) {
                for (RedisState state : entry.states()) {
                    decode(layout, state.digest(), state.state());
                }
            }
        }
    }

    /** States as another program may have written them under the key of a hash. */
    @FuzzTest
    void decodesOrIgnoresAnyState(byte[] state) {
        for (KeyLayout layout : layouts()) {
            decode(layout, Digest.of(new byte[Digest.BYTES]), state);
            byte[] sound = concat("1700000000;1:2:3|".getBytes(UTF_8), state);
            decode(layout, Digest.of(new byte[Digest.BYTES]), sound);
            byte[] rspamd = concat("0;1700000000;1:2|".getBytes(UTF_8), state);
            decode(layout, Digest.of(new byte[Digest.BYTES]), rspamd);
        }
        RspamdLayout.signature(new String(state, ISO_8859_1));
    }

    /** A key may belong to any program. */
    @FuzzTest
    void ignoresKeysOfOthers(byte[] key) {
        for (KeyLayout layout : layouts()) {
            layout.digest(0, key).ifPresent(digest -> assertThat(layout.keys(0).hash(digest)).isEqualTo(key));
        }
    }

    /** Other programs and later versions may write fields of the same name. */
    @FuzzTest
    void readsOrIgnoresWhatNodesTell(FuzzedDataProvider data) {
        long now = data.consumeLong(0, 1L << 40);
        boolean begun = data.consumeBoolean();
        String text = (begun ? "1 1700000000 " : "") + data.consumeRemainingAsString();
        SharedPeer.parse("0123456789abcdef", text, now).ifPresent(peer -> {
            assertThat(peer.silentSeconds()).isNotNegative();
            assertThat(SharedPeer.printable(peer.machine())).isEqualTo(peer.machine());
            assertThat(SharedPeer.parse(peer.node(), peer.text(now), now)).contains(peer);
        });
    }

    /** A Sentinel or a configuration may name any place. */
    @FuzzTest
    void readsOrRefusesAnyAddress(FuzzedDataProvider data) {
        String text = data.consumeRemainingAsString();
        try {
            RedisAddress address = RedisAddress.parse(text, RedisAddress.PORT);
            assertThat(address.port()).isBetween(1, 65_535);
            assertThat(RedisAddress.parse(address.toString(), 1)).isEqualTo(address);
        } catch (IllegalArgumentException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    private static List<KeyLayout> layouts() {
        return List.of(new RspamdLayout("fuzzy"), new ShardedLayout("fuzzy", 1));
    }

    private static void decode(KeyLayout layout, Digest digest, byte[] state) {
        StoredHash hash = layout.decode(digest, state, 90 * 86_400L);
        if (hash != null) {
            assertThat(hash.flags()).isNotEmpty();
            assertThat(hash.digest()).isEqualTo(digest);
            // What the index gets from it must be sound, too.
            StateChange.of(digest, null, hash, false);
            if (hash.signature() != null) {
                assertThat(layout.encode(hash.signature())).isNotEmpty();
            }
        }
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = new byte[first.length + second.length];
        System.arraycopy(first, 0, both, 0, first.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    /** Work that may find something else than it expects. */
    @FunctionalInterface
    private interface Reading {
        void run() throws StorageException;
    }

    private static void refusesOrReads(Reading reading) {
        try {
            reading.run();
        } catch (StorageException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }
}
