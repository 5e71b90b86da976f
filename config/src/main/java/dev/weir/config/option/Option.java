package dev.weir.config.option;

import java.util.List;

/**
 * One option that configuration may hold: a line of an {@link OptionTable}.
 *
 * @param name the name that documentation uses
 * @param aliases further names; the first that is present counts
 * @param type what its value must be
 * @param defaultText its value when it is absent, written in UCL; empty if there is none
 * @param unit of its value, or what its text holds; may be empty
 * @param since the release of Rspamd that brought it, or {@code weir}
 * @param status whether it has an effect here
 * @param reason why it is refused or ignored; empty if it is honoured
 * @param description one line for people
 */
public record Option(String name, List<String> aliases, Type type, String defaultText, String unit, String since,
        Status status, String reason, String description) {
    /** Copies the list. */
    public Option {
        aliases = List.copyOf(aliases);
    }

    /** What a value must be. Nothing is converted: a quoted number is a text. */
    public enum Type {
        /** A text. */
        STRING,
        /** A text that is never shown. */
        SECRET,
        /** One text or several. */
        STRINGS,
        /** One of the words of UCL for true and false. */
        BOOLEAN,
        /** A whole number. */
        INTEGER,
        /** One whole number or several. */
        INTEGERS,
        /** Any number. */
        NUMBER,
        /** A time: a number of seconds or a number with a unit. */
        TIME,
        /** A number of bytes. */
        SIZE,
        /** Addresses and networks in place, or a map of them. */
        NETWORKS,
        /** Keys in place, or a map of them. */
        KEYS,
        /** A section or several. */
        SECTIONS,
        /** Anything; the code that reads it says what it may be. */
        ANY
    }

    /** What becomes of an option. */
    public enum Status {
        /** It has its effect. */
        HONOURED,
        /** It is accepted and changes nothing, for a reason that makes that safe. */
        IGNORED,
        /** A configuration that has it is refused, with the reason. */
        REFUSED
    }
}
