package dev.weir.lua;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/** Tests of scripts that try to run forever or to use all memory. */
class LuaLimitsTest {
    private static final LuaLimits SHORT = new LuaLimits(Duration.ofMillis(50), 32 << 20, 1);

    @ParameterizedTest
    @ValueSource(strings = {"while true do end",
        "repeat until false",
        "local function f() return f() end f()",
        "while true do pcall(function() while true do end end) end",
        "local function f() pcall(f) f() end while true do pcall(f) end",
        "xpcall(function() while true do end end, function() while true do end end)",
        "while true do xpcall(error, function() while true do end end) end",
        "local co = coroutine.wrap(function() while true do pcall(coroutine.yield) end end) while true do co() end",
        "coroutine.wrap(function() while true do end end)()",
        "local co = coroutine.create(function() while true do end end) while true do coroutine.resume(co) end",
        "return setmetatable({}, {__index = function(t, k) while true do end end}).x",
        "table.sort({3, 2, 1}, function() while true do end end)",
        "('x'):gsub('x', function() while true do end end)",
        "return tostring(setmetatable({}, {__tostring = function() while true do end end}))",
        "string.find(('a'):rep(50000), ('a*'):rep(20) .. 'b')",
        "string.match(('a'):rep(40), ('a?'):rep(40) .. ('a'):rep(40) .. 'b')",
        "for _ in string.gmatch(('a'):rep(50000), '(.-)(.-)(.-)b') do end",
        "string.gsub(('a'):rep(50000), '.-.-.-b', '')",
        "string.find(('a'):rep(200), '(a*)(a*)(a*)%1%2(a-)(a-)(a-)(a-)(a-)(a-)b')",
        "while true do string.find(('x'):rep(1000000), ('x'):rep(500000) .. 'y', 1, true) end",
        "require('rspamd_regexp').create('/^(a*)(a*)(a*)(a*)(a*)(a*)(a*)(a*)\\\\1c/'):match(('a'):rep(1000) .. 'b')",
        "while true do require('rspamd_logger').infox('%s', 1) end",
        "local t = {} for i = 1, 100000 do t[i] = i end while true do table.insert(t, 1, 0) table.remove(t, 1) end",
        "for _ in string.gmatch(('^'):rep(300000), '^.*x') do end",
        "for _ in string.gmatch(('^'):rep(300000), '^.-x') do end",
        "table.insert({}, 2147483648, 1)", "table.insert({}, 0/0, 1)", "table.insert({}, 1e300, 1)",
        "table.insert({}, '2147483648', 1)", "table.insert({}, -1/0, 1)",
        "string.gsub(('x'):rep(500000), '(y?)x', ('%1'):rep(500000))",
        "string.gsub(('x'):rep(500000), '()', ('%%'):rep(500000))",
        "require('rspamd_regexp').create('/(?:){2147483647}/'):match('')"})
    void endsInTime(String text) throws LuaException {
        long start = System.nanoTime();
        LuaException e;
        try (LuaScript script = Scripts.load(text, SHORT)) {
            e = catchThrowableOfType(LuaException.class, () -> script.call("run", Scripts.NO_HOST, List.of()));
            // The script's own clock ended it, so no thread was abandoned.
            assertThat(script.counters().overruns()).as(text).isZero();
        }
        Duration taken = Duration.ofNanos(System.nanoTime() - start);
        assertThat(e).as(text).isNotNull();
        assertThat(e.kind()).as(text).isIn(LuaException.Kind.TIME_LIMIT, LuaException.Kind.RUNTIME,
                LuaException.Kind.MEMORY_LIMIT);
        // Includes loading; far above the expected time, because the machine may be busy.
        assertThat(taken).as(text).isLessThan(Duration.ofSeconds(4));
    }

    @Test
    void stopsALoopAtTheTimeLimit() {
        LuaException e = catchThrowableOfType(LuaException.class,
                () -> Scripts.run("while true do pcall(error) end", SHORT));
        assertThat(e.kind()).isEqualTo(LuaException.Kind.TIME_LIMIT);
        assertThat(e).hasMessage("the script ran longer than 50 ms");
    }

    @ParameterizedTest
    @ValueSource(strings = {"local s = 'x' while true do s = s .. s end",
        "return ('x'):rep(1e9)",
        "return ('x'):rep(2^31 - 1)",
        "local t = {} for i = 1, 1e9 do t[i] = i end",
        "local t = {} while true do t = {t, t} end",
        "local t = {} for i = 1, 1e8 do t[i] = {} end",
        "local t = {} for i = 1, 1e8 do t[i] = ('%d'):format(i) end",
        "local t = {('x'):rep(1e6)} for i = 2, 100 do t[i] = t[1] end return table.concat(t)",
        "local t = {} for i = 1, 1e7 do t[i] = coroutine.create(function() end) end",
        "return (('x'):rep(1e6)):gsub('x', ('y'):rep(1000))",
        "return require('rspamd_util').encode_base64(('x'):rep(30e6)):str() .. ('x'):rep(20e6)"})
    void stopsAtTheMemoryLimit(String text) {
        LuaException e = catchThrowableOfType(LuaException.class,
                () -> Scripts.run(text, new LuaLimits(Duration.ofSeconds(20), 32 << 20, 1)));
        assertThat(e).as(text).isNotNull();
        assertThat(e.kind()).as(text).isEqualTo(LuaException.Kind.MEMORY_LIMIT);
    }

    @Test
    void scriptCanCatchAMemoryError() throws LuaException {
        assertThat(Scripts.result("return pcall(string.rep, 'x', 1e9)")).isEqualTo("false not enough memory");
    }

    @ParameterizedTest
    @ValueSource(strings = {"local function f() return 1 + f() end f()",
        "local function f() table.sort({1, 2, 3}, function() f() end) end f()",
        "local function f() ('x'):gsub('x', f) end f()",
        "local m = {} m.__tostring = function(t) return ('%s'):format(t) end return tostring(setmetatable({}, m))",
        "local m = {} m.__tostring = function(t) return tostring(t) end return tostring(setmetatable({}, m))",
        "local m = {} m.__index = function(t, k) return t[k .. 'x'] end return setmetatable({}, m).x",
        "local m = {} m.__concat = function(a, b) return a .. b end local t = setmetatable({}, m) return t .. t",
        "local m = {} m.__lt = function(a, b) return a < b end local t = setmetatable({}, m) return t < t",
        "local m = {} m.__eq = function(a, b) return a == b end return setmetatable({}, m) == setmetatable({}, m)",
        "local m = {} m.__call = function(t) return t() end return setmetatable({}, m)()",
        "local function f() coroutine.wrap(f)() end f()",
        "local function deep(n) table.sort({1, 2, 3}, function() deep(n + 1) end) end "
                + "local function f() coroutine.wrap(function() pcall(deep, 1) f() end)() end f()",
        "local t = {} t.__index = t setmetatable(t, t) return t.x",
        "return unpack({}, 1, 1e8)",
        "return (('x'):rep(1e6)):byte(1, -1)",
        "string.find(('a'):rep(1e6), ('(a)'):rep(100))",
        "string.find('a', '%')", "string.find('a', '[a')", "('x'):gsub('.', '%9')",
        "error({})", "error()", "error(nil)", "os.date('%!')", "os.date('%')"})
    void fails(String text) {
        LuaException e = catchThrowableOfType(LuaException.class,
                () -> Scripts.run(text, new LuaLimits(Duration.ofMillis(500), 64 << 20, 1)));
        assertThat(e).as(text).isNotNull();
    }

    /** Arguments at the limits of their ranges: the call must end with a result, an error or a limit. */
    @ParameterizedTest
    @ValueSource(strings = {"return (''):rep(1e9)", "return (''):rep(2^31 - 1, '')", "return ('x'):rep(-2^31)",
        "table.insert({1, 2}, -2^31, 0)", "table.insert({1, 2}, 2^31 - 1, 0)", "table.remove({1, 2}, -2^31)",
        "return table.concat({}, '', -2^31, 2^31 - 1)", "return unpack({}, -2^31, 2^31 - 1)",
        "return ('x'):byte(-2^31, 2^31 - 1)", "return ('x'):sub(-2^31, 2^31 - 1)", "return select(-2^31, 1)",
        "return ('%d %x %c %q %5.1f %s'):format(2^63, -1, 0, '\\0', 0/0, nil)", "return ('%99999s'):format('x')",
        "return os.date('*t', 2^60), os.date('%c', -2^60)", "return os.time({year = 2^40, month = 1, day = 1})",
        "return os.date('%c', 0/0)", "return bit.tohex(1, -2^31), bit.lshift(1, 2^31)",
        "return math.random(2^52, -2^52)",
        "return ('x'):find('', 2^31 - 1), ('x'):find('x', -2^31)", "return ('x'):gsub('', 'y', -2^31)",
        "return #setmetatable({}, {__len = error}), next({}, nil), tonumber('0x' .. ('f'):rep(1000), 16)",
        "for i = 1, 0/0 do end for i = 2^53, 2^53 + 2 do end",
        "setmetatable(_G, {__index = _G, __newindex = _G}) x = y",
        "string.len = nil table.concat = nil math.floor = nil return require('rspamd_logger').slog('%s', {1})",
        "local t = {} t[0/0] = 1", "return rawset(string, 'rep', nil), ('x').rep", "return coroutine.yield(1)",
        "local co co = coroutine.create(function() coroutine.resume(co) end) coroutine.resume(co)",
        "return require('rspamd_text').fromstring('x'):sub(-2^31, 2^31)",
        "return require('rspamd_ip').from_string(0/0)",
        "return require('rspamd_util').random_hex(2^31), require('rspamd_regexp').create(('('):rep(9000))",
        "return require('rspamd_regexp').create('/' .. ('(a|'):rep(3000) .. (')'):rep(3000) .. '*$/')"
                + ":match(('a'):rep(1e5))",
        "return require('rspamd_regexp').create('/(a|b)*$/'):match(('ab'):rep(5e5))"})
    void callsWithExtremeArgumentsEnd(String text) {
        long start = System.nanoTime();
        try {
            assertThat(Scripts.run(text, new LuaLimits(Duration.ofMillis(500), 32 << 20, 1))).isNotNull();
        } catch (LuaException e) {
            assertThat(e.kind()).as(text).isNotIn(LuaException.Kind.UNAVAILABLE, LuaException.Kind.BUSY);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).as(text).isLessThan(Duration.ofSeconds(6));
    }

    @Test
    void deepSourceDoesNotOverflowTheParser() {
        for (String piece : new String[]{"(", "{", "do ", "function f() ", "a = function() ", "- ", "not ", "x[", "f(",
            "1 .. ",
            "if a then ", "a."}) {
            assertThatThrownBy(() -> Scripts.run("return " + piece.repeat(100_000))).as(piece)
                    .isInstanceOf(LuaException.class);
        }
    }

    @Test
    void nextCallGetsANewState() throws LuaException {
        try (LuaScript script = Scripts.load("x = (x or 0) + 1 if x == 2 then while true do end end return x", SHORT)) {
            assertThat(script.call("run", Scripts.NO_HOST, List.of())).containsExactly(new LuaValue.Num(1));
            assertThatThrownBy(() -> script.call("run", Scripts.NO_HOST, List.of())).isInstanceOf(LuaException.class);
            assertThat(script.call("run", Scripts.NO_HOST, List.of())).containsExactly(new LuaValue.Num(1));
            assertThat(script.counters()).isEqualTo(new LuaScript.Counters(3, 1, 1, 0));
        }
    }

    /** Repeats an empty group hundreds of millions of times without checking the clock. */
    private static final String STUCK = """
            local expression = require('rspamd_regexp').create('/(?:(?:){60000}){6000}/')
            return function(long) return long and expression:match('') end
            """;
    private static final LuaInterface FUNCTION = new LuaInterface("function.lua", """
            local kit, body = ...
            return { start = function(chunk) body = kit.enter(chunk) end, run = function(...) return body(...) end }
            """);

    @Test
    void replacesTheThreadOfACallThatDoesNotEnd() throws Exception {
        try (LuaScript script = LuaScript.load(LuaSource.inline("test.lua", STUCK), SHORT, FUNCTION, ScriptLog.NONE)) {
            // As many stuck calls as may be abandoned, and one state that continues.
            for (int i = 1; i <= LuaScript.MOST_STUCK; i++) {
                LuaException e = catchThrowableOfType(LuaException.class,
                        () -> script.call("run", Scripts.NO_HOST, List.of(true)));
                assertThat(e.kind()).isEqualTo(LuaException.Kind.TIME_LIMIT);
                assertThat(script.counters().overruns()).isEqualTo(i);
                assertThat(script.call("run", Scripts.NO_HOST, List.of(false)))
                        .containsExactly(new LuaValue.Bool(false));
            }
            // One more takes the last place, which becomes free once a call has ended.
            assertThatThrownBy(() -> script.call("run", Scripts.NO_HOST, List.of(true)))
                    .isInstanceOf(LuaException.class);
            await("a call has ended").atMost(Duration.ofMinutes(3))
                    .until(() -> script.stuck() <= LuaScript.MOST_STUCK);
            assertThat(script.call("run", Scripts.NO_HOST, List.of(false))).containsExactly(new LuaValue.Bool(false));
        }
    }

    @Test
    void boundedFunctionsMatchTheOriginals() throws LuaException {
        assertThat(Scripts.result("return (('x'):rep(9e4) .. 'y'):find(('x'):rep(2e3) .. 'y')"))
                .isEqualTo("88001 90001");
        assertThat(Scripts.result("return ('a.b'):find('a.b'), ('a+b'):find('a+b'), ('axb'):find('a.b')"))
                .isEqualTo("1 nil 1 3");
        assertThat(Scripts.result("return ('ab'):gsub('(a?)', '<%1>')")).isEqualTo("<a><>b<> 3");
        assertThat(Scripts.result("local all = {} for x in ('^a^b'):gmatch('^.') do all[#all + 1] = x end "
                + "return table.concat(all, ' ')")).isEqualTo("^a ^b");
        assertThat(Scripts.result("local t = {1, 2} table.insert(t, 1, 0) table.insert(t, 9, 7) table.insert(t, 4, 3) "
                + "return table.concat(t, ' ')")).isEqualTo("0 1 2 3");
    }

    @Test
    void rejectsLimitsOutOfRange() {
        assertThatThrownBy(() -> new LuaLimits(Duration.ZERO, 32 << 20, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new LuaLimits(Duration.ofMillis(1), 1, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new LuaLimits(Duration.ofMillis(1), 1 << 20, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
