package dev.weir.cli.serve;

import java.util.Locale;

/** The form of the program's log. {@code logback.xml} includes the file {@code log-FORM.xml} beside this class. */
enum LogFormat {
    /** One line of text for each event, on standard error. */
    TEXT,
    /** One JSON object for each event and line, on standard error. */
    JSON,
    /** To the journal of systemd with its fields. */
    JOURNAL;

    /** Sets the form. Call it before the first log line. */
    void use() {
        System.setProperty("weir.log.format", name().toLowerCase(Locale.ROOT));
    }
}
