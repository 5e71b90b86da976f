package dev.weir.config.option;

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
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class OptionTableTest {
    @ParameterizedTest
    @ValueSource(strings = {"worker-fuzzy", "keypair", "key-extensions", "fuzzy_check", "fuzzy-rule", "fuzzy-map",
        "worker-controller",
        "fuzzy-tcp", "fuzzy-kinds", "fuzzy-kind", "checks-text", "checks-html", "checks-image",
        "checks-archive", "fuzzy-group", "fuzzy-symbol", "replication", "replication-follower"})
    void shippedTablesAreSound(String name) {
        OptionTable table = OptionTable.shipped(name);
        assertThat(table.options()).isNotEmpty();
        for (Option option : table.options()) {
            assertThat(option.description()).as(option.name()).isNotBlank();
            Section.defaultOf(option)
                    .ifPresent(value -> assertThat(fits(value, option.type())).as(option.name()).isTrue());
        }
        assertThat(table.markdown().lines()).hasSize(table.options().size() + 2)
                .allSatisfy(line -> assertThat(line.replace("\\|", "").chars().filter(c -> c == '|')).hasSize(6));
    }

    private static boolean fits(UclValue value, Option.Type type) {
        return switch (type) {
            case STRING, SECRET -> value instanceof UclString;
            case STRINGS, INTEGERS -> value instanceof UclArray;
            case BOOLEAN -> value instanceof UclBoolean;
            case INTEGER, SIZE -> value instanceof UclInteger;
            case NUMBER -> value instanceof UclDouble || value instanceof UclInteger;
            case TIME -> value instanceof UclTime;
            case NETWORKS, KEYS, SECTIONS, ANY -> false;
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
