package dev.weir.lua;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import com.code_intelligence.jazzer.junit.FuzzTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fuzz test of loading: any text is a script or causes an error, without harm to the process and within the time limit.
 */
class ScriptFuzzTest {
    private static final LuaLimits LIMITS = new LuaLimits(Duration.ofMillis(50), 8 << 20, 1);

    @FuzzTest
    void load(byte[] text) {
        long start = System.nanoTime();
        // Map the bytes to characters below 256, so that bytecode survives as far as text allows.
        try (LuaScript script = Scripts.load(new String(text, StandardCharsets.ISO_8859_1), LIMITS)) {
            assertThat(script.call("run", Scripts.NO_HOST, List.of())).isNotNull();
        } catch (LuaException e) {
            assertThat(e.getMessage()).isNotNull();
            assertThat(e.kind()).isNotIn(LuaException.Kind.UNAVAILABLE, LuaException.Kind.BUSY);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    }
}
