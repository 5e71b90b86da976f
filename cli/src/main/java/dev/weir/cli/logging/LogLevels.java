package dev.weir.cli.logging;

import java.util.List;
import java.util.Locale;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The levels of the log. {@link LogSetup} reads the properties that this class sets, so set the levels before the first
 * log line.
 */
public final class LogLevels {
    /** The beginning of the names of the properties. */
    static final String PROPERTY = "weir.log.";

    /** Property of the default level. */
    static final String ALL = "level";

    private static final List<String> LEVELS = List.of("OFF", "ERROR", "WARN", "INFO", "DEBUG", "TRACE");
    /** The logs with one line for each scanned mail, and for each mail of a trap. They are off by default. */
    static final List<String> EACH_MAIL = List.of("scans", "traps");
    /** The parts of the program, which are its packages, and {@link #EACH_MAIL}. */
    static final List<String> PARTS = List.of("storage", "http", "milter", "trap", "traps", "scan", "scans", "config",
            "hash", "lua", "net", "cli");

    private LogLevels() {}

    /**
     * One level.
     *
     * @param part the part of the program; empty for all
     */
    public record Setting(String part, String level) {}

    /** Sets the levels. Parts without a level log at INFO. */
    public static void use(List<Setting> settings) {
        // A server logs more than other commands, which log at WARN.
        System.setProperty(PROPERTY + ALL, System.getProperty(PROPERTY + ALL, "INFO"));
        for (Setting setting : settings) {
            System.setProperty(PROPERTY + (setting.part().isEmpty() ? ALL : setting.part()), setting.level());
        }
    }

    /** Reads {@code LEVEL} or {@code PART=LEVEL}. */
    public static final class Converter implements ITypeConverter<Setting> {
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
