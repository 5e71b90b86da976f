package dev.weir.bench.speed;

import java.util.ArrayList;
import java.util.List;

import dev.weir.load.query.Mix;

/**
 * A kind of load under which servers are compared.
 *
 * @param name for tables
 * @param mix the queries
 * @param encrypted whether queries are encrypted
 */
public record Case(String name, Mix mix, boolean encrypted) {
    /** Suffix of the name of an encrypted case. */
    private static final String SEALED = "+box";

    /** Parses a case such as {@code miss}, {@code fuzzy20} or {@code exact+box}. */
    public static Case parse(String name) {
        boolean encrypted = name.endsWith(SEALED);
        return new Case(name, Mix.parse(encrypted ? name.substring(0, name.length() - SEALED.length()) : name),
                encrypted);
    }

    /** Returns a copy with another name. */
    public Case named(String other) {
        return new Case(other, mix, encrypted);
    }

    /** Parses several cases. */
    public static List<Case> parse(List<String> names) {
        List<Case> cases = new ArrayList<>();
        names.forEach(name -> cases.add(parse(name)));
        return cases;
    }
}
