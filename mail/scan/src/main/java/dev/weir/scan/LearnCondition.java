package dev.weir.scan;

import java.util.OptionalLong;

import dev.weir.hash.AnalyzedMail;

/**
 * A condition that decides whether a rule learns a mail (docs/reference/scanner.md#learn-conditions). Safe for any
 * number of threads.
 */
@FunctionalInterface
public interface LearnCondition {
    /** Learns every mail. */
    LearnCondition ALWAYS = subject -> Decision.LEARN;

    /**
     * Decides about a mail in bounded time. A failure inside the condition is a {@link Decision} to skip, with the
     * reason.
     *
     * @throws RuntimeException if the implementation has a bug; the rule then does not learn
     */
    Decision decide(Subject subject);

    /**
     * The input of a decision.
     *
     * @param mail the bytes of the mail, not to be modified
     * @param analyzed the parts and words of the mail
     * @param context the envelope and the headers of the request
     * @param flag the flag
     * @param weight the weight to add
     * @param delete whether hashes are removed instead
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared, and a mail may be large
    record Subject(byte[] mail, AnalyzedMail analyzed, ScanContext context, long flag, int weight, boolean delete) {}

    /**
     * A decision.
     *
     * @param learn whether the rule learns
     * @param flag a replacement for the requested flag, for this rule only
     * @param reason the reason for readers of the report, if the rule does not learn
     */
    record Decision(boolean learn, OptionalLong flag, String reason) {
        /** Learns as requested. */
        public static final Decision LEARN = new Decision(true, OptionalLong.empty(), "");

        /** Does not learn. */
        public static Decision skip(String reason) {
            return new Decision(false, OptionalLong.empty(), reason);
        }

        /** Learns with another flag. */
        public static Decision learnAs(long flag) {
            return new Decision(true, OptionalLong.of(flag), "");
        }
    }

    /** A reader that turns the {@code learn_condition} options of rules into conditions when a client opens. */
    @FunctionalInterface
    interface Source {
        /**
         * Reads a script.
         *
         * @param rule the name of the rule, for messages
         * @param script the value of the option
         * @throws IllegalArgumentException with a sentence, and the place in the script if it is known
         */
        LearnCondition read(String rule, String script);
    }
}
