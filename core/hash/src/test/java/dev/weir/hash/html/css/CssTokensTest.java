package dev.weir.hash.html.css;

import java.util.Locale;
import java.util.Objects;

import dev.weir.hash.html.css.CssTokens.Kind;
import dev.weir.hash.html.css.CssTokens.Token;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests that numbers in style sheets have the value that the conversion of their text gives. */
final class CssTokensTest {
    @Property(seed = "4203")
    void readsShortNumbersExactly(@ForAll @IntRange(max = 9_999_999) int digits,
            @ForAll @IntRange(max = 7) int decimals) {
        String text = String.format(Locale.ROOT, "%08d", digits);
        String number = text.substring(0, 8 - decimals) + (decimals > 0 ? "." : "") + text.substring(8 - decimals);
        assertIsRead(number);
        assertIsRead(number.replaceFirst("^0+(?=[0-9.])", ""));
        assertIsRead("-" + digits);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-0", "+7", ".5", "16777217", "3.4028236e38", "1e2", "1.5e-3", "0.1",
        "123456789.123456789", "0000000001", "1e99"})
    void readsNumbersOfEveryForm(String number) {
        assertIsRead(number);
    }

    private static void assertIsRead(String number) {
        Token token = Objects.requireNonNull(CssTokens.of(number + "px;").next());
        assertThat(token.kind()).isEqualTo(Kind.NUMBER);
        assertThat(token.value()).isEqualTo(Float.parseFloat(number));
        assertThat(token.text()).isEqualTo("px");
    }
}
