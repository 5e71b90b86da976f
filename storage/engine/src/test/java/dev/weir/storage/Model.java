package dev.weir.storage;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.HtmlSides;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import org.jspecify.annotations.Nullable;

/** The simplest possible storage, as a reference for tests of the real ones. */
public final class Model {
    /** The expected result of a lookup. */
    public record Answer(Digest digest, int equalSlots, List<FlagValue> flags) {}

    private static final class Hash {
        FlagValue primary;
        final Map<Integer, FlagValue> others = new LinkedHashMap<>();
        @Nullable
        Signature signature;
        long renewed;

        Hash(FlagValue primary) {
            this.primary = primary;
        }

        void promote() {
            others.values().stream().min(Model::order).filter(best -> best.value() > primary.value())
                    .ifPresent(best -> {
                        others.remove(best.flag());
                        others.put(primary.flag(), primary);
                        primary = best;
                    });
        }

        List<FlagValue> alive(long oldest) {
            List<FlagValue> alive = new ArrayList<>();
            others.values().stream().filter(flag -> Math.max(flag.time(), renewed) >= oldest).sorted(Model::order)
                    .forEach(alive::add);
            if (Math.max(primary.time(), renewed) >= oldest) {
                alive.addFirst(primary);
            }
            return alive;
        }
    }

    private final Map<Digest, Hash> hashes = new LinkedHashMap<>();

    private static int order(FlagValue a, FlagValue b) {
        return a.outranks(b) ? -1 : b.outranks(a) ? 1 : 0;
    }

    public int size() {
        return hashes.size();
    }

    public void apply(Update update) {
        switch (update) {
            case Update.Write write -> write(write);
            case Update.Delete delete -> delete(delete);
            case Update.DeleteAll delete -> hashes.remove(delete.digest());
            case Update.Refresh refresh -> {
                Hash hash = hashes.get(refresh.digest());
                if (hash != null) {
                    hash.renewed = Math.max(hash.renewed, refresh.time());
                }
            }
            case Update.Expire expire -> {
                Hash hash = hashes.get(expire.digest());
                if (hash != null && hash.alive(expire.before()).stream().noneMatch(f -> f.flag() == expire.flag())) {
                    delete(new Update.Delete(expire.digest(), expire.flag()));
                }
            }
        }
    }

    private void write(Update.Write write) {
        FlagValue fresh = new FlagValue(write.flag(), write.weight(), write.time());
        Hash hash = hashes.get(write.digest());
        if (hash == null) {
            hash = new Hash(fresh);
            hash.signature = write.signature();
            hashes.put(write.digest(), hash);
            return;
        }
        if (hash.primary.flag() == write.flag()) {
            hash.primary = hash.primary.plus(write.weight(), write.time());
        } else {
            hash.others.merge(write.flag(), fresh, (old, vote) -> old.plus(vote.value(), vote.time()));
        }
        hash.promote();
        if (write.signature() != null && (hash.signature == null || hash.signature.mask() != Signature.ALL_SLOTS
                || write.signature().addsSides(hash.signature.sides() != null))) {
            hash.signature = write.signature();
        }
    }

    /** Returns the side hashes of a hash, or null. */
    public @Nullable HtmlSides sides(Digest digest) {
        Hash hash = hashes.get(digest);
        return hash == null || hash.signature == null ? null : hash.signature.sides();
    }

    private void delete(Update.Delete delete) {
        Hash hash = hashes.get(delete.digest());
        if (hash == null) {
            return;
        }
        if (hash.primary.flag() != delete.flag()) {
            hash.others.remove(delete.flag());
        } else if (hash.others.isEmpty()) {
            hashes.remove(delete.digest());
        } else {
            FlagValue next = hash.others.values().stream().min(Model::order).orElseThrow();
            hash.others.remove(next.flag());
            hash.primary = next;
        }
    }

    public void load(StoredHash stored) {
        Hash hash = new Hash(stored.flags().getFirst());
        stored.flags().stream().skip(1).forEach(flag -> hash.others.put(flag.flag(), flag));
        hash.signature = stored.signature();
        hash.renewed = stored.renewed();
        hashes.put(stored.digest(), hash);
    }

    public List<StoredHash> all() {
        return hashes.entrySet().stream().map(entry -> {
            Hash hash = entry.getValue();
            List<FlagValue> flags = new ArrayList<>(hash.others.values());
            flags.sort(Comparator.comparingInt(FlagValue::flag));
            flags.addFirst(hash.primary);
            return new StoredHash(entry.getKey(), flags, hash.signature, hash.renewed);
        }).toList();
    }

    public Optional<Answer> find(Digest digest, long @Nullable [] shingles, long oldest) {
        Hash exact = hashes.get(digest);
        if (exact != null && !exact.alive(oldest).isEmpty()) {
            return Optional.of(new Answer(digest, Signature.SLOTS, exact.alive(oldest)));
        }
        if (shingles == null) {
            return Optional.empty();
        }
        return hashes.entrySet().stream().filter(entry -> !entry.getValue().alive(oldest).isEmpty())
                .map(entry -> new Answer(entry.getKey(), equalSlots(entry.getValue().signature, shingles),
                        entry.getValue().alive(oldest)))
                .filter(answer -> answer.equalSlots() > 16)
                .min(Comparator.comparingInt(Answer::equalSlots).reversed()
                        .thenComparing(Comparator.<Answer>comparingLong(a -> a.flags().getFirst().value()).reversed())
                        .thenComparingLong(answer -> answer.flags().getFirst().time())
                        .thenComparing(Answer::digest, Model::compare));
    }

    private static int compare(Digest a, Digest b) {
        for (int i = 0; i < Digest.WORDS; i++) {
            if (a.word(i) != b.word(i)) {
                return Long.compareUnsigned(a.word(i), b.word(i));
            }
        }
        return 0;
    }

    private static int equalSlots(@Nullable Signature signature, long[] shingles) {
        int equal = 0;
        for (int i = 0; signature != null && i < Signature.SLOTS; i++) {
            if (signature.has(i) && signature.value(i) == shingles[i]) {
                equal++;
            }
        }
        return equal;
    }
}
