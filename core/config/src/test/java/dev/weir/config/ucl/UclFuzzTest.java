package dev.weir.config.ucl;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import dev.weir.config.source.ConfigException;
import dev.weir.config.template.TemplateContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A fuzz test: any text is either UCL or rejected with a place, and valid UCL prints and parses back to the same tree.
 */
final class UclFuzzTest {
    private static final UclLimits LIMITS = new UclLimits(1 << 16, 1 << 18, 64, 16, 64, 20_000, 1 << 18);

    @FuzzTest
    void parse(@NotNull String text) {
        MemoryFiles files = new MemoryFiles(Map.of("/a", text, "/b", "k = 1; o { x = [1] }\n"));
        UclSettings settings = new UclSettings(Variables.NONE.with("V", "hello"),
                Optional.of(TemplateContext.of(Map.of("FOO", "bar"), Map.of())), files, LIMITS, Set.of("s"));
        UclValue root;
        try {
            root = Ucl.parse("fuzz", text, settings).root();
        } catch (ConfigException e) {
            assertThat(e.problems()).allSatisfy(problem -> {
                assertThat(problem.message()).isNotBlank();
                assertThat(problem.origin().line()).isPositive();
                assertThat(problem.origin().column()).isPositive();
                assertThat(List.of("fuzz", "/a", "/b")).contains(problem.origin().file());
            });
            return;
        }
        String json = JsonText.compact(root);
        UclSettings plain = UclSettings.PLAIN;
        try {
            // Arrays of repeated keys come back as plain arrays. After that, the output is stable.
            String again = JsonText.compact(Ucl.parse("json", json, plain).root());
            assertThat(again).isEqualTo(json);
            if (root instanceof UclObject) {
                String ucl = UclText.explained(root, key -> false);
                assertThat(JsonText.compact(Ucl.parse("ucl", ucl, plain).root())).isEqualTo(json);
            }
        } catch (ConfigException e) {
            throw new AssertionError("the printed text is rejected:  " + json, e);
        }
    }
}
