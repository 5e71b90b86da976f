package dev.weir.lua;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of the modules that scripts require; {@code rspamadm lua} of Rspamd 3.4 printed the expected values. */
class ModulesTest {
    private static final String REQUIRED = """
            local logger, util, re, ip, text = require "rspamd_logger", require "rspamd_util", require "rspamd_regexp",
              require "rspamd_ip", require "rspamd_text"
            local a, b = ip.from_string("192.0.2.129"), ip.from_string("2001:db8::1")
            local x = text.fromstring("hello World")
            local r = re.create("/(b+)(c)?/i")
            return\s""";

    @ParameterizedTest
    @CsvSource(delimiterString = " => ", quoteCharacter = '`', value = {
        "logger.slog('%s|%s|%s|%s|%s|%s', 1.5, 2, true, nil, {a=1}, {1,2,'x'}) "
                + "=> 1.5|2|true|nil|{[a] = 1}|{[1] = 1, [2] = 2, [3] = x}",
        "logger.slog('%s %s', 'only') => only no value", "logger.slog('plain') => plain",
        "logger.slog('%s', {1,{b={2}}}) => {[1] = 1, [2] = {[b] = {[1] = 2}}}",
        "logger.slog('%s %s', 'a', 1e10) => a 10000000000", "logger.slog('%2 %1', 'a', 'b') => b a",
        "tostring(a), tostring(b) => 192.0.2.129 2001:db8::1", "a:get_version(), b:get_version() => 4 6",
        "a:to_number(), 0 => 3221226113 0", "b:to_number() => 536939960 0 0 1",
        "a:is_valid(), a:get_port(), a:is_local() => true 0 false",
        "a:to_string(true), b:to_string(true) => 192.0.2.129:0 [2001:db8::1]:0",
        "ip.from_string('127.0.0.1'):is_local(), ip.from_string('10.0.0.1'):is_local() => true false",
        "ip.from_string('fe80::1'):is_local(), ip.from_string('fec0::1'):is_local() => true true",
        "table.concat(a:str_octets(), ','), table.concat(a:inversed_str_octets(), ',') => 192,0,2,129 129,2,0,192",
        "table.concat(b:str_octets(), '') => 20010db8000000000000000000000001",
        "table.concat(b:inversed_str_octets(), '') => 1000000000000000000000008bd01002",
        "tostring(a:apply_mask(24)), tostring(b:apply_mask(32)) => 192.0.2.0 2001:db8::",
        "a == ip.from_string('192.0.2.129'), a < ip.from_string('192.0.2.130') => true true",
        "tostring(ip.from_string('::')), tostring(ip.from_string('1:0:0:2:0:0:0:3')) => :: 1:0:0:2::3",
        "tostring(ip.from_string('1:0:2:3:4:5:6:7')), type(a) => 1:0:2:3:4:5:6:7 userdata",
        "r:match('aBBcd'), r:match('zz'), r:get_pattern(), tostring(r) => true false (b+)(c)? (b+)(c)?",
        "#r:search('abbc xb', false, true), table.concat(r:search('abbc xb', false, true)[1], '|') => 2 bbc|bb|c",
        "table.concat(r:search('abbc xb', false, true)[2], '|') => b|b",
        "table.concat(r:search('abbc xb'), ',') => bbc,b", "r:search('zzz') => nil",
        "table.concat(re.create('/[,;]\\\\s*/'):split('a, b;c'), '|') => a|b|c",
        "table.concat(re.create('/,/'):split(',a,,b,'), '|') => a|b", "re.create('/(/') => nil",
        "tostring(re.create('abc')) => abc", "re.import_plain('a.b*c+d[e]f-g/') => a\\.b\\*c\\+d\\[e\\]f\\-g\\/",
        "re.create('/a/'):matchn('aaaa', 2), re.create('/a/'):matchn('aaaa', -1) => 2 4",
        "re.create('/a/'):matchn('bbb', -1) => 0", "re.create('/ü./u'):search('xüä')[1] => üä",
        "tostring(x), #x, x:len(), x:str() => hello World 11 11 hello World",
        "tostring(x:sub(1, 3)), type(x:sub(1, 3)), x:byte(1), x:at(1) => hel userdata 104 104",
        "tostring(x:hex()), type(x:hex()) => 68656c6c6f20576f726c64 userdata",
        "tostring(x:base32()), tostring(x:base64()) => em3ags7py3i6g3tprd aGVsbG8gV29ybGQ=",
        "x:find('World') => 7 11", "tostring(x:lower()) => hello world",
        "x == text.fromstring('hello World'), x == 'hello World' => true false",
        "type('a' .. x), tostring('a' .. x) => userdata ahello World", "table.concat(x:bytes(), ',', 1, 2) => 104,101",
        "tostring(util.encode_base64('abc')), tostring(util.decode_base64('YWJj')) => YWJj abc",
        "tostring(util.encode_base32('abc')), type(util.encode_base32('abc')) => buagg userdata",
        "tostring(util.decode_base32('em3ags')) => hel,", "util.lower_utf8('ÄB'), util.strlen_utf8('äb') => äb 2",
        "util.is_valid_utf8('\\255'), util.is_valid_utf8('a') => false true",
        "#util.random_hex(8), util.strequal_caseless('aB', 'Ab'), util.get_time() > 1e9 => 8 true true"})
    void matchesRspamd(String expression, String expected) throws LuaException {
        assertThat(Scripts.result(REQUIRED + expression)).isEqualTo(expected);
    }

    @Test
    void writesMessagesToTheLog() throws LuaException {
        List<String> lines = Collections.synchronizedList(new ArrayList<>());
        try (LuaScript script = LuaScript.load(LuaSource.inline("log.lua", """
                local logger = require "rspamd_logger"
                logger.infox("%s and %s", 1, "two")
                logger.errx({}, "with an object: %s", true)
                logger.warn("a line\\nand another")
                print("printed", 3)
                """), Scripts.LIMITS, Scripts.BARE, (level, message) -> lines.add(level + " " + message))) {
            script.call("run", Scripts.NO_HOST, List.of());
        }
        assertThat(lines).containsExactly("INFO 1 and two", "ERROR with an object: true", "WARNING a line and another",
                "INFO printed 3");
    }

    @Test
    void createsAnExpressionOnEachCall() throws LuaException {
        try (LuaScript script = Scripts.load("return require('rspamd_regexp').create('/a(b+)c/i'):match('xABBCx')",
                Scripts.LIMITS)) {
            for (int i = 0; i < 2 * RegexTable.MOST; i++) {
                assertThat(script.call("run", Scripts.NO_HOST, List.of())).containsExactly(new LuaValue.Bool(true));
            }
        }
    }

    @Test
    void keepsMoreExpressionsThanItKeepsCompiled() throws LuaException {
        assertThat(Scripts.result("""
                local re, all = require "rspamd_regexp", {}
                for i = 1, 3000 do
                  all[i] = re.create('/^' .. i .. '(,)?$/')
                end
                for i = 1, 3000 do
                  if not all[i]:match(tostring(i)) or all[i]:match(tostring(i + 1)) then
                    return i
                  end
                end
                return #all, table.concat(all[1]:split('1,'), '|')
                """)).isEqualTo("3000 ");
    }
}
