package dev.weir.config.option;

import java.util.List;

/**
 * One configuration option: a line of an {@link OptionTable}.
 *
 * @param name the name in the documentation
 * @param aliases further names; the first name that is present counts
 * @param type the type of its value
 * @param defaultText its default value, written in UCL; empty if there is none
 * @param unit the unit of its value, or the content of its text; may be empty
 * @param since the Rspamd release that introduced it, or {@code Weir}
 * @param status whether Weir honors it
 * @param reason why Weir refuses or ignores it; empty if Weir honors it
 * @param description one line for readers of the documentation
 */
public record Option(String name, List<String> aliases, Type type, String defaultText, String unit, String since,
        Status status, String reason, String description) {
    /** Copies the list. */
    public Option {
        aliases = List.copyOf(aliases);
    }

    /** The type of a value. Nothing is converted: a quoted number is a text. */
    public enum Type {
        /** A text. */
        STRING,
        /** A text that is never shown. */
        SECRET,
        /** One or more texts. */
        STRINGS,
        /** One of UCL's words for true and false. */
        BOOLEAN,
        /** A whole number. */
        INTEGER,
        /** One or more whole numbers. */
        INTEGERS,
        /** Any number. */
        NUMBER,
        /** A time: a number of seconds or a number with a unit. */
        TIME,
        /** A number of bytes. */
        SIZE,
        /** Inline addresses and networks, or a map of them. */
        NETWORKS,
        /** Inline keys, or a map of them. */
        KEYS,
        /** One or more sections. */
        SECTIONS,
        /** A value of any type; the code that reads it checks it. */
        ANY
    }

    /** The treatment of an option. */
    public enum Status {
        /** The option has its effect. */
        HONORED,
        /** The option is accepted and has no effect, for a reason that makes this safe. */
        IGNORED,
        /** A configuration with this option is rejected, with the reason. */
        REFUSED
    }
}
