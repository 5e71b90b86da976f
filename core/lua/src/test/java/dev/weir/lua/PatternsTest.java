package dev.weir.lua;

import java.util.List;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests that the patterns in Lua match like LuaJIT's own. */
class PatternsTest {
    /** Calls a function of both implementations. An error counts as a result, but its text is not compared. */
    private static final LuaInterface BOTH = new LuaInterface("both.lua", """
            local slow = (function(...)
            %s
            end)()
            local function shown(good, ...)
              if not good then return 'error' end
              local out = {}
              for i = 1, select('#', ...) do out[i] = type(select(i, ...)) .. ':' .. tostring((select(i, ...))) end
              return table.concat(out, '|')
            end
            local function all(gmatch, s, p)
              local out = {}
              for a, b in gmatch(s, p) do out[#out + 1] = tostring(a) .. ',' .. tostring(b) end
              return table.concat(out, ';')
            end
            local function both(s, p, repl, init)
              local results = {}
              for i, lib in ipairs({string, slow}) do
                local r = {
                  shown(pcall(lib.find, s, p, init)),
                  shown(pcall(lib.match, s, p)),
                  shown(pcall(all, lib.gmatch, s, p)),
                  shown(pcall(lib.gsub, s, p, repl)),
                  shown(pcall(lib.gsub, s, p, repl, 2)),
                  shown(pcall(lib.gsub, s, p, function(a, b) return b and '<' .. tostring(b) .. '>' end)),
                  shown(pcall(lib.gsub, s, p, {a = 'A', b = 1, ab = false})),
                }
                results[i] = table.concat(r, '\\n')
              end
              return results[1], results[2]
            end
            return {start = function() end, both = both}
            """.formatted(LuaInterface.resource(LuaState.class, "patterns.lua").text()));
    private static @Nullable LuaScript script;

    @BeforeContainer
    static void load() throws LuaException {
        script = LuaScript.load(LuaSource.inline("none", ""), Scripts.LIMITS, BOTH, ScriptLog.NONE);
    }

    @AfterContainer
    static void close() {
        requireNonNull(script).close();
    }

    @Property(tries = 3000, seed = "20261121")
    void implementationsAgree(@ForAll("subjects") String subject, @ForAll("patterns") String pattern,
            @ForAll("replacements") String repl,
            @ForAll("starts") int start) throws LuaException {
        List<LuaValue> results = requireNonNull(script).call("both", Scripts.NO_HOST,
                List.of(subject, pattern, repl, start));
        String original = results.get(0).toString();
        if (original.contains("error")) {
            // The original detects some errors of a pattern only when it reaches the faulty part.
            return;
        }
        assertThat(results.get(1)).as("subject %s pattern %s", subject, pattern).hasToString(original);
    }

    @Provide
    Arbitrary<String> subjects() {
        return Arbitraries.strings().withChars("ab(1 -)").ofMaxLength(12);
    }

    @Provide
    Arbitrary<String> patterns() {
        return Arbitraries
                .of("a", "b", ".", "%a", "%d", "%s", "[ab]", "[^a]", "[%d-]", "[a-b1]", "(a)", "(b*)", "()", "(.-)",
                        "%b()", "%f[%a]", "%f[^%a]", "%1", "%(", "-", "*", "+", "?", "^", "$", "a*", "a-", "b+", "(a",
                        ")", "[]]", "%%", "%W")
                .list().ofMaxSize(5).map(pieces -> String.join("", pieces));
    }

    @Provide
    Arbitrary<String> replacements() {
        return Arbitraries.of("", "x", "%0", "%1", "<%0%1>", "%%");
    }

    @Provide
    Arbitrary<Integer> starts() {
        return Arbitraries.integers().between(1, 4);
    }
}
