package dev.weir.scan.rule;

import java.time.Duration;
import java.util.Optional;

import dev.weir.config.source.Origin;
import dev.weir.hash.HashRule;
import dev.weir.scan.score.ScoreOptions;
import dev.weir.scan.upstream.UpstreamList;
import dev.weir.wire.key.PublicKey;

/**
 * A rule: what it hashes, whom it asks and teaches, and what answers are worth.
 *
 * @param name of the rule, unique
 * @param mode what the rule is for
 * @param readServers who is asked
 * @param writeServers who is taught
 * @param readKey the public key of those that are asked
 * @param writeKey the public key of those that are taught
 * @param hashing which hashes a mail gives
 * @param score what answers are worth
 * @param share whether servers are told the sender's domain and address (only in encrypted requests)
 * @param timeout how long an attempt waits for answers
 * @param retransmits attempts after the first
 * @param hedgeAfter after this time a second server is asked as well
 * @param tcp when checks go over TCP
 * @param learnCondition Lua that decides what is learned
 * @param origin where the rule stands
 */
public record RuleSettings(String name, Mode mode, UpstreamList readServers, UpstreamList writeServers,
        Optional<PublicKey> readKey, Optional<PublicKey> writeKey, HashRule hashing, ScoreOptions score, boolean share,
        Duration timeout, int retransmits, Optional<Duration> hedgeAfter, TcpOptions tcp,
        Optional<String> learnCondition, Origin origin) {
    /** What a rule is for. */
    public enum Mode {
        /** It is asked and never taught. */
        READ_ONLY,
        /** It is taught and never asked. */
        WRITE_ONLY,
        /** Both. */
        READ_WRITE;

        /** Whether mails are checked by it. */
        public boolean reads() {
            return this != WRITE_ONLY;
        }

        /** Whether it learns. */
        public boolean writes() {
            return this != READ_ONLY;
        }
    }
}
