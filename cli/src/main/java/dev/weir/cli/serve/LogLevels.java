package dev.weir.cli.serve;

import java.util.List;
import java.util.Locale;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The levels of the log. {@code logback.xml} reads the properties that this class sets, so set the levels before the
 * first log line.
 */
final class LogLevels {
    private static final String PROPERTY = "weir.log.";

    /** Property of the default level. */
    private static final String ALL = "level";

    private static final List<String> LEVELS = List.of("OFF", "ERROR", "WARN", "INFO", "DEBUG", "TRACE");
    /** The parts of the program, and "scans" and "traps" for one line for each mail. logback.xml has the same names. */
    private static final List<String> PARTS = List.of("storage", "http", "milter", "trap", "traps", "scan", "scans",
            "config",
            "hash", "lua", "net", "cli");

    private LogLevels() {}

    /**
     * One level.
     *
     * @param part the part of the program; empty for all
     */
    record Setting(String part, String level) {}

    /** Sets the levels. Parts without a level log at INFO. */
    static void use(List<Setting> settings) {
        // A server logs more than other commands, which log at WARN.
        System.setProperty(PROPERTY + ALL, System.getProperty(PROPERTY + ALL, "INFO"));
        for (Setting setting : settings) {
            System.setProperty(PROPERTY + (setting.part().isEmpty() ? ALL : setting.part()), setting.level());
        }
    }

    /** Reads {@code LEVEL} or {@code PART=LEVEL}. */
    static final class Converter implements ITypeConverter<Setting> {
        @Override
        public Setting convert(String text) {
            int equals = text.indexOf('=');
            String part = equals < 0 ? "" : text.substring(0, equals).strip().toLowerCase(Locale.ROOT);
            String level = text.substring(equals + 1).strip().toUpperCase(Locale.ROOT);
            if (equals >= 0 && !PARTS.contains(part)) {
                throw new TypeConversionException("\"" + part + "\" is not a part of the log: expected one of "
                        + String.join(", ", PARTS));
            }
            if (!LEVELS.contains(level)) {
                throw new TypeConversionException("\"" + level + "\" is not a level: expected one of "
                        + String.join(", ", LEVELS).toLowerCase(Locale.ROOT));
            }
            return new Setting(part, level);
        }
    }
}
