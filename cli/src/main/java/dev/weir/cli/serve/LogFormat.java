package dev.weir.cli.serve;

/** The form of the program's log. {@code logback.xml} reads the property that this class sets. */
enum LogFormat {
    /** One line of text for each event, on standard error. */
    TEXT("stderr"),
    /** One JSON object for each event and line, on standard error. */
    JSON("json"),
    /** To the journal of systemd with its fields. */
    JOURNAL("journal");

    /** The name of the appender in logback.xml. */
    private final String appender;

    LogFormat(String appender) {
        this.appender = appender;
    }

    /** Sets the form. Call it before the first log line. */
    void use() {
        System.setProperty("weir.log.format", appender);
    }
}
