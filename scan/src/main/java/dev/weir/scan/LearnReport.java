package dev.weir.scan;

import java.util.List;
import java.util.Optional;

import dev.weir.model.Digest;

/**
 * What came of learning or forgetting: every rule and every server, each with its own outcome.
 *
 * @param flag the list that was asked for; 0 if none was found
 * @param rules the writable rules that have the flag, in the order of the configuration
 * @param digests every digest that was sent, in order, each once
 * @param failure why the whole is no success; empty if each rule that learns had a server that confirmed all of it
 */
public record LearnReport(long flag, List<RuleOutcome> rules, List<Digest> digests, Optional<Failure> failure) {
    /** Copies the lists. */
    public LearnReport {
        rules = List.copyOf(rules);
        digests = List.copyOf(digests);
    }

    /** Whether each rule that learns had at least one server that confirmed every hash. */
    public boolean success() {
        return failure.isEmpty();
    }

    /** Whether every server of every rule that learns confirmed every hash: nothing is refused and nothing waits. */
    public boolean whole() {
        return success() && servers().allMatch(server -> server.status() == Status.CONFIRMED);
    }

    /** Hash updates that wait in the queue for servers that could not be reached. */
    public int queued() {
        return servers().mapToInt(ServerOutcome::queued).sum();
    }

    private java.util.stream.Stream<ServerOutcome> servers() {
        return rules.stream().flatMap(rule -> rule.servers().stream());
    }

    /**
     * What one rule made of it.
     *
     * @param rule its name
     * @param flag the list, which a learn condition may have changed
     * @param decision whether it learns
     * @param reason why not, in words; empty if it learns
     * @param digests what it sent
     * @param servers every server that it writes to; none if it does not learn
     */
    public record RuleOutcome(String rule, long flag, Decision decision, String reason, List<Digest> digests,
            List<ServerOutcome> servers) {
        /** Copies the lists. */
        public RuleOutcome {
            digests = List.copyOf(digests);
            servers = List.copyOf(servers);
        }
    }

    /** What a rule does with a mail. */
    public enum Decision {
        /** It was sent to the servers. */
        LEARNS,
        /** The learn condition said no, or could not say anything. */
        SKIPPED_BY_CONDITION,
        /** The mail has no hash under this rule. */
        NO_HASHES
    }

    /**
     * What one server made of what one rule sent it.
     *
     * @param server as the configuration writes it
     * @param status the worst that happened to a hash
     * @param confirmed hashes that it confirmed
     * @param total hashes that it was sent
     * @param code the error code of a refusal, else 0
     * @param queued hashes that wait in the retry queue
     * @param message one sentence; empty if everything was confirmed
     */
    public record ServerOutcome(String server, Status status, int confirmed, int total, int code, int queued,
            String message) {}

    /** What became of an update at a server. */
    public enum Status {
        /** It confirmed every hash. */
        CONFIRMED,
        /** It refused a hash with an error code. It is not asked again. */
        REFUSED,
        /** It did not answer. What it did not confirm waits in the queue, if there is one. */
        NO_ANSWER
    }

    /**
     * Why there is no success.
     *
     * @param kind of failure
     * @param message in the words of Rspamd (docs/reference/scanner.md#replies-to-learning) where it has some
     */
    public record Failure(Kind kind, String message) {
        /** Kinds of failure. The HTTP status is Rspamd's where that is one, else the nearest. */
        public enum Kind {
            /** No flag, flag 0 or a symbol that no rule maps. */
            NO_FLAG(404),
            /** No writable rule maps the flag. */
            NO_RULE(404),
            /** The rules matched, but the mail gives no hash. */
            NO_CONTENT(404),
            /** Every rule was kept back by its learn condition. */
            CONDITION(403),
            /** The mail has no bytes. */
            EMPTY(400),
            /** No digest was given to forget. */
            NO_HASH(400),
            /** The request cannot be sent: a flag or weight that the protocol has no room for. */
            INVALID(400),
            /** The mail costs more to hash than a mail may. */
            NOT_HASHED(422),
            /** A server said that the hash is on its skip list. */
            SKIPPED_BY_SERVER(401),
            /** A server refused. */
            REFUSED(403),
            /** No server of some rule could be reached; what can be is queued. */
            NO_ANSWER(503),
            /** The module is switched off or has no rules. */
            DISABLED(500);

            private final int httpStatus;

            Kind(int httpStatus) {
                this.httpStatus = httpStatus;
            }

            /** The status of an HTTP answer. */
            public int httpStatus() {
                return httpStatus;
            }
        }
    }
}
