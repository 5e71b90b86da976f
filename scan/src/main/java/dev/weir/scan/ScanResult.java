package dev.weir.scan;

import java.util.List;
import java.util.Optional;

import dev.weir.model.Digest;
import dev.weir.scan.score.FuzzyMatch;
import dev.weir.scan.score.SymbolResult;

/**
 * What came of checking one mail.
 *
 * @param symbols in the order of their insertion: by rule, then by part of the mail
 * @param score the sum of the symbols' scores, caps of groups applied
 * @param asked every hash that was asked for, also those that are not known, in the order of rules and parts
 * @param matches every hit, one for each flag, also those whose symbol another hit outweighs
 * @param log what Rspamd would log at level notice or info, without time and task, in its exact words
 * @param failures what was not answered and why; the scores of what was answered count nevertheless
 * @param whitelisted whether the sender's address is one whose mail is not checked
 * @param notHashed why the mail has no hashes and nothing was asked: it costs more than a mail may; empty if it was hashed
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

    /** Of a mail that was hashed. */
    public ScanResult(List<SymbolResult> symbols, double score, List<AskedHash> asked, List<FuzzyMatch> matches,
            List<String> log, List<UpstreamFailure> failures, boolean whitelisted) {
        this(symbols, score, asked, matches, log, failures, whitelisted, Optional.empty());
    }

    /** Of a mail that was not hashed. */
    static ScanResult unread(String reason) {
        return new ScanResult(List.of(), 0, List.of(), List.of(), List.of(), List.of(), false, Optional.of(reason));
    }

    /** Whether the mail was hashed and every hash of every rule was answered. */
    public boolean complete() {
        return failures.isEmpty() && notHashed.isEmpty();
    }

    /**
     * A hash that was asked for.
     *
     * @param rule the rule that asked
     * @param type {@code txt}, {@code img}, {@code bin}, {@code content}, {@code html} or {@code htmld}
     * @param digest its name
     * @param answered whether a storage answered
     */
    public record AskedHash(String rule, String type, Digest digest, boolean answered) {
        /** {@code rule:type:hex}, as Rspamd lists it in {@code fuzzy_checked}. */
        public String checked() {
            return rule + ":" + type + ":" + digest.hex();
        }
    }

    /**
     * A server that did not answer, or a rule that had no server to ask.
     *
     * @param rule the rule
     * @param server the server as the configuration writes it; empty if none could be asked
     * @param message one sentence
     */
    public record UpstreamFailure(String rule, String server, String message) {}
}
