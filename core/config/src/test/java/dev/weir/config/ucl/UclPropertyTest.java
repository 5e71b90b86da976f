package dev.weir.config.ucl;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;

import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Origin;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests that printed trees parse back to the same tree. */
final class UclPropertyTest {
    private static final Origin NOWHERE = new Origin("generated", 1, 1);
    private static final UclSettings SETTINGS = new UclSettings(Variables.NONE.with("V", "hello").with("a", "x"),
            UclSettings.PLAIN.template(), UclSettings.PLAIN.files(), UclLimits.DEFAULT, Set.of());

    private static Arbitrary<String> text() {
        return Arbitraries.oneOf(
                Arbitraries.strings().withChars("ab1 \t\n\r\\\"'{}[]#;,=:/*.<>EOD-\u0000\u00e9\u20ac\u001f\u007f")
                        .ofMaxLength(12),
                Arbitraries.strings().all().ofMaxLength(6),
                Arbitraries.of("10s", "true", "null", "-1", "<<EOD", "/*", "# x", "nan"));
    }

    private static Arbitrary<UclValue> scalar(boolean dollars) {
        Arbitrary<String> text = dollars ? text().map(s -> "$V" + s + "${V}$$") : text();
        return Arbitraries.oneOf(text.map(s -> new UclString(s, true, NOWHERE, 0)),
                Arbitraries.longs().map(n -> new UclInteger(n, NOWHERE, 0)),
                Arbitraries.doubles().map(n -> new UclDouble(n, NOWHERE, 0)),
                Arbitraries.of(true, false).map(b -> new UclBoolean(b, NOWHERE, 0)),
                Arbitraries.just(new UclNull(NOWHERE, 0)));
    }

    private static Arbitrary<UclValue> tree(Arbitrary<UclValue> scalar, boolean repeated) {
        return Arbitraries.recursive(() -> scalar,
                inner -> Arbitraries.oneOf(inner.list().ofMaxSize(3).map(items -> new UclArray(items, NOWHERE, 0)),
                        object(inner, repeated).map(object -> (UclValue) object)),
                0, 4);
    }

    private static Arbitrary<UclObject> object(Arbitrary<UclValue> values, boolean repeated) {
        Arbitrary<List<UclValue>> member = values.list().ofMinSize(1).ofMaxSize(repeated ? 3 : 1);
        return Arbitraries.maps(text().filter(key -> !key.isEmpty()), member).ofMaxSize(4).map(members -> {
            SequencedMap<String, List<UclValue>> ordered = new LinkedHashMap<>(members);
            return new UclObject(ordered, NOWHERE, 0);
        });
    }

    /**
     * Returns trees without repeated keys, which JSON cannot tell from arrays, and without dollars, which would be
     * expanded.
     */
    @Provide
    Arbitrary<UclObject> jsonTrees() {
        return object(tree(scalar(false), false), false);
    }

    @Provide
    Arbitrary<UclObject> uclTrees() {
        return object(tree(scalar(true), true), true);
    }

    @Property(seed = "20261121", tries = 100)
    void jsonParsesBackToTheSameTree(@ForAll("jsonTrees") UclObject tree) throws ConfigException {
        assertThat(bare(Ucl.parse("json", JsonText.compact(tree), SETTINGS).root())).isEqualTo(bare(tree));
        assertThat(bare(Ucl.parse("json", JsonText.pretty(tree), SETTINGS).root())).isEqualTo(bare(tree));
    }

    @Property(seed = "20261122", tries = 100)
    void uclParsesBackToTheSameTree(@ForAll("uclTrees") UclObject tree) throws ConfigException {
        assertThat(bare(Ucl.parse("ucl", UclText.explained(tree, key -> false), SETTINGS).root()))
                .isEqualTo(bare(tree));
    }

    /** Returns the same tree without places, and with every number in its shortest form. */
    private static UclValue bare(UclValue value) {
        return switch (value) {
            case UclObject object -> {
                SequencedMap<String, List<UclValue>> members = new LinkedHashMap<>();
                object.members().forEach((key, values) -> {
                    List<UclValue> bare = new ArrayList<>();
                    values.forEach(one -> bare.add(bare(one)));
                    members.put(key, bare);
                });
                yield new UclObject(members, NOWHERE, 0);
            }
            case UclArray array -> new UclArray(array.items().stream().map(UclPropertyTest::bare).toList(), NOWHERE, 0);
            case UclString string -> new UclString(string.text(), true, NOWHERE, 0);
            case UclInteger integer -> new UclInteger(integer.value(), NOWHERE, 0);
            case UclDouble number -> new UclDouble(number.value(), NOWHERE, 0);
            case UclTime time -> new UclTime(time.seconds(), NOWHERE, 0);
            case UclBoolean bool -> new UclBoolean(bool.value(), NOWHERE, 0);
            case UclNull nothing -> new UclNull(NOWHERE, 0);
        };
    }
}
