package dev.weir.bench.campaigns;

import java.util.List;

import dev.weir.hash.FuzzyHash;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.hash.effort.NotHashedException;

/** Hashes mails by one rule, and counts those that cost too much to hash. For one thread. */
public final class StreamHasher {
    private final MailHasher hasher;
    private final HashRule rule;
    private int unread;

    /** Creates one that has counted nothing. */
    public StreamHasher(MailHasher hasher, HashRule rule) {
        this.hasher = hasher;
        this.rule = rule;
    }

    /** Returns the hashes of a mail; none if it costs too much. */
    public List<FuzzyHash> hash(StreamMail mail) {
        try {
            return hasher.hash(mail.content(), rule);
        } catch (NotHashedException e) {
            unread++;
            return List.of();
        }
    }

    /** Returns how many mails exceeded the limits of hashing. */
    public int unread() {
        return unread;
    }
}
