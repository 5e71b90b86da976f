package dev.weir.scan.rule;

import java.time.Duration;
import java.util.Optional;

import dev.weir.config.source.Origin;
import dev.weir.hash.HashRule;
import dev.weir.scan.score.KindOptions;
import dev.weir.scan.score.ScoreOptions;
import dev.weir.scan.upstream.UpstreamList;
import dev.weir.wire.key.PublicKey;

/**
 * A rule: the hashes that it computes, its servers, and its scores.
 *
 * @param name the unique name
 * @param mode whether the rule checks, learns, or both
 * @param readServers the servers for checks
 * @param writeServers the servers for updates
 * @param readKey the public key of the servers for checks
 * @param writeKey the public key of the servers for updates
 * @param hashing the hashes to compute
 * @param score the scores of hits
 * @param kinds the use of kinds beyond those of Rspamd
 * @param share whether requests carry the sender's domain and address (only in encrypted requests)
 * @param timeout how long an attempt waits for answers
 * @param retransmits the number of attempts after the first
 * @param hedgeAfter the time after which a second server is asked too
 * @param tcp when checks use TCP
 * @param learnCondition the Lua function that decides whether a mail is learned
 * @param origin the place of the rule in the configuration
 */
public record RuleSettings(String name, Mode mode, UpstreamList readServers, UpstreamList writeServers,
        Optional<PublicKey> readKey, Optional<PublicKey> writeKey, HashRule hashing, ScoreOptions score,
        KindOptions kinds, boolean share, Duration timeout, int retransmits, Optional<Duration> hedgeAfter,
        TcpOptions tcp,
        Optional<String> learnCondition, Origin origin) {
    /** The purpose of a rule. */
    public enum Mode {
        /** The rule checks and never learns. */
        READ_ONLY,
        /** The rule learns and never checks. */
        WRITE_ONLY,
        /** The rule checks and learns. */
        READ_WRITE;

        /** Returns whether the rule checks mails. */
        public boolean reads() {
            return this != WRITE_ONLY;
        }

        /** Returns whether the rule learns mails. */
        public boolean writes() {
            return this != READ_ONLY;
        }
    }

    /** Returns a copy with another use of kinds. */
    public RuleSettings withKinds(KindOptions use) {
        return new RuleSettings(name, mode, readServers, writeServers, readKey, writeKey, hashing, score, use, share,
                timeout, retransmits, hedgeAfter, tcp, learnCondition, origin);
    }
}
