package dev.weir.config.map;

import java.util.ArrayList;
import java.util.List;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import dev.weir.config.source.Problem;

import static org.assertj.core.api.Assertions.assertThat;

/** A fuzz test: any text is a map, possibly with malformed lines. */
final class MapFuzzTest {
    @FuzzTest
    void parse(@NotNull String text) {
        List<Problem> problems = new ArrayList<>();
        NetworkList networks = NetworkList.parse("fuzz", text, problems::add);
        int lines = (int) text.chars().filter(c -> c == '\n').count() + 1;
        assertThat(networks.hosts()).allSatisfy(host -> assertThat(host.origin().line()).isBetween(1, lines));
        assertThat(problems).allSatisfy(problem -> assertThat(problem.origin().line()).isBetween(1, lines));
        TextSet set = TextSet.parse("fuzz", text, problems::add);
        assertThat(set.texts()).hasSizeLessThanOrEqualTo(lines).doesNotContain("");
    }
}
