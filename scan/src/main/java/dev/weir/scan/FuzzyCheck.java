package dev.weir.scan;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.HashKind;
import dev.weir.hash.MailHasher;
import dev.weir.hash.Skip;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.scan.rule.RuleSettings;
import dev.weir.scan.score.HashTypes;
import dev.weir.scan.upstream.UpstreamList;

/** Checks and learns mails by the rules of a configuration. One client serves any number of threads. */
public final class FuzzyCheck implements AutoCloseable {
    private final FuzzyCheckSettings settings;
    private final MailHasher hasher;

    private FuzzyCheck(FuzzyCheckSettings settings, MailHasher hasher) {
        this.settings = settings;
        this.hasher = hasher;
    }

    /**
     * Opens a client with the usual options.
     *
     * @throws IllegalArgumentException if a learn condition cannot be read
     */
    public static FuzzyCheck open(FuzzyCheckSettings settings, MailHasher hasher) {
        return open(settings, hasher, FuzzyCheckOptions.DEFAULT);
    }

    /**
     * Opens a client.
     *
     * @throws IllegalArgumentException if a learn condition cannot be read
     */
    public static FuzzyCheck open(FuzzyCheckSettings settings, MailHasher hasher, FuzzyCheckOptions options) {
        return new FuzzyCheck(settings, hasher);
    }

    /** What the client was opened with. */
    public FuzzyCheckSettings settings() {
        return settings;
    }

    /** What the client makes hashes with. */
    public MailHasher hasher() {
        return hasher;
    }

    /** Asks the servers of all rules. Servers that fail show in the result; the future fails only after closing. */
    public CompletableFuture<ScanResult> check(byte[] mail, ScanContext context) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException("not built yet"));
    }

    /** Learns or deletes a mail at every server of every rule that has the flag. */
    public CompletableFuture<LearnReport> learn(byte[] mail, LearnRequest request) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException("not built yet"));
    }

    /** Deletes digests, from whatever list they are on, at every server of every rule that has the flag. */
    public CompletableFuture<LearnReport> forget(List<Digest> digests, long flag) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException("not built yet"));
    }

    /** The hashes of a mail under the rules that map the flag; nothing is asked. */
    public HashListing hashes(byte[] mail, long flag) {
        return listing(mail, rule -> rule.score().flags().containsKey(flag));
    }

    /** The hashes of a mail under the rules that map the symbol; nothing is asked. */
    public HashListing hashes(byte[] mail, String symbol) {
        return listing(mail, rule -> rule.score()
                .flags()
                .values()
                .stream()
                .anyMatch(mapping -> mapping.symbol().equalsIgnoreCase(symbol)));
    }

    /** The rules with their servers. */
    public StoragesListing storages() {
        return new StoragesListing(settings.rules().stream().map(FuzzyCheck::storage).toList());
    }

    /** How many hashes the servers of each rule hold, as last heard; rules that were never heard of are missing. */
    public Map<String, Long> counts() {
        return Map.of();
    }

    private HashListing listing(byte[] mail, Predicate<RuleSettings> wanted) {
        final AnalyzedMail analyzed = hasher.analyze(mail);
        final SequencedMap<String, List<HashListing.Hash>> rules = new LinkedHashMap<>();
        for (final RuleSettings rule : settings.rules()) {
            if (wanted.test(rule)) {
                rules.put(rule.name(), hasher.hash(analyzed, rule.hashing(), Skip.NOTHING)
                        .stream()
                        .map(hash -> new HashListing.Hash(HashTypes.of(hash), Digest.of(hash.digest()),
                                hash.kind() == HashKind.TEXT || hash.kind() == HashKind.SHORT_TEXT))
                        .toList());
            }
        }
        return new HashListing(rules);
    }

    private static StoragesListing.Storage storage(RuleSettings rule) {
        final Map<String, Long> flags = new TreeMap<>();
        rule.score().flags().forEach((flag, mapping) -> flags.merge(mapping.symbol(), flag, Math::min));
        return new StoragesListing.Storage(rule.name(), !rule.mode().writes(),
                rule.readServers().entries().stream().map(UpstreamList.Entry::name).toList(),
                rule.writeServers().entries().stream().map(UpstreamList.Entry::name).toList(), flags);
    }

    @Override
    public void close() {
        // Nothing is open yet.
    }
}
