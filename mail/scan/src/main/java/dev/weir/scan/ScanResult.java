package dev.weir.scan;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import dev.weir.hash.kind.HashKind;
import dev.weir.model.Digest;
import dev.weir.scan.score.FuzzyMatch;
import dev.weir.scan.score.SymbolResult;
import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;

/**
 * The result of checking one mail.
 *
 * @param symbols the symbols in the order of their insertion: by rule, then by part of the mail
 * @param score the sum of the symbols' scores with group caps applied
 * @param asked every queried hash, known or not, in the order of rules and parts
 * @param matches every hit, one per flag, including those that do not determine the score of their symbol
 * @param log the messages that Rspamd would log at level notice or info, in its exact words, without time and task
 * @param failures the missing answers and the refusals with their reasons; the scores of the other answers still count
 * @param whitelisted whether the sender's address is exempt from checks
 * @param notHashed the reason why the mail was not hashed: its cost exceeds the limit; empty if it was hashed
 */
public record ScanResult(List<SymbolResult> symbols, double score, List<AskedHash> asked, List<FuzzyMatch> matches,
        List<String> log, List<UpstreamFailure> failures, boolean whitelisted, Optional<String> notHashed) {
    /** Copies the lists. */
    public ScanResult {
        symbols = List.copyOf(symbols);
        asked = List.copyOf(asked);
        matches = List.copyOf(matches);
        log = List.copyOf(log);
        failures = List.copyOf(failures);
    }

    /** Creates the result of a mail that was hashed. */
    public ScanResult(List<SymbolResult> symbols, double score, List<AskedHash> asked, List<FuzzyMatch> matches,
            List<String> log, List<UpstreamFailure> failures, boolean whitelisted) {
        this(symbols, score, asked, matches, log, failures, whitelisted, Optional.empty());
    }

    /** Returns the result of a mail that was not hashed. */
    static ScanResult unread(String reason) {
        return new ScanResult(List.of(), 0, List.of(), List.of(), List.of(), List.of(), false, Optional.of(reason));
    }

    /** Returns a copy with another symbol. */
    ScanResult with(SymbolResult symbol) {
        return new ScanResult(Stream.concat(symbols.stream(), Stream.of(symbol)).toList(), score + symbol.score(),
                asked, matches, log, failures, whitelisted, notHashed);
    }

    /** Returns whether the mail was hashed, and every hash of every rule was answered and not refused. */
    public boolean complete() {
        return failures.isEmpty() && notHashed.isEmpty();
    }

    /**
     * A queried hash.
     *
     * @param rule the rule that asked
     * @param kind the kind of the hash; empty if only the digest is known
     * @param digest the digest
     * @param reply the answer, or null if no storage answered
     */
    public record AskedHash(String rule, Optional<HashKind> kind, Digest digest, @Nullable Reply reply) {
        /** Returns whether a storage answered. */
        public boolean answered() {
            return reply != null;
        }

        /** Returns {@code rule:type:hex}, the format of Rspamd's {@code fuzzy_checked}. */
        public String checked() {
            return rule + ":" + type() + ":" + digest.hex();
        }

        /** Returns {@link HashKind#type}; empty if only the digest is known. */
        public String type() {
            return kind.map(HashKind::type).orElse("");
        }

        /** Returns {@link HashKind#label}; empty if only the digest is known. */
        public String label() {
            return kind.map(HashKind::label).orElse("");
        }

        /**
         * Returns the answer if the storage knows the hash or a similar one, whether it counts for the rule or not. The
         * storage decides how many shingles a hash of a kind beyond those of Rspamd must share to be similar.
         */
        public Optional<Reply> match() {
            return Optional.ofNullable(reply).filter(answer -> kind.filter(HashKind::isBeyondRspamd).isPresent()
                    ? answer.isMatch(1)
                    : answer.isMatch());
        }

        /** Returns whether the digest in the answer is that of the hash. */
        public boolean exact() {
            return reply != null && Digest.of(reply.digest()).equals(digest);
        }
    }

    /**
     * A server that did not answer or refused to check a hash, or a rule without a server to ask.
     *
     * @param rule the rule
     * @param server the server as written in the configuration; empty if no server could be asked
     * @param message one sentence
     * @param code the error code of a refusal; 0 if there was no answer
     */
    public record UpstreamFailure(String rule, String server, String message, int code) {
        /** Returns whether the server answered that it does not check the hash. */
        public boolean isRefusal() {
            return code != 0;
        }
    }
}
