package dev.weir.scan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import dev.weir.hash.FuzzyHash;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.hash.effort.NotHashedException;
import dev.weir.model.Digest;
import dev.weir.scan.client.Question;
import dev.weir.wire.reply.ErrorCode;
import dev.weir.wire.reply.Reply;

/**
 * A translator of mails into requests to one storage, and of replies into results. Safe for any number of threads.
 *
 * <pre>{@code
 * try (StorageClient storage = StorageClient.open(StorageAddress.parse("127.0.0.1"), ClientOptions.DEFAULT)) {
 *     Scanner scanner = new Scanner(storage, MailHasher.standard(), HashRule.shipped());
 *     scanner.learn(spam, 1, 10);
 *     List<HashMatch> matches = scanner.check(mail).matches();
 * }
 * }</pre>
 */
public final class Scanner {
    private final StorageClient storage;
    private final MailHasher hasher;
    private final HashRule rule;

    public Scanner(StorageClient storage, MailHasher hasher, HashRule rule) {
        this.storage = storage;
        this.hasher = hasher;
        this.rule = rule;
    }

    /**
     * Returns the hashes of a mail under the rule, without asking the storage.
     *
     * @throws NotHashedException if hashing the mail would exceed its cost limit; all methods that hash a mail throw it
     */
    public List<FuzzyHash> hash(byte[] mail) {
        return hasher.hash(mail, rule);
    }

    /**
     * Checks whether the storage knows a mail. A hash on the storage's skip list counts as unknown.
     *
     * @throws UpstreamException if the storage refuses a hash or leaves one unanswered
     */
    public CheckResult check(byte[] mail) throws UpstreamException {
        List<FuzzyHash> hashes = hash(mail);
        List<Reply> replies = storage.exchange(checks(hashes));
        List<HashMatch> matches = new ArrayList<>();
        for (int i = 0; i < hashes.size(); i++) {
            Reply reply = replies.get(i);
            if (isMatch(reply, hashes.get(i))) {
                matches.add(new HashMatch(hashes.get(i), reply));
            } else if (reply.value() != 0 && reply.value() != ErrorCode.SKIPPED) {
                throw storage.refusal(reply.value());
            }
        }
        return new CheckResult(hashes, List.copyOf(matches));
    }

    /** The storage decides from how many equal shingles on a hash of a kind beyond those of Rspamd matches. */
    private static boolean isMatch(Reply reply, FuzzyHash hash) {
        return hash.kind().isBeyondRspamd() ? reply.isMatch(1) : reply.isMatch();
    }

    /**
     * Adds weight to every hash of a mail.
     *
     * @param flag the flag, 1 to 255
     * @param weight the weight to add, not zero; negative subtracts
     * @return an outcome for each hash; empty if the mail has no hash under the rule
     * @throws IllegalArgumentException if the flag or the weight is out of range
     * @throws UpstreamException if the storage leaves a hash unanswered
     */
    public List<HashOutcome> learn(byte[] mail, int flag, int weight) throws UpstreamException {
        requireList(flag);
        if (weight == 0) {
            throw new IllegalArgumentException("a weight of 0 has no effect");
        }
        List<FuzzyHash> hashes = hash(mail);
        return update(kinds(hashes),
                hashes.stream().map(hash -> Question.write(hash.digest(), hash.shingles(), flag, weight)).toList());
    }

    /**
     * Returns the entries of the storage for each hash of a mail and for similar hashes.
     *
     * @throws UpstreamException if the storage refuses a hash or leaves one unanswered
     */
    public List<Holding> holdings(byte[] mail) throws UpstreamException {
        List<FuzzyHash> hashes = hash(mail);
        return holdings(hashes.stream().map(hash -> Digest.of(hash.digest())).toList(),
                kinds(hashes), checks(hashes));
    }

    /**
     * Returns the entries of the storage for digests.
     *
     * @throws UpstreamException as for {@link #holdings(byte[])}
     */
    public List<Holding> holdings(List<Digest> digests) throws UpstreamException {
        return holdings(digests, noKinds(digests.size()),
                digests.stream().map(digest -> Question.check(digest.toBytes())).toList());
    }

    private List<Holding> holdings(List<Digest> digests, List<String> kinds, List<Question> requests)
            throws UpstreamException {
        List<Reply> replies = storage.exchange(requests);
        List<Holding> holdings = new ArrayList<>();
        for (int i = 0; i < digests.size(); i++) {
            Reply reply = replies.get(i);
            if (!reply.isMatch(1) && reply.value() != 0 && reply.value() != ErrorCode.SKIPPED) {
                throw storage.refusal(reply.value());
            }
            Map<Long, Integer> lists = new TreeMap<>();
            if (reply.isMatch()) {
                lists.put(Integer.toUnsignedLong(reply.flag()), reply.value());
                reply.extras().forEach(extra -> lists.put(Integer.toUnsignedLong(extra.flag()), extra.value()));
            }
            holdings.add(new Holding(digests.get(i), kinds.get(i),
                    reply.isMatch() ? Optional.of(Digest.of(reply.digest())) : Optional.empty(),
                    reply.isMatch() ? reply.probability() : 0, lists));
        }
        return List.copyOf(holdings);
    }

    /**
     * Removes every hash of a mail from one flag. Removing an absent hash counts as success.
     *
     * @param flag the flag, 1 to 255
     * @return an outcome for each hash; empty if the mail has no hash under the rule
     * @throws IllegalArgumentException if the flag is out of range
     * @throws UpstreamException if the storage leaves a hash unanswered
     */
    public List<HashOutcome> forget(byte[] mail, int flag) throws UpstreamException {
        requireList(flag);
        List<FuzzyHash> hashes = hash(mail);
        return update(kinds(hashes),
                hashes.stream().map(hash -> Question.delete(hash.digest(), hash.shingles(), flag)).toList());
    }

    /**
     * Removes digests from one flag.
     *
     * @param flag the flag, 1 to 255
     * @return an outcome for each digest
     * @throws IllegalArgumentException if the flag is out of range
     * @throws UpstreamException if the storage leaves a digest unanswered
     */
    public List<HashOutcome> forget(List<Digest> digests, int flag) throws UpstreamException {
        requireList(flag);
        return update(noKinds(digests.size()),
                digests.stream().map(digest -> Question.delete(digest.toBytes(), flag)).toList());
    }

    private List<HashOutcome> update(List<String> kinds, List<Question> updates) throws UpstreamException {
        List<Reply> replies = storage.exchange(updates);
        List<HashOutcome> outcomes = new ArrayList<>(replies.size());
        for (int i = 0; i < replies.size(); i++) {
            Reply reply = replies.get(i);
            outcomes.add(new HashOutcome(Digest.of(updates.get(i).digest()), kinds.get(i), reply.isMatch(),
                    reply.isMatch() ? 0 : reply.value()));
        }
        return List.copyOf(outcomes);
    }

    private static List<Question> checks(List<FuzzyHash> hashes) {
        return hashes.stream().map(hash -> Question.check(hash.digest(), hash.shingles(), List.of())).toList();
    }

    private static List<String> kinds(List<FuzzyHash> hashes) {
        return hashes.stream().map(hash -> hash.kind().label()).toList();
    }

    /** Returns empty kinds, for hashes that are known only by their digest. */
    private static List<String> noKinds(int count) {
        return Collections.nCopies(count, "");
    }

    private static void requireList(int flag) {
        if (flag < 1 || flag > 255) {
            throw new IllegalArgumentException("flag " + flag + " is not between 1 and 255");
        }
    }
}
