package dev.weir.scan;

import java.util.List;

import dev.weir.hash.FuzzyHash;
import dev.weir.hash.html.HtmlSideHashes;
import dev.weir.model.HtmlSides;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.scan.rule.RuleSettings;
import dev.weir.scan.score.Protectors;
import dev.weir.wire.command.Extension;
import org.jspecify.annotations.Nullable;

/** The side hashes of a hash of HTML, as storages receive them (docs/reference/protocol.md#extensions-of-weir). */
public final class Sides {
    private Sides() {}

    /** Returns the side hashes of a hash, or null if it has none. */
    public static @Nullable HtmlSides of(FuzzyHash hash) {
        HtmlSideHashes sides = hash.sides();
        return sides == null || sides.features() == 0
                ? null
                : new HtmlSides(sides.allDomains(), sides.ctaDomains(), sides.features());
    }

    /** Returns the extensions of an update. */
    static List<Extension> told(FuzzyHash hash) {
        HtmlSides sides = of(hash);
        return sides == null ? List.of() : List.of(new Extension.Sides(sides));
    }

    /** Returns the extensions of a check: the side hashes, and the flags that protect a template. */
    static List<Extension> asked(FuzzyHash hash, RuleSettings rule, FuzzyCheckSettings settings) {
        HtmlSides sides = of(hash);
        if (sides == null) {
            return List.of();
        }
        List<Integer> protectors = List.copyOf(Protectors.of(rule.score(), settings.symbols()));
        return protectors.isEmpty()
                ? List.of(new Extension.Sides(sides))
                : List.of(new Extension.Sides(sides), new Extension.Protectors(protectors));
    }
}
