package dev.weir.storage.shared;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.StringJoiner;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.HtmlSides;
import dev.weir.model.Signature;
import dev.weir.storage.StoredHash;
import dev.weir.storage.redis.Keys;
import org.jspecify.annotations.Nullable;

/** The keys of Rspamd. The life of a hash ends as a whole. */
final class RspamdLayout implements KeyLayout {
    private static final HexFormat HEX = HexFormat.of();

    /** Ends are rounded, and the clocks of Redis and of a node differ a little. */
    private static final long SLACK = 2;

    private static final int FLAGS = 8;

    private final byte[] prefix;
    private final Keys keys;

    RspamdLayout(String prefix) {
        this.prefix = prefix.getBytes(StandardCharsets.UTF_8);
        this.keys = new Keys(this.prefix);
    }

    @Override
    public String script() {
        return "rspamd";
    }

    @Override
    public int shards() {
        return 1;
    }

    @Override
    public int shard(Digest digest) {
        return 0;
    }

    @Override
    public Keys keys(int shard) {
        return keys;
    }

    @Override
    public byte[] prefix(int shard) {
        return prefix.clone();
    }

    @Override
    public boolean keepsSignatures() {
        // Rspamd before 4.1.3 has no lists.
        return false;
    }

    @Override
    public long slackSeconds() {
        return SLACK;
    }

    @Override
    public byte[] encode(Signature signature) {
        StringBuilder list = new StringBuilder();
        for (int i = 0; i < Signature.SLOTS; i++) {
            if (signature.has(i)) {
                list.append(list.isEmpty() ? "" : ",").append(i).append('_')
                        .append(Long.toUnsignedString(signature.value(i)));
            }
        }
        HtmlSides sides = signature.sides();
        if (sides != null) {
            list.append('|').append(HEX.toHexDigits(sides.ctaDomains())).append(HEX.toHexDigits(sides.allDomains()))
                    .append(HEX.toHexDigits(sides.features()));
        }
        return list.toString().getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public byte[] encode(StoredHash hash, long expireSeconds) {
        long created = hash.flags().stream().mapToLong(FlagValue::time).min().orElse(0);
        long last = Math.max(hash.renewed(), hash.flags().stream().mapToLong(FlagValue::time).max().orElse(0));
        StringJoiner flags = new StringJoiner(",");
        // Rspamd has room for so many.
        hash.flags().stream().limit(FLAGS).forEach(flag -> flags.add(flag.flag() + ":" + flag.value()));
        String signature = hash.signature() == null
                ? ""
                : new String(encode(hash.signature()), StandardCharsets.US_ASCII);
        int bar = signature.indexOf('|');
        return ((expireSeconds > 0 ? last + expireSeconds : 0) + ";" + created + ";" + flags + "|" + signature
                + (bar < 0 ? "|" : "")).getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public @Nullable StoredHash decode(Digest digest, byte[] state, long expireSeconds) {
        String text = new String(state, StandardCharsets.ISO_8859_1);
        int bar = text.indexOf('|');
        String[] head = (bar < 0 ? text : text.substring(0, bar)).split(";", 3);
        if (head.length < 3) {
            return null;
        }
        long ends = number(head[0]);
        long created = Math.max(0, number(head[1]));
        long touched = ends == 0 || expireSeconds == 0 ? created : Math.max(created, ends - expireSeconds);
        List<FlagValue> flags = new ArrayList<>();
        for (String pair : head[2].split(",", -1)) {
            int colon = pair.indexOf(':');
            long flag = colon < 0 ? Long.MAX_VALUE : number(pair.substring(0, colon));
            if (flag == (int) flag && flags.stream().noneMatch(other -> other.flag() == (int) flag)) {
                flags.add(new FlagValue((int) flag, number(pair.substring(colon + 1)), created));
            }
        }
        if (flags.isEmpty()) {
            return null;
        }
        return new StoredHash(digest, flags, bar < 0 ? null : signature(text.substring(bar + 1)),
                touched > created ? touched : 0);
    }

    /** Returns a state that lacks a list of shingles with one. */
    static byte[] withShingles(byte[] state, byte[] list) {
        // The list has its place before the bar at the end.
        byte[] whole = Arrays.copyOf(state, state.length - 1 + list.length);
        System.arraycopy(list, 0, whole, state.length - 1, list.length);
        return whole;
    }

    /** Parses a number. As in Rspamd, an invalid one counts as 0. */
    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Parses a list of shingles, which side hashes may follow; null if it has no shingle. */
    static @Nullable Signature signature(String text) {
        int bar = text.indexOf('|');
        String list = bar < 0 ? text : text.substring(0, bar);
        long[] values = new long[Signature.SLOTS];
        int mask = 0;
        for (String entry : list.split(",", Signature.SLOTS + 1)) {
            Keys.SlotKey slot = Keys.slot(entry);
            if (slot != null) {
                values[slot.slot()] = slot.value();
                mask |= 1 << slot.slot();
            }
        }
        return mask == 0 ? null : Signature.partial(values, 0, mask).withSides(sides(text.substring(bar + 1)));
    }

    private static @Nullable HtmlSides sides(String digits) {
        int word = 2 * Long.BYTES;
        if (digits.length() != 3 * word) {
            return null;
        }
        try {
            long features = HexFormat.fromHexDigitsToLong(digits, 2 * word, 3 * word);
            return features == 0
                    ? null
                    : new HtmlSides(HexFormat.fromHexDigitsToLong(digits, word, 2 * word),
                            HexFormat.fromHexDigitsToLong(digits, 0, word), features);
        } catch (NumberFormatException e) {
            // Another program wrote there.
            return null;
        }
    }
}
