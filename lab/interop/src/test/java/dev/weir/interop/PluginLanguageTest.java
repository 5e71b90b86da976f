package dev.weir.interop;

import java.nio.file.Path;
import java.util.List;

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
        assertThat(run(program, script, plugin, true)).containsExactly(
                "request\thttp://first.example:11336/checkv2\t2.0\tone  two",
                "request\thttp://[::1]:99/checkv2\t4.0\tone  two",
                "learned\tnormal\tnil\t-\tas the classifier wants",
                "learned\tcontroller\ttrue\t-\tas the classifier wants",
                "learned\tcontroller\tnil\tfuzzyadd FUZZY_DENIED\tas the classifier wants",
                // fuzzy_check has counted 0.10 of the 0.28.
                "inserted\tWEIR_DENIED 0.18 21:ababababab:0.44:source1",
                "inserted\tWEIR_OTHER 0.00 OTHER_LIST 65:efefefefef:1.00:links1");
        assertThat(run(program, script, plugin, false)).as("all hits of Weir count")
                .contains("inserted\tWEIR_DENIED 0.28 21:ababababab:0.44:source1 1:cdcdcdcdcd:1.00:txt");
    }

    private List<String> run(String program, Path script, Path plugin, boolean kindsOnly) throws Exception {
        return Programs.run(scratch, program, script.toString(), plugin.toString(), Boolean.toString(kindsOnly))
                .succeeded().out().lines().toList();
    }
}
