package dev.weir.config.option;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that {@code docs/reference/configuration.md} has the tables of the program. With {@code
 * -Dweir.docs.write=true}, updates the page instead.
 */
class ReferenceTest {
    private static final Path PAGE = Path.of("../../docs/reference/configuration.md");
    private static final Pattern TABLE = Pattern.compile("<!-- table (\\S+) -->\n(.*?)<!-- end -->", Pattern.DOTALL);

    @Test
    void pageHasTheTablesOfTheProgram() throws Exception {
        String page = Files.readString(PAGE);
        String expected = TABLE.matcher(page).replaceAll(table -> Matcher.quoteReplacement("<!-- table "
                + table.group(1) + " -->\n" + OptionTable.shipped(table.group(1)).markdown() + "<!-- end -->"));
        if (Boolean.getBoolean("weir.docs.write")) {
            Files.writeString(PAGE, expected);
        }
        assertThat(TABLE.matcher(page).results().count()).isEqualTo(26);
        assertThat(Files.readString(PAGE)).isEqualTo(expected);
    }
}
