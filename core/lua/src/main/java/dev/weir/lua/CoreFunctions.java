package dev.weir.lua;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;

import dev.weir.os.HostName;
import org.jspecify.annotations.Nullable;

/** The host functions of {@code modules.lua}, which every kind of script can call. One instance per state. */
final class CoreFunctions implements HostFunction {
    private static final int LONGEST_MESSAGE = 2000;

    private final ScriptLog log;
    private final RegexTable regexes = new RegexTable();
    private final RandomGenerator random = new SecureRandom();

    CoreFunctions(ScriptLog log) {
        this.log = log;
    }

    /** Deadline of matching, on the scale of {@link System#nanoTime}. */
    void deadline(long nanoTime) {
        regexes.deadline(nanoTime);
    }

    boolean knows(String name) {
        return name.startsWith("core.");
    }

    @Override
    public @Nullable Object call(String name, List<LuaValue> arguments) {
        return switch (name) {
            case "core.log" -> {
                log.log(level(text(arguments, 0)), line(text(arguments, 1)));
                yield null;
            }
            case "core.time" -> System.currentTimeMillis() / 1000.0;
            case "core.ticks" -> System.nanoTime() / 1e9;
            case "core.random" -> random.nextDouble();
            case "core.lower" -> text(arguments, 0).toLowerCase(Locale.ROOT);
            case "core.length" -> (double) text(arguments, 0).codePointCount(0, text(arguments, 0).length());
            case "core.valid" -> ByteStrings.isUtf8(bytes(arguments, 0));
            case "core.hex" -> HexFormat.of().formatHex(bytes(arguments, 0));
            case "core.base64" -> Base64.getEncoder().encode(bytes(arguments, 0));
            case "core.unbase64" -> Base64.getMimeDecoder().decode(bytes(arguments, 0));
            case "core.base32" -> ByteStrings.toBase32(bytes(arguments, 0));
            case "core.unbase32" -> ByteStrings.fromBase32(text(arguments, 0));
            case "core.ip" -> ByteStrings.address(text(arguments, 0));
            case "core.hostname" -> HostName.get();
            case "core.slice" ->
                regexes.slice(text(arguments, 0), text(arguments, 1), bytes(arguments, 2),
                        (int) number(arguments, 3), (int) number(arguments, 4));
            case "core.regexp" -> regexes.check(text(arguments, 0), text(arguments, 1));
            case "core.match" ->
                regexes.find(text(arguments, 0), text(arguments, 1), bytes(arguments, 2),
                        (int) number(arguments, 3));
            default -> throw new IllegalArgumentException("unknown function " + name);
        };
    }

    private static ScriptLog.Level level(String name) {
        return switch (name) {
            case "debug" -> ScriptLog.Level.DEBUG;
            case "message" -> ScriptLog.Level.MESSAGE;
            case "warn" -> ScriptLog.Level.WARNING;
            case "err" -> ScriptLog.Level.ERROR;
            default -> ScriptLog.Level.INFO;
        };
    }

    private static String line(String text) {
        String kept = text.length() > LONGEST_MESSAGE ? text.substring(0, LONGEST_MESSAGE) : text;
        return kept.replaceAll("\\p{Cntrl}", " ");
    }

    private static double number(List<LuaValue> arguments, int index) {
        return index < arguments.size() && arguments.get(index) instanceof LuaValue.Num(double value) ? value : 0;
    }

    private static String text(List<LuaValue> arguments, int index) {
        return index < arguments.size() && arguments.get(index) instanceof LuaValue.Str string ? string.text() : "";
    }

    private static byte[] bytes(List<LuaValue> arguments, int index) {
        return index < arguments.size() && arguments.get(index) instanceof LuaValue.Str string
                ? string.bytes()
                : new byte[0];
    }
}
