package dev.weir.interop;

import java.nio.file.Path;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The plugin for Rspamd in the languages that Rspamd may be built with: LuaJIT, and Lua 5.1 to 5.4. */
class PluginLanguageTest {
    @TempDir
    Path scratch;

    @ParameterizedTest
    @ValueSource(strings = {"luajit", "lua5.1", "lua5.4"})
    void itRuns(String program) throws Exception {
        Programs.require(program);
        Path script = Path.of("src/test/resources/dev/weir/interop/plugin.lua").toAbsolutePath();
        Path plugin = Path.of("../../packages/rspamd/weir.lua").toRealPath();
        String out = Programs.run(scratch, program, script.toString(), plugin.toString()).succeeded().out();
        assertThat(out.lines()).containsExactly("request\thttp://first.example:11336/checkv2\t2.0\tone  two",
                "request\thttp://[::1]:99/checkv2\t4.0\tone  two",
                // fuzzy_check has counted 0.10 of the 0.28.
                "inserted\tWEIR_DENIED 0.18 21:ababababab:0.44:source1",
                "inserted\tWEIR_OTHER 0.00 OTHER_LIST 65:efefefefef:1.00:links1");
    }
}
