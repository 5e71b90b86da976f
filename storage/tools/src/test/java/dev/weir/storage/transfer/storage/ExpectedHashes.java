package dev.weir.storage.transfer.storage;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;
import dev.weir.storage.transfer.Flags;
import dev.weir.storage.transfer.Hashes;
import dev.weir.storage.transfer.Merge;
import org.jspecify.annotations.Nullable;

/** Hashes of every kind with one seed, and what merging makes of them. */
final class ExpectedHashes {
    private ExpectedHashes() {}

    /** Returns different versions of the same digests for different seeds. Each digest occurs once. */
    static List<StoredHash> made(long seed, int from, int to) {
        SplittableRandom random = new SplittableRandom(seed);
        List<StoredHash> hashes = new ArrayList<>();
        for (int n = from; n < to; n++) {
            List<FlagValue> flags = new ArrayList<>();
            for (int i = random.nextInt(4); i >= 0; i--) {
                int flag = random.nextInt(6) == 0 ? 1_000 + i : i;
                long value = random.nextInt(5) == 0 ? random.nextLong() : random.nextInt(-9, 100);
                flags.add(new FlagValue(flag, value, 1_700_000_000L + random.nextInt(1_000_000)));
            }
            hashes.add(new StoredHash(Samples.digest(n),
                    Flags.arrange(flags.getFirst(), flags.subList(1, flags.size())),
                    signature(random, n), random.nextInt(3) == 0 ? 1_700_000_000L + random.nextInt(2_000_000) : 0));
        }
        return hashes;
    }

    private static @Nullable Signature signature(SplittableRandom random, int n) {
        return switch (random.nextInt(4)) {
            case 0 -> null;
            case 1 -> Hashes.partial(n, random.nextInt());
            default -> Hashes.near(n, n / 10, 0xffff);
        };
    }

    static List<StoredHash> merged(List<StoredHash> there, List<StoredHash> arriving, Merge merge) {
        Map<Digest, StoredHash> result = new LinkedHashMap<>();
        there.forEach(hash -> result.put(hash.digest(), KnownHashes.inRange(hash)));
        arriving.forEach(hash -> result.merge(hash.digest(), KnownHashes.inRange(hash), merge::merge));
        return List.copyOf(result.values());
    }
}
