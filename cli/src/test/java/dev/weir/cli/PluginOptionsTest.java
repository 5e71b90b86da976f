package dev.weir.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The options of the plugin for Rspamd: those that it reads, those at its head, and those of its page. */
class PluginOptionsTest {
    private static final Pattern READ = Pattern.compile("(?m)^  (\\w+) = \\{ .+, '\\w+' },$");
    private static final Pattern HEAD = Pattern.compile("(?m)^  (\\w+)(?: = .+| \\{}.+)$");
    private static final Pattern PAGE = Pattern.compile("(?m)^\\| `(\\w+)` \\| .+ \\| .+ \\|$");

    private static List<String> names(Pattern pattern, String text) {
        return pattern.matcher(text).results().map((MatchResult match) -> match.group(1)).toList();
    }

    @Test
    void theHeadAndThePageNameEachOption() throws Exception {
        String plugin = Files.readString(Path.of("../packages/rspamd/weir.lua"));
        String page = Files.readString(Path.of("../docs/integrate/rspamd-plugin.md"));
        int options = plugin.indexOf("local OPTIONS = {");
        List<String> read = names(READ, plugin.substring(options, plugin.indexOf("\n}\n", options)));
        assertThat(read).hasSizeGreaterThan(15);
        assertThat(names(HEAD, plugin.substring(0, plugin.indexOf("]]")))).isEqualTo(read);
        assertThat(names(PAGE, page.substring(page.indexOf("\n## Options\n"), page.indexOf("\n## When Weir is away"))))
                .isEqualTo(read);
    }
}
