package dev.weir.scan.rule;

import java.time.Duration;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

import dev.weir.config.option.Section;

/**
 * What {@code fuzzy_check} itself says for rules that do not say it.
 *
 * <p>Rspamd since 1.8.2 reads the sizes in rules only, though its files have them outside; here they count.
 */
record RuleDefaults(String symbol, Duration timeout, int retransmits, OptionalInt minBytes, OptionalInt minLength,
        OptionalInt minHeight, OptionalInt minWidth, OptionalDouble textMultiplier) {
    static final Duration LEAST_TIMEOUT = Duration.ofMillis(1);
    static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(10);
    static final int MOST_RETRANSMITS = 100;

    RuleDefaults(Section module) {
        this(module.string("symbol").orElse("R_FUZZY_HASH"),
                module.seconds("timeout", LEAST_TIMEOUT, LONGEST_TIMEOUT).orElse(Duration.ofSeconds(1)),
                (int) module.integer("retransmits", 0, MOST_RETRANSMITS).orElse(3),
                whole(module, "min_bytes"), whole(module, "min_length"), whole(module, "min_height"),
                whole(module, "min_width"), module.number("text_multiplier", 0, 1e6));
    }

    private static OptionalInt whole(Section section, String name) {
        final OptionalLong value = section.integer(name, 0, Integer.MAX_VALUE);
        return value.isPresent() ? OptionalInt.of((int) value.getAsLong()) : OptionalInt.empty();
    }
}
