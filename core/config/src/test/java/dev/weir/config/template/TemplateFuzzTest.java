package dev.weir.config.template;

import java.util.Map;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Origin;
import dev.weir.config.source.SourceText;

import static org.assertj.core.api.Assertions.assertThat;

/** A fuzz test: any text is rendered or rejected with a place, and every character of the result has a place. */
final class TemplateFuzzTest {
    private static final TemplateContext CONTEXT = TemplateContext.of(Map.of("FOO", "bar"), Map.of("DBDIR", "/x"));

    @FuzzTest
    void render(@NotNull String text) {
        SourceText source = SourceText.of("fuzz", text);
        int lines = (int) text.chars().filter(c -> c == '\n').count() + 1;
        try {
            SourceText rendered = Template.render(source, CONTEXT);
            for (int at = 0; at <= Math.min(rendered.text().length(), 2000); at++) {
                Origin origin = rendered.originAt(at);
                assertThat(origin.line()).isBetween(1, lines);
                assertThat(origin.column()).isBetween(1, text.length() + 1);
            }
        } catch (ConfigException e) {
            assertThat(e.problems()).singleElement()
                    .satisfies(problem -> assertThat(problem.origin().line()).isBetween(1, lines));
        }
    }
}
