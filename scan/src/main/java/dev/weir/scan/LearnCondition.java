package dev.weir.scan;

import java.util.OptionalLong;

import dev.weir.hash.AnalyzedMail;

/**
 * Decides whether a rule learns a mail (docs/reference/scanner.md#learn-conditions). Safe for any number of threads.
 */
@FunctionalInterface
public interface LearnCondition {
    /** Learns everything. */
    LearnCondition ALWAYS = subject -> Decision.LEARN;

    /**
     * Decides. Bounded in time; whatever goes wrong inside is a {@link Decision} to skip with the reason.
     *
     * @throws RuntimeException only through a mistake of the implementation; the rule then does not learn
     */
    Decision decide(Subject subject);

    /**
     * What is decided about.
     *
     * @param mail the bytes, not to be changed
     * @param analyzed its parts and words
     * @param context the envelope and the headers of the request
     * @param flag the list
     * @param weight what is added
     * @param delete whether hashes are taken off instead
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared, and a mail may be large
    record Subject(byte[] mail, AnalyzedMail analyzed, ScanContext context, long flag, int weight, boolean delete) {}

    /**
     * A decision.
     *
     * @param learn whether the rule learns
     * @param flag another list than the one asked for, for this rule only
     * @param reason for people; why not, if it does not
     */
    record Decision(boolean learn, OptionalLong flag, String reason) {
        /** Learn as asked. */
        public static final Decision LEARN = new Decision(true, OptionalLong.empty(), "");

        /** Do not learn. */
        public static Decision skip(String reason) {
            return new Decision(false, OptionalLong.empty(), reason);
        }

        /** Learn on another list. */
        public static Decision learnAs(long flag) {
            return new Decision(true, OptionalLong.of(flag), "");
        }
    }

    /** Makes conditions of the {@code learn_condition} options of rules when a client is opened. */
    @FunctionalInterface
    interface Source {
        /**
         * Reads a script.
         *
         * @param rule the name of the rule, for messages
         * @param script the value of the option
         * @throws IllegalArgumentException with a sentence, and the place in the script if there is one
         */
        LearnCondition read(String rule, String script);
    }
}
