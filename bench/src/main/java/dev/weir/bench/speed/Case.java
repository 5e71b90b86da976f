package dev.weir.bench.speed;

import java.util.ArrayList;
import java.util.List;

import dev.weir.load.query.Mix;

/**
 * A kind of load that servers are compared under.
 *
 * @param name for tables
 * @param mix what is asked
 * @param encrypted whether it is encrypted
 */
public record Case(String name, Mix mix, boolean encrypted) {
    /** Ends the name of an encrypted one. */
    private static final String SEALED = "+box";

    /** Reads {@code miss}, {@code fuzzy20} or {@code exact+box}. */
    public static Case parse(String name) {
        boolean encrypted = name.endsWith(SEALED);
        return new Case(name, Mix.parse(encrypted ? name.substring(0, name.length() - SEALED.length()) : name),
                encrypted);
    }

    /** Returns the same under another name. */
    public Case named(String other) {
        return new Case(other, mix, encrypted);
    }

    /** Reads several. */
    public static List<Case> parse(List<String> names) {
        List<Case> cases = new ArrayList<>();
        names.forEach(name -> cases.add(parse(name)));
        return cases;
    }
}
