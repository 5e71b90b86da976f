package dev.weir.storage.shared;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.HtmlSides;
import dev.weir.model.Signature;
import dev.weir.storage.StoredHash;
import dev.weir.storage.redis.Keys;
import org.jspecify.annotations.Nullable;

/**
 * One key for each digest. All keys of a shard have the same hash tag, so a Cluster keeps them in one place and a
 * script can use them together.
 */
final class ShardedLayout implements KeyLayout {
    private static final int SIGNATURE = Integer.BYTES + Signature.SLOTS * Long.BYTES;
    private static final int WITH_SIDES = SIGNATURE + HtmlSides.BYTES;

    private final List<byte[]> prefixes = new ArrayList<>();
    private final List<Keys> keys = new ArrayList<>();

    ShardedLayout(String prefix, int shards) {
        for (int i = 0; i < shards; i++) {
            byte[] bytes = (prefix + "{" + i + "}").getBytes(StandardCharsets.UTF_8);
            prefixes.add(bytes);
            keys.add(new Keys(bytes));
        }
    }

    @Override
    public String script() {
        return "weir";
    }

    @Override
    public int shards() {
        return keys.size();
    }

    @Override
    public int shard(Digest digest) {
        return (int) Long.remainderUnsigned(digest.word(0), keys.size());
    }

    @Override
    public Keys keys(int shard) {
        return keys.get(shard);
    }

    @Override
    public byte[] prefix(int shard) {
        return prefixes.get(shard).clone();
    }

    @Override
    public boolean keepsSignatures() {
        return true;
    }

    @Override
    public long slackSeconds() {
        return 0;
    }

    @Override
    public byte[] encode(Signature signature) {
        HtmlSides sides = signature.sides();
        ByteBuffer bytes = ByteBuffer.allocate(sides == null ? SIGNATURE : WITH_SIDES).putInt(signature.mask());
        for (int i = 0; i < Signature.SLOTS; i++) {
            bytes.putLong(signature.has(i) ? signature.value(i) : 0);
        }
        if (sides != null) {
            bytes.putLong(sides.ctaDomains()).putLong(sides.allDomains()).putLong(sides.features());
        }
        return bytes.array();
    }

    @Override
    public byte[] encode(StoredHash hash, long expireSeconds) {
        StringJoiner flags = new StringJoiner(",", hash.renewed() + ";", "|");
        for (FlagValue flag : hash.flags()) {
            flags.add(flag.flag() + ":" + flag.value() + ":" + flag.time());
        }
        byte[] head = flags.toString().getBytes(StandardCharsets.US_ASCII);
        byte[] tail = hash.signature() == null ? new byte[0] : encode(hash.signature());
        return ByteBuffer.allocate(head.length + tail.length).put(head).put(tail).array();
    }

    @Override
    public @Nullable StoredHash decode(Digest digest, byte[] state, long expireSeconds) {
        int bar = 0;
        while (bar < state.length && state[bar] != '|') {
            bar++;
        }
        String head = new String(state, 0, bar, StandardCharsets.ISO_8859_1);
        int semicolon = head.indexOf(';');
        if (semicolon < 0) {
            return null;
        }
        List<FlagValue> flags = new ArrayList<>();
        long renewed;
        try {
            renewed = Long.parseLong(head.substring(0, semicolon));
            for (String flag : head.substring(semicolon + 1).split(",", -1)) {
                String[] numbers = flag.split(":", 3);
                if (numbers.length == 3) {
                    flags.add(new FlagValue(Integer.parseInt(numbers[0]), Long.parseLong(numbers[1]),
                            Long.parseLong(numbers[2])));
                }
            }
        } catch (NumberFormatException e) {
            // Another program wrote there.
            return null;
        }
        if (flags.isEmpty()) {
            return null;
        }
        return new StoredHash(digest, flags, signature(state, bar + 1), renewed);
    }

    /** Reads a signature; null if there is none. */
    private static @Nullable Signature signature(byte[] state, int at) {
        int length = state.length - at;
        if (length != SIGNATURE && length != WITH_SIDES) {
            return null;
        }
        ByteBuffer bytes = ByteBuffer.wrap(state, at, length);
        int mask = bytes.getInt();
        long[] values = new long[Signature.SLOTS];
        bytes.asLongBuffer().get(values);
        if (mask == 0) {
            return null;
        }
        Signature signature = Signature.partial(values, 0, mask);
        if (length == SIGNATURE) {
            return signature;
        }
        int sides = at + SIGNATURE;
        long features = bytes.getLong(sides + 2 * Long.BYTES);
        return features == 0
                ? signature
                : signature.withSides(
                        new HtmlSides(bytes.getLong(sides + Long.BYTES), bytes.getLong(sides), features));
    }
}
