package dev.weir.config.ucl;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.weir.config.source.Origin;
import dev.weir.config.source.Problem;

/**
 * The options in the parentheses of a macro. A name may be shortened to any of its prefixes, and an option with a value
 * of the wrong type counts as absent (docs/reference/configuration-language.md#macros). The parser warns about unknown
 * and ignored options.
 */
final class MacroOptions {
    /** The type of an option. */
    enum Type {
        BOOLEAN, STRING, NUMBER, ARRAY
    }

    private final Map<String, UclValue> given = new LinkedHashMap<>();

    private MacroOptions() {}

    /**
     * Reads the options of a macro.
     *
     * @param known the options of the macro with their types
     */
    static MacroOptions of(UclObject arguments, Map<String, Type> known, String macro, Session session) {
        MacroOptions options = new MacroOptions();
        arguments.members().forEach((name, values) -> values.forEach(value -> {
            List<String> candidates = new ArrayList<>();
            known.forEach((option, type) -> {
                if (option.startsWith(name) && type == typeOf(value)) {
                    candidates.add(option);
                }
            });
            if (candidates.isEmpty()) {
                boolean exists = known.keySet().stream().anyMatch(option -> option.startsWith(name));
                session.warn(Problem.warning(value.origin(), "the option \"" + name + "\" of ." + macro
                        + (exists ? " is ignored, because it cannot be " + value.kind() : " is unknown and ignored")));
            } else {
                options.given.put(candidates.contains(name) ? name : candidates.getFirst(), value);
            }
        }));
        return options;
    }

    private static Type typeOf(UclValue value) {
        return switch (value) {
            case UclBoolean bool -> Type.BOOLEAN;
            case UclInteger integer -> Type.NUMBER;
            case UclDouble number -> Type.NUMBER;
            case UclTime time -> Type.NUMBER;
            case UclArray array -> Type.ARRAY;
            case UclString string -> Type.STRING;
            case UclObject object -> Type.STRING;
            case UclNull nothing -> Type.STRING;
        };
    }

    boolean flag(String name) {
        return given.get(name) instanceof UclBoolean bool && bool.value();
    }

    String text(String name) {
        return given.get(name) instanceof UclString string ? string.text() : "";
    }

    boolean has(String name) {
        return given.containsKey(name);
    }

    List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        if (given.get(name) instanceof UclArray array) {
            for (UclValue item : array.items()) {
                if (item instanceof UclString string) {
                    texts.add(string.text());
                }
            }
        }
        return texts;
    }

    /** Returns a priority: the low four bits of the number without its fraction. */
    int priority(String name, int otherwise, Session session) {
        long value;
        Origin origin;
        switch (given.get(name)) {
            case UclInteger integer -> {
                value = integer.value();
                origin = integer.origin();
            }
            case UclDouble number -> {
                value = (long) number.value();
                origin = number.origin();
            }
            case null, default -> {
                return otherwise;
            }
        }
        if (value < 0 || value > 15) {
            session.warn(Problem.warning(origin,
                    "priorities range from 0 to 15; " + value + " counts as " + (value & 15)));
        }
        return (int) (value & 15);
    }
}
