package dev.weir.lua;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests of loading, calling, and the sandbox. */
class LuaScriptTest {
    @Test
    void returnsResults() throws LuaException {
        assertThat(Scripts.run("return true, 1.5, 'text', nil, {}, print"))
                .containsExactly(new LuaValue.Bool(true), new LuaValue.Num(1.5),
                        new LuaValue.Str("text".getBytes(java.nio.charset.StandardCharsets.UTF_8)), LuaValue.Other.NIL,
                        new LuaValue.Other("table"), new LuaValue.Other("function"));
    }

    @Test
    void syntaxErrorsNameFileAndLine() {
        assertThatThrownBy(() -> LuaScript.load(LuaSource.inline("rule.lua", "local a = 1\nlocal b = = 2\n"),
                Scripts.LIMITS, Scripts.BARE, ScriptLog.NONE))
                .isInstanceOfSatisfying(LuaException.class, e -> {
                    assertThat(e.kind()).isEqualTo(LuaException.Kind.SYNTAX);
                    assertThat(e.line()).isEqualTo(2);
                    assertThat(e).hasMessageStartingWith("rule.lua:2: ");
                });
    }

    @Test
    void runtimeErrorsNameFileAndLine() {
        assertThatThrownBy(() -> Scripts.run("local t\n\nreturn t.field"))
                .isInstanceOfSatisfying(LuaException.class, e -> {
                    assertThat(e.kind()).isEqualTo(LuaException.Kind.RUNTIME);
                    assertThat(e.line()).isEqualTo(3);
                    assertThat(e).hasMessageContaining("test.lua:3:");
                });
    }

    @Test
    void rejectsBytecode() {
        for (String bytecode : new String[]{"\u001bLJ\u0002\n", "\u001bLua", "\u001b"}) {
            assertThatThrownBy(() -> Scripts.run(bytecode))
                    .isInstanceOfSatisfying(LuaException.class,
                            e -> assertThat(e.kind()).isEqualTo(LuaException.Kind.SYNTAX));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"io", "package", "ffi", "debug", "jit", "load", "loadstring", "loadfile", "dofile",
        "module",
        "getfenv", "setfenv", "newproxy", "gcinfo", "os.execute", "os.remove", "os.rename", "os.exit", "os.getenv",
        "os.tmpname", "string.dump", "rspamd_config", "_G.io", "_G._G.debug"})
    void functionIsNotAvailable(String name) throws LuaException {
        assertThat(Scripts.result("return " + name)).isEqualTo("nil");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ffi", "io", "jit", "string.buffer", "rspamd_redis", "os"})
    void moduleIsNotAvailable(String name) throws LuaException {
        assertThat(Scripts.result("return (pcall(require, '" + name + "'))")).isEqualTo("false");
    }

    @Test
    void originalFunctionsAreUnreachable() throws LuaException {
        assertThat(Scripts.result("return getmetatable('')")).isEqualTo("false");
        assertThat(Scripts.result("return ('x').dump")).isEqualTo("nil");
        assertThat(Scripts.result("return (pcall(setmetatable, '', {}))")).isEqualTo("false");
        assertThat(Scripts.result("return getmetatable(require('rspamd_text').fromstring('x'))"))
                .isEqualTo("rspamd_text");
    }

    @Test
    void globalsStayInTheirScript() throws LuaException {
        try (LuaScript first = Scripts.load("x = (x or 0) + 1 string.len = nil return x", Scripts.LIMITS);
                LuaScript second = Scripts.load("return x, ('abc'):len()", Scripts.LIMITS)) {
            first.call("run", Scripts.NO_HOST, List.of());
            assertThat(first.call("run", Scripts.NO_HOST, List.of())).containsExactly(new LuaValue.Num(2));
            assertThat(second.call("run", Scripts.NO_HOST, List.of())).containsExactly(LuaValue.Other.NIL,
                    new LuaValue.Num(3));
        }
    }

    @Test
    void acceptsCallsFromManyThreads() throws Exception {
        LuaLimits limits = new LuaLimits(Duration.ofSeconds(5), 16 << 20, 3);
        try (LuaScript script = Scripts.load("local n = 0 for i = 1, 1000 do n = n + i end return n", limits);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<List<LuaValue>>> results = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                results.add(threads.submit(() -> script.call("run", Scripts.NO_HOST, List.of())));
            }
            for (Future<List<LuaValue>> result : results) {
                assertThat(result.get()).containsExactly(new LuaValue.Num(500500));
            }
            assertThat(script.counters()).isEqualTo(new LuaScript.Counters(300, 0, 0, 0));
        }
    }

    @Test
    void closedScriptRejectsCalls() throws LuaException {
        LuaScript script = Scripts.load("return 1", Scripts.LIMITS);
        script.close();
        assertThatThrownBy(() -> script.call("run", Scripts.NO_HOST, List.of()))
                .isInstanceOfSatisfying(LuaException.class,
                        e -> assertThat(e.kind()).isEqualTo(LuaException.Kind.BUSY));
        assertThat(script.counters().errors()).isEqualTo(1);
    }

    @Test
    void hostErrorsBecomeScriptErrors() throws LuaException {
        LuaInterface asking = new LuaInterface("asking.lua", """
                local kit = ...
                return { start = function() end, run = function() return pcall(kit.host, 'x', 1, 'two', true, nil) end }
                """);
        try (LuaScript script = LuaScript.load(LuaSource.inline("a", ""), Scripts.LIMITS, asking, ScriptLog.NONE)) {
            List<LuaValue> results = script.call("run", (name, arguments) -> {
                throw new IllegalStateException(name + " of " + arguments.size());
            }, List.of());
            assertThat(results).hasSize(2);
            assertThat(results.get(0).isTrue()).isFalse();
            assertThat(results.get(1)).hasToString("Str[x of 4]");
            assertThat(script.call("run",
                    (name, arguments) -> List.of(1, List.of("a"), java.util.Map.of("k", new byte[3])),
                    List.of())).hasSize(2).last().hasToString("Other[type=table]");
        }
    }

    @Test
    void rejectsAScriptThatIsTooLong() {
        assertThatThrownBy(() -> Scripts.run(" ".repeat(LuaSource.MAXIMUM_SIZE + 1)))
                .isInstanceOfSatisfying(LuaException.class,
                        e -> assertThat(e.kind()).isEqualTo(LuaException.Kind.SYNTAX));
    }

    @Test
    void selectsTheLibraryOfTheSystem() {
        assertThat(NativeImage.resource("Linux", "amd64")).isEqualTo("libluajit64.so");
        assertThat(NativeImage.resource("Linux", "aarch64")).isEqualTo("libluajitarm64.so");
        assertThat(NativeImage.resource("Mac OS X", "aarch64")).isEqualTo("libluajitarm64.dylib");
        assertThat(NativeImage.resource("Windows 11", "amd64")).isEqualTo("luajit64.dll");
        assertThat(NativeImage.resource("Linux", "riscv64")).isNull();
        assertThat(NativeImage.resource("AIX", "amd64")).isNull();
    }
}
