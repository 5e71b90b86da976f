package dev.weir.storage.admin;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import dev.weir.storage.admin.RefusedException.Ground;
import dev.weir.storage.hits.HitTable;
import dev.weir.storage.hits.WordSamples;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.trail.AuditTrail;
import dev.weir.storage.trail.TrailFilter;

/**
 * The search for hashes by the beginning of a digest, a symbol's option such as {@code 1:4a3146bfc8:0.94:txt} or a
 * Message-ID, with what is stored and who changed it.
 */
public final class HashSearch {
    private static final Pattern OPTION = Pattern
            .compile("(\\d+):([0-9a-f]{10})(?::[0-9.]+)?(?::\\w+)?(?::([0-9a-f]{10}))?");
    private static final Pattern PREFIX = Pattern.compile("[0-9a-fA-F]{4,128}");
    private static final int MOST_HASHES = 50;
    private static final int MOST_CHANGES = 20;

    private final StorageServer storage;

    /** Creates the search in a storage. */
    public HashSearch(StorageServer storage) {
        this.storage = storage;
    }

    /**
     * The result of a search.
     *
     * @param more whether there may be further hashes
     * @param match what a check with the shingles of the search finds
     */
    public record Found(List<KnownHash> hashes, boolean more, Optional<Similar> match) {}

    /** A stored hash that equals or resembles the one of a search. */
    public record Similar(Digest digest, int equalSlots) {}

    /**
     * What is known of a hash.
     *
     * @param flags its flags; empty if it is not stored
     * @param skipped whether it is on the skip list
     * @param hits its hits; empty if it had none lately
     * @param changes its latest changes, the last one first
     */
    public record KnownHash(Digest digest, List<FlagValue> flags, boolean shingles, boolean skipped,
            Optional<WordSamples.Sample> sample, Optional<HitTable.Hits> hits, List<LoggedUpdate> changes) {}

    /**
     * Searches.
     *
     * @param shingles the 32 shingles of a hash whose whole digest the query is, in hexadecimal digits
     * @throws RefusedException if the shingles are malformed, or the audit trail cannot be read
     */
    public Found find(String query, Optional<String> shingles) throws RefusedException {
        Set<Digest> digests = digests(query);
        Optional<Similar> similar = shingles.isEmpty() ? Optional.empty() : similar(query, shingles.get());
        similar.ifPresent(match -> digests.add(match.digest()));
        return new Found(known(digests), digests.size() >= MOST_HASHES, similar);
    }

    /** Returns what a check with a digest and its shingles would find. */
    private Optional<Similar> similar(String query, String shingles) throws RefusedException {
        Optional<Digest> digest = Digest.parse(query);
        if (digest.isEmpty() || !shingles.matches("[0-9a-fA-F]{512}")) {
            throw new RefusedException(Ground.INVALID,
                    "shingles are 32 times 16 hexadecimal digits, with a whole digest in q");
        }
        Lookup lookup = new Lookup();
        digest.get().copyTo(lookup.digest(), 0);
        for (int i = 0; i < Signature.SLOTS; i++) {
            lookup.shingles()[i] = HexFormat.fromHexDigitsToLong(shingles, i * 16, (i + 1) * 16);
        }
        lookup.hasShingles(true);
        if (!storage.hashes().find(lookup, storage.hashes().now())) {
            return Optional.empty();
        }
        long[] words = new long[Digest.WORDS];
        for (int i = 0; i < words.length; i++) {
            words[i] = lookup.match().digestWord(i);
        }
        return Optional.of(new Similar(Digest.ofWords(words, 0), lookup.match().equalSlots()));
    }

    private Set<Digest> digests(String query) throws RefusedException {
        Matcher option = OPTION.matcher(query.toLowerCase(Locale.ROOT));
        if (option.matches()) {
            return withPrefix(option.group(2));
        }
        if (PREFIX.matcher(query).matches()) {
            return withPrefix(query.toLowerCase(Locale.ROOT));
        }
        Set<Digest> found = new LinkedHashSet<>();
        read(TrailFilter.ofMail(query), logged -> {
            if (found.size() < MOST_HASHES && !(logged.update() instanceof Update.Refresh)) {
                found.add(logged.update().digest());
            }
        });
        return found;
    }

    /** Returns stored digests, and those that are only in the audit trail any more. */
    private Set<Digest> withPrefix(String prefix) throws RefusedException {
        Set<Digest> found = new LinkedHashSet<>(storage.hashes().withPrefix(prefix, MOST_HASHES));
        if (found.size() == 1 && prefix.length() == 2 * Digest.BYTES) {
            return found;
        }
        read(TrailFilter.ofDigest(prefix), logged -> {
            if (found.size() < MOST_HASHES) {
                found.add(logged.update().digest());
            }
        });
        return found;
    }

    /**
     * Returns what is known of some hashes, in their order.
     *
     * @throws RefusedException if the audit trail cannot be read
     */
    public List<KnownHash> known(Set<Digest> digests) throws RefusedException {
        Map<Digest, Deque<LoggedUpdate>> changes = changes(digests);
        return digests.stream().map(digest -> known(digest, changes.getOrDefault(digest, new ArrayDeque<>()))).toList();
    }

    private KnownHash known(Digest digest, Collection<LoggedUpdate> changes) {
        long[] words = new long[Digest.WORDS];
        digest.copyTo(words, 0);
        return new KnownHash(digest, storage.find(digest), storage.hashes().index().signature(digest) != null,
                storage.gate().rules().skipped(words), storage.samples().of(digest),
                storage.hits().of(digest, storage.hashes().now()), new ArrayList<>(changes).reversed());
    }

    /** Returns the latest changes of some hashes, the last one at the end. Renewals are left out. */
    Map<Digest, Deque<LoggedUpdate>> changes(Set<Digest> digests) throws RefusedException {
        Map<Digest, Deque<LoggedUpdate>> changes = new HashMap<>();
        try {
            AuditTrail.read(storage.folder(), digests, (logged, _) -> {
                if (!(logged.update() instanceof Update.Refresh)) {
                    Deque<LoggedUpdate> of = changes.computeIfAbsent(logged.update().digest(),
                            _ -> new ArrayDeque<>());
                    of.add(logged);
                    if (of.size() > MOST_CHANGES) {
                        of.removeFirst();
                    }
                }
            });
        } catch (StorageException e) {
            throw unreadable(e);
        }
        return changes;
    }

    private void read(TrailFilter filter, Consumer<LoggedUpdate> target) throws RefusedException {
        try {
            AuditTrail.read(storage.folder(), filter, (logged, _) -> target.accept(logged));
        } catch (StorageException e) {
            throw unreadable(e);
        }
    }

    private static RefusedException unreadable(StorageException e) {
        return new RefusedException(Ground.UNREADABLE, "the audit trail cannot be read: " + e.getMessage());
    }
}
