package dev.weir.cli.logging;

import java.util.Locale;

/** The form of the program's log. */
public enum LogFormat {
    /** One line of text for each event, on standard error. */
    TEXT,
    /** One JSON object for each event and line, on standard error. */
    JSON,
    /** To the journal of systemd with its fields. */
    JOURNAL;

    private static final String PROPERTY = "weir.log.format";

    /** Sets the form. Call it before the first log line. */
    public void use() {
        System.setProperty(PROPERTY, name());
    }

    /** Returns the form that was set; TEXT if none was. */
    static LogFormat chosen() {
        String name = System.getProperty(PROPERTY, TEXT.name()).toUpperCase(Locale.ROOT);
        for (LogFormat format : values()) {
            if (format.name().equals(name)) {
                return format;
            }
        }
        return TEXT;
    }
}
