package dev.weir.scan;

import java.util.List;
import java.util.Optional;

import dev.weir.model.Digest;

/**
 * The outcome of a learn or delete request, for each rule and each server.
 *
 * @param flag the requested flag; 0 if none was found
 * @param rules the writable rules that have the flag, in the order of the configuration
 * @param digests every digest that was sent, in order, without duplicates
 * @param failure the reason why the request as a whole failed; empty if each learning rule had a server that confirmed
 *            every hash
 */
public record LearnReport(long flag, List<RuleOutcome> rules, List<Digest> digests, Optional<Failure> failure) {
    /** Copies the lists. */
    public LearnReport {
        rules = List.copyOf(rules);
        digests = List.copyOf(digests);
    }

    /** Returns whether each learning rule had at least one server that confirmed every hash. */
    public boolean success() {
        return failure.isEmpty();
    }

    /** Returns whether every server of every learning rule confirmed every hash, so that none was refused or queued. */
    public boolean whole() {
        return success() && servers().allMatch(server -> server.status() == Status.CONFIRMED);
    }

    /** Returns the number of hash updates that are queued for unreachable servers. */
    public int queued() {
        return servers().mapToInt(ServerOutcome::queued).sum();
    }

    /** Returns the outcome of every update at every server. */
    public List<HashOutcome> hashes() {
        return servers().flatMap(server -> server.hashes().stream()).toList();
    }

    private java.util.stream.Stream<ServerOutcome> servers() {
        return rules.stream().flatMap(rule -> rule.servers().stream());
    }

    /**
     * The outcome of one rule.
     *
     * @param rule the name of the rule
     * @param flag the flag, possibly replaced by a learn condition
     * @param decision whether the rule learns
     * @param reason the reason for not learning the mail, or a part of it; empty if it learns everything
     * @param digests the digests that it sent
     * @param servers the outcome of every server that it writes to; empty if it does not learn
     * @param touched in a rehearsal of a rule with kinds beyond those of Rspamd: what each hash would touch
     */
    public record RuleOutcome(String rule, long flag, Decision decision, String reason, List<Digest> digests,
            List<ServerOutcome> servers, List<Touched> touched) {
        /** Copies the lists. */
        public RuleOutcome {
            digests = List.copyOf(digests);
            servers = List.copyOf(servers);
            touched = List.copyOf(touched);
        }

        /** Creates an outcome that is not a rehearsal. */
        public RuleOutcome(String rule, long flag, Decision decision, String reason, List<Digest> digests,
                List<ServerOutcome> servers) {
            this(rule, flag, decision, reason, digests, servers, List.of());
        }
    }

    /**
     * What the learning of one hash would touch.
     *
     * @param type the versioned name of the kind, or {@code rspamd}
     * @param digest the hash
     * @param flag the flag that it would get
     * @param nearest what is known near it, in words
     */
    public record Touched(String type, Digest digest, int flag, String nearest) {}

    /** The decision of a rule about a mail. */
    public enum Decision {
        /** The rule sent the update to its servers. */
        LEARNS,
        /** The rule sent deletions of listed hashes to its servers. */
        FORGETS,
        /** The learn condition rejected the mail or failed. */
        SKIPPED_BY_CONDITION,
        /** The mail has no hash under this rule. */
        NO_HASHES,
        /** The only hashes of the mail are those of a template that wanted mail has. */
        PROTECTED;

        /** Returns whether the rule sent something to its servers. */
        public boolean isSent() {
            return this == LEARNS || this == FORGETS;
        }
    }

    /**
     * The outcome of one server for one rule.
     *
     * @param server the server as written in the configuration
     * @param status the worst status of a hash
     * @param confirmed the number of hashes that it confirmed
     * @param total the number of hashes that it received
     * @param code the error code that the server answered, or 0
     * @param queued the number of hashes in the retry queue
     * @param message one sentence; empty if everything was confirmed
     * @param hashes the outcome of each hash; empty if nothing was sent
     */
    public record ServerOutcome(String server, Status status, int confirmed, int total, int code, int queued,
            String message, List<HashOutcome> hashes) {
        /** Copies the list. */
        public ServerOutcome {
            hashes = List.copyOf(hashes);
        }

        ServerOutcome withQueued(int updates) {
            return new ServerOutcome(server, status, confirmed, total, code, updates, message, hashes);
        }
    }

    /**
     * The outcome of the update of one hash at one server.
     *
     * @param digest the digest of the hash
     * @param kind {@link dev.weir.hash.kind.HashKind#label}; empty if only the digest is known
     * @param accepted whether the storage confirmed the update
     * @param error the error code of the storage, or 0 if it sent none
     * @param trouble why there is no answer; empty if there is one
     */
    public record HashOutcome(Digest digest, String kind, boolean accepted, int error, String trouble) {
        /** Returns the outcome in words. */
        public String describe() {
            return accepted
                    ? "accepted"
                    : !trouble.isEmpty()
                            ? trouble
                            : error == 0 ? "answered, but not confirmed" : Refusals.describe(error);
        }
    }

    /** The status of an update at a server. */
    public enum Status {
        /** The server confirmed every hash. */
        CONFIRMED,
        /** The server refused a hash with an error code. There is no retry. */
        REFUSED,
        /**
         * The server did not answer, or answered that it could not store an update now (code 500). Unconfirmed hashes
         * are queued if there is a retry queue.
         */
        NO_ANSWER
    }

    /**
     * The reason why a request failed.
     *
     * @param kind the kind of failure
     * @param message the message, in the words of Rspamd (docs/reference/scanner.md#replies-to-learning) if it has any
     *            for this case
     */
    public record Failure(Kind kind, String message) {
        private static final String NOT_HASHED = "The mail is not hashed: ";

        /** The failure for a mail that cannot be hashed. */
        static Failure notHashed(String reason) {
            return new Failure(Kind.NOT_HASHED, NOT_HASHED + reason);
        }

        /** Returns why the mail cannot be hashed; empty for another failure. */
        public Optional<String> notHashed() {
            return kind == Kind.NOT_HASHED ? Optional.of(message.substring(NOT_HASHED.length())) : Optional.empty();
        }

        /**
         * The kinds of failure. HTTP statuses equal Rspamd's if those are valid, else they are the nearest valid ones.
         */
        public enum Kind {
            /** The request has no flag, flag 0, or a symbol that no rule maps. */
            NO_FLAG(404),
            /** No writable rule maps the flag. */
            NO_RULE(404),
            /** Rules matched, but the mail has no hash. */
            NO_CONTENT(404),
            /** The learn conditions of all rules rejected the mail. */
            CONDITION(403),
            /** The mail has no bytes. */
            EMPTY(400),
            /** The request to delete contains no digest. */
            NO_HASH(400),
            /** The protocol cannot express the flag or the weight. */
            INVALID(400),
            /** Hashing the mail would exceed its cost limit. */
            NOT_HASHED(422),
            /** A server answered that the hash is on its skip list. */
            SKIPPED_BY_SERVER(401),
            /** A server refused the update. */
            REFUSED(403),
            /** No server of some rule answered, or none could store the update now. Updates are queued if possible. */
            NO_ANSWER(503),
            /** The module is disabled or has no rules. */
            DISABLED(500);

            private final int httpStatus;

            Kind(int httpStatus) {
                this.httpStatus = httpStatus;
            }

            /** Returns the HTTP status for this failure. */
            public int httpStatus() {
                return httpStatus;
            }
        }
    }
}
