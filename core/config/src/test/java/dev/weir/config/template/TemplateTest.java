package dev.weir.config.template;

import java.util.Map;

import dev.weir.config.source.ConfigException;
import dev.weir.config.source.SourceText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Compares the renderer with {@code rspamadm template} of Rspamd 3.4, run with RSPAMD_FOO=bar. */
final class TemplateTest {
    private static final TemplateContext CONTEXT = TemplateContext
            .of(Map.of("FOO", "bar", "ver_id", "release"), Map.of("DBDIR", "/var/lib/rspamd"));

    private static String render(String text) throws ConfigException {
        return Template.render(SourceText.of("t", text), CONTEXT).text();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', ignoreLeadingAndTrailingWhitespace = false, textBlock = """
            `{= 'a' =}b`|`ab`
            `{= =}`|``
            `{= nil =}x`|`x`
            `{= env.FOO =}{=FOO=}{= env["FOO"] =}{= (env.FOO) =}`|`barbarbarbar`
            `{= env.X|default("dq") =}`|`dq`
            `{= env.X|default('it\\'s') =}`|`it's`
            `{= env.X|default(env.FOO) =}`|`bar`
            `{= env.X|default =}`|``
            `{= env.X | default "https://a.example" =}/x`|`https://a.example/x`
            `{= env.X|default'q'|upper =}`|`Q`
            `{= env.X|default env.FOO =}{= env.X|default 5 =}{= env.X|default-1 =}`|`bar5-1`
            `{= env.X|default "a" .. "b" =}`|`ab`
            `{= env.X|default not nil =}`|`true`
            `{= env.FOO | default "x" =}`|`bar`
            `{= env.FOO|upper "ignored" =}`|`BAR`
            `{= env.X|default(("a")) =}{= env.X|default("a",) =}{= env.X|default() =}`|`aa`
            `{= env.X|default("a|b") =}`|`a|b`
            `{= false|default("x") =}{= false|default("x", true) =}{= false|default "y", true =}`|`falsexy`
            `{= env.FOO|default('x')|upper =}`|`BAR`
            `{= env.ver_id =}`|`release`
            `{= paths.DBDIR =}/x`|`/var/lib/rspamd/x`
            `{= true and false =}`|`false`
            `{= env.X or 'z' =}{= env.FOO and 1 =}`|`z1`
            `{= not env.X =}`|`true`
            `{= "a" .. 'b' =}`|`ab`
            `{= env.FOO ~= 'x' =}{= 3 > 2 =}`|`truetrue`
            `{= 10 =}{= 1e3 =}`|`101000`
            `{% set a = 5 %}{= a =}`|`5`
            `{{ x }} {x} { # }`|`{{ x }} {x} { # }`
            `{# a b #}c`|`c`
            `{% if env.X %}yes{% else %}no{% endif %}`|`no`
            `{% if env.X %}a{% elseif env.FOO %}c{% else %}b{% endif %}`|`c`
            `{% if (env.FOO or env.X) and not nil %}y{% endif %}`|`y`
            `{% if env.X %}{% if true %}a{% endif %}{= nosuch.field =}{% endif %}b`|`b`
            `{% if env.FOO%}z{%endif%}`|`z`
            `{% raw %}{= x =}{% endraw %}`|`{= x =}`
            `{= env.FOO -=} x`|`barx`
            `a\n{%- if true %}\nb\n{%- endif %}\nc`|`a\nb\nc`
            `a\n{% if true %}\nb\n{% endif %}\nc`|`a\n\nb\n\nc`
            """)
    void rendersAsRspamdDoes(String template, String expected) throws ConfigException {
        assertThat(render(template.replace("\\n", "\n").replace("\\\\", "\\")))
                .isEqualTo(expected.replace("\\n", "\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{= env.X.y =}", "{= env.X =", "{% if x %}", "{% foo %}", "{= a b =}", "{# x",
        "{= nosuch.y =}",
        "{= env.FOO|nofilter =}", "{% endif %}", "{% else %}", "{= env.FOO != 'x' =}", "{= env.FOO|default ( 'x' ) =}",
        "{= 'a' ~ 'b' =}", "{= env.X|default (\"d\") =}", "{= env.X|default\"a\"\"b\" =}",
        "{= env.X|default(\"a\") .. \"b\" =}", "{= env.X default \"a\" =}", "{= env.FOO is defined =}", "{= '=}' =}",
        "{= 'a' < 1 =}", "{% raw %}", "{= nil .. 'a' =}"})
    void rejectsWhatRspamdRejects(String template) {
        assertThatThrownBy(() -> render("\n" + template)).isInstanceOf(ConfigException.class)
                .hasMessageMatching("(?s)t:2:\\d+: template: .*");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {% for i in ipairs({1,2}) %}x{% endfor %}  | {% for %} is not supported
            {= 1 + 2 =}                                | arithmetic is not supported
            {= env.FOO:upper() =}                      | calls are not supported
            {% if a %}{% elif b %}{% endif %}          | write {% elseif %}
            """)
    void rejectsUnsupportedFeaturesByName(String template, String reason) {
        assertThatThrownBy(() -> render(template)).isInstanceOf(ConfigException.class).hasMessageContaining(reason);
    }

    @Test
    void everyWrongExpressionIsReported() {
        assertThatThrownBy(
                () -> render("{= a b =}\n{% if c d %}x{% else %}{= env.FOO|nofilter =}{% endif %}\n{= e f =}"))
                .isInstanceOfSatisfying(ConfigException.class, e -> assertThat(e.problems())
                        .extracting(problem -> problem.origin().toString())
                        .containsExactly("t:1:6", "t:2:9", "t:2:35", "t:3:6"));
        assertThatThrownBy(() -> render("{= a b =}".repeat(5000))).isInstanceOfSatisfying(ConfigException.class,
                e -> assertThat(e.problems()).hasSize(101));
    }

    @Test
    void limitsBoundOutputAndDepth() {
        String doubling = "{% set a = 'xxxxxxxxxxxxxxxx' %}" + "{% set a = a .. a %}".repeat(40);
        assertThatThrownBy(() -> render(doubling)).hasMessageContaining("longer than");
        String large = "{% set a = 'xxxxxxxxxxxxxxxx' %}" + "{% set a = a .. a %}".repeat(16) + "{= a =}".repeat(100);
        assertThatThrownBy(() -> render(large)).hasMessageContaining("longer than");
        assertThatThrownBy(() -> render("{= " + "(".repeat(5000) + "1" + ")".repeat(5000) + " =}"))
                .hasMessageContaining("nested deeper");
        assertThatThrownBy(() -> render("{% if 1 %}".repeat(500))).hasMessageContaining("nested deeper");
    }

    @Test
    void placesPointIntoTheTemplate() throws ConfigException {
        SourceText rendered = Template.render(SourceText.of("t", "a\n{# c\n #}{= 'xyz' =}b\nc"), CONTEXT);
        assertThat(rendered.text()).isEqualTo("a\nxyzb\nc");
        assertThat(rendered.originAt(0).toString()).isEqualTo("t:1:1");
        assertThat(rendered.originAt(5).toString()).isEqualTo("t:3:15");
        assertThat(rendered.originAt(7).toString()).isEqualTo("t:4:1");
        assertThat(rendered.originAt(2).line()).isEqualTo(3);
        assertThat(rendered.originAt(4).line()).isEqualTo(3);
        assertThat(rendered.originAt(8).toString()).isEqualTo("t:4:2");
    }
}
