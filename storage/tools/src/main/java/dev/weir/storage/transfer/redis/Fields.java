package dev.weir.storage.transfer.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.storage.StoredHash;
import dev.weir.storage.redis.Keys;
import dev.weir.storage.transfer.Flags;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Omissions;
import org.jspecify.annotations.Nullable;

/** The fields of a hash in Redis (docs/reference/storage.md#redis-fields). */
final class Fields {
    /** The number of additional flags. */
    static final int EXTRA = 7;

    private static final String VALUE = "V";
    private static final String FLAG = "F";
    private static final String TIME = "C";
    private static final String SIGNATURE = "S";

    private Fields() {}

    /** Returns whether a name is a field of a hash. */
    static boolean known(String name) {
        if (name.length() == 1) {
            return "VFCS".contains(name);
        }
        return name.length() == 2 && (name.charAt(0) == 'V' || name.charAt(0) == 'F') && name.charAt(1) >= '1'
                && name.charAt(1) <= '7';
    }

    static boolean hasSignature(Map<String, String> fields) {
        return fields.containsKey(SIGNATURE);
    }

    /**
     * Decodes a hash.
     *
     * @param slots the signature from the keys of shingles, for hashes without field S; or null
     * @param touched time of the last write or strong match according to the time to live, in seconds since the epoch;
     *            0 if unknown
     * @return null if Rspamd would not answer from it either
     */
    static @Nullable StoredHash read(Digest digest, Map<String, String> fields, @Nullable Signature slots,
            long touched, Omissions omissions) {
        String value = fields.get(VALUE);
        String flag = fields.get(FLAG);
        if (value == null || flag == null) {
            omissions.count(Omission.NO_VALUE);
            return null;
        }
        long number = number(flag, omissions);
        if (number != (int) number) {
            omissions.count(Omission.ODD_FLAG);
            return null;
        }
        String created = fields.get(TIME);
        long time = created == null ? touched : number(created, omissions);
        FlagValue primary = new FlagValue((int) number, number(value, omissions), time);
        Map<Integer, FlagValue> others = new LinkedHashMap<>();
        for (int i = 1; i <= EXTRA; i++) {
            extra(fields.get(FLAG + i), fields.get(VALUE + i), primary, others, omissions);
        }
        String listed = fields.get(SIGNATURE);
        return new StoredHash(digest, Flags.arrange(primary, others.values()),
                listed == null ? slots : signature(listed, omissions), touched > time ? touched : 0);
    }

    private static void extra(@Nullable String flag, @Nullable String value, FlagValue primary,
            Map<Integer, FlagValue> others, Omissions omissions) {
        if (flag == null && value == null) {
            return;
        }
        if (flag == null || value == null) {
            omissions.count(Omission.STALE_FLAG);
            return;
        }
        long number = number(flag, omissions);
        if (number != (int) number || number == primary.flag() || others.containsKey((int) number)) {
            omissions.count(Omission.STALE_FLAG);
            return;
        }
        others.put((int) number, new FlagValue((int) number, number(value, omissions), primary.time()));
    }

    /** Parses a number. As in Rspamd, an invalid one counts as 0. */
    private static long number(String text, Omissions omissions) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            omissions.count(Omission.ODD_NUMBER);
            return 0;
        }
    }

    private static @Nullable Signature signature(String listed, Omissions omissions) {
        long[] values = new long[Signature.SLOTS];
        int mask = 0;
        boolean odd = false;
        for (String entry : listed.split(",", Signature.SLOTS + 1)) {
            Keys.SlotKey slot = Keys.slot(entry);
            if (slot == null) {
                odd = true;
            } else {
                values[slot.slot()] = slot.value();
                mask |= 1 << slot.slot();
            }
        }
        if (odd) {
            omissions.count(Omission.ODD_SIGNATURE);
        }
        return mask == 0 ? null : Signature.partial(values, 0, mask);
    }

    /** Encodes a hash. Flags without a place are left out and counted. */
    static Map<String, String> write(StoredHash hash, Omissions omissions) {
        List<FlagValue> flags = new ArrayList<>(hash.flags());
        if (flags.size() > EXTRA + 1) {
            List<FlagValue> best = new ArrayList<>(flags.subList(1, flags.size()));
            best.sort((a, b) -> a.outranks(b) ? -1 : 1);
            omissions.add(Omission.NO_ROOM_FOR_FLAG, best.size() - (long) EXTRA);
            flags = new ArrayList<>(best.subList(0, EXTRA));
            flags.addFirst(hash.flags().getFirst());
        }
        Map<String, String> fields = new LinkedHashMap<>();
        for (int i = 0; i < flags.size(); i++) {
            String place = i == 0 ? "" : Integer.toString(i);
            fields.put(FLAG + place, Integer.toString(flags.get(i).flag()));
            fields.put(VALUE + place, Long.toString(flags.get(i).value()));
        }
        fields.put(TIME, Long.toString(flags.getFirst().time()));
        if (hash.signature() != null && hash.signature().mask() != 0) {
            fields.put(SIGNATURE, list(hash.signature()));
            omissions.add(Omission.NO_ROOM_FOR_SIDES, hash.signature().sides() == null ? 0 : 1);
        }
        return fields;
    }

    private static String list(Signature signature) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < Signature.SLOTS; i++) {
            if (signature.has(i)) {
                text.append(text.isEmpty() ? "" : ",").append(i).append('_')
                        .append(Long.toUnsignedString(signature.value(i)));
            }
        }
        return text.toString();
    }

    /** Converts bytes of Redis to text, with one character for each byte. */
    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** Converts text to bytes of Redis. */
    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
