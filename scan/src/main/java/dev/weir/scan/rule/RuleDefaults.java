package dev.weir.scan.rule;

import java.time.Duration;

import dev.weir.config.option.Section;

/**
 * What {@code fuzzy_check} itself says for rules that do not say it. Sizes are not among it: Rspamd since 1.8.2 reads them in
 * rules only, though the file that it ships has one outside.
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
