package dev.weir.config.option;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import dev.weir.config.ucl.UclArray;
import dev.weir.config.ucl.UclBoolean;
import dev.weir.config.ucl.UclDouble;
import dev.weir.config.ucl.UclInteger;
import dev.weir.config.ucl.UclString;
import dev.weir.config.ucl.UclTime;
import dev.weir.config.ucl.UclValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class OptionTableTest {
    static List<String> shipped() throws Exception {
        URI folder = Objects.requireNonNull(OptionTable.class.getResource("worker-fuzzy.tsv")).toURI();
        try (Stream<Path> files = Files.list(Path.of(folder).resolveSibling("."))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".tsv"))
                    .map(name -> name.substring(0, name.length() - ".tsv".length()))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("shipped")
    void shippedTablesAreSound(String name) {
        OptionTable table = OptionTable.shipped(name);
        assertThat(table.options()).isNotEmpty();
        for (Option option : table.options()) {
            assertThat(option.description()).as(option.name()).isNotBlank();
            if (option.type() == Option.Type.SECRET) {
                assertThat(Stream.concat(Stream.of(option.name()), option.aliases().stream()))
                        .allMatch(OptionPlaces::isSecret);
            }
            Section.defaultOf(option)
                    .ifPresent(value -> assertThat(fits(value, option.type())).as(option.name()).isTrue());
        }
        assertThat(table.markdown().lines()).hasSize(table.options().size() + 2)
                .allSatisfy(line -> assertThat(line.replace("\\|", "").chars().filter(c -> c == '|')).hasSize(6));
    }

    private static boolean fits(UclValue value, Option.Type type) {
        return switch (type) {
            case STRING, SECRET -> value instanceof UclString;
            case NETWORKS -> value instanceof UclArray;
            case STRINGS -> value instanceof UclArray || value instanceof UclString;
            case INTEGERS -> value instanceof UclArray || value instanceof UclInteger;
            case BOOLEAN -> value instanceof UclBoolean;
            case INTEGER, SIZE -> value instanceof UclInteger;
            case NUMBER -> value instanceof UclDouble || value instanceof UclInteger;
            case TIME -> value instanceof UclTime;
            case KEYS, SECTIONS, ANY -> false;
        };
    }

    @Test
    void rejectsMalformedTables() {
        assertThatThrownBy(() -> OptionTable.parse("t", "a\tb")).isInstanceOf(IllegalArgumentException.class);
        String line = "a\t\tstring\t\t\t\thonored\t\tx";
        assertThatThrownBy(() -> OptionTable.parse("t", line + "\n" + line))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OptionTable.parse("t", "a\t\tstring\t\t\t\trefused\t\tx"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({"algoritm, algorithm, 1", "snyc, sync, 1", "abc, abc, 0", "ab, ba, 1", "kitten, sitting, 3"})
    void distanceCountsWrongLetters(String a, String b, int distance) {
        assertThat(Suggestion.distance(a, b)).isEqualTo(distance);
        assertThat(Suggestion.distance(b, a)).isEqualTo(distance);
    }
}
