package dev.weir.config.ucl;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

import dev.weir.config.source.ConfigException;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.source.Problem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

/** Compares this parser with Rspamd 4.1.6 on 210 texts. */
final class UclVectorsTest {
    private static final Path FOLDER = folder();
    private static final UclSettings SETTINGS = new UclSettings(
            Variables.NONE.with("TESTVAR", "hello").with("NUMVAR", "42").with("BOOLVAR", "yes"), Optional.empty(),
            new DiskFiles(), UclLimits.DEFAULT, Set.of());

    record Vector(String name, boolean parses) {
        @Override
        public String toString() {
            return name + (parses ? "" : " (rejected)");
        }
    }

    private static Path folder() {
        try {
            return Path.of(Objects.requireNonNull(UclVectorsTest.class.getResource("vectors/INDEX.tsv")).toURI())
                    .resolveSibling("");
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    static List<Vector> vectors() throws IOException {
        return Files.readAllLines(FOLDER.resolve("INDEX.tsv"))
                .stream()
                .skip(1)
                .map(line -> line.split("\t", -1))
                .map(cells -> new Vector(cells[0], cells[1].equals("ok")))
                .toList();
    }

    /** Returns our own expectation where it differs from the vector; differences/README.md has the reasons. */
    private static Path difference(Vector vector) {
        return FOLDER.resolveSibling("differences").resolve(vector.name() + ".json");
    }

    private static UclDocument load(Vector vector) throws ConfigException {
        return Ucl.load(FOLDER.resolve(vector.name() + ".ucl").toString(), SETTINGS);
    }

    @Test
    void everyVectorIsPresent() throws IOException {
        assertThat(vectors()).hasSize(210);
        assertThat(vectors()).filteredOn(Vector::parses).hasSize(155);
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void parsesLikeRspamd(Vector vector) throws IOException, ConfigException {
        Path own = difference(vector);
        if (!vector.parses() && Files.notExists(own)) {
            assertThatThrownBy(() -> load(vector)).isInstanceOfSatisfying(ConfigException.class,
                    e -> assertThat(e.problems()).singleElement().satisfies(UclVectorsTest::isUseful));
            return;
        }
        Path expected = Files.exists(own) ? own : FOLDER.resolve(vector.name() + ".json");
        // The reference prints numbers that JSON does not have.
        String json = Files.readString(expected).replace(":nan", ":null").replace(":inf", ":null");
        assertThatJson(JsonMapper.shared().readTree(JsonText.compact(load(vector).root())),
                JsonMapper.shared().readTree(json), "");
    }

    private static void isUseful(Problem problem) {
        assertThat(problem.severity()).isEqualTo(Problem.Severity.ERROR);
        assertThat(problem.message()).isNotBlank();
        assertThat(Path.of(problem.origin().file())).exists();
        assertThat(problem.origin().line()).isPositive();
        assertThat(problem.origin().column()).isPositive();
    }

    @Test
    void numbersOutsideJsonBecomeNull() throws ConfigException {
        UclObject root = (UclObject) load(new Vector("numbers-nan-inf", true)).root();
        assertThat(root.values("a")).singleElement().isInstanceOfSatisfying(UclDouble.class,
                number -> assertThat(number.value()).isNaN());
        assertThat(root.values("b")).singleElement().isInstanceOfSatisfying(UclDouble.class,
                number -> assertThat(number.value()).isEqualTo(Double.POSITIVE_INFINITY));
    }

    private static void assertThatJson(JsonNode actual, JsonNode expected, String path) {
        if (expected.isNumber()) {
            assertThat(actual.isNumber()).as(path).isTrue();
            assertThat(actual.isIntegralNumber()).as(path).isEqualTo(expected.isIntegralNumber());
            // The reference prints six digits.
            assertThat(actual.doubleValue()).as(path).isEqualTo(expected.doubleValue(), within(1e-6));
        } else if (expected.isObject()) {
            assertThat(actual.isObject()).as(path).isTrue();
            assertThat(actual.propertyNames()).as(path).containsExactlyInAnyOrderElementsOf(expected.propertyNames());
            for (Map.Entry<String, JsonNode> property : expected.properties()) {
                assertThatJson(actual.get(property.getKey()), property.getValue(), path + "." + property.getKey());
            }
        } else if (expected.isArray()) {
            assertThat(actual.isArray()).as(path).isTrue();
            assertThat(actual.size()).as(path).isEqualTo(expected.size());
            for (int i = 0; i < expected.size(); i++) {
                assertThatJson(actual.get(i), expected.get(i), path + "[" + i + "]");
            }
        } else {
            assertThat(actual).as(path).isEqualTo(expected);
        }
    }
}
