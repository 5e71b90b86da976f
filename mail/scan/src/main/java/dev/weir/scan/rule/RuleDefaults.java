package dev.weir.scan.rule;

import java.time.Duration;

import dev.weir.config.option.Section;

/**
 * The defaults that {@code fuzzy_check} sets for its rules. They exclude the size limits: since 1.8.2, Rspamd reads
 * these only in rules, although its stock file sets one outside.
 */
record RuleDefaults(String symbol, Duration timeout, int retransmits) {
    static final Duration LEAST_TIMEOUT = Duration.ofMillis(1);
    static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(10);
    static final int MOST_RETRANSMITS = 100;

    RuleDefaults(Section module) {
        this(module.string("symbol").orElse("R_FUZZY_HASH"),
                module.seconds("timeout", LEAST_TIMEOUT, LONGEST_TIMEOUT).orElse(Duration.ofSeconds(1)),
                (int) module.integer("retransmits", 0, MOST_RETRANSMITS).orElse(3));
    }
}
